"""First and only text the node executes by itself: modules out of memory, and a word where Python is too old.

Kept to the syntax of Python 3.6, so that an older Python can say so instead of failing on the first annotation.
The payload builder appends the sources to this text (sparktui/probe/payload.py).
"""

import sys
from importlib.machinery import ModuleSpec

SOURCES = {}  # type: ignore[var-annotated]  # module name -> source text
MODULES = []  # type: ignore[var-annotated]  # names of those that declare collectors
PACKAGES = ("sparktui", "sparktui.collectors", "sparktui.probe")
OLDEST = (3, 10)


class Bundle:
    """Finds and executes the modules that came with this text; nothing touches the node's disk."""

    def find_spec(self, name, path=None, target=None):  # type: ignore[no-untyped-def]  # noqa: ARG002
        if name not in SOURCES:
            return None
        return ModuleSpec(name, self, origin="<sparktui>", is_package=name in PACKAGES)  # type: ignore[arg-type]

    def create_module(self, spec):  # type: ignore[no-untyped-def]  # noqa: ARG002
        return None

    def exec_module(self, module):  # type: ignore[no-untyped-def]
        name = module.__name__
        exec(compile(SOURCES[name], "<%s>" % name, "exec"), module.__dict__)  # noqa: UP031


def main(reader=None, inp=0, out=1, dead_man=True):  # type: ignore[no-untyped-def]
    """Run the probe (sparktui/probe/loop.py); returns its exit status."""
    if sys.version_info < OLDEST:
        import json
        import os

        text = "python %d.%d is too old: %d.%d needed" % (sys.version_info[:2] + OLDEST)  # noqa: UP031
        os.write(out, json.dumps({"type": "error", "text": text}).encode() + b"\n")
        return 1
    try:
        from sparktui.probe.loop import main as run
    except ImportError:
        sys.meta_path.append(Bundle())
        from sparktui.probe.loop import main as run
    return run(reader, inp, out, dead_man, MODULES)
