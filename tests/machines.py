"""The fixture machines, and a GPU node whose NVML values a test moves."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pynvml

from sparktui.collectors import cpu, gpu, memory, platform, sensors, softnet, tcp
from sparktui.collectors.folder import FolderReader, TextReader
from sparktui.collectors.gpu import GpuReading, GpuSample
from sparktui.collectors.nvml_values import NvmlError, NvmlValues

NODES = Path(__file__).parent / "fixtures" / "nodes"
SPARK, STOCK, VM, H200 = "gb10-dgxos-7.6.0", "gb10-dgxos-7.3.1-stock", "x86-virtio-kvm", "h200-x86"

HOST_COLLECTORS = [*cpu.COLLECTORS, *memory.COLLECTORS, *softnet.COLLECTORS, *tcp.COLLECTORS]
HOST_COLLECTORS += [*sensors.COLLECTORS, *platform.COLLECTORS]


@functools.cache
def files_of(machine: str) -> Mapping[str, str]:
    return FolderReader(NODES / machine).kept().files


class NotedNvml(NvmlValues):
    """Notes what is called; raises pynvml's own exceptions in place of the stand-in's where `real_errors`."""

    def __init__(self, describe: Callable[[], dict[str, Any]], real_errors: bool = False) -> None:
        super().__init__(describe)
        self.calls: list[str] = []
        self.shut_down = 0
        self._real_errors = real_errors

    def nvmlShutdown(self) -> None:
        self.shut_down += 1

    def _answer(self, name: str, handle: int, *arguments: object) -> Any:
        self.calls.append(name)
        try:
            return super()._answer(name, handle, *arguments)
        except NvmlError as error:
            if self._real_errors:
                raise pynvml.NVMLError(error.value) from None
            raise


class GpuNode(TextReader):
    """A fixture machine whose NVML values (`values`, `device`) and clock (`at`) the test moves."""

    def __init__(self, machine: str, real_errors: bool = False) -> None:
        super().__init__(files_of(machine))
        self.values: dict[str, Any] = json.loads(self.files["/nvml.json"])
        self.opened = NotedNvml(lambda: self.values, real_errors)

    @property
    def device(self) -> dict[str, Any]:
        first: dict[str, Any] = self.values["devices"][0]
        return first

    def nvml(self) -> Any:
        if not self.values:
            raise OSError("no NVIDIA driver")
        return self.opened

    def collect(self) -> Callable[[], GpuSample]:
        return gpu.COLLECTORS[0].start(self)


def reading(node: GpuNode) -> GpuReading:
    return node.collect()().gpus[0]


def full_node(real_errors: bool = False) -> GpuNode:
    """An H200 that answers everything, by the first name of each function only."""
    node = GpuNode(H200, real_errors)
    node.device.pop("nvmlDeviceGetViolationStatus(0)")
    node.device.pop("nvmlDeviceGetCurrentClocksThrottleReasons")
    node.device["nvmlDeviceGetFanSpeed"] = 35
    node.device["nvmlDeviceGetGraphicsRunningProcesses"] = [{"pid": 7, "usedGpuMemory": 5}]
    return node
