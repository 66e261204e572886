"""What a probe on a simulated node reads from: the same paths and calls as on a Spark, answered from the model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sparktui.collectors.base import Channels, DriverInfo
from sparktui.collectors.nvml_values import NvmlValues
from sparktui.demo import node_files, node_sysfs
from sparktui.demo.node import DemoNode
from sparktui.demo.node_irq import InterruptTable, softirqs
from sparktui.demo.node_net import NodeNetwork

if TYPE_CHECKING:
    from sparktui.demo.rack import DemoRack

MAX_SM_CLOCK_MHZ = 3003
FRESH_S = 0.025
"""Readings this close together are of one moment."""


class DemoReader:
    """A collectors.base.Reader of one node, at the rack's time of each call. A silent node raises TimeoutError."""

    def __init__(self, rack: DemoRack, node: DemoNode) -> None:
        self._rack, self._node = rack, node
        network = self._network = NodeNetwork(node, rack.near_wrap)
        interrupts = InterruptTable(node, rack.near_wrap)
        self._static = node_files.static_files(node) | node_sysfs.static_files(node, network) | interrupts.affinities()
        self._live: dict[str, Callable[[], str]] = (
            node_files.live_files(node, lambda: rack.now)
            | node_sysfs.live_files(network)
            | {"/proc/interrupts": interrupts.interrupts, "/proc/softirqs": lambda: softirqs(node)}
        )
        self._links = node_sysfs.links(network) | node_files.sensor_links()
        self._process = node_files.process_files(node)
        self._names = tree((*self._static, *self._live, *self._links))
        self._devices: dict[str, Any] = {}
        self._devices_at = -1.0

    @property
    def silent(self) -> bool:
        """Whether the node answers nothing at present."""
        return self._node.silent

    def text(self, path: str) -> str:
        with self._rack.lock:
            self._catch_up()
            live = self._live.get(path)
            if live is not None:
                return live()
            text = self._static.get(path)
            if text is None and self._node.running:
                text = self._process.get(path)
        if text is None:
            raise FileNotFoundError(2, "No such file or directory", path)
        return text

    def names(self, path: str) -> list[str]:
        self._catch_up()
        try:
            return list(self._names[path.rstrip("/")])
        except KeyError:
            raise FileNotFoundError(2, "No such file or directory", path) from None

    def link(self, path: str) -> str:
        self._catch_up()
        try:
            return self._links[path]
        except KeyError:
            raise FileNotFoundError(2, "No such file or directory", path) from None

    def ethtool_driver(self, netdev: str) -> DriverInfo:
        self._catch_up()
        return self._network.driver(netdev)

    def ethtool_stats(self, netdev: str) -> dict[str, int]:
        with self._rack.lock:
            self._catch_up()
            return self._network.stats(netdev)

    def ethtool_channels(self, netdev: str) -> Channels:
        self._catch_up()
        return self._network.channels(netdev)

    def nvml(self) -> Any:
        self._catch_up()
        return NvmlValues(self._nvml_values)

    def container_name(self, container_id: str) -> str | None:
        """The container's name, as Docker would say it."""
        return node_files.CONTAINER if container_id == node_files.container_id(self._node) else None

    def monotonic(self) -> float:
        """Seconds since this node's boot: of the moment its counters are of."""
        self._catch_up()
        return self._rack.now - self._node.booted_at

    def wall(self) -> float:
        return self._rack.wall(self._node.name)

    def _catch_up(self) -> None:
        self._rack.catch_up(FRESH_S)
        if self._node.silent:
            raise TimeoutError(110, "Connection timed out", self._node.name)

    def _nvml_values(self) -> dict[str, Any]:
        with self._rack.lock:
            self._catch_up()
            if self._devices_at != self._rack.now:
                self._devices_at = self._rack.now
                self._devices = {"driver": self._node.software.nvidia_driver, "devices": [self._gpu()]}
            return self._devices

    def _gpu(self) -> dict[str, Any]:
        """What NVML has for a GB10: no memory, no power limit, no fan."""
        gpu, node = self._node.gpu, self._node
        process = {"pid": node_files.JOB_PID + 100 * node.index, "usedGpuMemory": node_files.JOB_BYTES}
        clock = round(gpu.clock_mhz)
        return {
            "nvmlDeviceGetName": "NVIDIA GB10",
            "nvmlDeviceGetUUID": f"GPU-d5900000-0000-4000-8000-{node.index + 1:012x}",
            "nvmlDeviceGetPciInfo": {"busId": "0000000F:01:00.0"},
            "nvmlDeviceGetClockInfo(1)": clock,
            "nvmlDeviceGetClockInfo(0)": clock,
            "nvmlDeviceGetMaxClockInfo(1)": MAX_SM_CLOCK_MHZ,
            "nvmlDeviceGetMaxClockInfo(0)": MAX_SM_CLOCK_MHZ,
            "nvmlDeviceGetTemperature(0)": round(gpu.temperature_c),
            "nvmlDeviceGetPowerUsage": round(gpu.power_w * 1000),
            "nvmlDeviceGetPerformanceState": 0 if gpu.p0 else 8,
            "nvmlDeviceGetUtilizationRates": {"gpu": round(gpu.utilization_percent), "memory": 0},
            "nvmlDeviceGetCurrentClocksEventReasons": gpu.reasons,
            "nvmlDeviceGetFieldValues([74])": [{"nvmlReturn": 0, "value": {"ullVal": int(gpu.capped_us) * 1000}}],
            "nvmlDeviceGetComputeRunningProcesses": [process] if node.running else [],
            "nvmlDeviceGetGraphicsRunningProcesses": [],
        }


def tree(paths: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Folder to the sorted names in it."""
    found: dict[str, set[str]] = {}
    for path in paths:
        while path:
            path, _, name = path.rpartition("/")
            found.setdefault(path, set()).add(name)
    return {folder: tuple(sorted(names)) for folder, names in found.items()}
