"""All switches on a thread of their own: decoding SNMP in Python is slow, and the screen must not feel it."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any, Final

from sparktui.config import SwitchConfig
from sparktui.contract import SwitchState
from sparktui.store import Store
from sparktui.switch.derive import SwitchDeriver
from sparktui.switch.learnt import Owner, owners_of
from sparktui.switch.plan import SwitchReader
from sparktui.switch.reading import Reading
from sparktui.switch.watch import watch

CLOSE_S: Final = 2.0
"""How long `close` waits for the thread, which has nothing to finish."""


class SwitchPoller:
    """Polls the switches and puts their views into the store.

    Requests and decoding run on a thread with its own loop; views are made, and the store is touched, only on the loop
    that called `start`. `owners` says which NIC has which MAC; by default the nodes in the store say it. `timeout_s` is
    for one try of a request; there are two.
    """

    def __init__(
        self,
        switches: Mapping[str, SwitchConfig],
        store: Store,
        owners: Callable[[], Mapping[str, Owner]] | None = None,
        timeout_s: float = 1.5,
    ) -> None:
        self._switches = switches
        self._store = store
        self._owners = owners or self._owners_in_store
        self._timeout_s = timeout_s
        self._derivers = {name: SwitchDeriver(config, list(store.nodes)) for name, config in switches.items()}
        self._wanted: dict[str, Collection[str] | None] = {}
        self._readers: dict[str, SwitchReader] = {}
        self._thread: threading.Thread | None = None
        self._main: asyncio.AbstractEventLoop | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._closed = False

    def start(self) -> None:
        """Begin; to be called on the loop that reads the store. Without switches nothing is started."""
        if self._switches and self._thread is None:
            self._main = asyncio.get_running_loop()
            self._thread = threading.Thread(target=self._run, name="switches", daemon=True)
            self._thread.start()

    def want(self, name: str, ports: Collection[str] | None) -> None:
        """Narrow what is read of a switch, from its next poll on, to these ports; None = to all that are shown."""
        self._wanted[name] = ports
        if name in self._readers:
            self._readers[name].want(ports)

    def close(self) -> None:
        """End the polling; nothing reaches the store afterwards."""
        self._closed = True
        if self._loop is not None:
            self._on(self._loop, self._cancel)
        if self._thread is not None:
            self._thread.join(CLOSE_S)

    def _run(self) -> None:
        try:
            asyncio.run(self._poll())
        except asyncio.CancelledError:
            pass
        except Exception as error:
            for name in self._switches:
                self._hand_over(self._failed, name, "unreachable", f"no SNMP here ({type(error).__name__}: {error})")

    async def _poll(self) -> None:
        """The thread's main. pysnmp is imported here, after the first paint."""
        from sparktui.transports.snmp import Engines, SnmpSession

        self._loop = asyncio.get_running_loop()
        # pysnmp lets errors of malformed datagrams through to the loop, which would print them over the screen.
        self._loop.set_exception_handler(lambda _loop, _context: None)
        engines = Engines(self._timeout_s)
        try:
            for number, (name, config) in enumerate(self._switches.items()):
                reader = SwitchReader(SnmpSession(engines, f"switch{number}", config), config, time.monotonic)
                reader.want(self._wanted.get(name))
                self._readers[name] = reader
                self._tasks.append(asyncio.create_task(self._watch(name, reader, config.poll_s)))
            if self._closed:
                self._cancel()
            await asyncio.gather(*self._tasks)
        finally:
            engines.close()

    async def _watch(self, name: str, reader: SwitchReader, poll_s: float) -> None:
        await watch(
            reader,
            poll_s,
            time.monotonic,
            lambda reading: self._hand_over(self._arrived, name, reading),
            lambda state, error: self._hand_over(self._failed, name, state, error),
        )

    def _cancel(self) -> None:
        for task in self._tasks:
            task.cancel()

    def _hand_over(self, callback: Callable[..., None], *arguments: Any) -> None:
        if self._main is not None:
            self._on(self._main, partial(callback, *arguments))

    @staticmethod
    def _on(loop: asyncio.AbstractEventLoop, callback: Callable[[], None]) -> None:
        try:
            loop.call_soon_threadsafe(callback)
        except RuntimeError:
            pass  # that loop has ended

    def _arrived(self, name: str, reading: Reading) -> None:
        if self._closed:
            return
        try:
            view = self._derivers[name].view(reading, self._owners())
        except Exception as error:
            self._failed(name, "stale", f"its answer makes no sense ({type(error).__name__}: {error})"[:200])
        else:
            self._store.put_switch(name, view, reading.at)

    def _failed(self, name: str, state: SwitchState, error: str) -> None:
        if not self._closed:
            self._store.set_switch_state(name, state, error)

    def _owners_in_store(self) -> dict[str, Owner]:
        return owners_of({name: target.view for name, target in self._store.nodes.items()})
