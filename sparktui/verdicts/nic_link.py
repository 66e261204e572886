"""Links that go down and up, are slower than the rack's, or light only half of a cable."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from statistics import median

from sparktui.contract import Nic, Node
from sparktui.verdicts.base import Candidate, Evaluate, Moment, Rule
from sparktui.verdicts.cables import cable, nics, once_per_cable
from sparktui.verdicts.stats import Growth, Watch

DOWN = ("down", "lowerlayerdown")


def make_flap(limits: Mapping[str, float]) -> Evaluate:
    watch = Watch(limits["window_s"])

    def evaluate(moment: Moment) -> list[Candidate]:
        all_nics = {(node, netdev, view.boot_id): nic for node, view, netdev, nic in nics(moment.live_nodes())}
        things: dict[Hashable, tuple[object, Mapping[str, int]]] = {
            key: (nic, {"carrier_changes": nic.carrier_changes}) for key, nic in all_nics.items()
        }
        growths = watch.look(moment.now, things)
        return once_per_cable(
            (growths[key].by("carrier_changes"), _flap(key[0], key[1], nic, growths[key]))
            for key, nic in all_nics.items()
            if growths[key].by("carrier_changes") >= limits["changes"]
        )

    return evaluate


def _flap(node: str, netdev: str, nic: Nic, growth: Growth) -> Candidate:
    changes = growth.by("carrier_changes")
    state = f"{nic.operstate} at {nic.speed_mbps} Mb/s" if nic.speed_mbps is not None else nic.operstate
    return Candidate(
        node,
        cable(netdev, nic),
        f"link changed {changes} times in {growth.span_s:.0f} s, now {state}",
        {"nic": netdev, "changes": changes, "window_s": round(growth.span_s, 1), "operstate": nic.operstate},
        "Reseat both plugs, then another cable; on copper look at EEE and at what both ends negotiate.",
    )


def make_slower(_: Mapping[str, float]) -> Evaluate:
    def evaluate(moment: Moment) -> list[Candidate]:
        live = moment.live_nodes()
        return [
            *_slower({(node, netdev): nic for node, view in live.items() for netdev, nic in _management(view)}),
            *_slower({(node, netdev): nic for node, _, netdev, nic in nics(live) if nic.plane == "fabric"}),
        ]

    return evaluate


def _management(node: Node) -> list[tuple[str, Nic]]:
    """The node's fastest management link: a second, slower one beside it is nobody's fault."""
    linked = [item for item in node.nics.items() if item[1].plane == "management" and _speed(item[1])]
    return [max(linked, key=lambda item: _speed(item[1]))] if linked else []


def _speed(nic: Nic) -> int:
    return nic.speed_mbps or 0 if nic.operstate == "up" else 0


def _slower(links: Mapping[tuple[str, str], Nic]) -> list[Candidate]:
    """Links of one plane below the median of all of them, where at least three nodes have one."""
    speeds = {key: _speed(nic) for key, nic in links.items() if _speed(nic)}
    n = len({node for node, _ in speeds})
    if n < 3:
        return []
    middle = median(speeds.values())
    found: list[tuple[float, Candidate]] = []
    for (node, netdev), speed in speeds.items():
        if speed < middle:
            nic = links[node, netdev]
            evidence = {"nic": netdev, "plane": nic.plane, "speed_mbps": speed, "median_mbps": middle, "n": n}
            text = f"link runs at {speed} Mb/s, the rack's {nic.plane} links at {middle:.0f} Mb/s (n = {n})"
            next_step = "Reseat the plugs, then another cable or port; compare what both ends advertise (ethtool)."
            found.append((-speed, Candidate(node, cable(netdev, nic), text, evidence, next_step)))
    return once_per_cable(found)


def make_twin_down(_: Mapping[str, float]) -> Evaluate:
    def evaluate(moment: Moment) -> list[Candidate]:
        return [
            Candidate(
                node,
                cable(netdev, nic),
                f"only half of the cable in cage {nic.cage} is up: {nic.twin} is, {netdev} is {nic.operstate}",
                {"nic": netdev, "cage": nic.cage, "operstate": nic.operstate, "twin": nic.twin},
                f"ip link set {netdev} up; if it stays down, reboot with the cable in.",
            )
            for node, view, netdev, nic in nics(moment.live_nodes())
            if nic.operstate in DOWN and nic.twin in view.nics and view.nics[nic.twin].operstate == "up"
        ]

    return evaluate


RULES = (
    Rule(
        id="nic.link_flap",
        severity="warn",
        why="Every loss of link stops the traffic for seconds; on the fabric it can leave NCCL slow until a reboot.",
        make=make_flap,
        thresholds={"window_s": 120.0, "changes": 2.0},
        raise_after_s=0.0,
        clear_after_s=30.0,
    ),
    Rule(
        id="nic.slower_than_peers",
        severity="warn",
        why="A link that negotiated a lower speed than its peers holds up every transfer that crosses it.",
        make=make_slower,
    ),
    Rule(
        id="nic.twin_down",
        severity="warn",
        why="Each half of a ConnectX cage carries about half of the cable's 200 Gb/s, and a cable lights both.",
        make=make_twin_down,
        raise_after_s=10.0,
    ),
)
