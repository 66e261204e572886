"""Planes, cages and halves, on the devices of a DGX Spark and on those of other machines."""

from sparktui.collectors.nic import NicInfo
from sparktui.topology import places


def info(
    name: str, driver: str, bus: str, port: str | None = None, switch: str | None = None, wireless: bool = False
) -> NicInfo:
    return NicInfo(name, driver, "1", "", bus, "02:00:00:00:00:01", port, switch, wireless, 1, 1)


SPARK = [
    info("enP7s7", "r8127", "0007:01:00.0"),
    info("enp1s0f0np0", "mlx5_core", "0000:01:00.0", "p0", "0200000300000010"),
    info("enp1s0f1np1", "mlx5_core", "0000:01:00.1", "p1", "0200000300000010"),
    info("enP2p1s0f0np0", "mlx5_core", "0002:01:00.0", "p0", "0200000300000010"),
    info("enP2p1s0f1np1", "mlx5_core", "0002:01:00.1", "p1", "0200000300000010"),
    info("wlP9s9", "mt7925e", "0009:01:00.0", wireless=True),
]


def test_a_spark_has_one_management_port_two_cages_of_two_halves_and_wifi() -> None:
    found = places(SPARK, {}, {})
    assert {name: (place.plane, place.cage, place.twin) for name, place in found.items()} == {
        "enP7s7": ("management", None, None),
        "enp1s0f0np0": ("fabric", "p0", "enP2p1s0f0np0"),
        "enp1s0f1np1": ("fabric", "p1", "enP2p1s0f1np1"),
        "enP2p1s0f0np0": ("fabric", "p0", "enp1s0f0np0"),
        "enP2p1s0f1np1": ("fabric", "p1", "enp1s0f1np1"),
        "wlP9s9": ("other", None, None),
    }


def test_without_port_names_the_pci_function_tells_the_cage() -> None:
    bare = [info("a", "mlx5_core", "0000:01:00.1"), info("b", "mlx5_core", "0002:01:00.1")]
    found = places(bare, {}, {})
    assert (found["a"].cage, found["a"].twin, found["b"].twin) == ("p1", "b", "a")


def test_two_cards_with_the_same_port_name_are_two_cables() -> None:
    cards = [info("a", "mlx5_core", "0000:01:00.0", "p0", "aa"), info("b", "mlx5_core", "0002:01:00.0", "p0", "bb")]
    assert places(cards, {}, {})["a"].twin is None


def test_the_two_ports_of_an_ordinary_card_are_no_twins() -> None:
    card = [info("a", "mlx5_core", "0000:c1:00.0", "p0", "aa"), info("b", "mlx5_core", "0000:c1:00.1", "p0", "aa")]
    assert places(card, {}, {})["a"].twin is None


def test_representors_of_virtual_functions_have_no_cage() -> None:
    assert places([info("a", "mlx5_core", "0000:01:00.0", "pf0vf0")], {}, {})["a"].cage is None


def test_a_fast_link_is_fabric_whatever_its_driver() -> None:
    assert places([info("ens1", "ice", "0000:01:00.0")], {"ens1": 100_000}, {})["ens1"].plane == "fabric"
    assert places([info("ens1", "ice", "0000:01:00.0")], {"ens1": 25_000}, {})["ens1"].plane == "management"


def test_the_config_wins_and_takes_wildcards() -> None:
    found = places(SPARK, {}, {"management": ["enp1s0f1*"], "other": ["enP7s7"]})
    assert (found["enp1s0f1np1"].plane, found["enP7s7"].plane) == ("management", "other")
