"""The only input and output of the program. One way in: `connect`."""

from __future__ import annotations

import asyncio
import importlib

from sparktui.config import NodeConfig, SshConfig
from sparktui.transports.base import Link

LOCAL = "local"


async def connect(node: NodeConfig, ssh: SshConfig) -> Link:
    """A link to this node: over SSH, or on this machine for host = "local". Raises TransportError.

    The SSH library is imported at the first need, on a thread: it takes longer than everything a first screen needs.
    """
    name = "local" if node.host == LOCAL else "ssh"
    transport = await asyncio.to_thread(importlib.import_module, f"sparktui.transports.{name}")
    link: Link = await transport.connect(node, ssh)
    return link
