"""A recorded switch in this process, polled as often as a test likes, at the test's own time."""

from __future__ import annotations

from collections.abc import Sequence

from sparktui.config import SwitchConfig
from sparktui.contract import Nic, Port, Switch
from sparktui.switch import oids
from sparktui.switch.derive import SwitchDeriver
from sparktui.switch.getter import NoAnswer, Row, TableGetter, TooBig
from sparktui.switch.learnt import Owner
from sparktui.switch.plan import SwitchReader
from sparktui.switch.values import Oid, Plain
from tests.snmprec import load, plain

IN, OUT = oids.TRAFFIC["ifHCInOctets"], oids.TRAFFIC["ifHCOutOctets"]
DD11, DD15, DD25 = 20, 24, 32
"""ifIndexes of the recorded CRS812's 200G breakout ports."""


class FakeSwitch(TableGetter):
    """A recorded switch whose values can be changed, whose time is ours, and who remembers what it was asked."""

    def __init__(self, recording: str = "crs812-ros7.24.1") -> None:
        self.table = plain(load(recording))
        super().__init__(lambda: self.table)
        self.now = 1000.0
        self.requests: list[tuple[str, Sequence[Oid], int]] = []
        self.largest = 10_000
        self.silent_below: Oid | None = None

    def clock(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += seconds
        self[oids.SYS_UPTIME] = (int(self[oids.SYS_UPTIME]) // 100 + int(seconds)) * 100

    def __getitem__(self, oid: Oid) -> int:
        value = self.table[oid]
        assert isinstance(value, int)
        return value

    def __setitem__(self, oid: Oid, value: Plain) -> None:
        self.table = {**self.table, oid: value}

    def add(self, oid: Oid, index: int, count: int) -> None:
        self[(*oid, index)] = self[(*oid, index)] + count

    def _check(self, asked: Sequence[Oid], values: int) -> None:
        if values > self.largest:
            raise TooBig("tooBig")
        if self.silent_below and any(oid[: len(self.silent_below)] == self.silent_below for oid in asked):
            raise NoAnswer("no answer")

    async def get(self, oids: Sequence[Oid]) -> dict[Oid, Plain]:
        self.requests.append(("get", oids, len(oids)))
        self._check(oids, len(oids))
        return await super().get(oids)

    async def bulk(self, starts: Sequence[Oid], repetitions: int) -> list[list[Row]]:
        self.requests.append(("bulk", starts, len(starts) * repetitions))
        self._check(starts, len(starts) * repetitions)
        return await super().bulk(starts, repetitions)


class Rig:
    """A fake switch with its reader and deriver."""

    def __init__(self, switch: FakeSwitch | None = None, config: SwitchConfig | None = None) -> None:
        self.switch = switch or FakeSwitch()
        config = config or SwitchConfig(host="sw", expected_absent=["psu2"])
        self.reader = SwitchReader(self.switch, config, self.switch.clock)
        self.deriver = SwitchDeriver(config, ["node1", "node2", "node3", "node4", "node5", "node6"])
        self.owners: dict[str, Owner] = {}

    async def poll(self, after_s: float = 5.0) -> Switch:
        self.switch.wait(after_s)
        return self.deriver.view(await self.reader.read(), self.owners)

    async def port(self, name: str = "qsfp56-dd-1-1", after_s: float = 5.0) -> Port:
        return (await self.poll(after_s)).ports[name]


def nic(mac: str, cage: str | None) -> Nic:
    """A half of a ConnectX cage that has said nothing of its traffic yet."""
    return Nic(
        driver="mlx5_core",
        driver_version="",
        plane="fabric",
        cage=cage,
        operstate="up",
        speed_mbps=200_000,
        mtu=9000,
        rx_bps=None,
        tx_bps=None,
        rx_packets_per_s=None,
        tx_packets_per_s=None,
        rx_missed_per_s=None,
        rx_errors_per_s=None,
        rx_missed_total=None,
        rx_errors_total=None,
        counters_per_s={},
        rx_queues=None,
        tx_queues=None,
        rdma=None,
        switch_port=None,
        mac=mac,
        twin="enP2p1s0f0np0",
    )
