"""What all tests share: nothing may be skipped where the whole test bed is asked for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SAMPLES = Path(__file__).resolve().parents[2] / "shared" / "samples"


@pytest.fixture
def samples() -> Path:
    """The folder of outputs captured elsewhere, beside a development checkout."""
    if not SAMPLES.is_dir():
        pytest.skip("no samples beside this checkout")
    return SAMPLES


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """With SPARKTUI_NOTHING_SKIPPED=1 a skipped test fails the run: a test bed that is missing must not look green."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or os.environ.get("SPARKTUI_NOTHING_SKIPPED") != "1" or exitstatus != 0:
        return
    skipped = reporter.stats.get("skipped", [])
    for report in skipped:
        reporter.write_line(f"skipped, and nothing may be: {report.nodeid}: {report.longrepr}", red=True)
    if skipped:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
