"""Where communities and passwords come from, and from where they are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparktui.config import SwitchConfig
from sparktui.switch.getter import SnmpError
from sparktui.transports.credentials import read_credentials


def secret(folder: Path, content: str, mode: int = 0o600) -> SwitchConfig:
    path = folder / "secret"
    path.write_text(content)
    path.chmod(mode)
    return SwitchConfig(host="sw", secret_file=str(path))


def test_a_private_file_holds_the_community(tmp_path: Path) -> None:
    assert read_credentials(secret(tmp_path, "s3cret\n")).community == "s3cret"


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o620])
def test_a_file_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    with pytest.raises(SnmpError, match=f"mode {mode:04o}.*chmod 600"):
        read_credentials(secret(tmp_path, "s3cret\n", mode))


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    with pytest.raises(SnmpError, match="No such file"):
        read_credentials(SwitchConfig(host="sw", secret_file=str(tmp_path / "none")))
    with pytest.raises(SnmpError, match=r"\$NOT_SET is not set"):
        read_credentials(SwitchConfig(host="sw", community_env="NOT_SET"))
    with pytest.raises(SnmpError, match="one line"):
        read_credentials(secret(tmp_path, "two\nlines\n"))


def test_version_3_takes_two_passwords_from_either_place(tmp_path: Path) -> None:
    path = secret(tmp_path, "auth-password\npriv-password\n").secret_file
    from_file = read_credentials(SwitchConfig(host="sw", version="3", user="ro", secret_file=path))
    assert (from_file.auth_key, from_file.priv_key) == ("auth-password", "priv-password")
    v3 = SwitchConfig(host="sw", version="3", user="ro", community_env="V3")
    assert read_credentials(v3, {"V3": "auth-password\npriv-password"}) == from_file
    with pytest.raises(SnmpError, match="two lines"):
        read_credentials(v3, {"V3": "only-one"})
    with pytest.raises(SnmpError, match="8 characters"):
        read_credentials(v3, {"V3": "short\npriv-password"})


def test_they_are_never_printed() -> None:
    assert "hidden" not in repr(read_credentials(SwitchConfig(host="sw", community_env="C"), {"C": "hidden"}))
