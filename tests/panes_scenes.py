"""Hand-built racks for the pane tests, each with one thing to see."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import sin

from sparktui.contract import Cpus, GpuProcess, Health, Irq, IrqVector, Memory, Node, Platform, Sensor, Switch, Tcp
from sparktui.panes.base import Mark
from tests.panes_rack import (
    FOUR,
    GIB,
    NOW,
    WALL,
    Scene,
    crs812,
    finding,
    gpu,
    h200,
    health,
    nics,
    one_cpu_irq,
    port,
    r8127,
    replace,
    scene,
    softnet,
    spark,
    spread_irq,
    wobbling,
)


def rack_of(count: int, load: int = 96) -> dict[str, Node]:
    return {f"spark{number}": spark(number, load) for number in range(1, count + 1)}


def healthy() -> Scene:
    return scene(rack_of(4), {"crs812": crs812()})


def stale() -> Scene:
    nodes = rack_of(4)
    nodes["spark3"] = replace(nodes["spark3"], state="stale")
    found = finding("node.stale", "warn", "spark3", "No sample for 14 s; the figures shown are old.", 11)
    return scene(nodes, {"crs812": crs812()}, (found,), {"spark3": 14.0})


def unreachable() -> Scene:
    """One node that went away two minutes ago, and one that never answered."""
    nodes = rack_of(4)
    nodes["spark3"] = replace(
        nodes["spark3"], state="unreachable", error="No answer from 10.0.0.13 port 22: is it on, and is the cable in?"
    )
    nodes["spark4"] = Node("auth_failed", "spark4 refused the key: run ssh-copy-id spark4, or set user in the config.")
    found = finding("node.unreachable", "fail", "spark3", "No connection since 120 s: no answer on port 22.", 110)
    made = scene(nodes, {"crs812": crs812()}, (found,), {"spark3": 120.0, "spark4": 1e9}, seconds=150)
    made.store.nodes["spark4"].view = nodes["spark4"]
    return Scene(made.store.rack(NOW, WALL), made.store)


def pd_wedge() -> Scene:
    nodes: dict[str, Node | Callable[[float], Node]] = dict(rack_of(4))
    wedged = spark(4, gpus=[gpu(721, 96, 55, 10.2, event_reasons=[], sw_power_cap_percent=0.0)])

    def fourth(at: float) -> Node:
        return wobbling(spark(4), at) if at < NOW - 40 else wedged

    nodes["spark4"] = fourth
    found = finding(
        "gpu.low_clock_under_load", "fail", "spark4",
        "721 MHz at 96 % load and 10 W with no throttle reason given: the USB-PD supply may be latched.", 40, "gpu0",
        next="switch AC off at the wall for 60 s",
    )  # fmt: skip
    return scene(nodes, {"crs812": crs812()}, (found,))


def rx_loss() -> Scene:
    """The stock r8127 on spark1 loses received frames; the switch port that sends them is clean."""
    nodes = rack_of(4)
    nic = r8127(
        driver_version="11.014.00-NAPI", rx_bps=5.4e9, tx_bps=4e6, rx_missed_per_s=412.0, rx_missed_total=36_012,
        rx_errors_per_s=386.0, rx_errors_total=35_118, rx_queues=1, tx_queues=1,
        counters_per_s={"rx_mac_missed": 412.0, "rx_mac_error": 386.0, "rdu": 31.0},
        counters_total={"rx_mac_missed": 36_012, "rx_mac_error": 35_118, "rdu": 2_640},
    )  # fmt: skip
    nodes["spark1"] = replace(
        nodes["spark1"],
        nics=nodes["spark1"].nics | {"enP7s7": nic},
        irqs={"enP7s7": one_cpu_irq()},
        softnet=softnet({0: 31_000.0}, dropped=3.0),
        tcp=Tcp(11.0, {"RetransSegs": 11.0}, {"RetransSegs": 26_929}),
    )
    switch = crs812()
    ports = dict(switch.ports)
    ports["sfp56-1"] = replace(ports["sfp56-1"], tx_bps=5.4e9, rx_bps=4e6)
    found = (
        finding(
            "nic.rx_loss", "fail", "spark1",
            "412 frames/s lost at the NIC's receive side; port sfp56-1 sent them and shows no FCS errors and no drops: "
            "lost at the NIC or on the last metre.",
            12, "enP7s7", next="the same cable on another port",
        ),
        finding(
            "irq.rx_one_cpu", "warn", "spark1",
            "All receive interrupts of enP7s7 on CPU 0 (A725): one queue.", 75, "enP7s7",
        ),
    )  # fmt: skip
    return scene(nodes, {"crs812": replace(switch, ports=ports)}, found)


def worked() -> Scene:
    """Ten minutes with two loads and a pause: what the charts are for."""

    def at(number: int, when: float) -> Node:
        ago = NOW - when
        busy = ago < 200 or 300 < ago < 520
        heat = 76 - min(30, max(0, (ago - 140) / 4)) if ago < 300 else 48 + 25 * (0.5 + 0.5 * sin(ago / 40))
        one = gpu(
            2380 + round(14 * sin(when / 5 + number)) if busy else 2405,
            96 + round(2 * sin(when)) if busy else round(4 + 3 * sin(when / 9)),
            round(heat) + number % 3,
            round(88 + 2 * sin(when / 6), 1) if busy else 12.4,
            event_reasons=["sw_power_cap"] if round(when) % 2 else [],
        )
        return spark(number, gpus=[one])

    return scene({f"spark{n}": partial(at, n) for n in range(1, 5)}, {"crs812": crs812()}, seconds=600)


def no_switch() -> Scene:
    return scene({f"spark{n}": spark(n, nics=nics(n, 181e9, switched=False)) for n in (1, 2)}, {})


def two_switches() -> Scene:
    """Fabric on the CRS812, the RJ45 ports on a second switch that stopped answering."""
    nodes = rack_of(4)
    for number, name in enumerate(FOUR, 1):
        moved = nodes[name].nics | {"enP7s7": r8127(f"ether{number}", switch="crs310")}
        nodes[name] = replace(nodes[name], nics=moved)
    fabric = crs812()
    fabric = replace(fabric, ports={name: one for name, one in fabric.ports.items() if not name.startswith("sfp56")})
    copper = Switch(
        "unreachable",
        "No SNMP answer from 10.0.0.3 port 161: is SNMP enabled there, and the community right?",
        model="CRS310-8G+2S+",
        version="7.19.4",
        health=[Health("cpu-temperature", 51, "C", None)],
        ports={f"ether{n}": port(f"spark{n}", ["enP7s7"], 10_000, 8.1e5, 1.2e6) for n in range(1, 5)},
    )
    found = finding("switch.unreachable", "fail", "crs310", "No SNMP answer for 130 s.", 125)
    return scene(nodes, {"crs812": fabric, "crs310": copper}, (found,), {"crs310": 130.0}, seconds=150)


def many(count: int) -> Scene:
    nodes = rack_of(count)
    nodes["spark5"] = replace(nodes["spark5"], state="stale")
    nodes["spark7"] = replace(nodes["spark7"], gpus=[gpu(721, 96, 55, 10.2)])
    found = finding("gpu.low_clock_under_load", "fail", "spark7", "721 MHz at 96 % load.", 40, "gpu0")
    return scene(nodes, {"crs812": crs812()}, (found,), {"spark5": 14.0}, seconds=62)


def local_h200() -> Scene:
    """One x86 machine with an H200 and virtual NICs, watched as host = "local"."""
    nic = r8127(
        None, driver="virtio_net", driver_version="1.0.0", speed_mbps=None, rx_queues=4, tx_queues=4, counters_per_s={}
    )
    node = spark(
        1,
        gpus=[h200()],
        memory=Memory(2015 * GIB, 1900 * GIB, 0),
        cpus=Cpus(192, {"EPYC 9654": list(range(192))}, [3.0] * 192, list(range(192)), 6.0),
        nics={"eth0": nic},
        irqs={"eth0": spread_irq("virtio0-input.0", 60, 4, 300.0)},
        platform=Platform(
            "Ubuntu 24.04.2 LTS", "6.8.0-60-generic", "570.172.08", None, None, None, {}, "h200", "x86_64"
        ),
        sensors=[],
    )
    return scene({"local": node}, {}, seconds=70)


HOSTILE = "\x1b[31mred[bold]x[/bold]\u202egnp.exe\u202c 漢字かな\u0301\u200d שלום " + "very-long-" * 30


def hostile() -> Scene:
    """Every text that a node or a switch can choose is an attack on the screen."""
    node = spark(1)
    node = replace(
        node,
        collector_errors={"gpu": HOSTILE},
        gpus=[gpu(name=HOSTILE, pstate="P\x1b]0;x\x07", processes=[GpuProcess(7, HOSTILE, HOSTILE, None)])],
        nics={
            **node.nics,
            "evil\x1b[2J": r8127(
                driver=HOSTILE, driver_version=HOSTILE, operstate=HOSTILE, counters_per_s={HOSTILE: 3.0}
            ),
        },
        platform=Platform(HOSTILE, HOSTILE, HOSTILE, None, None, None, {HOSTILE: HOSTILE}, HOSTILE),
        sensors=[Sensor(HOSTILE, HOSTILE, 1e300, HOSTILE)],
        irqs={"enP7s7": Irq({"0": 1e12}, 3, {}, 1.0, [IrqVector(1, HOSTILE, [0], [1e12], 1, HOSTILE, HOSTILE)])},
    )
    switch = crs812(1)
    ports = dict(switch.ports)
    ports["sfp56-1"] = replace(ports["sfp56-1"], alias=HOSTILE, oper=HOSTILE, neighbour=HOSTILE)
    ports[HOSTILE] = port(None, [], 10_000, float("nan"), float("inf"), neighbour=HOSTILE)
    switch = replace(
        switch,
        ports=ports,
        version=HOSTILE,
        model=HOSTILE,
        notes=[HOSTILE],
        health=health(**{HOSTILE: (1e300, "C", "not_ok")}),
    )
    gone = Node("probe_failed", HOSTILE)
    found = finding("x.y", "fail", "spark1", HOSTILE, 1, HOSTILE, next=HOSTILE)
    made = scene(
        {"spark1": node, "二号機": spark(2), "gone": gone}, {"crs812": switch}, (found,), {"gone": 1e9}, seconds=61
    )
    made.store.nodes["gone"].view = gone
    return Scene(made.store.rack(NOW, WALL), made.store)


def starting() -> Scene:
    return scene(
        dict.fromkeys(FOUR, Node("connecting")), {"crs812": Switch("connecting")}, ages={"crs812": 1e9}, seconds=1
    )


def idle_pair() -> Scene:
    return scene(rack_of(2, load=0), {"crs812": crs812(2, 0.0)})


def mark_at(seconds_ago: float, totals: Mapping[str, Mapping[tuple[str, str], int]]) -> Mark:
    """An operator's mark with these totals."""
    return Mark(NOW - seconds_ago, "22:10:03", totals)


SCENES: dict[str, Callable[[], Scene]] = {
    "healthy": healthy,
    "stale": stale,
    "unreachable": unreachable,
    "pd-wedge": pd_wedge,
    "rx-loss": rx_loss,
    "worked": worked,
    "no-switch": no_switch,
    "two-switches": two_switches,
    "eight": lambda: many(8),
    "sixteen": lambda: many(16),
    "local-h200": local_h200,
    "hostile": hostile,
    "starting": starting,
    "idle-pair": idle_pair,
}
