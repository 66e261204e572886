"""config.toml to typed settings and back: strict, every mistake at once with its line and key."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Sequence
from typing import Any, Literal

import msgspec
import platformdirs
import tomli_w
from msgspec import Struct, field

from sparktui import config_check


class NodeConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """One [[nodes]] entry. `host` is an ssh alias, an address, or "local" for this machine; default: the name."""

    name: str
    host: str = ""
    user: str | None = None
    port: int | None = None
    rack_position: int | None = None
    groups: list[str] = field(default_factory=list)
    planes: dict[Literal["fabric", "management", "other"], list[str]] = field(default_factory=dict)
    addresses: dict[Literal["fabric", "management"], str] = field(default_factory=dict)
    gpu_clock_cap_mhz: int | None = None


class SwitchConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """One [switches.NAME] table. Secrets come from `community_env` / `secret_file`, never from here.

    A `secret_file` (mode 0600) holds the community for version "2c"; for version "3" two lines: auth and priv key.
    For version "3" the environment variable named by `community_env` may hold the same two, separated by a line break.
    """

    host: str
    port: int = 161
    version: Literal["2c", "3"] = "2c"
    community_env: str | None = None
    secret_file: str | None = None
    user: str | None = None
    auth: Literal["MD5", "SHA1", "SHA224", "SHA256", "SHA384", "SHA512"] = "SHA1"
    priv: Literal["DES", "AES", "AES192", "AES256"] = "AES"
    poll_s: float = 5.0
    expected_absent: list[str] = field(default_factory=list)
    ports: dict[str, str] = field(default_factory=dict)


class RackConfig(Struct, frozen=True, forbid_unknown_fields=True):
    name: str = "rack"
    order: list[str] = field(default_factory=list)


class SamplingConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """Seconds between samples: fast 0.5-60, slow 5-3600."""

    fast_s: float = 1.0
    slow_s: float = 30.0


class UiConfig(Struct, frozen=True, forbid_unknown_fields=True):
    theme: str = "spark-dark"
    mouse: bool = True
    ascii: bool = False
    start_pane: str = "overview"


class FindingConfig(Struct, frozen=True, forbid_unknown_fields=True):
    muted: bool | list[str] = False
    thresholds: dict[str, float] = field(default_factory=dict)


class SshConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """Not part of a user's usual file: other files than ~/.ssh/config and ~/.ssh/known_hosts (the demo, tests)."""

    config_file: str | None = None
    known_hosts: str | None = None
    identity: str | None = None


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file. [jobs], [alerts], [history] and [serving] are accepted and kept for the parts that read them."""

    nodes: list[NodeConfig] = field(default_factory=list)
    switches: dict[str, SwitchConfig] = field(default_factory=dict)
    rack: RackConfig = RackConfig()
    sampling: SamplingConfig = SamplingConfig()
    ui: UiConfig = UiConfig()
    keys: dict[str, str] = field(default_factory=dict)
    findings: dict[str, FindingConfig] = field(default_factory=dict)
    ssh: SshConfig = SshConfig()
    jobs: dict[str, Any] = field(default_factory=dict)
    alerts: dict[str, Any] = field(default_factory=dict)
    history: dict[str, Any] = field(default_factory=dict)
    serving: dict[str, Any] = field(default_factory=dict)


class ConfigError(Exception):
    """The file cannot be used. `problems` holds every mistake, each one readable line."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def default_path() -> str:
    """$SPARKTUI_CONFIG, else config.toml in the user's config folder."""
    return os.environ.get("SPARKTUI_CONFIG") or os.path.join(platformdirs.user_config_dir("sparktui"), "config.toml")


Check = Callable[["Settings"], list[config_check.Problem]]
"""Looks at [findings], [keys] and [ui] of settings whose other parts may be missing."""


def load(path: str, checks: Sequence[Check] = ()) -> Settings:
    """Read and check a file. Raises ConfigError with every mistake, OSError where it cannot be read."""
    with open(path, "rb") as file:
        raw = file.read(MAX_FILE_BYTES + 1)
    if len(raw) > MAX_FILE_BYTES:
        raise ConfigError([f"{path}: larger than {MAX_FILE_BYTES // 1024} KiB: this is not a config file"])
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise ConfigError([f"{path}: not UTF-8 text (byte {error.start})"]) from None
    return parse(text, path, checks)


def parse(text: str, path: str = "config.toml", checks: Sequence[Check] = ()) -> Settings:
    """Settings from TOML text. Raises ConfigError with every mistake, each with its line and key."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        said = str(error).replace("at end of document", f"at line {len(text.splitlines())}, where the file ends")
        raise ConfigError([f"{path}: {said}"]) from None
    problems = config_check.check(data, Settings)
    wrong = {key[0] for key, _ in problems if key}
    sound = {name: data[name] for name in ("findings", "keys", "ui") if name in data and name not in wrong}
    for check in checks:
        problems += check(msgspec.convert(sound, Settings))
    if problems:
        raise ConfigError(config_check.located(problems, text, path))
    return msgspec.convert(data, Settings)


def from_hosts(hosts: str) -> Settings:
    """Settings for `--hosts a,b,c`: each `[user@]host[:port]`, an ssh alias, or "local". Raises ConfigError."""
    nodes: list[NodeConfig] = []
    problems: list[str] = []
    for item in (part.strip() for part in hosts.split(",")):
        if not item:
            continue
        match = _HOST.fullmatch(item)
        if match is None:
            problems.append(f"--hosts: '{item}' is not [user@]host[:port]")
            continue
        host = (match["v6"] or match["host"]).strip("[]")
        port = int(match["port"]) if match["port"] else None
        if port is not None and not 1 <= port <= 65535:
            problems.append(f"--hosts: port {port} in '{item}' is not 1-65535")
        nodes.append(NodeConfig(name=_unique(host, nodes), host=host, user=match["user"], port=port))
    if not nodes and not problems:
        problems.append("--hosts: no host given")
    if problems:
        raise ConfigError(problems)
    return Settings(nodes=nodes)


def dump(settings: Settings) -> str:
    """The settings as TOML, without what is at its default, and with secret-looking values hidden."""
    return tomli_w.dumps(_hide(_sparse(settings)))


_HOST = re.compile(
    r"(?:(?P<user>[^@\s-][^@\s]*)@)?"
    r"(?:(?P<v6>\[[0-9a-fA-F:.]+(?:%\w+)?\])|(?P<host>[^@:\s\[\]-][^@:\s\[\]]*))"
    r"(?::(?P<port>\d{1,6}))?"
)
MAX_FILE_BYTES = 1 << 20


def _unique(host: str, nodes: list[NodeConfig]) -> str:
    taken = {node.name for node in nodes}
    name, number = host, 2
    while name in taken:
        name, number = f"{host}-{number}", number + 1
    return name


def _sparse(value: Struct) -> dict[str, Any]:
    """What differs from the defaults; required fields always."""
    found: dict[str, Any] = {}
    for info in msgspec.structs.fields(value):
        current = getattr(value, info.name)
        default = info.default if info.default_factory is msgspec.NODEFAULT else info.default_factory()
        if current != default and current is not None:
            found[info.encode_name] = _plain(current)
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, Struct):
        return _sparse(value)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


def _hide(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: "(hidden)" if _is_secret(key, item) else _hide(item) for key, item in value.items()}
    return [_hide(item) for item in value] if isinstance(value, list) else value


def _is_secret(key: str, value: Any) -> bool:
    """Whether a value must not be shown; the names of places that hold a secret are none."""
    return (
        isinstance(value, str) and key not in ("secret_file", "community_env") and bool(config_check.SECRET.search(key))
    )
