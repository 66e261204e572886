"""Host memory that runs out: on a GB10 it is the GPU's memory too, and the machine freezes before it kills anything."""

from __future__ import annotations

from collections.abc import Mapping

from sparktui.contract import Memory
from sparktui.verdicts.base import Candidate, Evaluate, Moment, Rule
from sparktui.verdicts.gpu_clock import is_gb10
from sparktui.verdicts.stats import Lowest

GIB = 2**30
MIB = 2**20


def make_low(limits: Mapping[str, float]) -> Evaluate:
    def evaluate(moment: Moment) -> list[Candidate]:
        return [
            _low(name, node.memory, any(is_gb10(gpu) for gpu in node.gpus))
            for name, node in moment.live_nodes().items()
            if node.memory is not None and is_low(node.memory, limits)
        ]

    return evaluate


def is_low(memory: Memory, limits: Mapping[str, float]) -> bool:
    """Less available than a fixed amount and than a share of all: the smaller counts, so that small hosts fit too.

    GB10s of 121 GiB were seen to freeze with 114-115 GiB in use. Swap is not counted: it does not save them.
    """
    limit = min(limits["available_gib"] * GIB, limits["available_percent"] / 100.0 * memory.total_bytes)
    return memory.total_bytes > 0 and memory.available_bytes < limit


def _low(name: str, memory: Memory, gb10: bool) -> Candidate:
    used = memory.total_bytes - memory.available_bytes
    limit = " (a GB10 freezes from about 114)" if gb10 else ""
    left = f"{memory.available_bytes / GIB:.1f} of {memory.total_bytes / GIB:.0f} GiB"
    return Candidate(
        name,
        "",
        f"{left} available, {used / GIB:.1f} in use{limit}",
        {
            "available_bytes": memory.available_bytes,
            "used_bytes": used,
            "total_bytes": memory.total_bytes,
            "swap_used_bytes": memory.swap_used_bytes,
        },
        "Shrink what holds it before it freezes (pane 2 names the GPU's processes); earlyoom -m 2 ends one in time.",
    )


def make_swap(limits: Mapping[str, float]) -> Evaluate:
    lows: dict[tuple[str, str | None], Lowest] = {}

    def evaluate(moment: Moment) -> list[Candidate]:
        memories = {(name, node.boot_id): node.memory for name, node in moment.live_nodes().items()}
        for gone in lows.keys() - memories.keys():
            del lows[gone]
        found: list[Candidate] = []
        for key, memory in memories.items():
            if memory is not None:
                at, lowest = lows.setdefault(key, Lowest(limits["window_s"])).add(moment.now, memory.swap_used_bytes)
                if memory.swap_used_bytes - lowest >= limits["grown_mib"] * MIB:
                    found.append(_swap(key[0], memory, memory.swap_used_bytes - lowest, moment.now - at))
        return found

    return evaluate


def _swap(name: str, memory: Memory, grown: int, seconds: float) -> Candidate:
    return Candidate(
        name,
        "",
        f"swap grew by {grown / MIB:,.0f} MiB in {seconds:.0f} s to {memory.swap_used_bytes / MIB:,.0f} MiB",
        {
            "grown_bytes": grown,
            "seconds": round(seconds, 1),
            "swap_used_bytes": memory.swap_used_bytes,
            "available_bytes": memory.available_bytes,
        },
        "Something needs more memory than there is: give the server less (its memory fraction, context or KV cache).",
    )


RULES = (
    Rule(
        id="memory.low",
        severity="warn",
        why="GPU and CPU share this memory; when it is gone the machine hangs instead of killing a process.",
        make=make_low,
        thresholds={"available_gib": 8.0, "available_percent": 6.5},
        clear_after_s=30.0,
    ),
    Rule(
        id="memory.swap_growing",
        severity="warn",
        why="Pages being moved out now slow every rank down; swap that was filled once and rests is harmless.",
        make=make_swap,
        thresholds={"window_s": 60.0, "grown_mib": 64.0},
        clear_after_s=30.0,
    ),
)
