"""`once`: when a look is complete, what it prints, and its exit code."""

from msgspec.structs import replace

from sparktui.contract import Finding, Gpu, Health, Memory, Node, Platform, Port, Rack, Switch, Tcp
from sparktui.once import columns, complete, exit_code, table

GPU = Gpu(0, "NVIDIA GB10", "GPU-1", 2391, 3003, 76, 88.1, None, "P0", 96, None, None, None, ["sw_power_cap"], None)
PLATFORM = Platform("DGX OS 7.6.0", "7.0.0-1019-nvidia", "580.178.04", None, None, None, {})
NODE = Node(
    state="live",
    gpus=[GPU],
    memory=Memory(128 * 2**30, 35 * 2**30, 0),
    tcp=Tcp(0.0),
    platform=PLATFORM,
)
PORT = Port("up", 200_000, "spark1", 1.81e11, 1.8e11, 0.0, 0.0, 0.0, 0.0, 0.0, "spark1", ["enp1s0f0np0"], 4.0)
SWITCH = Switch(
    state="live",
    model="CRS812",
    version="7.23.1",
    health=[Health("cpu-temperature", 38, "C", None), Health("psu2-state", 4, "", "expected_absent")],
    ports={"qsfp56-dd-1-1": PORT},
)
FAIL = Finding("nic.rx_loss", "fail", "spark1", "2026-11-30T10:00:00Z", None, "412 frames/s lost", {}, "another cable")


def rack(**changes: object) -> Rack:
    made = Rack(at="2026-11-30T10:00:00Z", interval_s=1.0, nodes={"spark1": NODE}, switches={"sw": SWITCH}, findings=[])
    return replace(made, **changes)  # type: ignore[arg-type]


def test_exit_codes() -> None:
    assert exit_code(rack()) == 0
    assert exit_code(rack(findings=[replace(FAIL, severity="warn")])) == 0
    assert exit_code(rack(findings=[FAIL])) == 1
    assert exit_code(rack(findings=[replace(FAIL, until="2026-11-30T10:00:09Z")])) == 0
    gone = {"spark1": Node(state="unreachable", error="no route")}
    assert exit_code(rack(nodes=gone, switches={})) == 2
    assert exit_code(rack(nodes=gone)) == 0


def test_a_look_is_complete_when_everything_that_can_answer_has_a_rate() -> None:
    assert complete(rack())
    assert not complete(rack(nodes={"spark1": Node(state="connecting")}))
    assert not complete(rack(nodes={"spark1": replace(NODE, tcp=Tcp(None))}))
    assert not complete(rack(switches={"sw": replace(SWITCH, ports={"p": replace(PORT, rx_bps=None)})}))
    assert complete(rack(nodes={"spark1": Node(state="auth_failed", error="no key")}))
    assert complete(rack(switches={"sw": Switch(state="unreachable")}))


def test_the_table_says_what_the_screens_say() -> None:
    text = "\n".join(table(rack(findings=[FAIL])))
    for shown in ("spark1", "96%", "2391", "76", "88.1", "P0", "93/128", "200G", "181 Gb/s", "cpu-temperature 38 C"):
        assert shown in text
    assert "psu2-state absent (expected)" in text
    assert "FAIL  nic.rx_loss spark1: 412 frames/s lost" in text
    assert "next: another cable" in text


def test_a_value_that_is_not_there_is_a_dash_and_an_error_has_its_own_line() -> None:
    gone = Node(state="unreachable", error="no route to host: is it on?")
    lines = table(rack(nodes={"spark1": NODE, "spark2": gone}, switches={}))
    row = next(line for line in lines if line.startswith("spark2"))
    assert row.split()[1:4] == ["unreachable", "-", "-"]
    assert any("no route to host: is it on?" in line for line in lines)
    assert lines[-1] == "no findings"


def test_columns_line_up() -> None:
    lines = columns([["a", "bbb", "c"], ["aaaa", "b", "ccc"], ["", "a remark that is longer than everything"]])
    assert lines == ["a     bbb  c", "aaaa  b    ccc", "  a remark that is longer than everything"]
