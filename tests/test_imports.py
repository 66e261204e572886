"""Who may import whom: the arrows of the design, and what the quick commands must not load."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "sparktui"

ALLOWED: dict[str, set[str]] = {
    "collectors": {"collectors"},
    "rates": set(),
    "contract": set(),
    "verdicts": {"verdicts", "contract", "collectors", "config"},
    "store": {"contract"},
    "config_check": set(),
    "config": {"config_check"},
    "topology": {"collectors", "contract"},
    "vectors": {"collectors", "contract", "rates"},
    "derive": {"collectors", "contract", "config", "rates", "topology", "vectors"},
    "probe": {"collectors", "probe"},
    "switch": {"switch", "contract", "rates", "config"},
    "transports": {"transports", "switch", "contract", "config", "store", "probe"},
    "poller": {"transports", "probe", "store", "contract", "config"},
    "panes": {"panes", "store", "contract", "verdicts", "config"},
    "ui": {"ui", "panes", "store", "contract", "config"},
    "demo": {"demo", "collectors", "config", "probe"},
}
"""Part of the package -> parts it may import. The version in sparktui/__init__ is everybody's."""

COMPOSITION = {"__init__", "__main__", "cli", "checks", "config_init", "monitor", "once"}
"""The commands and what puts them together: they may know everybody, and nobody else imports them."""

ONLY_IMPORTERS = {
    "asyncssh": {"transports/ssh.py", "demo/"},
    "pysnmp": {"transports/snmp.py", "demo/"},
    "textual": {"ui/", "panes/"},
    "plotext": {"panes/"},
}


def imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
        assert not (isinstance(node, ast.ImportFrom) and node.level), f"{path}: relative import"
    return found


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_follow_the_arrows(path: Path) -> None:
    relative = path.relative_to(PACKAGE)
    part = relative.parts[0].removesuffix(".py")
    if part in COMPOSITION:
        return
    for name in imports(path):
        parts = name.split(".")
        if parts[0] != "sparktui" or len(parts) < 2 or parts[1] == "__version__":
            continue
        assert parts[1] in ALLOWED[part] | {part}, f"{relative} imports {name}"


@pytest.mark.parametrize("library", sorted(ONLY_IMPORTERS))
def test_a_library_has_its_one_place(library: str) -> None:
    for path in modules():
        relative = str(path.relative_to(PACKAGE))
        if any(relative.startswith(place) for place in ONLY_IMPORTERS[library]):
            continue
        assert not any(name.split(".")[0] == library for name in imports(path)), f"{relative} imports {library}"


def test_panes_take_nothing_of_textual_but_content() -> None:
    for path in sorted((PACKAGE / "panes").glob("*.py")):
        for name in imports(path):
            if name.startswith("textual"):
                assert name.startswith("textual.content"), f"{path.name} imports {name}"


def test_what_runs_on_a_node_needs_only_the_standard_library() -> None:
    probe = [PACKAGE / "probe" / f"{name}.py" for name in ("entry", "encode", "loop", "report", "source")]
    for path in [*(PACKAGE / "collectors").glob("*.py"), *probe]:
        for name in imports(path):
            top = name.split(".")[0]
            assert top in sys.stdlib_module_names or top in {"sparktui", "pynvml"}, f"{path.name} imports {name}"


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["once", "--help"], ["config", "path"]])
def test_quick_commands_load_no_heavy_library(arguments: list[str]) -> None:
    script = (
        "import sys\n"
        "from sparktui.cli import main\n"
        f"try: main({arguments!r})\n"
        "except SystemExit as end: assert end.code in (0, None), end.code\n"
        "heavy = {'textual', 'asyncssh', 'pysnmp', 'plotext', 'rich'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
