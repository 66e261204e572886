"""The frame: keys, header, footer, filter, pause, mark; panes that fail and terminals that are odd."""

from __future__ import annotations

import asyncio

import pytest
from textual.content import Content
from textual.widgets import Input

from sparktui.config import UiConfig
from sparktui.contract import Finding
from sparktui.panes.base import Drawing, Pane, Picture
from sparktui.store import Store
from sparktui.ui import keys
from tests import screen, tui_child
from tests.ui_bench import opened, put

SIZES = [(80, 24), (120, 40), (200, 60), (20, 5)]


async def test_the_first_frame_is_painted_before_the_polling_starts() -> None:
    async with opened() as bench:
        assert len(bench.started) == 1
        assert "rack-a" in bench.started[0]
        assert "spark4" in bench.started[0]


async def test_header_tells_the_rack_in_glyph_and_word() -> None:
    async with opened((120, 40), demo="rx-loss", read_only=True) as bench:
        bench.store.set_findings([tui_child.finding("warn"), tui_child.finding(), tui_child.finding(until="2026-..")])
        bench.store.set_node_state("spark3", "stale")
        bench.store.set_switch_state("crs812", "unreachable")
        await bench.step()
        for part in ("◌ 3/4 live, spark3 stale", "✗ crs812 unreachable", "✗ 1 fail  ! 1 warn"):
            assert part in bench.header
        assert "DEMO rx-loss" in bench.header
        assert "READ-ONLY" in bench.header
        assert "every 1 s" in bench.header


async def test_header_loses_the_least_important_first_and_never_cuts() -> None:
    shown = {}
    for width in (20, 40, 60, 80, 120):
        async with opened((width, 24), demo="rx-loss") as bench:
            bench.store.set_findings([tui_child.finding()])
            await bench.step()
            shown[width] = bench.header
            assert len(bench.header) == width
    assert "✗ 1 fail" in shown[20]
    assert "4/4 live" in shown[40]
    assert "DEMO" in shown[40]
    assert "crs812" in shown[60]
    assert "rack-a" not in shown[40]
    assert "rack-a" in shown[120]


@pytest.mark.parametrize("size", SIZES)
async def test_every_size_draws(size: tuple[int, int]) -> None:
    async with opened(size, demo="healthy") as bench:
        for key in ["1", "j", "enter", "escape", "2", "pagedown", "end", "3", "?", "?", "/", "x", "escape", "space"]:
            await bench.press(key)
            lines = screen.lines(bench.app)
            assert len(lines) == size[1]
            assert all(len(line) == size[0] for line in lines)


async def test_resizing_down_to_nothing_and_back() -> None:
    async with opened((80, 24)) as bench:
        for size in ((1, 1), (20, 5), (0, 0), (200, 60), (3, 2), (80, 24)):
            await bench.pilot.resize_terminal(*size)
            await bench.pilot.pause()
            await bench.step()
        assert "spark4" in bench.text


async def test_numbers_switch_panes_and_the_footer_says_which() -> None:
    async with opened((120, 40)) as bench:
        assert bench.app.session.pane.id == "nodes"
        await bench.press("2")
        assert bench.app.session.pane.id == "long"
        assert "line   1" in bench.text
        assert "↓" in bench.footer
        await bench.press("9")
        assert bench.app.session.pane.id == "long"
        await bench.press("1")
        assert "NVIDIA GB10" in bench.text


async def test_selection_moves_is_marked_by_a_glyph_and_stops_at_the_ends() -> None:
    async with opened() as bench:
        assert "▸" not in bench.text
        await bench.press("j", "j")
        assert "▸spark2" in bench.text
        await bench.press("down", "down", "down", "j")
        assert "▸spark4" in bench.text
        await bench.press("k", "up")
        assert "▸spark2" in bench.text
        await bench.press("shift+tab", "shift+tab")
        assert "▸spark4" in bench.text
        await bench.press("tab")
        assert "▸spark1" in bench.text
        await bench.press("escape")
        assert "▸" not in bench.text


async def test_another_state_is_shown_at_once_and_new_values_at_the_pace_of_the_samples() -> None:
    async with opened() as bench:
        await bench.step(0.0)
        put(bench, "spark2", 1234)
        await bench.step(0.25)
        assert "1234" not in bench.text
        bench.store.set_node_state("spark3", "stale")
        await bench.step(0.25)
        assert "1234" in bench.text
        assert "3/4 live" in bench.header


async def test_detail_and_back_and_on_to_the_next_rows_detail() -> None:
    async with opened() as bench:
        await bench.press("enter")
        assert "detail of spark1" in bench.text
        assert "esc back" in bench.footer
        await bench.press("tab")
        assert "detail of spark2" in bench.text
        await bench.press("escape")
        assert "▸spark2" in bench.text


async def test_a_selected_row_stays_in_view_and_the_pinned_line_too() -> None:
    async with opened((80, 24)) as bench:
        await bench.press("2", *["j"] * 30)
        assert "▸line  60" in bench.text
        assert screen.lines(bench.app)[1].startswith(" a heading")
        await bench.step()
        assert "▸line  60" in bench.text
        await bench.press(*["k"] * 29)
        assert "▸line   2" in bench.text
        assert " line   1" in bench.text


async def test_paging_looks_elsewhere_until_a_row_is_selected_again() -> None:
    async with opened((80, 24)) as bench:
        await bench.press("2", "j")
        await bench.press("pagedown", "pagedown")
        assert "▸" not in bench.text
        await bench.step()
        assert "▸" not in bench.text
        assert "↑" in bench.footer
        await bench.press("end")
        assert "line  99" in bench.text
        assert "more" not in bench.footer
        await bench.press("pageup")
        assert "line  99" not in bench.text
        await bench.press("home")
        assert "line   1" in bench.text
        await bench.press("end", "j")
        assert "▸line   4" in bench.text


async def test_filter_is_applied_while_typing_kept_by_enter_dropped_by_escape() -> None:
    async with opened() as bench:
        await bench.press("/", "4", "q")
        assert "spark4" not in bench.text
        await bench.press("backspace", "backspace", "S", "p", "a", "r", "k", "4")
        assert " spark4 " in bench.text
        assert " spark1 " not in bench.text
        assert not bench.app.frame.input.cursor_blink
        await bench.press("enter")
        assert "filter: Spark4" in bench.footer
        assert not bench.app.frame.typing
        await bench.pilot.resize_terminal(24, 24)
        await bench.pilot.pause()
        assert "filtered" in bench.footer
        await bench.pilot.resize_terminal(80, 24)
        await bench.press("escape")
        assert " spark1 " in bench.text
        await bench.press("/", "q", "escape")
        assert " spark1 " in bench.text
        assert bench.app.is_running


async def test_each_pane_keeps_its_own_filter_and_sort() -> None:
    async with opened() as bench:
        await bench.press("/", "4", "enter", "s", "2", "1")
        assert bench.app.session.looking.filter == "4"
        assert bench.app.session.looking.sort == "clock"
        await bench.press("2")
        assert bench.app.session.looking.filter == ""


async def test_pause_freezes_the_picture_while_the_store_goes_on() -> None:
    async with opened((120, 40)) as bench:
        await bench.press("space")
        assert "PAUSED" in bench.header
        clock = bench.header[-9:-1]
        put(bench, "spark1", 1111)
        bench.store.set_findings([tui_child.finding()])
        await bench.step(5)
        assert "1111" not in bench.text
        assert "2400" in bench.text
        assert "✗ 1 fail" in bench.header
        assert bench.header[-9:-1] != clock
        await bench.press("2", "1", "j")
        assert "1111" not in bench.text
        await bench.pilot.resize_terminal(80, 24)
        await bench.pilot.pause()
        assert "1111" not in bench.text
        await bench.press("space")
        assert "1111" in bench.text
        assert "PAUSED" not in bench.header


async def test_pause_freezes_the_series_too() -> None:
    lengths: list[int] = []

    def view(picture: Picture) -> Drawing:
        lengths.append(len(picture.store.nodes["spark1"].series["gpu0.samples"].points))
        return Drawing([Content(f" now {picture.now}")])

    async with opened(panes=[Pane("nodes", "1", "N", "h", view)]) as bench:
        await bench.press("space")
        put(bench, "spark1", 2500)
        await bench.step(3)
        await bench.press("j")
        assert lengths[-1] == 1
        assert "now 100.0" in bench.text
        await bench.press("space")
        assert lengths[-1] == 2


async def test_sort_cycles_through_the_panes_orders() -> None:
    async with opened((120, 40)) as bench:
        assert bench.text.index("spark1") < bench.text.index("spark4")
        await bench.press("s")
        assert bench.text.index("spark4") < bench.text.index("spark1")
        assert "sort: clock" in bench.footer
        await bench.press("s")
        assert "sort: power" in bench.footer
        await bench.press("s")
        assert "s sort" in bench.footer
        await bench.press("2", "s")
        assert "sort" not in bench.footer


async def test_mark_holds_every_total() -> None:
    async with opened((120, 40)) as bench:
        await bench.press("m")
        mark = bench.app.session.mark
        assert mark is not None
        assert mark.at == 100.0
        assert mark.label in bench.text
        assert f"since {mark.label}" in bench.footer
        node = mark.totals["spark1"]
        assert node["enP7s7", "rx_mac_missed"] == 7
        assert node["enP7s7", "out_of_sequence"] == 3
        assert node["tcp", "RetransSegs"] == 5
        assert node["softnet", "dropped"] == 2
        assert mark.totals["crs812"] == {}


async def test_interval_keys_step_through_and_stop_at_the_ends() -> None:
    async with opened((120, 40)) as bench:
        await bench.press("+", "+", "+", "+")
        assert bench.intervals == [2.0, 5.0, 10.0]
        assert "every 10 s" in bench.header
        bench.intervals.clear()
        await bench.press("-", "-", "-", "-", "-")
        assert bench.intervals == [5.0, 2.0, 1.0, 0.5]


async def test_themes_cycle_and_change_the_colours_of_panes() -> None:
    async with opened() as bench:
        names = [bench.app.theme]
        colours = {bench.app.palette("$ok")}
        for _ in range(len(bench.app.theme_names)):
            await bench.press("t")
            names.append(bench.app.theme)
            colours.add(bench.app.palette("$ok"))
            assert "spark4" in bench.text
        assert names[0] == names[-1] == "spark-dark"
        assert len(set(names)) == len(colours) == 4


async def test_help_lists_every_key_of_every_command_on_a_small_screen() -> None:
    async with opened((80, 24)) as bench:
        await bench.press("?")
        for command in bench.app.commands:
            assert command.description in bench.text
            assert keys.label(command, every=True) in bench.text
        await bench.press("end")
        assert "One row per node" in bench.text
        await bench.press("escape")
        assert "NVIDIA GB10" in bench.text
        await bench.press("?", "?")
        assert "NVIDIA GB10" in bench.text


async def test_palette_offers_every_pane_command_and_theme() -> None:
    async with opened((120, 40)) as bench:
        offered = {command.title for command in bench.app.get_system_commands(bench.app.screen)}
        for wanted in ("2 Long", "pause: freeze; polling goes on", "theme: high-contrast", "down: a page down"):
            assert wanted in offered
        await bench.press(":")
        await bench.until(lambda: "2 Long" in bench.text)
        assert not bench.app.screen.query_one(Input).cursor_blink
        await bench.press("escape", "ctrl+p", *"2 Lo")
        await bench.until(lambda: "2 Long" in bench.text and "1 Nodes\n" not in bench.text)
        await bench.press("enter")
        await bench.until(lambda: bench.app.session.pane.id == "long")


@pytest.mark.parametrize("key", ["q", "ctrl+c"])
async def test_quit(key: str) -> None:
    async with opened() as bench:
        await bench.press(key)
        assert not bench.app.is_running


async def test_ctrl_c_quits_out_of_the_filter_and_the_palette() -> None:
    for opening in ("/", ":"):
        async with opened() as bench:
            await bench.press(opening)
            await bench.until(lambda: bench.app.focused is not None)
            await bench.press("ctrl+c")
            assert not bench.app.is_running


async def test_a_pane_that_fails_says_so_and_nothing_else_stops() -> None:
    async with opened((80, 24)) as bench:
        await bench.press("3")
        assert "✗ this pane could not be drawn: KeyError: 'no [b]such[/b] thing on 80 cells'" in bench.text
        await bench.step()
        await bench.press("1")
        assert "spark4" in bench.text


async def test_polling_that_does_not_start_is_said_for_good() -> None:
    async def start() -> None:
        raise OSError("no such \x1b[31mkey file")

    async with opened((80, 24), start=start) as bench:
        await bench.pilot.pause()
        assert "✗ polling did not start: OSError: no such" in bench.text
        assert "\x1b" not in bench.text
        await bench.press("2")
        assert "polling did not start" in bench.text


async def test_a_job_line_takes_a_row_only_while_there_is_one() -> None:
    async with opened((80, 24)) as bench:
        assert bench.app.frame.pane.size.height == 22
        bench.app.job_line = Content(" iperf3 running")
        await bench.step()
        assert screen.lines(bench.app)[-2].startswith(" iperf3 running")
        assert bench.app.frame.pane.size.height == 21
        bench.app.job_line = None
        await bench.step()
        assert bench.app.frame.pane.size.height == 22


async def test_a_click_selects_and_the_wheel_scrolls() -> None:
    async with opened((80, 24)) as bench:
        await bench.pilot.click("#pane", offset=(5, 3))
        await bench.pilot.pause()
        assert "▸spark3" in bench.text
        await bench.press("2")
        bench.app.frame.pane.scroll_lines(3)
        await bench.pilot.pause()
        assert " line   4" in bench.text
        assert " line   2" not in bench.text


async def test_remapped_keys_work_and_complaints_are_shown() -> None:
    own = {"pane.long": "l", "app.pause": "2", "app.nonsense": "x"}
    async with opened((120, 40), settings={"keys": own, "ui": UiConfig(start_pane="jobs", theme="pink")}) as bench:
        for complaint in ("keys.app.nonsense: no such command", "no pane is called 'jobs'", "none is called 'pink'"):
            assert complaint in bench.text
        await bench.press("l")
        assert bench.app.session.pane.id == "long"
        assert " l Long " in bench.footer
        await bench.press("2")
        assert "PAUSED" in bench.header


async def test_ascii_screen_is_ascii() -> None:
    async with opened((120, 40), ascii_only=True, demo="healthy") as bench:
        bench.store.set_node_state("spark3", "stale")
        bench.store.set_findings([tui_child.finding(), tui_child.finding("info")])
        await bench.step()
        for pressed in ("j", "2", "?", "escape", "t"):
            await bench.press(pressed)
            assert bench.text.isascii()
        await bench.press(":")
        await bench.until(lambda: "2 Long" in bench.text)
        assert bench.text.isascii()


async def test_findings_that_ended_are_not_counted() -> None:
    ended: list[Finding] = [tui_child.finding(until="2026-09-21T12:00:00Z")]
    async with opened((120, 40)) as bench:
        bench.store.set_findings(ended)
        await bench.step()
        assert "no findings" in bench.header


async def test_an_empty_rack_and_no_switch() -> None:
    async with opened(store=Store([], []), panes=tui_child.PANES[:1]) as bench:
        assert "0/0 live" in bench.header
        await bench.press("j", "enter", "tab", "m", "space")
        assert bench.app.is_running


async def test_starting_is_cancelled_with_the_application() -> None:
    ended = asyncio.Event()

    async def start() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async with opened(start=start) as bench:
        task = bench.app.starting
        assert task is not None
        task.cancel()
        await bench.pilot.pause()
        assert ended.is_set()
        assert "did not start" not in bench.text
