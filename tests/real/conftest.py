"""The test cluster, built once for all tests here, and the commands looked at from its monitor namespace."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.real.cluster import MONITOR, Cluster, cluster, missing

SPARKTUI = (sys.executable, "-m", "sparktui")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything here is `real`, and is skipped where the machine cannot carry it."""
    lacking = missing()
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.real)
            if lacking:
                item.add_marker(pytest.mark.skip(reason=f"this machine lacks {', '.join(lacking)}"))


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with cluster(tmp_path_factory.mktemp("cluster")) as made:
        yield made


@pytest.fixture(autouse=True)
def healed(lab: Cluster) -> Iterator[Cluster]:
    """Whatever a test did to the cluster is undone after it."""
    yield lab
    for number in range(1, lab.count + 1):
        lab.thaw(number)
        lab.link(number, "up")
        lab.drop(number, 0)


def command(lab: Cluster, *arguments: str) -> list[str]:
    """A sparktui command as run beside the cluster."""
    return lab.inside(MONITOR, *SPARKTUI, *arguments)


def once(lab: Cluster, config: Path, *arguments: str, code: int | None = 0) -> dict[str, Any]:
    """`once --json`."""
    argv = command(lab, "once", "--json", "--config", str(config), *arguments)
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    assert code is None or done.returncode == code, (done.returncode, done.stderr)
    found: dict[str, Any] = json.loads(done.stdout)
    return found
