"""Starts the simulated rack and gives the settings to look at it with: from there on it is a rack like any other."""

from __future__ import annotations

import asyncio
import atexit
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from typing import Any

from sparktui.config import NodeConfig, RackConfig, Settings, SshConfig, SwitchConfig
from sparktui.demo.scenarios import NODES, SCENARIOS

UP_WITHIN_S = 15.0
END_WITHIN_S = 2.0


class DemoError(Exception):
    """The simulated rack does not come up."""


class Demo:
    """A running simulated rack. It ends with `close`, and with this process."""

    def __init__(self, process: subprocess.Popen[bytes], settings: Settings) -> None:
        self.process = process
        self.settings = settings
        atexit.register(self.close)

    def close(self) -> None:
        """End it and wait until its ports and keys are gone."""
        atexit.unregister(self.close)
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()
        try:
            self.process.wait(END_WITHIN_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


async def start(scenario: str = "healthy", speed: float = 1.0, seed: int = 1) -> Demo:
    """Start the child process. Raises DemoError where it does not come up.

    The kernel ends the child when the thread that called this ends: call it on one that stays.
    """
    command = [sys.executable, "-P", "-m", "sparktui.demo", "--scenario", scenario]
    command += ["--speed", str(speed), "--seed", str(seed), "--parent", str(os.getpid())]
    with tempfile.TemporaryFile() as complaints:
        # Not asyncio's own way to start it: that child would end with this loop. A new session: ctrl+c is not for it.
        process = subprocess.Popen(  # noqa: ASYNC220
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=complaints, start_new_session=True
        )
        assert process.stdout is not None
        try:
            line = await asyncio.wait_for(asyncio.to_thread(process.stdout.readline), UP_WITHIN_S)
            return Demo(process, settings(json.loads(line), scenario))
        except (TimeoutError, ValueError, KeyError):
            process.kill()
            process.wait()
            complaints.seek(0)
            said = complaints.read().decode(errors="replace").strip().splitlines() or ["it says nothing"]
            raise DemoError(f"the simulated rack does not start: {said[-1]}") from None


def settings(said: Mapping[str, Any], scenario: str) -> Settings:
    """The settings for what the child said it serves."""
    snmp = said["snmp"]
    switch = SwitchConfig(
        host=snmp["host"],
        port=snmp["port"],
        secret_file=said["community"],
        expected_absent=[] if SCENARIOS[scenario].psu2_fails_s is not None else ["psu2"],
    )
    return Settings(
        nodes=[
            NodeConfig(
                name=name,
                host=at["host"],
                port=at["port"],
                user=at["user"],
                rack_position=len(NODES) - NODES.index(name),
                gpu_clock_cap_mhz=2400,
            )
            for name, at in said["nodes"].items()
        ],
        switches={snmp["name"]: switch},
        rack=RackConfig(name="demo", order=list(reversed(NODES))),
        ssh=SshConfig(config_file="/dev/null", known_hosts=said["known_hosts"], identity=said["identity"]),
    )
