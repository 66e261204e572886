"""One simulated node: its GPU, its NICs' view of the cables, and what the work costs its CPUs, all since boot."""

from __future__ import annotations

import math
from dataclasses import dataclass
from uuid import UUID

from sparktui.demo.cabling import Cabling
from sparktui.demo.hardware import CPUS, HALVES
from sparktui.demo.physics import AMBIENT_C, Gpu, GpuTraits, chance, key, noise
from sparktui.demo.scenarios import NODES, Scenario, Software
from sparktui.demo.traffic import Link, Wire

WORKERS = (5, 6, 7, 15)
"""The CPUs that the job's proxy and Python threads keep busy."""

RSS_CPUS = (5, 6, 7, 8, 9, 15, 16, 17)
"""Where the receive queues' interrupts go once their affinity is set by hand: a big core each."""

STOCK_RX_CPU, STOCK_TX_CPU = 0, 4
"""Where the one receive and the one transmit vector of the stock driver land by themselves."""

MODERATED_PER_S = 12_000
"""The most interrupts per second that one r8127 vector raises: NAPI polls on without, once frames keep coming."""

FRAMES_PER_CPU_S, MOST_SOFTIRQ = 480_000, 0.93
"""Frames per second that one Cortex-A725 takes through the network softirq, and the share of its time this gets."""

SQUEEZED_ABOVE_S = 200_000
"""From so many frames per second on, a CPU's softirq runs out of its time slice."""

MEMORY_IDLE_BYTES, MEMORY_JOB_BYTES = 9.3 * 2**30, 83.7 * 2**30
MEMORY_RAMP_S, ASIC_HEAT_S, LOAD_AVERAGE_S = 1.5, 30.0, 60.0
BOOT_S = 9.0
"""Uptime of a node at the moment when it answers again."""

WEDGED_CAPPED_US = 1.37e9
"""What the driver's power cap counter stood at on a node in the USB-PD fault; it does not move there."""


class Adapter:
    """A NIC's own count of what passed on its cable since boot: the cable's, less what had passed before."""

    __slots__ = ("_start", "link")

    def __init__(self, link: Link) -> None:
        self.link = link
        self._start = Link()

    def restart(self) -> None:
        self._start = self.link.copy()

    def received(self) -> Wire:
        return self.link.down.since(self._start.down)

    def sent(self) -> Wire:
        return self.link.up.since(self._start.up)


@dataclass(frozen=True, slots=True)
class Half:
    """One of the two netdevs on a ConnectX cable. RDMA passes the kernel by, so it has its own count."""

    netdev: str
    rdma: Adapter
    eth: Adapter


class DemoNode:
    """State of one node. `missed` and `garbled` are frames that came whole and were lost at the RJ45's receive side."""

    def __init__(self, name: str, scenario: Scenario, seed: int, speed: float, cabling: Cabling) -> None:
        self.name, self.index = name, NODES.index(name)
        self.key = key(seed, name)
        self.software, self.driver = scenario.software.get(name, Software()), scenario.nic_driver
        self._loss = scenario.receive_loss if scenario.receive_loss and scenario.receive_loss.node == name else None
        usual = GpuTraits(2385.0 + 2.0 * noise(self.key, 0), 88.0 + 0.5 * noise(self.key, 1))
        self.gpu = Gpu(self.key, scenario.gpus.get(name, usual), speed)
        self.rj45 = Adapter(cabling.rj45[name])
        self.halves = [
            Half(netdev, Adapter(rdma), Adapter(eth))
            for netdev, (rdma, eth) in zip(HALVES, cabling.fabric[name], strict=True)
        ]
        self.silent = False
        self.running = False
        self.boots = 0
        self.wall_offset_s = 0.0009 * (self.index + 1)
        weights = [1.0 + 0.5 * chance(self.key, queue) for queue in range(self.driver.rx_queues)]
        self._queue_share = [weight / sum(weights) for weight in weights]
        single = self.driver.rx_queues == 1
        self.rx_cpus = (STOCK_RX_CPU,) if single else RSS_CPUS
        self.tx_cpus = (STOCK_TX_CPU,) if single else RSS_CPUS
        self.asic_c = AMBIENT_C
        self.memory_used_bytes = MEMORY_IDLE_BYTES
        self.load = 0.0
        self._zero()
        self.booted_at = -(270_000.0 + 4_000.0 * self.index)
        self._live_through(-self.booted_at)
        self.gpu.capped_us = WEDGED_CAPPED_US if self.gpu.traits.wedged else -self.booted_at * 0.2e6
        self._seen = self._counted()

    def _zero(self) -> None:
        self.missed = self.garbled = self.lost_octets = 0
        self._missed_due = self._garbled_due = 0.0
        self.busy_s, self.softirq_s = [0.0] * CPUS, [0.0] * CPUS
        self.rx_irqs, self.tx_irqs = [0.0] * self.driver.rx_queues, [0.0] * self.driver.tx_queues
        self.processed, self.net_rx, self.squeezed = [0.0] * CPUS, [0.0] * CPUS, [0.0] * CPUS
        self.completions = [0.0, 0.0]
        self.udp_in = self.retransmitted = 0.0

    def _live_through(self, seconds: float) -> None:
        """Counters as after some days of light use, so that nothing begins at zero."""
        for cpu in range(CPUS):
            self.busy_s[cpu] = seconds * (0.11 if cpu in WORKERS else 0.02) * (1 + 0.1 * noise(self.key, cpu))
            self.softirq_s[cpu] = self.busy_s[cpu] * 0.01
        for queue, share in enumerate(self._queue_share):
            frames = self.rj45.received().frames * share
            self.rx_irqs[queue] = frames * 0.8
            self.processed[self.rx_cpus[queue]] += frames
            self.net_rx[self.rx_cpus[queue]] += frames * 0.8
        for queue in range(self.driver.tx_queues):
            self.tx_irqs[queue] = self.rj45.sent().frames * 0.7 / self.driver.tx_queues
        self.completions = [seconds * 9.0, seconds * 9.0]
        self.retransmitted = seconds * 0.02

    def boot(self, t: float) -> None:
        """Start again: another boot id, and every counter from zero."""
        self.boots += 1
        self.booted_at = t - BOOT_S
        for adapter in (self.rj45, *(a for half in self.halves for a in (half.rdma, half.eth))):
            adapter.restart()
        self.gpu.capped_us = 0.0
        self.memory_used_bytes = MEMORY_IDLE_BYTES
        self.load = 0.0
        self._zero()
        self.busy_s = [0.6 * BOOT_S] * CPUS
        self._seen = self._counted()

    @property
    def boot_id(self) -> str:
        high, low = (int(chance(self.key + 7, 2 * self.boots + part) * 2**64) for part in (0, 1))
        return str(UUID(int=high << 64 | low, version=4))

    def _counted(self) -> tuple[int, int, int, int, int]:
        link = self.rj45.link
        eth = [half.eth.link.down.frames for half in self.halves]
        return link.down.frames, link.down.broken, link.up.frames, eth[0], eth[1]

    def settle(self, t: float, running: bool, inlet: float) -> None:
        """Be as after a long time of this."""
        self.running = running
        self.gpu.settle(t, running, inlet)
        self.memory_used_bytes += running * MEMORY_JOB_BYTES
        self.asic_c = asic_target_c(running)
        self.load = 4.2 if running else 0.2

    def step(self, t: float, dt: float, running: bool, inlet: float) -> None:
        """Move on by `dt` seconds up to `t`, after the frames of that time have passed on the cables."""
        self.running = running
        self.gpu.step(t, dt, running, inlet)
        ramp = -math.expm1(-dt / MEMORY_RAMP_S)
        self.memory_used_bytes += (MEMORY_IDLE_BYTES + running * MEMORY_JOB_BYTES - self.memory_used_bytes) * ramp
        self.asic_c += (asic_target_c(running) - self.asic_c) * -math.expm1(-dt * self.gpu.speed / ASIC_HEAT_S)
        before, now = self._seen, self._counted()
        self._seen = now
        arrived, broken, sent, eth0, eth1 = (a - b for a, b in zip(now, before, strict=True))
        for cpu in range(CPUS):
            work = (0.72 if running else 0.012) if cpu in WORKERS else 0.015 + 0.03 * running
            self.busy_s[cpu] += dt * work * (1 + 0.25 * noise(self.key + cpu, t / 2))
        self.load += ((4.2 if running else 0.2) - self.load) * -math.expm1(-dt / LOAD_AVERAGE_S)
        self.retransmitted += 0.02 * dt + 0.8 * broken
        self._receive(arrived - broken, dt)
        per_queue = sent / self.driver.tx_queues
        for queue in range(self.driver.tx_queues):
            self.tx_irqs[queue] += moderated(per_queue, dt)
        for half, frames in enumerate((eth0, eth1)):
            self.completions[half] += frames + (38.0 * dt if running else 0.0)

    def _receive(self, frames: int, dt: float) -> None:
        """Take whole frames in at the RJ45: some are lost there, the others go up by queue, interrupt and softirq."""
        if self._loss is not None:
            size = self.rj45.link.down.octets // max(1, self.rj45.link.down.frames)
            self._missed_due += frames * self._loss.missed
            self._garbled_due += frames * self._loss.mac_error
            missed, garbled = int(self._missed_due), int(self._garbled_due)
            self._missed_due -= missed
            self._garbled_due -= garbled
            self.missed += missed
            self.garbled += garbled
            self.lost_octets += (missed + garbled) * size
            frames -= missed + garbled
            self.udp_in += frames
        for queue, share in enumerate(self._queue_share):
            cpu, mine = self.rx_cpus[queue], frames * share
            interrupts = moderated(mine, dt)
            self.rx_irqs[queue] += interrupts
            self.processed[cpu] += mine
            self.net_rx[cpu] += interrupts
            self.softirq_s[cpu] += min(MOST_SOFTIRQ * dt, mine / FRAMES_PER_CPU_S)
            if mine > SQUEEZED_ABOVE_S * dt:
                self.squeezed[cpu] += 6.0 * dt


def asic_target_c(running: bool) -> float:
    """Where the ConnectX's temperature goes."""
    return AMBIENT_C + (31.0 if running else 17.0)


def moderated(frames: float, dt: float) -> float:
    """Interrupts that so many frames in `dt` seconds raise on one vector."""
    return frames / (1.0 + frames / (MODERATED_PER_S * dt)) if dt > 0 else 0.0
