"""config.toml to typed settings and back: strict, every mistake at once with its line and key."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct, field


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
