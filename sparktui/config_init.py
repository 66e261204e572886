"""`sparktui config init`: try each host, then write a config file with those that answered."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import click
from msgspec.structs import replace

from sparktui import config
from sparktui.config import NodeConfig, Settings, SwitchConfig
from sparktui.contract import Node, Rack
from sparktui.monitor import Monitor

HEAD = "# Written by `sparktui config init`. Every key is explained in config.example.toml.\n\n"


def initialise(hosts: list[str], switches: list[str], path: str, timeout_s: float) -> int:
    """Write `path`; returns the exit code: 0 all hosts answered, 1 some did not, 2 nothing was written."""
    try:
        nodes = (
            config.from_hosts(",".join(hosts)).nodes if hosts else ssh_config_nodes(Path("~/.ssh/config").expanduser())
        )
        found = {name: SwitchConfig(host=host, community_env=_variable(name)) for name, host in map(_named, switches)}
    except (config.ConfigError, click.ClickException) as error:
        click.echo(str(error), err=True)
        return 2
    if not nodes:
        click.echo("no hosts given, and ~/.ssh/config names none: sparktui config init spark1 spark2 ...", err=True)
        return 2
    rack = asyncio.run(_try(Settings(nodes=nodes), timeout_s))
    for name, node in rack.nodes.items():
        click.echo(f"{name}: {answer(node)}", err=True)
    good = [node for node in nodes if rack.nodes[node.name].state == "live"]
    if not good:
        click.echo("none answered: nothing written", err=True)
        return 2
    text = HEAD + config.dump(merged(existing(path), good, found))
    backup = write(Path(path), text)
    if backup is not None:
        click.echo(f"the former file is now {backup}", err=True)
    click.echo(path)
    for name in found:
        click.echo(f"{name}: put its SNMP community into ${_variable(name)} before you start sparktui", err=True)
    return 0 if len(good) == len(nodes) else 1


def existing(path: str) -> Settings:
    """What the file says already; nothing where there is none or it is broken, which is told."""
    try:
        return config.load(path)
    except FileNotFoundError:
        return Settings()
    except (config.ConfigError, OSError) as error:
        click.echo(f"the file that was there cannot be taken over: {error}", err=True)
        return Settings()


def merged(old: Settings, nodes: list[NodeConfig], switches: dict[str, SwitchConfig]) -> Settings:
    """The old settings with the nodes and switches that are new in them."""
    known = {node.name for node in old.nodes}
    added = [node for node in nodes if node.name not in known]
    return replace(old, nodes=[*old.nodes, *added], switches={**switches, **old.switches})


def answer(node: Node) -> str:
    """What a host said, in one line."""
    if node.state != "live":
        return node.error or node.state
    gpus = ", ".join(gpu.name for gpu in node.gpus) or "no GPU"
    return f"answers: {node.platform.hostname}, {node.platform.os}, {gpus}" if node.platform else f"answers: {gpus}"


def write(path: Path, text: str, now: float | None = None) -> Path | None:
    """Write the file (0600) in one step, keeping an existing one beside it; returns where that is now."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
    backup = None
    if path.exists():
        stamp = time.strftime("%Y%m%d-%H%M%S", time.localtime(now))
        backup = path.with_name(f"{path.name}.{stamp}")
        number = 2
        while backup.exists():
            backup = path.with_name(f"{path.name}.{stamp}-{number}")
            number += 1
        os.link(path, backup)
    fresh.replace(path)
    return backup


def ssh_config_nodes(path: Path) -> list[NodeConfig]:
    """The hosts that an ssh config names outright: no patterns, no negations, no duplicates."""
    try:
        lines = path.read_text(errors="replace").splitlines()
    except OSError:
        return []
    names: list[str] = []
    for line in lines:
        words = line.replace("=", " ", 1).split()
        if len(words) > 1 and words[0].lower() == "host":
            names += [word.strip('"') for word in words[1:]]
    plain = [name for name in dict.fromkeys(names) if not set(name) & set("*?!") and not name.startswith("-")]
    return [NodeConfig(name=name, host=name) for name in plain]


def _named(text: str) -> tuple[str, str]:
    name, _, host = text.partition("=")
    if not name or not host:
        raise click.ClickException(f"--switch: '{text}' is not NAME=HOST")
    return name, host


def _variable(name: str) -> str:
    return "".join(char if char.isalnum() else "_" for char in name).upper() + "_COMMUNITY"


async def _try(settings: Settings, timeout_s: float) -> Rack:
    """What every node answers within the time."""

    def answered(rack: Rack) -> bool:
        return all(node.error or (node.state == "live" and node.platform) for node in rack.nodes.values())

    monitor = Monitor(settings)
    try:
        await monitor.start()
        return await monitor.until(answered, timeout_s)
    finally:
        await monitor.stop()
