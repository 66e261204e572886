"""Switches polled over real UDP: a store that wakes who waits for it, and fixtures with our agent as a CRS812."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest

from sparktui.config import SwitchConfig
from sparktui.contract import Switch, SwitchState
from sparktui.demo import ber
from sparktui.demo.agent import SnmpAgent, Value
from sparktui.store import Store
from sparktui.switch.values import Oid
from sparktui.transports.switches import SwitchPoller
from tests.snmprec import load

TIMEOUT_S = 0.3
COMMUNITY = "rack-ro"


@pytest.fixture
def table() -> dict[Oid, Value]:
    return load("crs812-ros7.24.1")


@pytest.fixture
def requests() -> list[ber.Request]:
    return []


@pytest.fixture
async def agent(table: dict[Oid, Value], requests: list[ber.Request]) -> AsyncIterator[SnmpAgent]:
    agent = SnmpAgent(lambda: table, COMMUNITY, requests.append)
    await agent.start()
    yield agent
    agent.close()


@pytest.fixture(autouse=True)
def community(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RACK_COMMUNITY", COMMUNITY)
    monkeypatch.setenv("WRONG_COMMUNITY", "wrong")


def config(port: int, env: str = "RACK_COMMUNITY", poll_s: float = 0.2) -> SwitchConfig:
    return SwitchConfig(host="127.0.0.1", port=port, community_env=env, poll_s=poll_s, expected_absent=["psu2"])


class WatchedStore(Store):
    """Wakes whoever waits for a switch."""

    def __init__(self, nodes: list[str], switches: list[str]) -> None:
        super().__init__(nodes, switches)
        self.changed = asyncio.Event()

    def put_switch(self, name: str, view: Switch, at: float) -> None:
        super().put_switch(name, view, at)
        self.changed.set()

    def set_switch_state(self, name: str, state: SwitchState, error: str | None = None) -> None:
        super().set_switch_state(name, state, error)
        self.changed.set()


class Rack:
    """A store with its poller, and waiting for what becomes of a switch."""

    def __init__(self, *configs: SwitchConfig) -> None:
        names = [f"sw{number}" for number in range(len(configs))]
        self.store = WatchedStore(["spark3"], names)
        self.poller = SwitchPoller(dict(zip(names, configs, strict=True)), self.store, timeout_s=TIMEOUT_S)

    async def __aenter__(self) -> Rack:
        self.poller.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.poller.close()

    async def until(self, wanted: Callable[[Switch], bool], name: str = "sw0", within_s: float = 20.0) -> Switch:
        """The first view that is as wanted."""
        async with asyncio.timeout(within_s):
            while not wanted(view := self.store.switches[name].view):
                self.store.changed.clear()
                await self.store.changed.wait()
        return view

    async def live(self, name: str = "sw0") -> Switch:
        return await self.until(lambda view: view.state == "live", name)
