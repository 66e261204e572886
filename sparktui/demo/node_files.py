"""The text of a node's /proc, /sys and /etc, its network aside: what never changes, and what is rendered when read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from sparktui.demo.hardware import BIG, CPUS, CX7_BUSES
from sparktui.demo.node import DemoNode
from sparktui.demo.physics import AMBIENT_C, key

Render = Callable[[], str]

MEM_TOTAL_KB = 125_489_216
"""128 GB less what firmware and the 4 GB display reserve take."""

SWAP_KB = 16_777_212
JOB_PID, JOB_COMMAND = 41_873, "VLLM::Worker_TP0"
JOB_BYTES = int(79.2 * 2**30)
CONTAINER = "vllm_node"

A725, X925 = "0xd87", "0xd85"
CPUINFO = """\
processor	: {cpu}
BogoMIPS	: 2000.00
Features	: fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm jscvt fcma lrcpc dcpop \
sha3 asimddp sha512 sve asimdfhm dit uscat ilrcpc flagm sb paca pacg dcpodp sve2 sveaes svepmull i8mm bf16 bti
CPU implementer	: 0x41
CPU architecture: 8
CPU variant	: 0x0
CPU part	: {part}
CPU revision	: 1

"""

DGX_RELEASE = """\
DGX_NAME="DGX Spark"
DGX_PRETTY_NAME="NVIDIA DGX Spark"
DGX_SWBUILD_DATE="2025-10-14-11-02-47"
DGX_SWBUILD_VERSION="7.2.3"
DGX_COMMIT_ID="4d0c1fe"
DGX_PLATFORM="DGX Server for KVM"
DGX_SERIAL_NUMBER="{serial}"

DGX_OTA_VERSION="{ota}"
DGX_OTA_DATE="Thu Aug 20 09:14:05 AM UTC 2026"
"""

OS_RELEASE = """\
PRETTY_NAME="Ubuntu 24.04.4 LTS"
NAME="Ubuntu"
VERSION_ID="24.04"
ID=ubuntu
"""

NVIDIA_VERSION = (
    "NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  {driver}  Release Build  (dvs-builder@U22-I3-H02-04-5)"
    "  Mon Jul 13 20:11:52 UTC 2026\n"
    "GCC version:  gcc version 13.3.0 (Ubuntu 13.3.0-6ubuntu2~24.04.1) \n"
)

SYSCTLS = {
    "kernel/arch": "aarch64",
    "kernel/ostype": "Linux",
    "net/core/default_qdisc": "fq_codel",
    "net/core/netdev_budget": "300",
    "net/core/netdev_budget_usecs": "2000",
    "net/core/netdev_max_backlog": "1000",
    "net/core/rmem_default": "212992",
    "net/core/rmem_max": "67108864",
    "net/core/wmem_default": "212992",
    "net/core/wmem_max": "67108864",
    "net/ipv4/conf/all/arp_announce": "2",
    "net/ipv4/conf/all/arp_ignore": "1",
    "net/ipv4/conf/all/rp_filter": "2",
    "net/ipv4/tcp_congestion_control": "cubic",
    "net/ipv4/tcp_mtu_probing": "0",
    "net/ipv4/tcp_rmem": "4096\t131072\t6291456",
    "net/ipv4/tcp_sack": "0",
    "net/ipv4/tcp_timestamps": "1",
    "net/ipv4/tcp_wmem": "4096\t16384\t4194304",
    "vm/overcommit_memory": "0",
    "vm/swappiness": "60",
}

ZONES_OVER_GPU_C = (1.5, -6.0, -4.5, -6.5, -5.0, 0.0, -2.0)
"""How the SoC's seven zones (TSOC TS0E TS0P TS1E TS1P TGPU TUNC) stand to the GPU's temperature."""


@dataclass(frozen=True, slots=True)
class Thermometer:
    """One temperature in sysfs, which holds thousandths of a degree."""

    path: str
    chip: str
    label: str | None
    celsius: Callable[[], float]

    def text(self) -> str:
        return f"{int(self.celsius() * 10) * 100}\n"


def static_files(node: DemoNode) -> dict[str, str]:
    """Path to text of what stays the same while the node is up."""
    software = node.software
    kernel = software.kernel
    files = {
        "/proc/cpuinfo": "".join(CPUINFO.format(cpu=cpu, part=X925 if cpu in BIG else A725) for cpu in range(CPUS)),
        "/proc/version": f"Linux version {kernel} (buildd@bos03-arm64-021) (aarch64-linux-gnu-gcc-13 (Ubuntu"
        " 13.3.0-6ubuntu2~24.04.1) 13.3.0, GNU ld (GNU Binutils for Ubuntu) 2.42)"
        f" #{kernel.split('-')[1][2:]}-Ubuntu SMP PREEMPT_DYNAMIC Fri Jul 24 10:30:11 UTC 2026\n",
        "/proc/driver/nvidia/version": NVIDIA_VERSION.format(driver=software.nvidia_driver),
        "/etc/dgx-release": DGX_RELEASE.format(ota=software.os, serial=f"DEMO{key(0, node.name):010d}"),
        "/etc/os-release": OS_RELEASE,
        "/etc/hostname": node.name + "\n",
        "/proc/sys/kernel/osrelease": kernel + "\n",
        "/proc/sys/kernel/hostname": node.name + "\n",
        "/sys/devices/system/cpu/online": f"0-{CPUS - 1}\n",
        "/sys/class/dmi/id/sys_vendor": "NVIDIA\n",
        "/sys/class/dmi/id/product_name": "NVIDIA_DGX_Spark\n",
        "/sys/class/dmi/id/product_version": "A.7\n",
        "/sys/class/dmi/id/board_name": "P4242\n",
        "/sys/class/dmi/id/bios_vendor": "American Megatrends International, LLC.\n",
        "/sys/class/dmi/id/bios_version": "5.36_0ACUM023\n",
        "/sys/class/dmi/id/bios_date": "05/18/2026\n",
    }
    files |= {f"/proc/sys/{name}": value + "\n" for name, value in SYSCTLS.items()}
    for cpu in range(CPUS):
        at = f"/sys/devices/system/cpu/cpu{cpu}"
        files[at + "/cpu_capacity"] = "1024\n" if cpu in BIG else "718\n"
        files[at + "/cpufreq/scaling_governor"] = "performance\n"
        files[f"/sys/devices/system/cpu/cpufreq/policy{cpu}/scaling_governor"] = "performance\n"
    return files | sensor_files(node)


def sensor_links() -> dict[str, str]:
    """The hwmon chips' links to their devices."""
    devices = ("nvme/nvme0", None, *CX7_BUSES, "ieee80211/phy0")
    return {f"/sys/class/hwmon/hwmon{n}/device": f"../../../{device}" for n, device in enumerate(devices) if device}


def live_files(node: DemoNode, now: Callable[[], float]) -> dict[str, Render]:
    """Path to renderer of what changes. `now` gives the rack's seconds, already moved on."""
    files: dict[str, Render] = {
        "/proc/stat": lambda: stat(node, now()),
        "/proc/loadavg": lambda: loadavg(node),
        "/proc/meminfo": lambda: meminfo(node),
        "/proc/uptime": lambda: uptime(node, now()),
        "/proc/sys/kernel/random/boot_id": lambda: node.boot_id + "\n",
    }
    return files | {one.path: one.text for one in thermometers(node)}


def process_files(node: DemoNode) -> dict[str, str]:
    """/proc of the job's process: there while the job runs."""
    at = f"/proc/{JOB_PID + 100 * node.index}"
    return {
        f"{at}/cmdline": JOB_COMMAND + "\0",
        f"{at}/comm": JOB_COMMAND[:15] + "\n",
        f"{at}/cgroup": f"0::/system.slice/docker-{container_id(node)}.scope\n",
    }


def container_id(node: DemoNode) -> str:
    return "".join(f"{key(part, node.name, 'container'):08x}" for part in range(8))


def stat(node: DemoNode, now: float) -> str:
    """/proc/stat: ticks of 1/100 s, user and system 4 to 1."""
    up = now - node.booted_at
    rows = []
    for cpu in range(CPUS):
        busy, soft = node.busy_s[cpu], node.softirq_s[cpu]
        rows.append((int(80 * busy), 0, int(20 * busy), int(100 * max(0.0, up - busy - soft)), 0, 0, int(100 * soft)))
    total = [sum(column) for column in zip(*rows, strict=True)]
    lines = [f"cpu  {' '.join(map(str, total))} 0 0 0"]
    lines += [f"cpu{cpu} {' '.join(map(str, row))} 0 0 0" for cpu, row in enumerate(rows)]
    soft_total = int(sum(node.net_rx))
    lines += [
        f"intr {soft_total * 3 + int(up * 4000)}",
        f"ctxt {int(up * 9000)}",
        f"btime {1_790_000_000 - int(up)}",
        f"processes {int(up * 3)}",
        f"procs_running {5 if node.running else 1}",
        "procs_blocked 0",
        f"softirq {soft_total + int(up * 900)}",
    ]
    return "\n".join(lines) + "\n"


def loadavg(node: DemoNode) -> str:
    running = 5 if node.running else 1
    return f"{node.load:.2f} {0.9 * node.load:.2f} {0.8 * node.load:.2f} {running}/1184 {JOB_PID + 1000}\n"


def uptime(node: DemoNode, now: float) -> str:
    up = now - node.booted_at
    return f"{up:.2f} {CPUS * up - sum(node.busy_s):.2f}\n"


def meminfo(node: DemoNode) -> str:
    available = MEM_TOTAL_KB - int(node.memory_used_bytes) // 1024
    cached = min(9_800_000, available // 2)
    swap_free = SWAP_KB - 262_144 - 4_096 * node.index if node.boots == 0 else SWAP_KB
    rows = (
        ("MemTotal", MEM_TOTAL_KB),
        ("MemFree", available - cached),
        ("MemAvailable", available),
        ("Buffers", 412_680),
        ("Cached", cached),
        ("SwapCached", 0),
        ("SwapTotal", SWAP_KB),
        ("SwapFree", swap_free),
        ("Dirty", 1_264),
        ("AnonPages", int(node.memory_used_bytes) // 1024 * 9 // 10),
        ("Shmem", 88_112),
        ("Hugepagesize", 2048),
        ("CmaTotal", 131_072),
        ("CmaFree", 69_320),
    )
    pages = "HugePages_Total:       0\nHugePages_Free:        0\nHugePages_Rsvd:        0\n"
    return "".join(f"{name + ':':<16}{kb:>8} kB\n" for name, kb in rows) + pages


def thermometers(node: DemoNode) -> list[Thermometer]:
    """Thermal zones and hwmon chips, numbered as the kernel registers them."""
    gpu, hwmon = node.gpu, "/sys/class/hwmon/hwmon"
    found = [
        Thermometer(f"{hwmon}0/temp{at}_input", "nvme", label, lambda: AMBIENT_C + 9.0)
        for at, label in enumerate(("Composite", "Sensor 1", "Sensor 2"), 1)
    ]
    for at, over in enumerate(ZONES_OVER_GPU_C):
        celsius = partial(lambda over: gpu.temperature_c + over, over)
        found.append(Thermometer(f"/sys/class/thermal/thermal_zone{at}/temp", "acpitz", None, celsius))
        found.append(Thermometer(f"{hwmon}1/temp{at + 1}_input", "acpitz", None, celsius))
    found += [
        Thermometer(f"{hwmon}{at}/temp1_input", "mlx5", "asic", lambda: node.asic_c)
        for at, _ in enumerate(CX7_BUSES, 2)
    ]
    return [*found, Thermometer(f"{hwmon}6/temp1_input", "mt7925_phy0", None, lambda: AMBIENT_C + 13.0)]


def sensor_files(node: DemoNode) -> dict[str, str]:
    """Path to text of the chips' names and labels."""
    files: dict[str, str] = {}
    for one in thermometers(node):
        folder, _, entry = one.path.rpartition("/")
        files[f"{folder}/{'type' if entry == 'temp' else 'name'}"] = one.chip + "\n"
        if one.label is not None:
            files[one.path.replace("_input", "_label")] = one.label + "\n"
    return files
