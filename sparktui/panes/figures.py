"""Figures as text of one width each, whatever the value: a column of them never moves.

None, NaN, infinity and a negative rate read "n/a". Anything above zero never reads 0. No Textual here: commands that
print tables use these too.
"""

from __future__ import annotations

from math import isfinite

NA = "n/a"
NEARLY_NOTHING = "<.1"
GIB = 1 << 30
MULTIPLES = ("", "k", "M", "G", "T")


def known(value: float | None) -> float | None:
    """The value, or None where it is not a quantity that can be shown."""
    return value if value is not None and isfinite(value) and value >= 0 else None


def scaled(value: float) -> tuple[float, str]:
    """A quantity in the multiple of 1000 that leaves at most three digits before the point; 999 T is the most."""
    power = 0
    while value >= 999.5 and power < len(MULTIPLES) - 1:
        value /= 1000
        power += 1
    return min(value, 999.0), MULTIPLES[power]


def short(value: float) -> str:
    """A quantity below 1000 in at most three characters: "0", "0.0" (nearly nothing), "1.2", "12", "412"."""
    if value == 0:
        return "0"
    return f"{value:.1f}" if value < 9.95 else f"{min(value, 999.0):.0f}"


def rate(bps: float | None) -> str:
    """Bits per second in 8 characters: "181 Gb/s", "1.2 Mb/s"."""
    value = known(bps)
    if value is None:
        return NA.rjust(8)
    number, multiple = scaled(value)
    return f"{short(number):>3} {multiple + 'b/s':>4}"


def rate_pair(rx_bps: float | None, tx_bps: float | None, wide: bool = True) -> str:
    """Both directions in the unit of the larger one: "181 / 181 Gb/s" (14 characters), else "181/181G" (8).

    Where the smaller one would read 0.0 in it, each has its own, "5.2G / 4.8Mb/s", or reads "<.1".
    """
    rx, tx = known(rx_bps), known(tx_bps)
    if rx is None and tx is None:
        return NA.rjust(14 if wide else 8)
    largest = max(rx or 0.0, tx or 0.0)
    number, multiple = scaled(largest)
    factor = number / largest if largest else 1.0
    hidden = any(0 < value * factor < 0.05 for value in (rx or 0.0, tx or 0.0))
    if wide and hidden:
        return f"{own_unit(rx)} / {own_unit(tx)}b/s"
    left, right = (NA if value is None else short(value * factor) for value in (rx, tx))
    if wide:
        return f"{left:>3} / {right:>3} {multiple + 'b/s':>4}"
    left, right = (NEARLY_NOTHING if text == "0.0" else text for text in (left, right))
    return f"{left:>3}/{right:>3}{multiple or 'b'}"


def own_unit(value: float | None) -> str:
    """Bits per second in 4 characters: "5.2G", "181M", "900 "."""
    if value is None:
        return NA.rjust(4)
    number, multiple = scaled(value)
    return f"{short(number):>3}{multiple or ' '}"


def count(value: float | None) -> str:
    """A quantity in 4 characters: "0", "0.3", "412", "1.2k"; what is above zero reads at least 0.1."""
    quantity = known(value)
    if quantity is None:
        return NA.rjust(4)
    number, multiple = scaled(quantity)
    if not multiple and (number == int(number) or number >= 9.95):
        return f"{number:>4.0f}"
    return f"{short(max(number, 0.1)) + multiple:>4}"


def per_second(value: float | None) -> str:
    """Events per second in 6 characters: "412/s", "1.2k/s"."""
    text = count(value)
    return text.strip().rjust(6) if known(value) is None else text + "/s"


def total(value: int | None) -> str:
    """A sum of events in 9 characters, exact below ten million: "36,012", "12.3M"."""
    if value is None or value < 0:
        return NA.rjust(9)
    if value < 10_000_000:
        return f"{value:>9,}"
    number, multiple = value / 1e6, "M"
    for larger in "GTPE":
        if number < 999.95:
            break
        number, multiple = number / 1000, larger
    return f"{min(number, 999.9):.1f}{multiple}".rjust(9)


def whole(value: float | None, cells: int) -> str:
    """A number without decimals, right-aligned in `cells`; what does not fit reads as the largest that does."""
    if value is None or not isfinite(value):
        return NA.rjust(cells)
    most, least = 10**cells - 1, -(10 ** (cells - 1) - 1)
    return f"{max(least, min(most, round(value))):>{cells}}"


def percent(value: float | None) -> str:
    """Percent in 4 characters: "96%"."""
    quantity = known(value)
    return NA.rjust(4) if quantity is None else f"{min(quantity, 999):>3.0f}%"


def watts(value: float | None) -> str:
    """Watts in 5 characters, without the unit: "88.1", "700.0", "5600"."""
    quantity = known(value)
    if quantity is None:
        return NA.rjust(5)
    return f"{quantity:>5.1f}" if quantity < 999.95 else f"{min(quantity, 99999):>5.0f}"


def gib(value: float | None) -> str:
    """Bytes in 9 characters: "93.4 GiB", "2015 GiB"."""
    quantity = known(value)
    if quantity is None:
        return NA.rjust(9)
    amount = quantity / GIB
    if amount >= 99999:
        return "99999 GiB"
    number = f"{max(amount, 0.1) if amount else 0.0:.1f}" if amount < 999.95 else f"{amount:.0f}"
    return f"{number:>5} GiB"


def memory_pair(used: float | None, whole_bytes: float | None, wide: bool = True) -> str:
    """Memory in use of all there is: "93/119 GiB" (11 characters), else "93/119G" (8)."""
    amount, most = known(used), known(whole_bytes)
    if amount is None and most is None:
        return NA.rjust(11 if wide else 8)
    unit, letter = (GIB, "G") if max(amount or 0.0, most or 0.0) < 999.5 * GIB else (GIB * 1024, "T")
    left, right = (NA if value is None else memory_figure(value / unit, letter) for value in (amount, most))
    return f"{left:>3}/{right:>3} {letter}iB" if wide else f"{left:>3}/{right:>3}{letter}"


def memory_figure(amount: float, letter: str) -> str:
    """Whole GiB, but TiB with a decimal."""
    return short(amount) if letter == "T" else f"{amount:.0f}"


def age(seconds: float | None) -> str:
    """A duration in 5 characters, in its largest unit: "14 s", "2 m", "3 h", "5 d"."""
    value = known(seconds)
    if value is None:
        return NA.rjust(5)
    for most, unit, size in ((60, "s", 1), (3600, "m", 60), (86400, "h", 3600)):
        if value < most:
            return f"{int(value // size)} {unit}".rjust(5)
    return f"{min(int(value // 86400), 999)} d".rjust(5)


def long_age(seconds: float | None) -> str:
    """A duration in its two largest units, of no fixed width: "3 d 4 h", "2 m 10 s"."""
    value = known(seconds)
    if value is None:
        return NA
    whole_s = int(value)
    parts = ((whole_s // 86400, "d"), (whole_s // 3600 % 24, "h"), (whole_s // 60 % 60, "m"), (whole_s % 60, "s"))
    first = next((i for i, (number, _) in enumerate(parts) if number), 3)
    return " ".join(f"{number} {unit}" for number, unit in parts[first : first + 2] if number or unit == "s")


def speed(mbps: int | None) -> str:
    """A link's speed in 4 characters: "200G", "2.5G", "100M"."""
    if mbps is None or mbps <= 0:
        return NA.rjust(4)
    if mbps < 1000:
        return f"{mbps}M".rjust(4)
    return f"{min(mbps / 1000, 999):.3g}G"[-4:].rjust(4)


def reading(value: float | None, unit: str) -> str:
    """A sensor's value with the decimals its unit deserves, of no fixed width: "38" C, "7230" rpm, "49.8" W."""
    return NA if value is None or not isfinite(value) else f"{value:.{0 if unit in ('C', 'rpm', '') else 1}f}"


def plain(value: float | None, digits: int = 1) -> str:
    """A number without trailing zeros, of no fixed width: "49.8", "38"."""
    if value is None or not isfinite(value):
        return NA
    return f"{value:.{digits}f}".rstrip("0").rstrip(".") if digits else f"{value:.0f}"
