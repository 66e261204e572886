"""Collectors of the host on each fixture machine, and on the kernel these tests run on."""

from __future__ import annotations

import os
import platform as this_machine
from pathlib import Path
from typing import Any

import pytest

from sparktui.collectors import cpu, memory, platform, sensors, softnet, tcp
from sparktui.collectors.base import Collector
from sparktui.collectors.folder import TextReader
from sparktui.collectors.kernel import KernelReader
from sparktui.collectors.sensors import Sensor
from tests.machines import H200, HOST_COLLECTORS, SPARK, STOCK, VM, files_of

X925 = [5, 6, 7, 8, 9, 15, 16, 17, 18, 19]
A725 = [0, 1, 2, 3, 4, 10, 11, 12, 13, 14]


def sample(collector: Collector, machine: str) -> Any:
    return collector.start(TextReader(files_of(machine)))()


# --- cpu


def test_cpu_of_a_spark() -> None:
    read = sample(cpu.COLLECTORS[0], SPARK)
    assert read.cpu == list(range(20))
    assert (read.busy[0], read.idle[0]) == (41877 + 120 + 20114 + 90311, 811204 + 310)
    assert read.load1 == 11.42


def test_cpu_counts_guest_time_once_and_leaves_out_offline_cpus() -> None:
    guest = sample(cpu.COLLECTORS[0], VM)
    assert (guest.busy, guest.idle) == ([2708 + 580 + 20 + 1, 1396 + 4 + 501 + 50 + 2], [78839 + 170, 80263 + 114])
    assert sample(cpu.COLLECTORS[0], H200).cpu == [0, 1, 2, 4, 5, 6, 7]


@pytest.mark.parametrize(
    ("machine", "classes", "governors"),
    [
        (SPARK, {"X925": X925, "A725": A725}, ["performance"]),
        (STOCK, {"X925": X925, "A725": A725}, ["performance"]),
        (VM, {"Intel(R) Xeon(R) Processor": [0, 1]}, []),
        (H200, {"Intel(R) Xeon(R) Platinum 8480+": [0, 1, 2, 4, 5, 6, 7]}, ["performance", "powersave"]),
    ],
)
def test_core_classes(machine: str, classes: dict[str, list[int]], governors: list[str]) -> None:
    read = sample(cpu.COLLECTORS[1], machine)
    assert (read.classes, read.governors) == (classes, governors)
    assert list(read.classes) == list(classes)


def test_unknown_parts_are_told_apart_by_capacity() -> None:
    cpus = {number: {"CPU implementer": "0x41", "CPU part": "0xdff"} for number in (0, 1, 2, 10)}
    assert cpu.core_classes(cpus, {0: 700, 1: 1024, 2: 1024, 10: 700}) == {
        "capacity 1024": [1, 2],
        "capacity 700": [0, 10],
    }
    assert cpu.core_classes(cpus, {}) == {"part 0xdff": [0, 1, 2, 10]}


# --- memory


def test_memory_of_a_spark_serving_a_model() -> None:
    read = sample(memory.COLLECTORS[0], SPARK)
    assert (read.total_bytes, read.available_bytes) == (127535084 * 1024, 24118764 * 1024)
    assert (read.swap_total_bytes, read.swap_used_bytes) == (16777212 * 1024, (16777212 - 16142332) * 1024)
    assert (read.cma_total_bytes, read.cma_free_bytes) == (131072 * 1024, 69320 * 1024)
    assert read.hugepages_total == 0


def test_memory_of_a_machine_with_huge_pages_and_without_cma() -> None:
    read = sample(memory.COLLECTORS[0], VM)
    assert (read.hugepages_total, read.hugepages_free, read.hugepage_bytes) == (64, 60, 2 << 20)
    assert (read.swap_total_bytes, read.swap_used_bytes, read.cma_total_bytes, read.cma_free_bytes) == (
        0,
        0,
        None,
        None,
    )


def test_memory_of_a_founders_edition(samples: Path) -> None:
    read = memory.parse_meminfo((samples / "spark" / "meminfo-gb10-idle.txt").read_text())
    assert (read.total_bytes, read.swap_used_bytes) == (127600748 * 1024, 0)


def test_memory_says_which_line_is_missing() -> None:
    with pytest.raises(ValueError, match="no MemAvailable, SwapFree"):
        memory.parse_meminfo("MemTotal: 8 kB\nMemFree: 4 kB\nSwapTotal: 0 kB\n")


# --- softnet


def test_softnet_of_a_spark_whose_cpu_0_does_all_the_receiving() -> None:
    read = sample(softnet.COLLECTORS[0], SPARK)
    assert (read.processed[0], read.dropped[0], read.time_squeeze[0]) == (48211030, 1877, 9120)
    assert (read.net_rx[0], read.net_tx[0], read.net_rx[19]) == (40112931, 310, 9323)
    assert sum(read.dropped[1:]) == 0


def test_softnet_rows_carry_the_cpu_number_so_that_offline_cpus_shift_nothing() -> None:
    read = sample(softnet.COLLECTORS[0], H200)
    assert read.cpu == [0, 1, 2, 4, 5, 6, 7]
    assert read.processed == [90000, 90001, 90002, 90004, 90005, 90006, 90007]
    assert read.net_rx == [80000, 80001, 80002, 80004, 80005, 80006, 80007]


def test_softnet_of_a_kernel_that_prints_no_cpu_number() -> None:
    row = "{:08x} 00000001 00000002" + " 00000000" * 9
    assert softnet.parse_softnet(f"{row.format(255)}\n{row.format(16)}\n") == [(0, 255, 1, 2), (1, 16, 1, 2)]


# --- tcp


def test_tcp_of_a_spark_that_retransmits() -> None:
    read = sample(tcp.COLLECTORS[0], SPARK)
    expected = {"RetransSegs": 26929, "OutSegs": 418220113, "TCPTimeouts": 1204, "TCPBacklogDrop": 31, "TCPRcvQDrop": 5}
    assert expected.items() <= read.tcp.items()
    assert {"RcvbufErrors": 48, "InDatagrams": 1020331, "MemErrors": 0}.items() <= read.udp.items()
    assert "MaxConn" not in read.tcp


def test_tcp_counters_this_kernel_does_not_have_are_left_out() -> None:
    assert "TCPZeroWindowDrop" in sample(tcp.COLLECTORS[0], SPARK).tcp
    assert "TCPZeroWindowDrop" not in sample(tcp.COLLECTORS[0], H200).tcp


def test_tcp_values_are_found_by_name_wherever_they_stand() -> None:
    assert tcp.parse_counters("Tcp: A RetransSegs B\nTcp: 1 2 3\n", "Tcp", ("RetransSegs", "B", "C")) == {
        "RetransSegs": 2,
        "B": 3,
    }


# --- sensors


def test_sensors_of_a_spark_name_the_acpi_zones_and_show_no_module_of_a_passive_cable() -> None:
    read = sample(sensors.COLLECTORS[0], SPARK).sensors
    zones = {sensor.label: sensor.value for sensor in read if sensor.chip == "acpitz"}
    expected = {"TSOC": 78.4, "TS0E": 71.2, "TS0P": 74.1, "TS1E": 70.9, "TS1P": 73.8, "TGPU": 77.6, "TUNC": 72.3}
    assert zones == expected
    assert [sensor for sensor in read if sensor.chip == "mlx5"] == [
        Sensor("mlx5", f"asic {bus}", 62.0, "C")
        for bus in ("0000:01:00.0", "0000:01:00.1", "0002:01:00.0", "0002:01:00.1")
    ]
    assert Sensor("nvme", "Composite", 45.85, "C") in read
    assert len(read) == 7 + 4 + 3 + 1


def test_sensors_name_a_gb10s_zones_by_order_where_the_kernel_gives_no_path() -> None:
    read = sample(sensors.COLLECTORS[0], STOCK).sensors
    zones = [(sensor.label, sensor.value) for sensor in read if sensor.chip == "acpitz"]
    assert zones[0] == ("TSOC", 48.2)
    assert zones[5:] == [("TGPU", 47.6), ("TUNC", 47.4)]
    assert len(read) == 7 + 3 + 1


def test_sensors_of_a_server_scale_each_quantity_and_drop_what_cannot_be() -> None:
    assert sample(sensors.COLLECTORS[0], H200).sensors == [
        Sensor("x86_pkg_temp", "zone0", 51.0, "C"),
        Sensor("power_meter", "power1", 412.0, "W"),
        Sensor("coretemp", "Package id 0", 51.0, "C"),
        Sensor("coretemp", "Core 0", 48.0, "C"),
        Sensor("coretemp", "Core 8", 47.0, "C"),
        Sensor("nct6798", "IOUT", -1.25, "A"),
        Sensor("nct6798", "FAN A", 6630.0, "rpm"),
        Sensor("nct6798", "FAN B", 0.0, "rpm"),
        Sensor("nct6798", "in0", 1.104, "V"),
        Sensor("nct6798", "+12V", 12.096, "V"),
    ]


def test_sensors_of_a_machine_without_any() -> None:
    assert sample(sensors.COLLECTORS[0], VM).sensors == []


def test_sensors_of_a_gb10_that_idles(samples: Path) -> None:
    lines = (samples / "spark" / "hwmon-gb10-idle.txt").read_text().splitlines()
    found = sensors.read_sensors(TextReader(dict(line.split(":", 1) for line in lines)))
    assert sum(sensor.chip == "acpitz" for sensor in found) == 7
    assert Sensor("mlx5", "asic hwmon2", 54.0, "C") in found


# --- platform


def test_platform_of_an_updated_spark() -> None:
    read = sample(platform.COLLECTORS[0], SPARK)
    assert (read.os, read.kernel, read.architecture) == ("DGX OS 7.6.0", "7.0.0-1019-nvidia", "aarch64")
    assert (read.hostname, read.nvidia_driver) == ("spark-7a31", "580.178.04")
    assert (read.vendor, read.product, read.bios_version) == ("NVIDIA", "NVIDIA_DGX_Spark", "5.36_0ACUM023")
    assert (read.boot_id, read.uptime_s) == ("6f1e2c9a-41d7-4b0e-9a55-0c8e7b1d2f34", 412877.31)
    assert (read.sysctl["net.ipv4.tcp_sack"], read.sysctl["net.ipv4.tcp_rmem"]) == ("0", "4096 131072 6291456")
    assert "1987200000042" not in repr(read)


@pytest.mark.parametrize(
    ("machine", "os_name", "architecture", "driver", "product"),
    [
        (STOCK, "DGX OS 7.3.1", "aarch64", "580.95.05", "NVIDIA_DGX_Spark"),
        (VM, "Debian GNU/Linux 12 (bookworm)", "x86_64", None, None),
        (H200, "Ubuntu 22.04.5 LTS", "x86_64", "580.159.04", "SYS-821GE-TNHR"),
    ],
)
def test_platform(machine: str, os_name: str, architecture: str, driver: str | None, product: str | None) -> None:
    read = sample(platform.COLLECTORS[0], machine)
    assert (read.os, read.architecture, read.nvidia_driver, read.product) == (os_name, architecture, driver, product)


def test_platform_of_a_spark_never_updated_is_the_version_it_was_built_with() -> None:
    assert platform.dgx_os('DGX_SWBUILD_VERSION="7.2.3"\nDGX_OTA_VERSION=""\n') == "DGX OS 7.2.3"
    assert platform.dgx_os("DGX_NAME=x\n") is None


def test_dgx_release_as_hp_writes_it() -> None:
    release = "DGX_NAME=HP ZGX Nano\nDGX_SWBUILD_VERSION=7.2.3\nDGX_OTA_VERSION=7.4.0\nDGX_OTA_DATE=a = b\n"
    assert platform.dgx_os(release) == "DGX OS 7.4.0"


def test_dgx_release_of_a_founders_edition(samples: Path) -> None:
    assert platform.dgx_os((samples / "spark" / "dgx-release-fe.txt").read_text()) == "DGX OS 7.3.1"


def test_driver_version_of_a_spark(samples: Path) -> None:
    assert platform.driver_version((samples / "spark" / "proc-driver-nvidia-version.txt").read_text()) == "580.142"


# --- this machine


@pytest.mark.parametrize("collector", HOST_COLLECTORS, ids=lambda collector: collector.name)
def test_collectors_on_this_kernel(collector: Collector) -> None:
    take = collector.start(KernelReader())
    assert isinstance(take(), collector.sample)
    assert isinstance(take(), collector.sample)


def test_this_machine_is_what_python_says_it_is() -> None:
    read = platform.COLLECTORS[0].start(KernelReader())()
    assert (read.kernel, read.architecture) == (this_machine.release(), this_machine.machine())
    assert sorted(os.sched_getaffinity(0)) <= cpu.COLLECTORS[0].start(KernelReader())().cpu
