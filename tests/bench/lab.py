"""The test bed of the figures: four hosts with a real sshd and a Spark's files, a CRS812, the client beside them."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.bench import spark
from tests.bench.terminal import VARIABLES, Terminal
from tests.real.cluster import NET, SWITCH, Cluster, cluster

SNMP_PORT, COMMUNITY = 1161, "bench"
SWITCH_NAME = "crs812"


class Lab:
    """A cluster whose hosts look like Sparks and whose switch is a CRS812."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        secret = cluster.secret("bench-community", COMMUNITY)
        ports = {f"sfp56-{number}": f"{name}:enP7s7" for number, name in enumerate(cluster.hosts, 1)}
        switch = {"host": f"{NET}.1", "port": SNMP_PORT, "secret_file": secret, "ports": ports}
        self.config = cluster.config("bench", switch=False, switches={SWITCH_NAME: switch})

    def client(self) -> Terminal:
        """The terminal program, looking at all of it."""
        return Terminal(self.cluster.operator("--config", str(self.config), home=None, **VARIABLES))


@contextlib.contextmanager
def lab() -> Iterator[Lab]:
    with tempfile.TemporaryDirectory() as folder, cluster(Path(folder)) as made:
        root = spark.make(made.folder)
        for host in made.hosts.values():
            spark.dress(host, root)
        argv = [sys.executable, "-m", "tests.bench.agent", f"{NET}.1", str(SNMP_PORT), COMMUNITY]
        agent = SWITCH.start(*argv, log=made.folder / "agent.log")
        try:
            with spark.Counting(root):
                yield Lab(made)
        finally:
            agent.terminate()
            agent.wait()
