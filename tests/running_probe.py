"""A probe on a thread of the test, with real pipes and collectors of the test's own."""

from __future__ import annotations

import json
import os
import select
import sys
import threading
import time
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sparktui.collectors.base import Collector
from sparktui.collectors.kernel import KernelReader
from sparktui.probe import loop

LIMIT_S = 20.0


@dataclass(frozen=True, slots=True)
class Point:
    value: Any


def collector(name: str, call: Callable[[], Any], tier: Any = "fast", own_thread: bool = False) -> Collector:
    return Collector(name, tier, Point, lambda _reader: lambda: Point(call()), own_thread)


class Running:
    """A probe on a thread of this process, as the simulated nodes run it, with collectors of the test's own."""

    def __init__(self, *collectors: Collector, modules: tuple[str, ...] = ()) -> None:
        self.module = types.ModuleType("collectors_of_a_test")
        self.module.COLLECTORS = collectors  # type: ignore[attr-defined]
        sys.modules[self.module.__name__] = self.module
        stdin, self.stdin = os.pipe()
        self.stdout, stdout = os.pipe()
        self.status: int | None = None
        self._rest = b""

        def run() -> None:
            self.status = loop.main(KernelReader(), stdin, stdout, False, (self.module.__name__, *modules))
            os.close(stdin)
            os.close(stdout)

        self.thread = threading.Thread(target=run, daemon=True)
        self.thread.start()

    def send(self, text: str) -> None:
        os.write(self.stdin, text.encode())

    def line(self) -> dict[str, Any]:
        """The next line; None would mean it hangs, so that fails."""
        while b"\n" not in self._rest:
            assert select.select([self.stdout], [], [], LIMIT_S)[0], "the probe says nothing"
            data = os.read(self.stdout, 65536)
            if not data:
                raise EOFError
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        found: dict[str, Any] = json.loads(line)
        return found

    def until(self, wanted: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
        end = time.monotonic() + LIMIT_S
        while time.monotonic() < end:
            line = self.line()
            if wanted(line):
                return line
        raise AssertionError("it never came")

    def sample(self) -> dict[str, Any]:
        return self.until(lambda line: line["type"] == "sample")

    def end(self) -> int | None:
        for fd in (self.stdin, self.stdout):
            if fd >= 0:
                os.close(fd)
        self.stdin = self.stdout = -1
        self.thread.join(LIMIT_S)
        assert not self.thread.is_alive()
        return self.status
