"""Where collectors read from: the live kernel through kept descriptors, folders, and mappings of texts."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktui.collectors import folder, kernel
from sparktui.collectors.base import Channels, DriverInfo, Reader
from sparktui.collectors.folder import FolderReader, TextReader
from sparktui.collectors.kernel import KernelReader, is_kept
from sparktui.collectors.processes import KnowsContainers


def open_files(pattern: str) -> list[str]:
    """What this process holds open of the paths that contain `pattern`."""
    links = (f"/proc/self/fd/{name}" for name in os.listdir("/proc/self/fd"))
    return [target for link in links if os.path.lexists(link) and pattern in (target := os.readlink(link))]


# --- the live kernel


def test_kernel_text_is_read_anew_through_one_descriptor() -> None:
    reader = KernelReader()
    first = reader.text("/proc/self/stat")
    os.sched_yield()
    assert reader.text("/proc/uptime") <= reader.text("/proc/uptime")
    assert first.split()[0] == reader.text("/proc/self/stat").split()[0] == str(os.getpid())
    assert len(open_files("/uptime")) == 1


@pytest.mark.parametrize("path", ["/proc/kallsyms", "/proc/cpuinfo", "/proc/interrupts", "/proc/net/netstat"])
def test_kernel_text_is_whole_however_large(path: str) -> None:
    """The kernel hands out about a page of these at a time. Counts move between two readings: names have to agree."""
    with open(path, encoding="utf-8", errors="replace") as file:
        expected = file.read().splitlines()
    lines = KernelReader().text(path).splitlines()
    assert len(lines) == len(expected)
    assert [line.split()[-1:] for line in (lines[0], lines[-1])] == [
        line.split()[-1:] for line in (expected[0], expected[-1])
    ]


def test_kernel_attributes_of_a_page_or_more_are_whole(tmp_path: Path) -> None:
    long = tmp_path / "attribute"
    long.write_bytes(b"x" * (kernel.PAGE * 40 + 7))
    descriptor = os.open(long, os.O_RDONLY)
    try:
        assert kernel.read_whole(descriptor, "/sys/x") == long.read_bytes()
        assert kernel.read_whole(descriptor, "/proc/x") == long.read_bytes()
    finally:
        os.close(descriptor)


def test_kernel_text_has_no_undecodable_bytes(tmp_path: Path) -> None:
    (tmp_path / "name").write_bytes(b"a\xff\xfeb\n")
    assert KernelReader().text(str(tmp_path / "name")) == "a\ufffd\ufffdb\n"


def test_kernel_text_of_a_file_on_disk_follows_its_path(tmp_path: Path) -> None:
    """An update writes a new /etc/dgx-release and moves it over the old one: a kept descriptor would show the old."""
    release, new = tmp_path / "dgx-release", tmp_path / "new"
    release.write_text("old")
    reader = KernelReader()
    assert reader.text(str(release)) == "old"
    new.write_text("new")
    new.rename(release)
    assert reader.text(str(release)) == "new"


def test_only_paths_that_go_on_meaning_the_same_are_kept() -> None:
    assert is_kept("/sys/class/net/lo/mtu")
    assert is_kept("/proc/net/snmp")
    assert is_kept("/proc/self/stat")
    assert not is_kept("/proc/1234/cmdline")
    assert not is_kept("/etc/os-release")


def test_kernel_reader_opens_again_what_was_closed_behind_its_back() -> None:
    reader = KernelReader()
    reader.text("/proc/loadavg")
    descriptor = reader._thread.files.get("/proc/loadavg")
    assert descriptor is not None
    os.close(descriptor)
    spare = os.open("/dev/null", os.O_WRONLY)
    assert spare == descriptor, "the number is in use again, and reading from it fails with EBADF"
    assert len(reader.text("/proc/loadavg").split()) == 5


def test_kernel_reader_keeps_a_bounded_number_of_descriptors() -> None:
    reader = KernelReader(kept_files=8)
    for name in sorted(os.listdir("/proc/sys/net/ipv4"))[:40]:
        path = f"/proc/sys/net/ipv4/{name}"
        if os.path.isfile(path) and os.access(path, os.R_OK):
            reader.text(path)
    assert len(reader._thread.files) == 8
    assert len(open_files("/proc/sys/net/ipv4/")) == 8
    del reader
    assert open_files("/proc/sys/net/ipv4/") == []


def test_descriptors_of_a_thread_are_its_own_and_end_with_it() -> None:
    reader = KernelReader()
    reader.text("/proc/softirqs")
    held: list[int] = []

    def other() -> None:
        reader.text("/proc/softirqs")
        held.append(len(open_files("/proc/softirqs")))

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert held == [2]
    assert len(open_files("/proc/softirqs")) == 1


@pytest.mark.parametrize(
    "path", ["/proc/no-such-file", "/sys/class/net/none0/mtu", "/proc/999999999/comm", "/proc", "/sys"]
)
def test_what_is_not_there_is_an_oserror_and_leaves_nothing_open(path: str) -> None:
    reader = KernelReader()
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(OSError):  # noqa: PT011
        reader.text(path)
    assert len(os.listdir("/proc/self/fd")) == before


def test_kernel_names_and_links() -> None:
    reader = KernelReader()
    assert "lo" in reader.names("/sys/class/net")
    assert reader.names("/proc/self/task") == sorted(os.listdir("/proc/self/task"))
    assert reader.link("/proc/self/exe") == os.readlink("/proc/self/exe")
    with pytest.raises(FileNotFoundError):
        reader.names("/sys/class/none")
    with pytest.raises(OSError, match="Invalid argument"):
        reader.link("/proc/stat")


def test_kernel_clocks_run() -> None:
    reader = KernelReader()
    assert reader.monotonic() <= reader.monotonic()
    assert abs(reader.wall() - Path("/proc/self").stat().st_mtime) < 366 * 86400


@pytest.mark.skipif(os.path.exists("/proc/driver/nvidia/version"), reason="this machine has the driver")
def test_a_node_without_driver_says_so_without_loading_pynvml() -> None:
    program = """if True:
        import sys
        from sparktui.collectors.kernel import KernelReader
        try:
            KernelReader().nvml()
        except OSError as error:
            print(error, "pynvml" in sys.modules)
    """
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=True)
    assert done.stdout == "no NVIDIA driver: libnvidia-ml.so.1 is not on this machine False\n"


NETDEV_COMES_BACK = """if True:
    import subprocess, sys
    from sparktui.collectors.kernel import KernelReader
    def ip(*words): subprocess.run(["ip", "link", *words], check=True)
    reader, answers = KernelReader(), []
    mtu = "/sys/class/net/v0/mtu"
    ip("add", "v0", "mtu", "1500", "type", "veth", "peer", "name", "v1")
    answers.append(reader.text(mtu).strip())
    ip("del", "v0")
    try:
        reader.text(mtu)
    except OSError as error:
        answers.append(type(error).__name__)
    ip("add", "v0", "mtu", "1400", "type", "veth", "peer", "name", "v1")
    answers += [reader.text(mtu).strip(), reader.text(mtu).strip()]
    ip("del", "v0")
    ip("add", "v0", "mtu", "1300", "type", "veth", "peer", "name", "v1")
    answers.append(reader.text(mtu).strip())
    print(*answers)
"""


@pytest.mark.real
def test_a_netdev_that_goes_and_comes_back_is_read_again() -> None:
    """As the four functions of a ConnectX-7 do when its cable is plugged again: kept descriptors answer ENODEV."""
    if os.geteuid() != 0:
        pytest.skip("needs root for a network namespace")
    inside = f'mount -t sysfs sysfs /sys && exec "{sys.executable}" -c "$0"'
    done = subprocess.run(
        ["unshare", "--net", "--mount", "sh", "-c", inside, NETDEV_COMES_BACK],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.stdout == "1500 FileNotFoundError 1400 1400 1300\n", done.stderr


# --- folders and texts


@pytest.fixture
def node(tmp_path: Path) -> FolderReader:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/stat").write_bytes(b"cpu  1\r\n\xff\n")
    (tmp_path / "sys/class/net/p0").mkdir(parents=True)
    (tmp_path / "sys/class/net/p0/device.link").write_text("../../../0000:01:00.0\n")
    (tmp_path / "sys/class/net/p1").symlink_to("../../devices/p1")
    (tmp_path / "ethtool/p0").mkdir(parents=True)
    (tmp_path / "ethtool/p0/driver").write_text("driver: r8127\nversion: 11.016.00-NAPI-RSS\nbus-info: 0007:01:00.0\n")
    (tmp_path / "ethtool/p0/stats").write_text(
        "NIC statistics:\n     rx_packets: 18446744073709551615\n     [0]: a: 7\n"
    )
    (tmp_path / "ethtool/p0/channels").write_text(
        "Channel parameters for p0:\nPre-set maximums:\nRX:\t\t8\nTX:\t\t8\nOther:\t\tn/a\nCombined:\tn/a\n"
        "Current hardware settings:\nRX:\t\t4\nTX:\t\t2\nOther:\t\tn/a\nCombined:\tn/a\n"
    )
    (tmp_path / "nvml.json").write_text('{"driver": "580.1", "devices": []}')
    (tmp_path / "containers.json").write_text('{"ab": "vllm_node"}')
    return FolderReader(tmp_path, at=5.0, epoch=1000.0)


def test_a_folder_and_the_texts_kept_of_it_read_alike(node: FolderReader) -> None:
    for reader in (node, node.kept()):
        assert reader.text("/proc/stat") == "cpu  1\r\n\ufffd\n"
        assert reader.names("/sys/class/net/p0") == ["device"]
        assert reader.link("/sys/class/net/p0/device") == "../../../0000:01:00.0"
        assert reader.ethtool_driver("p0") == DriverInfo("r8127", "11.016.00-NAPI-RSS", "", "0007:01:00.0")
        assert reader.ethtool_stats("p0") == {"rx_packets": 2**64 - 1, "[0]: a": 7}
        assert reader.ethtool_channels("p0") == Channels(4, 2, 0, 8, 8, 0)
        assert reader.nvml().nvmlSystemGetDriverVersion() == "580.1"
        assert (reader.container_name("ab"), reader.container_name("cd")) == ("vllm_node", None)
        assert (reader.monotonic(), reader.wall()) == (5.0, 1005.0)
        for missing in (reader.text, reader.names, reader.link):
            with pytest.raises(FileNotFoundError):
                missing("/sys/none")
        for ask in (reader.ethtool_driver, reader.ethtool_stats, reader.ethtool_channels):
            with pytest.raises(FileNotFoundError):
                ask("none0")


def test_a_folder_may_hold_real_links(node: FolderReader) -> None:
    assert node.names("/sys/class/net") == ["p0", "p1"]
    assert node.link("/sys/class/net/p1") == "../../devices/p1"


def test_a_folder_without_driver_and_runtime() -> None:
    reader = TextReader({})
    with pytest.raises(OSError, match="no NVIDIA driver"):
        reader.nvml()
    assert reader.container_name("ab") is None


def test_texts_are_asked_for_at_each_reading() -> None:
    files = {"/proc/uptime": "1.0 1.0\n"}
    reader = TextReader(files)
    assert reader.text("/proc/uptime") == "1.0 1.0\n"
    files["/proc/uptime"] = "2.0 2.0\n"
    assert reader.text("/proc/uptime") == "2.0 2.0\n"


def test_every_reader_is_one() -> None:
    readers: list[Reader] = [KernelReader(), FolderReader("/"), TextReader({})]
    assert all(isinstance(reader, KnowsContainers) for reader in readers)


@pytest.mark.parametrize("parse", [folder.parse_driver, folder.parse_stats, folder.parse_channels])
@given(text=st.text() | st.text(alphabet="RXTX:0123 \n") | st.just("Current hardware settings:\nRX: x\nTX: 9"))
def test_ethtool_texts_of_any_kind(parse: Callable[[str], object], text: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        parse(text)
