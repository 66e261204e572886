"""The probe: reads the collectors on the node and writes one JSON line per tick, until nobody listens any more.

Standard library only: this file runs on the node (Python >= 3.10).
"""

from __future__ import annotations

import importlib
import math
import os
import selectors
import signal
import sys
import time
from collections.abc import Iterable, Sequence

import sparktui
from sparktui.collectors.base import Collector, Reader
from sparktui.collectors.plain import plain
from sparktui.probe.encode import encode
from sparktui.probe.report import Report
from sparktui.probe.source import Source, Worker, words

FAST_S = 1.0
SLOW_S = 30.0
DEAD_AFTER_S = 8
"""Seconds without a beat after which the probe ends: a cut cable never closes stdin."""
GRACE_S = 0.04
"""How long a tick waits for collectors with a thread of their own; later answers go with the next line."""
HUNG_AFTER_S = 5.0
MAX_COMMAND = 4096
SHORTEST_S, LONGEST_S = 0.1, 3600.0


class ClientGone(Exception):
    """Nobody reads our output any more."""


def main(
    reader: Reader | None = None, inp: int = 0, out: int = 1, dead_man: bool = True, modules: Sequence[str] = ()
) -> int:
    """Run the probe until `quit`, the end of `inp`, or a closed `out`; returns the exit status.

    `modules` names the collector modules. With `dead_man` (main thread only) an alarm ends the process when no beat
    came for 8 s, also out of a blocked write. Without it CPU time is counted per thread: the process is others' too.
    """
    try:
        if dead_man:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGALRM])
            signal.alarm(DEAD_AFTER_S)
        if reader is None:
            from sparktui.collectors.kernel import KernelReader

            reader = KernelReader()
        collectors, errors = discover(modules)
        probe = Probe(reader, inp, out, dead_man, collectors, errors)
    except Exception as failure:
        return give_up(out, failure)
    try:
        probe.run()
    except ClientGone:
        pass
    except Exception as failure:
        return give_up(out, failure)
    finally:
        probe.close()
    return 0


def give_up(out: int, failure: Exception) -> int:
    """Say what ended the probe, in a line and not a traceback; returns the exit status."""
    try:
        write(out, encode({"type": "error", "text": words(failure)}))
    except ClientGone:
        pass
    return 1


def discover(modules: Iterable[str]) -> tuple[list[Collector], dict[str, str]]:
    """Collectors declared by these modules, and the errors of modules that cannot be imported, by their last name."""
    found: dict[str, Collector] = {}
    errors: dict[str, str] = {}
    for module in modules:
        try:
            declared = getattr(importlib.import_module(module), "COLLECTORS", ())
            found.update((collector.name, collector) for collector in declared)
        except Exception as failure:
            errors[module.rpartition(".")[2]] = words(failure)
    return list(found.values()), errors


def next_deadline(due: float, every_s: float, now: float) -> float:
    """The first of the instants due + n * every_s (n >= 1) still to come: a late tick is skipped, not piled up."""
    return due + every_s * max(1, math.floor((now - due) / every_s) + 1)


def boot_id(reader: Reader) -> str | None:
    """The kernel's id of this boot, None where it has none."""
    try:
        return plain(reader.text("/proc/sys/kernel/random/boot_id")) or None
    except OSError:
        return None


def write(out: int, line: str) -> None:
    """Write one line whole. Raises ClientGone where nobody takes it."""
    data = memoryview(line.encode("utf-8", "replace") + b"\n")
    try:
        while data:
            data = data[os.write(out, data) :]
    except OSError:
        raise ClientGone from None


class Probe:
    """One run: the tiers, the lines going out, and the commands coming in."""

    def __init__(
        self,
        reader: Reader,
        inp: int,
        out: int,
        dead_man: bool,
        collectors: Sequence[Collector],
        errors: dict[str, str],
    ) -> None:
        self._reader, self._inp, self._out, self._dead_man = reader, inp, out, dead_man
        self._report = Report(errors)
        self._fast_s, self._slow_s = FAST_S, SLOW_S
        self._fast_due = self._slow_due = 0.0
        self._open = True
        self._commands = b""
        self._cpu_s = 0.0
        self._cpu_before = self._cpu_clock()
        self._woken, wake = os.pipe()
        os.set_blocking(wake, False)
        # A file object and not its number: a hung call that answers after the end must not write into another's file.
        self._wake = os.fdopen(wake, "wb", buffering=0)
        self._selector = selectors.DefaultSelector()
        self._selector.register(inp, selectors.EVENT_READ)
        self._selector.register(self._woken, selectors.EVENT_READ)
        self._fast, self._workers = self._staff(collectors)
        self._silent = list(self._workers)

    def _staff(self, collectors: Sequence[Collector]) -> tuple[list[Source], list[Worker]]:
        """Who reads what: the fast ones this thread, the slow ones one thread, each `own_thread` one a thread."""
        together = [Source(c, self._reader) for c in collectors if not c.own_thread and c.tier == "slow"]
        workers = [Worker(together, False, self._answered)] if together else []
        for collector in collectors:
            if collector.own_thread:
                workers.append(Worker([Source(collector, self._reader)], collector.tier == "fast", self._answered))
        return [Source(c, self._reader) for c in collectors if not c.own_thread and c.tier == "fast"], workers

    def run(self) -> None:
        """Say hello, then tick at fixed instants and answer in between."""
        python = ".".join(map(str, sys.version_info[:3]))
        hello = {"type": "hello", "version": sparktui.__version__, "python": python, "boot_id": boot_id(self._reader)}
        write(self._out, encode(hello))
        self._fast_due = self._slow_due = time.monotonic()
        while self._open:
            wait_s = self._fast_due - time.monotonic()
            if wait_s > 0:
                self._listen(wait_s)
                self._send_first_answers()
            else:
                self._tick()
                self._fast_due = next_deadline(self._fast_due, self._fast_s, time.monotonic())

    def close(self) -> None:
        """Let go of threads and descriptors; `inp` and `out` stay the caller's."""
        for worker in self._workers:
            worker.stop()
        self._selector.close()
        self._wake.close()
        os.close(self._woken)

    def _tick(self) -> None:
        first = self._report.seq == 0
        if not first:
            self._ask()
        mono, wall = self._reader.monotonic(), self._reader.wall()
        for source in self._fast:
            self._report.take(source.read())
        if not first:
            self._wait_for_answers()
        self._send(mono, wall)
        if first:
            # Only now: compiling what they need would hold up the first line.
            self._ask()

    def _ask(self) -> None:
        now = time.monotonic()
        slow = now >= self._slow_due
        for worker in self._workers:
            if worker.every_tick or slow:
                worker.ask()
        if slow:
            self._slow_due = next_deadline(self._slow_due, self._slow_s, now)

    def _wait_for_answers(self) -> None:
        until = time.monotonic() + GRACE_S
        while self._open and any(worker.every_tick and not worker.idle for worker in self._workers):
            wait_s = until - time.monotonic()
            if wait_s <= 0:
                break
            if any(worker.every_tick and worker.overdue(GRACE_S) for worker in self._workers):
                # Out since an earlier tick: one that is stuck must not slow every tick.
                break
            self._listen(wait_s)

    def _send_first_answers(self) -> None:
        """A line of its own for the first answers of a worker: half a minute without them would be long."""
        done = [worker for worker in self._silent if worker.rounds]
        if done:
            self._silent = [worker for worker in self._silent if worker not in done]
            self._send(self._reader.monotonic(), self._reader.wall())

    def _send(self, mono: float, wall: float) -> None:
        """One line of all that was read since the last."""
        for worker in self._workers:
            for reading in worker.take():
                self._report.take(reading)
                self._cpu_s += 0.0 if self._dead_man else reading.cpu_s
            if overdue := worker.overdue(HUNG_AFTER_S):
                self._report.hung(*overdue)
        write(self._out, self._report.line(mono, wall, self._cpu_ms(), self._fast_s))

    def _cpu_clock(self) -> float:
        return time.process_time() if self._dead_man else time.thread_time()

    def _cpu_ms(self) -> float:
        """CPU time since the last line, in milliseconds."""
        now = self._cpu_clock()
        spent = now - self._cpu_before + self._cpu_s
        self._cpu_before, self._cpu_s = now, 0.0
        return spent * 1e3

    def _listen(self, seconds: float) -> None:
        """Wait for a command or an answer, at most so long, and serve the commands."""
        for key, _ in self._selector.select(seconds):
            if key.fd == self._woken:
                os.read(self._woken, 64)
            else:
                self._receive()

    def _receive(self) -> None:
        try:
            data = os.read(self._inp, MAX_COMMAND)
        except OSError:
            data = b""
        mono, wall = self._reader.monotonic(), self._reader.wall()
        if not data:
            self._open = False
        *lines, rest = (self._commands + data).split(b"\n")
        self._commands = rest if len(rest) < MAX_COMMAND else b""
        for line in lines:
            self._obey(line.decode("ascii", "replace").split(), mono, wall)

    def _obey(self, words: list[str], mono: float, wall: float) -> None:
        """One command; what is not understood is ignored, as an older probe must do with a newer client's."""
        match words:
            case ["quit"]:
                self._open = False
            case ["beat", number] if number.isdecimal() and len(number) < 16:
                if self._dead_man:
                    signal.alarm(DEAD_AFTER_S)
                write(self._out, encode({"type": "beat", "n": int(number), "mono": mono, "wall": wall}))
            case ["fast" | "slow" as tier, text]:
                self._set_interval(tier, text)

    def _set_interval(self, tier: str, text: str) -> None:
        try:
            seconds = float(text)
        except ValueError:
            return
        if not SHORTEST_S <= seconds <= LONGEST_S:
            return
        now = time.monotonic()
        if tier == "fast":
            self._fast_s, self._fast_due = seconds, min(self._fast_due, now + seconds)
        else:
            self._slow_s, self._slow_due = seconds, min(self._slow_due, now + seconds)

    def _answered(self) -> None:
        """Wake the loop; called on a worker's thread."""
        try:
            self._wake.write(b"a")
        except (OSError, ValueError):
            pass
