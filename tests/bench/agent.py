"""A CRS812 in a process of its own: the simulated rack's SNMP agent alone, at an address of the test cluster.

usage: python -m tests.bench.agent ADDRESS PORT COMMUNITY
"""

from __future__ import annotations

import asyncio
import sys
import time

from sparktui.demo.agent import SnmpAgent
from sparktui.demo.rack import DemoRack


async def serve(address: str, port: int, community: str) -> None:
    """Answer until the process is ended."""
    rack = DemoRack("healthy", clock=time.monotonic)
    await SnmpAgent(rack.switch_table, community).start(address, port)
    await asyncio.get_running_loop().create_future()


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
