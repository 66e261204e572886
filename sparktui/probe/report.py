"""One sample line in the making: what was read since the last line, and the errors that stand.

Standard library only: this file runs on the node (Python >= 3.10).
"""

from __future__ import annotations

from collections.abc import Mapping

from sparktui.probe.encode import encode
from sparktui.probe.source import Reading

MAX_CHARACTERS = 1 << 18
"""Most a line may hold of samples: at four bytes per character it stays below 1 MiB."""
ACRONYMS = ("cpu", "gpu", "irq", "nic", "rdma", "tcp")


class Report:
    """Collects readings and renders lines. An error stands, and goes with every line, until its collector succeeds."""

    def __init__(self, errors: Mapping[str, str]) -> None:
        self.seq = 0
        self._errors = dict(errors)
        self._parts: dict[str, str] = {}

    def take(self, reading: Reading) -> None:
        if reading.json is not None:
            self._parts[reading.name] = reading.json
            self._errors.pop(reading.name, None)
        elif reading.error is not None:
            self._errors[reading.name] = reading.error

    def hung(self, name: str, seconds: int) -> None:
        """A collector's call has been out for so long."""
        self._errors[name] = f"{title(name)} not answering for {seconds} s"

    def line(self, mono: float, wall: float, cpu_ms: float, fast_s: float) -> str:
        """All that was read since the last line. A sample that does not fit becomes its collector's error."""
        room, samples = MAX_CHARACTERS, []
        for name, text in self._parts.items():
            if len(text) > room:
                self._errors[name] = f"sample too large: {len(text)} characters"
            else:
                room -= len(text)
                samples.append(f'"{name}":{text}')
        self._parts = {}
        self.seq += 1
        head = {
            "type": "sample",
            "seq": self.seq,
            "mono": round(mono, 6),
            "wall": round(wall, 6),
            "cpu_ms": round(cpu_ms, 3),
            "fast_s": fast_s,
            "errors": self._errors,
        }
        return f'{encode(head)[:-1]},"s":{{{",".join(samples)}}}}}'


def title(name: str) -> str:
    """A collector's name as people write it: "gpu" is "GPU", "nic_info" "NIC info"."""
    return " ".join(word.upper() if word in ACRONYMS else word for word in name.split("_"))
