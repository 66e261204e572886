"""A node's samples to its view: counters become rates, slow facts join fast ones, netdevs get their plane and cage."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from sparktui import contract
from sparktui.collectors import nic_counters
from sparktui.collectors.cpu import CpuInfoSample, CpuSample
from sparktui.collectors.gpu import GpuReading, GpuSample
from sparktui.collectors.irq import IrqInfoSample, IrqSample
from sparktui.collectors.memory import MemorySample
from sparktui.collectors.nic import NicCounters, NicInfo, NicInfoSample, NicSample
from sparktui.collectors.platform import PlatformSample
from sparktui.collectors.rdma import RdmaPort, RdmaSample
from sparktui.collectors.sensors import SensorsSample
from sparktui.collectors.softnet import SoftnetSample
from sparktui.collectors.tcp import TcpSample
from sparktui.config import NodeConfig
from sparktui.rates import CounterGroup, CounterRow, bits
from sparktui.topology import Place, places
from sparktui.vectors import VectorRates

PortOf = Callable[[str, str], tuple[str, str] | None]
"""(node, netdev) -> (switch, port) at the other end of its cable, where that is known."""

NETDEV = ("rx_bytes", "tx_bytes", "rx_packets", "tx_packets")
"""Counted apart from the errors: an r8127's drop column is a 16-bit counter whose wrap must not make a gap of these."""

SOFTNET_BITS = 32


class Readings(Protocol):
    """What one line of the probe held: one attribute per collector, None where it had nothing this time."""

    gpu: GpuSample | None
    cpu: CpuSample | None
    cpu_info: CpuInfoSample | None
    memory: MemorySample | None
    nic: NicSample | None
    nic_info: NicInfoSample | None
    rdma: RdmaSample | None
    irq: IrqSample | None
    irq_info: IrqInfoSample | None
    softnet: SoftnetSample | None
    tcp: TcpSample | None
    sensors: SensorsSample | None
    platform: PlatformSample | None


class NodeDeriver:
    """Makes the views of one node, sample by sample. A new boot id or a new probe starts its rates again."""

    def __init__(self, config: NodeConfig, port_of: PortOf = lambda _node, _nic: None) -> None:
        self._config = config
        self._port_of = port_of
        self._boot_id: str | None = None
        self._groups: dict[str, CounterGroup] = {}
        self._rows: dict[str, CounterRow] = {}
        self._vectors = VectorRates()
        self._gpus: list[contract.Gpu] = []
        self._cpus: contract.Cpus | None = None
        self._cpu_info: CpuInfoSample | None = None
        self._memory: contract.Memory | None = None
        self._nic_infos: dict[str, NicInfo] = {}
        self._places: tuple[Any, dict[str, Place]] = (None, {})
        self._nics: dict[str, contract.Nic] = {}
        self._rdma: dict[str, contract.Rdma] = {}
        self._irqs: dict[str, contract.Irq] = {}
        self._softnet: contract.Softnet | None = None
        self._tcp: contract.Tcp | None = None
        self._udp: contract.Udp | None = None
        self._sensors: list[contract.Sensor] = []
        self._platform: contract.Platform | None = None

    def start(self, boot_id: str | None) -> None:
        """A probe has begun. Another boot forgets everything; the same boot keeps the counters it knows."""
        if boot_id != self._boot_id:
            fresh = NodeDeriver(self._config, self._port_of)
            self.__dict__.update(fresh.__dict__)
            self._boot_id = boot_id

    def update(self, readings: Readings, errors: Mapping[str, str], mono: float) -> contract.Node:
        """The view after one sample line. `mono` = seconds of the node's monotonic clock, read beside the counters."""
        self._take_host(readings, mono)
        self._take_network(readings, mono)
        if "gpu" in errors:
            self._gpus = []
        return contract.Node(
            state="live",
            boot_id=self._boot_id,
            collector_errors=dict(errors),
            gpus=self._gpus,
            memory=self._memory,
            cpus=self._cpus,
            nics=self._nics,
            irqs=self._irqs,
            softnet=self._softnet,
            tcp=self._tcp,
            udp=self._udp,
            platform=self._platform,
            sensors=self._sensors,
        )

    def _rates(
        self, name: str, raw: Mapping[str, int], mono: float, widths: Mapping[str, int] | None = None, bits: int = 64
    ) -> CounterGroup:
        group = self._groups.get(name)
        if group is None:
            group = self._groups[name] = CounterGroup(widths, bits)
        group.update(raw, mono)
        return group

    def _per_cpu(
        self, name: str, cpus: Sequence[int], counts: Sequence[int], mono: float, bits: int = 64
    ) -> list[float | None]:
        row = self._rows.get(name)
        if row is None:
            row = self._rows[name] = CounterRow(bits)
        return row.update(cpus, counts, mono)

    def _take_host(self, readings: Readings, mono: float) -> None:
        if readings.gpu is not None:
            self._gpus = [self._gpu(reading, mono) for reading in readings.gpu.gpus]
        if readings.cpu_info is not None:
            self._cpu_info = readings.cpu_info
        if readings.cpu is not None:
            self._cpus = self._cpu(readings.cpu, mono)
        if readings.memory is not None:
            self._memory = memory(readings.memory)
        if readings.softnet is not None:
            self._softnet = self._softirq(readings.softnet, mono)
        if readings.tcp is not None:
            tcp = self._rates("tcp", readings.tcp.tcp, mono)
            self._tcp = contract.Tcp(tcp.per_s.get("RetransSegs"), tcp.per_s, tcp.totals)
            udp = self._rates("udp", readings.tcp.udp, mono)
            self._udp = contract.Udp(udp.per_s.get("RcvbufErrors"), udp.per_s, udp.totals)
        if readings.sensors is not None:
            self._sensors = [contract.Sensor(s.chip, s.label, s.value, s.unit) for s in readings.sensors.sensors]
        if readings.platform is not None:
            self._platform = platform(readings.platform)

    def _take_network(self, readings: Readings, mono: float) -> None:
        if readings.nic_info is not None:
            self._nic_infos = {info.name: info for info in readings.nic_info.nics}
        if readings.rdma is not None:
            self._rdma = {port.netdev or port.device: self._rdma_port(port, mono) for port in readings.rdma.ports}
        if readings.nic is not None:
            placed = self._placed(readings.nic)
            self._nics = {nic.name: self._one_nic(nic, placed.get(nic.name), mono) for nic in readings.nic.nics}
        if readings.irq_info is not None:
            self._vectors.take_affinities(readings.irq_info)
        if readings.irq is not None:
            self._irqs = self._vectors.update(readings.irq, mono)

    def _placed(self, sample: NicSample) -> dict[str, Place]:
        speeds = {nic.name: nic.speed_mbps for nic in sample.nics}
        key = (self._nic_infos, speeds)
        if self._places[0] != key:
            self._places = (key, places(list(self._nic_infos.values()), speeds, self._config.planes))
        return self._places[1]

    def _gpu(self, reading: GpuReading, mono: float) -> contract.Gpu:
        capped = None
        if reading.sw_power_cap_us is not None:
            group = self._rates(f"gpu{reading.index}", {"sw_power_cap_us": reading.sw_power_cap_us}, mono)
            rate = group.per_s["sw_power_cap_us"]
            capped = None if rate is None else min(100.0, rate / 1e4)
        known = [process.memory_bytes for process in reading.processes if process.memory_bytes is not None]
        return contract.Gpu(
            index=reading.index,
            name=reading.name,
            uuid=reading.uuid,
            sm_clock_mhz=reading.sm_clock_mhz,
            max_sm_clock_mhz=reading.max_sm_clock_mhz,
            temperature_c=reading.temperature_c,
            power_w=reading.power_w,
            power_limit_w=reading.power_limit_w,
            pstate=reading.pstate,
            utilization_percent=reading.utilization_percent,
            memory_used_bytes=reading.memory_used_bytes,
            memory_total_bytes=reading.memory_total_bytes,
            process_memory_bytes=sum(known) if known else None,
            event_reasons=reading.event_reasons,
            fan_percent=reading.fan_percent,
            clock_cap_mhz=self._config.gpu_clock_cap_mhz,
            sw_power_cap_percent=capped,
            processes=[contract.GpuProcess(p.pid, p.name, p.container, p.memory_bytes) for p in reading.processes],
        )

    def _cpu(self, sample: CpuSample, mono: float) -> contract.Cpus:
        busy = self._per_cpu("busy", sample.cpu, sample.busy, mono)
        idle = self._per_cpu("idle", sample.cpu, sample.idle, mono)
        info = self._cpu_info
        return contract.Cpus(
            count=len(sample.cpu),
            classes=info.classes if info else {},
            busy_percent=list(map(_share, busy, idle)),
            numbers=sample.cpu,
            load1=sample.load1,
            governors=info.governors if info else [],
        )

    def _softirq(self, sample: SoftnetSample, mono: float) -> contract.Softnet:
        raw = {str(cpu): count for cpu, count in zip(sample.cpu, sample.dropped, strict=True)}
        dropped = self._rates("softnet.dropped", raw, mono, bits=SOFTNET_BITS)
        squeezed = self._per_cpu("squeezed", sample.cpu, sample.time_squeeze, mono, SOFTNET_BITS)
        return contract.Softnet(
            dropped_per_s=contract.summed(dropped.per_s.values()),
            time_squeeze_per_s=contract.summed(squeezed),
            numbers=sample.cpu,
            net_rx_per_s_by_cpu=self._per_cpu("net_rx", sample.cpu, sample.net_rx, mono, SOFTNET_BITS),
            dropped_per_s_by_cpu=list(dropped.per_s.values()),
            time_squeeze_per_s_by_cpu=squeezed,
            dropped_total=sum(dropped.totals.values()),
        )

    def _rdma_port(self, port: RdmaPort, mono: float) -> contract.Rdma:
        data = {"rx": port.rx_bytes, "tx": port.tx_bytes}
        moved = self._rates(f"rdma.{port.device}.data", {k: v for k, v in data.items() if v is not None}, mono)
        errors = self._rates(f"rdma.{port.device}", port.counters, mono, nic_counters.RDMA_WIDTHS)
        return contract.Rdma(
            device=port.device,
            rx_bps=bits(moved.per_s.get("rx")),
            tx_bps=bits(moved.per_s.get("tx")),
            counters_per_s=errors.per_s,
            counters_total=errors.totals,
            state=port.state,
            rate=port.rate,
            port=port.port,
        )

    def _one_nic(self, nic: NicCounters, place: Place | None, mono: float) -> contract.Nic:
        info = self._nic_infos.get(nic.name)
        driver = info.driver if info else ""
        netdev = {name: getattr(nic, name) for name in NETDEV}
        moved = self._rates(f"nic.{nic.name}.netdev", netdev, mono)
        counters = self._rates(f"nic.{nic.name}.{driver}", nic.counters, mono, nic_counters.widths(driver))
        missed = nic_counters.missed_counters(driver, nic.counters)
        broken = nic_counters.error_counters(driver, nic.counters)
        switch, port = self._port_of(self._config.name, nic.name) or (None, None)
        return contract.Nic(
            driver=driver,
            driver_version=info.driver_version if info else "",
            plane=place.plane if place else "other",
            cage=place.cage if place else None,
            operstate=nic.operstate,
            speed_mbps=nic.speed_mbps,
            mtu=nic.mtu,
            rx_bps=bits(moved.per_s["rx_bytes"]),
            tx_bps=bits(moved.per_s["tx_bytes"]),
            rx_packets_per_s=moved.per_s["rx_packets"],
            tx_packets_per_s=moved.per_s["tx_packets"],
            rx_missed_per_s=contract.summed(counters.per_s.get(name) for name in missed),
            rx_errors_per_s=contract.summed(counters.per_s.get(name) for name in broken),
            rx_missed_total=_total(counters.totals, missed),
            rx_errors_total=_total(counters.totals, broken),
            counters_per_s=counters.per_s,
            rx_queues=info.rx_queues if info else None,
            tx_queues=info.tx_queues if info else None,
            rdma=self._rdma.get(nic.name),
            switch_port=port,
            switch=switch,
            counters_total=counters.totals,
            carrier_changes=nic.carrier_changes,
            firmware=info.firmware if info else "",
            mac=info.mac if info else "",
            bus=info.bus if info else "",
            twin=place.twin if place else None,
        )


def memory(sample: MemorySample) -> contract.Memory:
    return contract.Memory(
        total_bytes=sample.total_bytes,
        available_bytes=sample.available_bytes,
        swap_used_bytes=sample.swap_used_bytes,
        swap_total_bytes=sample.swap_total_bytes,
        cma_total_bytes=sample.cma_total_bytes,
        cma_free_bytes=sample.cma_free_bytes,
        hugepages_total=sample.hugepages_total,
        hugepages_free=sample.hugepages_free,
        hugepage_bytes=sample.hugepage_bytes,
    )


def platform(sample: PlatformSample) -> contract.Platform:
    return contract.Platform(
        os=sample.os,
        kernel=sample.kernel,
        nvidia_driver=sample.nvidia_driver,
        ec=None,
        uefi=None,
        usb_pd=None,
        sysctl=sample.sysctl,
        hostname=sample.hostname,
        architecture=sample.architecture,
        vendor=sample.vendor,
        product=sample.product,
        bios_version=sample.bios_version,
        uptime_s=sample.uptime_s,
    )


def _share(busy: float | None, idle: float | None) -> float | None:
    if busy is None or idle is None or busy + idle <= 0:
        return None
    return round(100.0 * busy / (busy + idle), 1)


def _total(totals: Mapping[str, int], names: Sequence[str]) -> int | None:
    known = [totals[name] for name in names if name in totals]
    return sum(known) if known else None
