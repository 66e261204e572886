"""Digital diagnostics of plugged modules: rows of mtxrOpticalTable."""

from __future__ import annotations

from collections.abc import Mapping

from sparktui.contract import Optic
from sparktui.switch.values import Plain, number, signed, text

EMPTY_C = -128
"""Temperature of an empty slot."""

NO_WAVELENGTH = (0, 6553500)
"""1/100 nm: copper, and a module that does not say."""


def decode_optic(row: Mapping[str, Plain]) -> Optic | None:
    """One row by the names of `oids.OPTICAL`; None where no module is plugged.

    A passive cable has a row full of zeros, and 0 dBm would look like perfect light: without supply voltage and
    temperature there are no diagnostics, and every figure is None.
    """
    temperature, supply = signed(row.get("temperature")), number(row.get("supply"))
    if not row or temperature == EMPTY_C:
        return None
    vendor = text(row.get("vendor"), 32)
    if not temperature and not supply:
        return Optic(None, None, None, None, None, None, vendor)
    wavelength = number(row.get("wavelength"))
    return Optic(
        temperature_c=None if temperature is None else float(temperature),
        supply_v=None if supply is None else supply / 1000,
        tx_bias_ma=_scaled(row.get("tx_bias"), 1),
        tx_power_dbm=_scaled(row.get("tx_power"), 1000),
        rx_power_dbm=_scaled(row.get("rx_power"), 1000),
        wavelength_nm=None if wavelength is None or wavelength in NO_WAVELENGTH else wavelength / 100,
        vendor=vendor,
    )


def _scaled(plain: Plain | None, divisor: int) -> float | None:
    value = signed(plain)
    return None if value is None else value / divisor
