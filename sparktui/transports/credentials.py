"""What a switch wants to know before it answers: from an environment variable or a file that only its owner reads."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from sparktui.config import SwitchConfig
from sparktui.switch.getter import SnmpError

MAX_OCTETS: Final = 4096
SHORTEST_KEY: Final = 8
"""Characters of an SNMPv3 password (RFC 3414, 11.2)."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """A community for version 2c; for version 3 the passwords of the user. Never printed."""

    community: str = field(default="", repr=False)
    auth_key: str = field(default="", repr=False)
    priv_key: str = field(default="", repr=False)


def read_credentials(config: SwitchConfig, environment: Mapping[str, str] = os.environ) -> Credentials:
    """The credentials that `community_env` or `secret_file` name. Raises SnmpError with what to do about it."""
    if config.community_env:
        content, source = environment.get(config.community_env, ""), f"${config.community_env}"
        if not content.strip():
            raise SnmpError(f"{source} is not set: export it, or name a secret_file")
    elif config.secret_file:
        source = config.secret_file
        content = _read_private(os.path.expanduser(config.secret_file))
    else:
        raise SnmpError("no community_env and no secret_file for this switch")
    lines = [line.strip() for line in content.splitlines() if line.strip()]
    if config.version == "2c":
        if len(lines) != 1:
            raise SnmpError(f"{source} must hold the community in one line")
        return Credentials(community=lines[0])
    if len(lines) != 2:
        raise SnmpError(f"{source} must hold two lines: authentication password and encryption password")
    if any(len(line) < SHORTEST_KEY for line in lines):
        raise SnmpError(f"{source}: an SNMPv3 password has {SHORTEST_KEY} characters at least")
    return Credentials(auth_key=lines[0], priv_key=lines[1])


def _read_private(path: str) -> str:
    try:
        with open(path, "rb") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            if mode & 0o077:
                raise SnmpError(f"{path} has mode {mode:04o}, others could read it: chmod 600 {path}")
            return file.read(MAX_OCTETS).decode("utf-8", "replace")
    except OSError as error:
        raise SnmpError(f"{path}: {error.strerror}") from error
