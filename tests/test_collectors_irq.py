"""Interrupt vectors: whose they are, on which CPUs they fired, and that remembering lines changes nothing."""

from __future__ import annotations

import os
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktui.collectors import irq
from sparktui.collectors.irq import Interrupts, IrqAffinity, IrqSample, IrqVector, Owners
from sparktui.collectors.kernel import KernelReader
from tests.fixture_node import H200, NET, SPARK, STOCK, VM, Node, files_of

TABLE = files_of(SPARK)[irq.INTERRUPTS]
SPARK_OWNERS = irq.owners(Node(SPARK))


def of(sample: IrqSample, owner: str) -> dict[str, dict[int, int]]:
    """Counts by CPU of an owner's vectors, by label."""
    vectors = (vector for vector in sample.vectors if vector.owner == owner)
    return {vector.label: dict(zip(vector.cpus, vector.counts, strict=True)) for vector in vectors}


# --- the fixture machines


def test_one_queue_of_the_stock_driver_fires_on_cpu_0() -> None:
    sample = irq.start(Node(STOCK))()
    assert of(sample, "enP7s7") == {"enP7s7-0": {0: 3_204_118}, "enP7s7-8": {0: 711_402}, "enP7s7-29": {0: 2}}
    assert sample.vectors_by_owner == {
        "enP7s7": 32,
        "enp1s0f0np0": 21,
        "enp1s0f1np1": 21,
        "enP2p1s0f0np0": 21,
        "enP2p1s0f1np1": 21,
        "wlP9s9": 1,
        "gpu": 1,
    }


def test_eight_receive_queues_spread_over_the_fast_cores() -> None:
    sample = irq.start(Node(SPARK))()
    found = of(sample, "enP7s7")
    assert {label: counts for label, counts in found.items() if label in {f"enP7s7-{n}" for n in range(8)}} == {
        "enP7s7-0": {5: 88_120_457},
        "enP7s7-1": {6: 86_790_436},
        "enP7s7-2": {7: 85_460_415},
        "enP7s7-3": {0: 412, 8: 84_130_394},
        "enP7s7-4": {9: 82_800_373},
        "enP7s7-5": {15: 81_470_352},
        "enP7s7-6": {16: 80_140_331},
        "enP7s7-7": {17: 78_810_310},
    }
    assert len(found) == 17
    assert of(sample, "wlP9s9") == {"mt7925e": {0: 5_310}}
    assert of(sample, "enp1s0f1np1") == {"mlx5_async0@pci:0000:01:00.1": {0: 17}}
    assert len(of(sample, "enP2p1s0f0np0")) == 11


def test_only_the_line_named_nvidia_is_the_gpu() -> None:
    """i2c-nvidia, spi-nvidia and nvidia-gpio are the board's."""
    sample = irq.start(Node(SPARK))()
    assert [vector for vector in sample.vectors if vector.owner == "gpu"] == [
        IrqVector(irq=257, owner="gpu", label="nvidia", cpus=[3], counts=[1_204_877])
    ]


def test_columns_are_named_by_the_header_where_a_cpu_is_offline() -> None:
    sample = irq.start(Node(H200))()
    assert [next(iter(counts)) for counts in of(sample, "ens7np0").values()] == [0, 0, 1, 2, 4, 5, 6, 7]
    assert of(sample, "gpu") == {"nvidia": {4: 88_204_118, 5: 12}}
    assert sample.vectors_by_owner == {"ens7np0": 8, "gpu": 1}


def test_vectors_of_a_virtio_nic() -> None:
    sample = irq.start(Node(VM))()
    assert sample.vectors_by_owner == {"eth0": 5}
    assert of(sample, "eth0") == {
        "virtio1-input.0": {0: 201_118, 1: 4},
        "virtio1-output.0": {0: 88_120},
        "virtio1-input.1": {1: 188_003},
    }


def test_affinities_of_the_vectors_that_fired() -> None:
    spark = {one.irq: one for one in irq.start_info(Node(SPARK))().affinities}
    assert spark[143] == IrqAffinity(irq=143, owner="enP7s7", affinity="8", effective="8")
    assert spark[172] == IrqAffinity(irq=172, owner="enp1s0f0np0", affinity="0-19", effective="0")
    assert 171 not in spark
    h200 = {one.irq: one for one in irq.start_info(Node(H200))().affinities}
    assert h200[150] == IrqAffinity(irq=150, owner="gpu", affinity="0-2,4-7", effective="")


# --- whose a vector is

OWNERS = Owners(
    by_irq={77: "wlP9s9"},
    by_address={"0000:01:00.0": "enp1s0f0np0", "0007:01:00.0": "enP7s7"},
    by_name={"eth1": "eth1", "eth10": "eth10", "enP7s7": "enP7s7", "virtio2": "eth0", "virtio20": "eth9"},
)


@pytest.mark.parametrize(
    ("number", "text", "owner"),
    [
        (77, "ITS-PCI-MSI-0009:01:00.0   0 Edge      mt7925e", "wlP9s9"),
        (5, "ITS-PCI-MSIX-0007:01:00.0   1 Edge      enP7s7-1", "enP7s7"),
        (5, "ITS-MSI 3758620672 Edge      enP7s7-1", "enP7s7"),
        (5, "IR-PCI-MSI 45088769-edge      mlx5_comp3@pci:0000:01:00.0", "enp1s0f0np0"),
        (5, "IR-PCI-MSI 45088769-edge      mlx5_comp3@pci:0000:01:00.1", None),
        (5, "PCI-MSI 49152-edge      virtio2-input.0", "eth0"),
        (5, "PCI-MSI 49152-edge      virtio20-input.0", "eth9"),
        (5, "PCI-MSI 49152-edge      virtio21-input.0", None),
        (5, "PCI-MSI 49152-edge      eth10-TxRx-0", "eth10"),
        (5, "PCI-MSI 49152-edge      i40e-eth1-TxRx-0", "eth1"),
        (5, "IO-APIC   16-fasteoi   i801_smbus, eth1", "eth1"),
        (5, "IR-PCI-MSI 1-edge      nvidia", "gpu"),
        (5, "IO-APIC   16-fasteoi   nvidia, snd_hda_intel:card1", "gpu"),
        (5, "GICv3  352 Level     i2c-nvidia", None),
        (5, "ITS-PCI-MSI-0000:00:00.0   0 Edge      PCIe PME, aerdrv", None),
        (5, "GICv3  352 Level     beth1-x", None),
    ],
)
def test_owner(number: int, text: str, owner: str | None) -> None:
    assert OWNERS.of(number, text, text.rpartition("  ")[2].strip()) == owner


def test_vectors_by_number_where_neither_label_nor_chip_names_the_nic() -> None:
    """Kernels before 6.11 print no address, and a Wi-Fi's label is its driver's name."""
    node = Node(SPARK)
    node.files[irq.INTERRUPTS] = re.sub(r"ITS-PCI-MSIX?-\S+", "ITS-MSI 537919488", TABLE)
    assert of(irq.start(node)(), "wlP9s9") == {"mt7925e": {0: 5_310}}


# --- from one reading to the next


def test_lines_that_did_not_change_are_not_taken_apart_again() -> None:
    interrupts = Interrupts(SPARK_OWNERS)
    before = interrupts.sample(TABLE)
    after = interrupts.sample(TABLE.replace("88120457", "88120999"))
    changed = [(old, new) for old, new in zip(before.vectors, after.vectors, strict=True) if old is not new]
    assert [(new.label, new.counts) for _, new in changed] == [("enP7s7-0", [88_120_999])]


def test_a_vector_that_fires_for_the_first_time() -> None:
    interrupts = Interrupts(SPARK_OWNERS)
    interrupts.sample(TABLE)
    line = next(line for line in TABLE.splitlines() if line.endswith("enP7s7-30"))
    sample = interrupts.sample(TABLE.replace(line, line.replace("         0", "         9", 1)))
    assert of(sample, "enP7s7")["enP7s7-30"] == {0: 9}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Edge      nvme0q0", "Edge      enP7s7-32"),
        ("Edge      enP7s7-0\n", "Edge      nvme1q0\n"),
        ("\n 140:", "\n 340:"),
        ("CPU9 ", "CPU29"),
        ("Level     i2c-nvidia\n", "Level     nvidia\n"),
    ],
)
def test_a_line_that_became_anothers_is_seen_though_their_number_stayed(old: str, new: str) -> None:
    text = TABLE.replace(old, new)
    assert text != TABLE
    interrupts = Interrupts(SPARK_OWNERS)
    interrupts.sample(TABLE)
    assert interrupts.sample(text) == Interrupts(SPARK_OWNERS).sample(text)


def test_a_netdev_renamed_is_known_by_its_new_name_in_half_a_minute() -> None:
    node = Node(VM)
    take = irq.start(node)
    assert take().vectors_by_owner == {"eth0": 5}
    node.files = {path.replace(f"{NET}/eth0/", f"{NET}/lan0/"): text for path, text in node.files.items()}
    node.files = {path.replace("/ethtool/eth0/", "/ethtool/lan0/"): text for path, text in node.files.items()}
    node.at = 31.0
    assert take().vectors_by_owner == {"lan0": 5}


LABELS = [f"enP7s7-{n}" for n in range(12)] + [f"mlx5_comp{n}@pci:0000:01:00.0" for n in range(12)]
LABELS += ["nvidia", "nvme0q1", "PCIe PME", "aerdrv"]
COUNTS = st.sampled_from([0, 0, 0, 1, 9, 4_294_967_295])


@st.composite
def tables(draw: st.DrawFn) -> str:
    """What a kernel might print: some CPUs, some lines, and the interprocessor interrupts below."""
    cpus = draw(st.lists(st.integers(0, 24), min_size=1, max_size=4, unique=True))
    labels = draw(st.lists(st.sampled_from(LABELS), max_size=6))
    lines = [" " * 12 + "".join(f"CPU{cpu:<8}" for cpu in cpus)]
    for number, label in enumerate(labels, draw(st.integers(11, 12))):
        counts = "".join(f" {draw(COUNTS):>10}" for _ in cpus)
        lines.append(f"{number:>4}:{counts} ITS-MSI {number:>4} Edge      {label}")
    lines.append("IPI0:" + "".join(f" {draw(COUNTS):>10}" for _ in cpus) + "       Rescheduling interrupts")
    return "\n".join([*lines, f" Err: {draw(COUNTS):>10}", ""])


@given(st.lists(tables(), min_size=2, max_size=4))
def test_what_is_remembered_changes_nothing(texts: list[str]) -> None:
    interrupts = Interrupts(OWNERS)
    for text in texts:
        assert interrupts.sample(text) == Interrupts(OWNERS).sample(text)


@given(tables())
def test_every_count_of_an_owned_line_is_there(text: str) -> None:
    lines = [line for line in text.splitlines() if re.search(r"enP7s7|mlx5|nvidia$", line)]
    counts = [int(count) for line in lines for count in line.partition(" ITS")[0].split()[1:]]
    sample = Interrupts(OWNERS).sample(text)
    assert sum(sum(vector.counts) for vector in sample.vectors) == sum(counts)
    assert sum(sample.vectors_by_owner.values()) == len(lines)


@given(st.lists(st.text() | st.text(alphabet="CPU0123456789: \nnvidia-"), max_size=4), st.integers(0, len(TABLE)))
def test_any_text_and_any_part_of_a_good_one(texts: list[str], length: int) -> None:
    interrupts = Interrupts(SPARK_OWNERS)
    for text in [*texts, TABLE[:length], TABLE]:
        sample = interrupts.sample(text)
        assert all(len(vector.cpus) == len(vector.counts) > 0 for vector in sample.vectors)
    assert sample == Interrupts(SPARK_OWNERS).sample(TABLE)


def test_a_table_that_is_not_there_is_an_error() -> None:
    node = Node(VM)
    del node.files[irq.INTERRUPTS]
    with pytest.raises(FileNotFoundError):
        irq.start(node)()


# --- the live kernel


def test_vectors_of_this_machine() -> None:
    """Every counted vector is a line of /proc/interrupts, and has an affinity."""
    reader = KernelReader()
    sample = irq.start(reader)()
    labels = {line.split()[0].rstrip(":"): line for line in reader.text(irq.INTERRUPTS).splitlines()[1:] if line}
    assert all(labels[str(vector.irq)].rstrip().endswith(vector.label) for vector in sample.vectors)
    cpus = os.sysconf("SC_NPROCESSORS_CONF")
    assert all(set(vector.cpus) <= set(range(cpus)) for vector in sample.vectors)
    affinities = {one.irq for one in irq.start_info(reader)().affinities}
    assert {vector.irq for vector in sample.vectors} <= affinities
