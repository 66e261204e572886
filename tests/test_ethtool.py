"""The ethtool ioctl against the ethtool program, on the live kernel."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from typing import Any

import pytest

from sparktui.collectors import ethtool
from sparktui.collectors.base import Channels, DriverInfo
from sparktui.collectors.folder import parse_channels, parse_driver, parse_stats

INSIDE = 'mount -t sysfs sysfs /sys && exec "{python}" -c "$0"'
"""Shell inside new network and mount namespaces, which end with it and take their netdevs along."""


def in_namespace(program: str) -> Any:
    """What a Python program prints as JSON in a network namespace of its own."""
    if os.geteuid() != 0:
        pytest.skip("needs root for a network namespace")
    done = subprocess.run(
        ["unshare", "--net", "--mount", "sh", "-c", INSIDE.format(python=sys.executable), program],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


PRELUDE = """
import json, subprocess
from dataclasses import asdict
from sparktui.collectors import ethtool
def ip(*words): subprocess.run(["ip", *words], check=True)
def printed(option, netdev):
    return subprocess.run(["ethtool", option, netdev], capture_output=True, text=True, check=True).stdout
"""


@pytest.mark.real
@pytest.mark.parametrize("queues", [1, 8])
def test_veth_as_the_ethtool_program_prints_it(queues: int) -> None:
    said = in_namespace(
        PRELUDE
        + f"""
ip("link", "add", "v0", "numrxqueues", "{queues}", "numtxqueues", "{queues}", "type", "veth",
   "peer", "name", "v1", "numrxqueues", "{queues}", "numtxqueues", "{queues}")
ip("addr", "add", "10.9.0.1/24", "dev", "v0")
for netdev in ("v0", "v1"): ip("link", "set", netdev, "up")
print(json.dumps([[asdict(ethtool.driver("v0")), ethtool.stats("v0"), asdict(ethtool.channels("v0"))],
                  [printed(option, "v0") for option in ("-i", "-S", "-l")]]))
"""
    )
    (driver, stats, channels), (driver_text, stats_text, channels_text) = said
    assert DriverInfo(**driver) == parse_driver(driver_text)
    assert driver["driver"] == "veth"
    assert stats == parse_stats(stats_text)
    assert f"rx_queue_{queues - 1}_drops" in stats
    assert Channels(**channels) == parse_channels(channels_text)
    assert channels["rx"] == queues


@pytest.mark.real
def test_names_are_asked_for_again_when_their_number_changes() -> None:
    """A netdev that comes back with more queues, as a driver does that was told to use more channels."""
    few, many, printed = in_namespace(
        PRELUDE
        + """
ip("link", "add", "v0", "type", "veth", "peer", "name", "v1")
few = ethtool.stats("v0")
ip("link", "del", "v0")
ip("link", "add", "v0", "numrxqueues", "4", "numtxqueues", "4", "type", "veth", "peer", "name", "v1",
   "numrxqueues", "4", "numtxqueues", "4")
print(json.dumps([few, ethtool.stats("v0"), printed("-S", "v0")]))
"""
    )
    assert len(few) < len(many)
    assert many == parse_stats(printed)


@pytest.mark.real
def test_statistics_need_no_root() -> None:
    as_nobody = in_namespace(
        PRELUDE
        + """
import os
ip("link", "add", "v0", "type", "veth", "peer", "name", "v1")
os.setgroups([]); os.setgid(65534); os.setuid(65534)
print(json.dumps([ethtool.driver("v0").driver, len(ethtool.stats("v0")), ethtool.channels("v0").rx]))
"""
    )
    assert as_nobody[0] == "veth"
    assert as_nobody[1] > 0
    assert as_nobody[2] == 1


@pytest.mark.real
def test_threads_read_their_own_netdev() -> None:
    """The two read into the same room; the kernel is asked without Python's lock."""
    wrong = in_namespace(
        PRELUDE
        + """
import threading
for pair, queues in (("a", "1"), ("b", "16")):
    ip("link", "add", pair + "0", "numrxqueues", queues, "numtxqueues", queues, "type", "veth",
       "peer", "name", pair + "1", "numrxqueues", queues, "numtxqueues", queues)
expected = {name: ethtool.stats(name) for name in ("a0", "b0")}
wrong = []
def read(name):
    for _ in range(2000):
        if ethtool.stats(name) != expected[name]: wrong.append(name)
threads = [threading.Thread(target=read, args=(name,)) for name in expected]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(json.dumps(wrong))
"""
    )
    assert wrong == []


@pytest.mark.parametrize("ask", [ethtool.driver, ethtool.stats, ethtool.channels])
@pytest.mark.parametrize("netdev", ["no-such-netdev", "", "name-longer-than-15", "ä" * 8, "a\0b"])
def test_a_netdev_that_is_not_there_is_an_oserror(ask: Any, netdev: str) -> None:
    with pytest.raises(OSError) as raised:  # noqa: PT011 - the number is what matters
        ask(netdev)
    assert raised.value.errno == errno.ENODEV


def test_a_driver_without_the_operation_is_an_oserror() -> None:
    with pytest.raises(OSError) as raised:  # noqa: PT011 - the number is what matters
        ethtool.stats("lo")
    assert raised.value.errno == errno.EOPNOTSUPP


@pytest.mark.real
def test_this_machines_netdevs_as_the_ethtool_program_prints_them() -> None:
    def printed(option: str, netdev: str) -> str | None:
        done = subprocess.run(["ethtool", option, netdev], capture_output=True, text=True, timeout=10, check=False)
        return done.stdout if done.returncode == 0 else None

    for netdev in os.listdir("/sys/class/net"):
        if driver := printed("-i", netdev):
            assert ethtool.driver(netdev) == parse_driver(driver)
        if channels := printed("-l", netdev):
            assert ethtool.channels(netdev) == parse_channels(channels)
        if stats := printed("-S", netdev):
            assert list(ethtool.stats(netdev)) == list(parse_stats(stats))
