"""Packs the probe: what is executed over SSH, and what is written to its stdin right after."""

from __future__ import annotations

import functools
import importlib.util
import pkgutil
import re
import shlex
import zlib

from msgspec import Struct

import sparktui.collectors

ENTRY = "sparktui.probe.entry"
PACKAGES = ("sparktui", "sparktui.collectors", "sparktui.probe")
LOOP = ("sparktui.probe.loop", "sparktui.probe.report", "sparktui.probe.source", "sparktui.probe.encode")
NVML = "pynvml"
"""nvidia-ml-py's own module travels along, so that nothing has to be installed on the node."""
START_WITHIN_S = 30

# -I -S: no user site, no .pth files: 8 ms faster, and nothing of the node's own can get between. `python3 -` would read
# stdin to its end and leave no way to talk to the probe; so the program reads its N bytes itself. The alarm ends it
# where the rest never comes. No single quote and no line break in it: it must pass through any login shell.
BOOTSTRAP = (
    'import os,signal,zlib;signal.alarm({alarm});b=b"";'
    'exec("while len(b)<{size}:\\n c=os.read(0,{size}-len(b));c or os._exit(1);b+=c");'
    'd={{"__name__":"{entry}"}};exec(zlib.decompress(b),d);os._exit(d["main"]())'
)


class Payload(Struct, frozen=True):
    """`argv` is run on the node (as `command` where a shell takes it), then `data` is written to its stdin."""

    argv: tuple[str, ...]
    data: bytes

    @property
    def command(self) -> str:
        return "exec " + shlex.join(self.argv)


@functools.cache
def build() -> Payload:
    """The probe of this installation; always the same bytes. About 10 ms the first time."""
    modules = collector_modules()
    names = [*PACKAGES, *LOOP, *modules, NVML]
    sources = {name: source(name) for name in names}
    declaring = [name for name in modules if re.search(r"^COLLECTORS\b", sources[name], re.MULTILINE)]
    text = f"{source(ENTRY)}\nSOURCES.update({sources!r})\nMODULES.extend({declaring!r})\n"
    data = zlib.compress(text.encode(), 9)
    bootstrap = BOOTSTRAP.format(alarm=START_WITHIN_S, size=len(data), entry=ENTRY)
    return Payload(("python3", "-I", "-S", "-u", "-c", bootstrap), data)


def collector_modules() -> list[str]:
    """Names of all modules of sparktui.collectors: a new collector needs no edit anywhere."""
    package = sparktui.collectors
    return [f"{package.__name__}.{found.name}" for found in pkgutil.iter_modules(package.__path__)]


def source(name: str) -> str:
    """Source text of a module, without importing it. Raises ImportError where there is none."""
    spec = importlib.util.find_spec(name)
    get_source = getattr(spec and spec.loader, "get_source", None)
    text = get_source(name) if get_source else None
    if not isinstance(text, str):
        raise ImportError(f"no source of {name} to send to the nodes")
    return text
