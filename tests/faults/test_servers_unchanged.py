"""Nothing changes in a server: its catalogue and contents are the same, by dump, before and after many requests."""

from __future__ import annotations

import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.faults.on_servers import Persons, in_time, persons_on
from tests.long import rounds
from tests.services.servers import KINDS, Kind
from tests.services.throwaway import Throwaway, program

pytestmark = [pytest.mark.services, pytest.mark.long]

REQUESTS = rounds(20, 200)
VOLATILE = ("-- Dump completed", "-- Started on", "-- Completed on", "\\restrict", "\\unrestrict")


def dumped(persons: Persons) -> list[str]:
    """All databases of PostgreSQL with roles and rights; of MariaDB the test's own with routines and events."""
    kind, at = persons.server.kind, urlsplit(persons.server.url)
    place = [f"--host={at.hostname}", f"--port={at.port}"]
    if persons.is_postgres:
        command = [program(kind, "pg_dumpall"), *place, f"--username={at.username}"]
    else:
        command = [program(kind, "mariadb-dump", "mysqldump"), "--no-defaults", *place, f"--user={at.username}"]
        command += ["--routines", "--events", "--triggers", "--databases", persons.schema.name, "test"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = [line for line in done.stdout.splitlines() if not line.startswith(VOLATILE)]
    assert any("persons" in line for line in lines)
    return lines


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_dump_is_the_same_before_and_after_many_requests(
    kind: Kind, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    server: Throwaway = request.getfixturevalue(f"throwaway_{kind.name}")
    with persons_on(server, tmp_path) as persons:
        serial = "SERIAL" if persons.is_postgres else "INTEGER AUTO_INCREMENT UNIQUE"
        persons.run(f"ALTER TABLE persons ADD COLUMN number {serial}")
        persons.run("CREATE VIEW women AS SELECT age, number FROM persons WHERE sex = 'f'")
        engine = persons.engine(use_cache=True)
        engine.datasets.add("women", "s", table="women", least_k=2)
        before = dumped(persons)
        for number in range(REQUESTS):
            dataset, k = ("d", "women")[number % 2], (7, 100, 6)[number % 3]
            asked = persons.request(f"{number % 4}.csv", dataset=dataset, k=k)
            released = engine.run(asked, roll_up=bool(number % 5), again=bool(number % 7)).released
            assert released is (k < 100)
        engine.sources.show("s")
        engine.sources.check("s")
        engine.measure("s.persons", ["age", "sex"])
        assert dumped(persons) == before
        assert in_time(lambda: not persons.sessions())
