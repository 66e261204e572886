"""The test cluster, built once for all tests here, and the program looked at from its monitor namespace."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real.cluster import Cluster, cluster, missing


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
