"""When load runs, and what it does to a GPU's clock, power and heat. Pure: time comes in, nothing is random."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from zlib import crc32

IDLE, SW_POWER_CAP = 0x1, 0x4
"""Bits of NVML's clock event reasons."""

IDLE_CLOCK_MHZ = 208
IDLE_POWER_W = 4.0
SWITCHING_S = 0.4
"""The clock rises this long before utilisation shows and falls this long after: a GPU at work never looks at rest."""

_MASK = (1 << 64) - 1


def key(seed: int, *names: object) -> int:
    """A number that stands for these names under this seed, the same in every process."""
    return crc32(repr((seed, *names)).encode())


def chance(key: int, n: int) -> float:
    """The n-th value of the sequence of `key`, even in [0, 1) (splitmix64's finaliser)."""
    x = (key * 0x9E3779B97F4A7C15 + n * 0xD1B54A32D192ED03) & _MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _MASK
    return (x ^ (x >> 31)) / (1 << 64)


def noise(key: int, t: float) -> float:
    """A smooth wandering value in [-1, 1] that changes over about one unit of `t`; a pure function of both."""
    n = math.floor(t)
    part = t - n
    part *= part * (3 - 2 * part)
    return 2 * (chance(key, n) * (1 - part) + chance(key, n + 1) * part) - 1


@dataclass(frozen=True, slots=True)
class LoadProgram:
    """The rack's job: `load_s` seconds on, `idle_s` off, for ever, and `begun_s` seconds into it at time 0.

    The nodes follow within a few tenths of a second of each other, as ranks of one job do. `speed` shortens the phases.
    """

    seed: int
    speed: float = 1.0
    load_s: float = 90.0
    idle_s: float = 24.0
    begun_s: float = 30.0

    def running(self, t: float, node: int) -> bool:
        """Whether the job runs on this node at `t` seconds."""
        late = 0.5 * chance(key(self.seed, "late", node), 0)
        return (self.begun_s + (t - late) * self.speed) % (self.load_s + self.idle_s) < self.load_s


@dataclass(frozen=True, slots=True)
class GpuTraits:
    """What one unit is like under load. `heat_c_per_w`: degrees over its inlet air per watt of the GPU rail.

    `wedged` = the USB-PD fault: the clock is held low, and the driver names no reason.
    """

    clock_mhz: float = 2385.0
    power_w: float = 88.0
    heat_c_per_w: float = 0.29
    wedged: bool = False


SOC_HEAT_C = 13.0
"""What the busy CPU clusters add to the GPU's temperature: they share one package."""

AMBIENT_C = 37.0
RISE_PER_SLOT_C = 0.3
RECIRCULATION_C_PER_W = 0.006
HEAT_S, POWER_S = 14.0, 0.5
"""Time constants of temperature and power."""


def inlet_c(slot: int, powers_w: list[float]) -> float:
    """Temperature of the air that the node in `slot` (0 = lowest) draws in, given every slot's GPU power.

    Warm air rises, and a neighbour's exhaust is drawn in again.
    """
    neighbours = sum(powers_w[near] for near in (slot - 1, slot + 1) if 0 <= near < len(powers_w))
    return AMBIENT_C + RISE_PER_SLOT_C * slot + RECIRCULATION_C_PER_W * neighbours


@dataclass(slots=True)
class Gpu:
    """One GPU's state. `capped_us` is the driver's cumulative counter of the software power cap, in microseconds."""

    key: int
    traits: GpuTraits
    speed: float = 1.0
    clock_mhz: float = IDLE_CLOCK_MHZ
    power_w: float = IDLE_POWER_W
    temperature_c: float = AMBIENT_C
    utilization_percent: float = 0.0
    reasons: int = IDLE
    capped_us: float = 0.0
    p0: bool = False
    _since: float = field(default=math.inf)
    _running: bool = False

    def settle(self, t: float, running: bool, inlet: float) -> None:
        """Be as after a long time in this state."""
        self._running, self._since = running, t - 60.0
        self.step(t, 1e6, running, inlet)

    def step(self, t: float, dt: float, running: bool, inlet: float) -> None:
        """Move on by `dt` seconds, up to `t`."""
        if running != self._running:
            self._running, self._since = running, t
        settled = t - self._since >= SWITCHING_S
        self.p0 = running or not settled
        traits = self.traits
        wobble = noise(self.key, t)
        if self.p0:
            self.clock_mhz = traits.clock_mhz + (0.0 if traits.wedged else 4.0 * wobble)
        else:
            self.clock_mhz = IDLE_CLOCK_MHZ
        self.utilization_percent = 96.0 + 0.8 * noise(self.key + 1, t) if running and settled else 0.0
        capped = running and not traits.wedged and chance(self.key + 2, math.floor(t)) < 0.45
        self.reasons = SW_POWER_CAP if capped else 0 if self.p0 else IDLE
        self.capped_us += dt * 1e6 if capped else 0.0
        power = traits.power_w + 0.6 * wobble if running else IDLE_POWER_W + 0.5 * wobble
        self.power_w += (power - self.power_w) * -math.expm1(-dt / POWER_S)
        target = inlet + traits.heat_c_per_w * self.power_w + (SOC_HEAT_C if running else 0.0)
        self.temperature_c += (target - self.temperature_c) * -math.expm1(-dt * self.speed / HEAT_S)
