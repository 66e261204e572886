"""The objects that are read, by their MIB names. Sources: IF-MIB, BRIDGE-MIB, Q-BRIDGE-MIB, LLDP-MIB, MIKROTIK-MIB.

Only these subtrees are ever asked. Never 1.3.6.1.4.1.14988 as a whole (wireless tables indexed by MAC, hours on a busy
router), never .1.1.18 below it (a GET there runs a script) and never .1.1.7.1 (a SET there reboots).
"""

from __future__ import annotations

from typing import Final

from sparktui.switch.values import Oid

SYSTEM: Final[Oid] = (1, 3, 6, 1, 2, 1, 1)
SYS_DESCR: Final = (*SYSTEM, 1, 0)
SYS_OBJECT_ID: Final = (*SYSTEM, 2, 0)
SYS_UPTIME: Final = (*SYSTEM, 3, 0)

IF_NUMBER: Final[Oid] = (1, 3, 6, 1, 2, 1, 2, 1, 0)
IF_ENTRY: Final[Oid] = (1, 3, 6, 1, 2, 1, 2, 2, 1)
IF_DESCR: Final = (*IF_ENTRY, 2)
IF_TYPE: Final = (*IF_ENTRY, 3)
IF_ADMIN_STATUS: Final = (*IF_ENTRY, 7)
IF_OPER_STATUS: Final = (*IF_ENTRY, 8)
IFX_ENTRY: Final[Oid] = (1, 3, 6, 1, 2, 1, 31, 1, 1, 1)
IF_NAME: Final = (*IFX_ENTRY, 1)
IF_HIGH_SPEED: Final = (*IFX_ENTRY, 15)
IF_ALIAS: Final = (*IFX_ENTRY, 18)

TRAFFIC: Final[dict[str, Oid]] = {
    "ifHCInOctets": (*IFX_ENTRY, 6),
    "ifHCInUcastPkts": (*IFX_ENTRY, 7),
    "ifHCOutOctets": (*IFX_ENTRY, 10),
    "ifHCOutUcastPkts": (*IFX_ENTRY, 11),
}
"""64 bit; RouterOS counts frames here that its hardware switched without its CPU (the driver's own columns do not)."""

DISCARDS_AND_ERRORS: Final[dict[str, Oid]] = {
    "ifInDiscards": (*IF_ENTRY, 13),
    "ifInErrors": (*IF_ENTRY, 14),
    "ifOutDiscards": (*IF_ENTRY, 19),
    "ifOutErrors": (*IF_ENTRY, 20),
}

ROUTEROS: Final[Oid] = (1, 3, 6, 1, 4, 1, 14988, 1)
"""Its sysObjectID, the same on every model."""

MIKROTIK: Final[Oid] = (1, 3, 6, 1, 4, 1, 14988, 1, 1)
STATS_ENTRY: Final = (*MIKROTIK, 14, 1, 1)
STATISTICS: Final[dict[str, Oid]] = {
    "RxTooLong": (*STATS_ENTRY, 41),
    "RxPause": (*STATS_ENTRY, 43),
    "RxFCSError": (*STATS_ENTRY, 45),
    "RxAlignError": (*STATS_ENTRY, 46),
    "RxOverflow": (*STATS_ENTRY, 48),
    "RxDrop": (*STATS_ENTRY, 55),
    "TxPause": (*STATS_ENTRY, 73),
    "TxDrop": (*STATS_ENTRY, 85),
    "LinkDowns": (*STATS_ENTRY, 90),
}
"""mtxrInterfaceStats, indexed by ifIndex. RxTooLong grows where the port's L2 MTU is below the sender's."""

WIDTHS: Final = {**dict.fromkeys(DISCARDS_AND_ERRORS, 32), "LinkDowns": 32}
"""Counters that are not 64 bit wide."""

GAUGE_NAME: Final = (*MIKROTIK, 3, 100, 1, 2)
GAUGE_VALUE: Final = (*MIKROTIK, 3, 100, 1, 3)
GAUGE_UNIT: Final = (*MIKROTIK, 3, 100, 1, 4)
ROUTEROS_VERSION: Final = (*MIKROTIK, 4, 4, 0)
FIRMWARE_CURRENT: Final = (*MIKROTIK, 7, 4, 0)
FIRMWARE_UPGRADE: Final = (*MIKROTIK, 7, 7, 0)
BOARD_NAME: Final = (*MIKROTIK, 7, 9, 0)
NEIGHBOUR_MAC: Final = (*MIKROTIK, 11, 1, 1, 3)
NEIGHBOUR_IDENTITY: Final = (*MIKROTIK, 11, 1, 1, 6)
NEIGHBOUR_INTERFACE: Final = (*MIKROTIK, 11, 1, 1, 8)
OPTICAL_ENTRY: Final = (*MIKROTIK, 19, 1, 1)
OPTICAL: Final[dict[str, Oid]] = {
    "wavelength": (*OPTICAL_ENTRY, 5),
    "temperature": (*OPTICAL_ENTRY, 6),
    "supply": (*OPTICAL_ENTRY, 7),
    "tx_bias": (*OPTICAL_ENTRY, 8),
    "tx_power": (*OPTICAL_ENTRY, 9),
    "rx_power": (*OPTICAL_ENTRY, 10),
    "vendor": (*OPTICAL_ENTRY, 11),
}

PHYSICAL_DESCR: Final[Oid] = (1, 3, 6, 1, 2, 1, 47, 1, 1, 1, 1, 2, 65536)
PROCESSOR_LOAD: Final[Oid] = (1, 3, 6, 1, 2, 1, 25, 3, 3, 1, 2)

BASE_PORT_IF_INDEX: Final[Oid] = (1, 3, 6, 1, 2, 1, 17, 1, 4, 1, 2)
FDB_PORT: Final[Oid] = (1, 3, 6, 1, 2, 1, 17, 4, 3, 1, 2)
VLAN_FDB_PORT: Final[Oid] = (1, 3, 6, 1, 2, 1, 17, 7, 1, 2, 2, 1, 2)

LLDP_REMOTE: Final[Oid] = (1, 0, 8802, 1, 1, 2, 1, 4, 1, 1)
LLDP_CHASSIS_ID: Final = (*LLDP_REMOTE, 5)
LLDP_PORT_SUBTYPE: Final = (*LLDP_REMOTE, 6)
LLDP_PORT_ID: Final = (*LLDP_REMOTE, 7)
LLDP_SYS_NAME: Final = (*LLDP_REMOTE, 9)
