from __future__ import annotations

import hashlib
import shutil
import stat
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import duckdb
import pytest

from ordermade.errors import StateDamaged, StateFault, StateMissing, StateNewer, StateOlder
from ordermade.privacy.models import AlphaK, DistinctL, EntropyL, Model, RecursiveCL, TCloseness, model_of
from ordermade.resources import folder
from ordermade.state import datasets, forecasts, observations, releases, requests, statements, versions
from ordermade.state.authority import SHELL
from ordermade.state.backup import backup
from ordermade.state.database import StateFile, initialise, migrate, status
from ordermade.state.inspection import EVIDENCE, TABLES, state_status, verify
from ordermade.state.migrations import known_migrations
from ordermade.state.records.noted_requests import FinishedRequest
from ordermade.state.releases import PrivacyFigure
from ordermade.state.seals import seal_existing
from tests.made import new_state

LATEST = len(known_migrations())
SEALED = 14
"""From this migration on the rows of a state are sealed as they are written."""


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return new_state(tmp_path / "state.duckdb")


def migrations_with(tmp_path: Path, **files: str) -> Path:
    """The engine's migrations, and after them these."""
    copied = tmp_path / "migrations"
    shutil.copytree(folder("migrations"), copied)
    for number, (name, text) in enumerate(files.items(), start=LATEST + 1):
        (copied / f"{number:04}_{name}.sql").write_text(text, encoding="utf-8")
    return copied


def run_sql(path: Path, text: str) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute(text)


@pytest.mark.slow
def test_a_new_state_is_private_and_in_a_folder_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / ".ordermade" / "state.duckdb"
    made = initialise(path, SHELL)
    assert made.created
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [each.name for each in path.parent.iterdir()] == ["state.duckdb"]


def test_initialising_twice_says_so_and_changes_nothing(state: Path) -> None:
    before = state.read_bytes()
    again = initialise(state, SHELL)
    assert not again.created
    assert "already" in again.message
    assert state.read_bytes() == before


def test_every_table_and_column_is_commented(state: Path) -> None:
    with duckdb.connect(str(state), read_only=True) as connection:
        without = connection.execute(
            "SELECT table_name, column_name FROM duckdb_columns() "
            "WHERE NOT internal AND comment IS NULL AND table_name <> 'migrations'"
        ).fetchall()
        tables = connection.execute("SELECT table_name FROM duckdb_tables() WHERE comment IS NOT NULL").fetchall()
    assert without == []
    assert {row[0] for row in tables} == set(TABLES)


CATALOGUE = (
    "SELECT table_name, sql, comment FROM duckdb_tables() ORDER BY ALL",
    """
    SELECT table_name, column_name, column_index, data_type, is_nullable, column_default, comment
    FROM duckdb_columns() WHERE NOT internal ORDER BY ALL
    """,
    "SELECT table_name, constraint_type, constraint_text FROM duckdb_constraints() ORDER BY ALL",
    "SELECT table_name, index_name, sql FROM duckdb_indexes() ORDER BY ALL",
    "SELECT sequence_name, start_value, last_value FROM duckdb_sequences() ORDER BY ALL",
    "SELECT number, name, checksum FROM migrations ORDER BY ALL",
    "SELECT table_name, owner FROM seals ORDER BY ALL",
    "FROM audit_head",
)


def catalogue(path: Path) -> list[list[tuple[object, ...]]]:
    with duckdb.connect(str(path), read_only=True) as connection:
        return [connection.execute(each).fetchall() for each in CATALOGUE]


def without_comments(path: Path) -> list[list[tuple[object, ...]]]:
    tables, columns, *others = catalogue(path)
    return [[each[:-1] for each in tables], [each[:-1] for each in columns], *others]


@pytest.mark.slow
def test_a_new_state_is_one_that_went_from_migration_to_migration(tmp_path: Path) -> None:
    none = tmp_path / "none"
    none.mkdir()
    old, new, temporary = (tmp_path / f"{name}.duckdb" for name in ("old", "new", "temporary"))
    initialise(old, SHELL, migrations_folder=none)
    migrate(old, SHELL)
    initialise(new, SHELL)
    initialise(temporary, SHELL, comments=False)
    assert catalogue(new) == catalogue(old)
    assert without_comments(temporary) == without_comments(old)
    with duckdb.connect(str(temporary), read_only=True) as connection:
        assert connection.execute("SELECT COUNT(comment) FROM duckdb_columns() WHERE NOT internal").fetchone() == (0,)
    assert verify(new, SHELL) == verify(temporary, SHELL) == ()


@pytest.mark.slow
def test_a_failing_migration_of_a_new_state_is_named_and_nothing_is_made(tmp_path: Path) -> None:
    bad = migrations_with(tmp_path, bad="SELECT nothing FROM nowhere")
    path = tmp_path / "folder" / "state.duckdb"
    with pytest.raises(StateFault, match=f"{LATEST + 1:04}_bad"):
        initialise(path, SHELL, migrations_folder=bad)
    assert list(path.parent.iterdir()) == []


def test_the_checksum_stored_is_that_of_the_file(state: Path) -> None:
    for applied in status(state, SHELL).applied:
        content = (folder("migrations") / applied.name).read_bytes()
        assert applied.checksum == hashlib.sha256(content).hexdigest()


def test_an_older_state_is_refused_with_the_command_and_migrates(tmp_path: Path, state: Path) -> None:
    newer = migrations_with(tmp_path, more="CREATE TABLE more (id INTEGER);\nINSERT INTO more VALUES (1);")
    with pytest.raises(StateOlder, match="ordermade state migrate"):
        initialise(state, SHELL, migrations_folder=newer)
    assert migrate(state, SHELL, migrations_folder=newer) == (f"{LATEST + 1:04}_more.sql",)
    assert migrate(state, SHELL, migrations_folder=newer) == ()


@pytest.mark.slow
def test_reading_an_older_state_is_refused(tmp_path: Path) -> None:
    none = tmp_path / "none"
    none.mkdir()
    path = tmp_path / "state.duckdb"
    initialise(path, SHELL, migrations_folder=none)
    with pytest.raises(StateOlder, match="ordermade state migrate"), StateFile(path, SHELL).reading():
        pass
    assert state_status(path, SHELL).pending == tuple(each.name for each in known_migrations())
    assert verify(path, SHELL)[0].where == "migrations"
    assert migrate(path, SHELL)
    with StateFile(path, SHELL).reading():
        pass
    assert verify(path, SHELL) == ()


@pytest.mark.slow
def test_a_newer_state_is_refused(tmp_path: Path, state: Path) -> None:
    migrate(state, SHELL, migrations_folder=migrations_with(tmp_path, more="CREATE TABLE more (id INTEGER)"))
    with pytest.raises(StateNewer, match="Upgrade"), StateFile(state, SHELL).reading():
        pass
    with pytest.raises(StateNewer):
        migrate(state, SHELL)
    assert any("newer" in each.what for each in verify(state, SHELL))


@pytest.mark.slow
def test_a_failing_migration_rolls_back_whole(tmp_path: Path, state: Path) -> None:
    bad = migrations_with(tmp_path, bad="CREATE TABLE half (id INTEGER);\nSELECT nothing FROM nowhere;")
    with pytest.raises(StateFault, match="rolled back"):
        migrate(state, SHELL, migrations_folder=bad)
    with StateFile(state, SHELL).reading() as connection:
        tables = connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
    assert ("half",) not in tables
    assert verify(state, SHELL) == ()


def test_migrations_before_a_failing_one_stay(tmp_path: Path, state: Path) -> None:
    mixed = migrations_with(tmp_path, good="CREATE TABLE good (id INTEGER)", bad="SELECT nothing FROM nowhere")
    with pytest.raises(StateFault, match=f"{LATEST + 2:04}_bad"):
        migrate(state, SHELL, migrations_folder=mixed)
    with duckdb.connect(str(state), read_only=True) as connection:
        assert connection.execute("SELECT MAX(number) FROM migrations").fetchone() == (LATEST + 1,)


@pytest.mark.slow
def test_a_changed_migration_is_found_and_never_built_upon(tmp_path: Path, state: Path) -> None:
    run_sql(state, "UPDATE migrations SET checksum = 'changed' WHERE number = 1")
    (finding,) = verify(state, SHELL)
    assert "checksum" in finding.what
    with pytest.raises(StateDamaged, match="0001"):
        migrate(state, SHELL, migrations_folder=migrations_with(tmp_path, more="CREATE TABLE more (id INTEGER)"))


@pytest.mark.slow
def test_an_older_state_keeps_its_table_c_but_what_was_half_forgotten(tmp_path: Path) -> None:
    first = tmp_path / "first"
    first.mkdir()
    shutil.copy(folder("migrations") / "0001_state.sql", first)
    path = tmp_path / "state.duckdb"
    initialise(path, SHELL, migrations_folder=first)
    run_sql(
        path,
        """
        INSERT INTO sources (name, kind, location, writable, added_at) VALUES ('s', 'duckdb', 's', FALSE, NOW());
        INSERT INTO datasets (name, source_id, table_name, added_at) VALUES ('d', 1, 'd', NOW());
        INSERT INTO dataset_versions VALUES (7, 'd1', 1, 'age > 3', 10, 5, 'c', NOW(), NOW()),
                                            (8, 'd2', NULL, NULL, 10, 5, 'c', NOW(), NOW());
        INSERT INTO observations VALUES (1, 7, 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
                                         10, 1, 10, 100, [10], [1], NULL, NOW()),
                                        (2, 7, SHA256('3:age=a1' || CHR(10)), 10, 2, 5, 50, [5], [2], NULL, NOW()),
                                        (3, 7, 'half forgotten', 10, 10, 1, 10, [1], [10], NULL, NOW());
        INSERT INTO observation_levels VALUES (2, 'age', 1, 'decade', 'a1');
        """,
    )
    assert "0002_prediction.sql" in migrate(path, SHELL)
    assert verify(path, SHELL) == ()
    with StateFile(path, SHELL).reading() as connection:
        assert {key: each.k for key, each in observations.known(connection, 7).items()} == {
            frozenset(): 10,
            frozenset({("age", "a1")}): 5,
        }
        assert [(each.id, each.filter) for each in versions.under_any_filter(connection, 1)] == [(7, "age > 3")]
        assert versions.columns(connection, 7) == {}


@pytest.mark.slow
def test_a_state_from_before_privacy_and_other_methods_keeps_everything(tmp_path: Path) -> None:
    before = tmp_path / "before"
    before.mkdir()
    for name in ("0001_state.sql", "0002_prediction.sql"):
        shutil.copy(folder("migrations") / name, before)
    path = tmp_path / "state.duckdb"
    initialise(path, SHELL, migrations_folder=before)
    run_sql(
        path,
        """
        INSERT INTO sources (name, kind, location, writable, added_at) VALUES ('s', 'duckdb', 's', FALSE, NOW());
        INSERT INTO datasets (name, source_id, table_name, added_at) VALUES ('d', 1, 'd', NOW());
        INSERT INTO dataset_versions VALUES (7, 'd1', 1, NULL, 5000, 5, 'c', NOW(), NOW());
        INSERT INTO requests (title, request_hash, engine_version, dataset_name, dataset_version_id, k, algorithm,
                              objective, shape, started_at, status)
        VALUES ('t', 'h', '0', 'd', 7, 2, 'ola', 'prec', 'rows', NOW(), 'released');
        INSERT INTO request_columns VALUES (1, 'keep', 0, 'plan');
        INSERT INTO observations VALUES (2, 7, SHA256('3:age=a1' || CHR(10)), 5000, 3, 5, 1, [5], [1], 1, NOW());
        INSERT INTO observation_levels VALUES (2, 'age', 1, 'decade', 'a1');
        INSERT INTO releases (request_id, kind, path, rows, k, divisions, suppressed_rows, released_at)
        VALUES (1, 'csv', 'x.csv', 5000, 5, 3, 0, NOW());
        INSERT INTO release_losses VALUES (1, 'prec', 0.5);
        """,
    )
    assert migrate(path, SHELL)[:3] == ("0003_privacy.sql", "0004_microaggregation.sql", "0005_mondrian.sql")
    assert verify(path, SHELL) == ()
    with StateFile(path, SHELL).writing() as connection:
        (observation,) = observations.known(connection, 7).values()
        assert (observation.k, observation.sizes, observation.failing, observation.persons) == (
            5,
            ((5, 1),),
            None,
            None,
        )
        assert not observation.determines_within(6)
        assert (versions.get(connection, 7).persons, versions.get(connection, 7).units) == (None, 5000)
        details = requests.get(connection, 1)
        assert (details.request.suppression_limit, details.keep, details.sensitive) == (None, ("plan",), ())
        assert (details.request.method, details.request.options, details.attributes) == (None, None, ())
        assert details.splits == ()
        release = releases.get(connection, 1)
        assert (release.release.persons, release.losses, release.privacy) == (None, {"prec": 0.5}, ())
        requests.finish(connection, 1, FinishedRequest("failed"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "model",
    [
        DistinctL(3),
        EntropyL(Fraction(5, 2)),
        RecursiveCL(Fraction(3), 2),
        TCloseness(Fraction(1, 5), "ordered"),
        AlphaK(Fraction(29, 100)),
    ],
)
def test_models_that_were_noted_in_words_have_their_name_and_parameters(tmp_path: Path, model: Model) -> None:
    before = tmp_path / "before"
    before.mkdir()
    for each in sorted(folder("migrations").iterdir(), key=lambda file: file.name)[:7]:
        (before / each.name).write_bytes(each.read_bytes())
    path = tmp_path / "state.duckdb"
    initialise(path, SHELL, migrations_folder=before)
    run_sql(
        path,
        f"""
        INSERT INTO requests (title, request_hash, engine_version, dataset_name, k, algorithm, objective, shape,
                              started_at, status)
        VALUES ('t', 'h', '0', 'd', 5, 'ola', 'prec', 'rows', NOW(), 'released');
        INSERT INTO releases (request_id, kind, path, rows, k, divisions, suppressed_rows, released_at)
        VALUES (1, 'csv', 'x.csv', 5000, 5, 3, 0, NOW());
        INSERT INTO release_privacy VALUES (1, 0, 'ill', '{model.written}', 0.5), (1, 1, NULL, 'prosecutor risk', 0.2);
        """,
    )
    assert migrate(path, SHELL)[:1] == ("0008_models.sql",)
    assert verify(path, SHELL) == ()
    with StateFile(path, SHELL).reading() as connection:
        noted = releases.get(connection, 1).privacy
    assert noted == (
        PrivacyFigure("ill", model.written, 0.5, model.name, model.given),
        PrivacyFigure(None, "prosecutor risk", 0.2),
    )
    assert model_of(model.name, noted[0].parameters, {}) == model


@pytest.mark.slow
def test_a_state_from_before_version_queries_keeps_its_versions(tmp_path: Path) -> None:
    before = tmp_path / "before"
    before.mkdir()
    for each in sorted(folder("migrations").iterdir(), key=lambda file: file.name)[:8]:
        (before / each.name).write_bytes(each.read_bytes())
    path = tmp_path / "state.duckdb"
    initialise(path, SHELL, migrations_folder=before)
    run_sql(
        path,
        """
        INSERT INTO sources (name, kind, location, writable, added_at) VALUES ('s', 'duckdb', 's', FALSE, NOW());
        INSERT INTO datasets (name, source_id, table_name, added_at, filters) VALUES ('d', 1, 'd', NOW(), 'columns');
        INSERT INTO dataset_filter_columns VALUES (1, 0, 'age');
        INSERT INTO dataset_versions VALUES (7, 'd1', 1, NULL, 5000, 5, 'c', NOW(), NOW(), 40);
        INSERT INTO dataset_identities VALUES (1, 'd1', NULL);
        """,
    )
    assert migrate(path, SHELL)[:1] == ("0009_version_query.sql",)
    assert verify(path, SHELL) == ()
    with StateFile(path, SHELL).writing() as connection:
        (dataset,) = datasets.listed(connection)
        assert (dataset.least_k, dataset.where_columns, dataset.version_query) == (5, ("age",), None)
        for version in (*versions.listed(connection), *versions.under_any_filter(connection, 1)):
            assert (version.id, version.hash_sum, version.persons, version.vouched_by) == (7, 5, 40, None)
        made = versions.register(connection, "d1", 1, None, 5000, -(2**127), "c", {}, None, "q1")
        assert (made.hash_sum, made.vouched_by) == (-(2**127), "q1")
        assert versions.find(connection, made.id) == made


def without_keys(connection: duckdb.DuckDBPyConnection) -> bool:
    """Whether nothing of table C has an index: DuckDB goes through all of its pieces whenever it opens the file."""
    keys = connection.execute(
        "SELECT table_name, constraint_text FROM duckdb_constraints() WHERE constraint_type <> 'NOT NULL'"
        " AND table_name IN ('observations', 'observation_levels')"
    )
    return keys.fetchall() == []


@pytest.mark.slow
def test_verify_finds_an_observation_that_is_there_twice(state: Path) -> None:
    with StateFile(state, SHELL).writing() as connection:
        versions.register(connection, "d1", None, None, 10, 5, "c", {})
        (version,) = versions.listed(connection)
    run_sql(
        state,
        f"""
        INSERT INTO observations (id, dataset_version_id, node_hash, rows, divisions, k, sum_of_squares, class_sizes,
                                  class_counts, measured_at)
        SELECT 1, {version.id}, SHA256(''), 10, 1, 10, 100, [10], [1], NOW() FROM RANGE(2)
        """,
    )
    found = {each.where for each in verify(state, SHELL)}
    assert {"observations.id", "observations.dataset_version_id, node_hash"} <= found


@pytest.mark.slow
@pytest.mark.parametrize(
    "number",
    [
        pytest.param(
            each, marks=[] if each % 4 == 1 or each in (SEALED - 1, SEALED, LATEST - 1) else [pytest.mark.thorough]
        )
        for each in range(1, LATEST)
    ],
)
def test_a_state_made_by_every_earlier_migration_comes_up(tmp_path: Path, number: int) -> None:
    before = tmp_path / "before"
    before.mkdir()
    for each in sorted(folder("migrations").iterdir(), key=lambda file: file.name)[:number]:
        (before / each.name).write_bytes(each.read_bytes())
    path = tmp_path / "state.duckdb"
    initialise(path, SHELL, migrations_folder=before)
    run_sql(
        path,
        """
        INSERT INTO sources (name, kind, location, writable, added_at) VALUES ('s', 'duckdb', 's', FALSE, NOW());
        INSERT INTO datasets (name, source_id, table_name, added_at) VALUES ('d', 1, 'd', NOW());
        INSERT INTO dataset_versions (id, dataset_hash, dataset_id, rows, hash_sum, columns_hash, first_seen_at,
                                      last_seen_at)
        VALUES (7, 'd1', 1, 10, 5, 'c', NOW(), NOW());
        INSERT INTO requests (title, request_hash, engine_version, dataset_name, dataset_version_id, k, algorithm,
                              objective, shape, started_at, status, nodes_in_lattice, nodes_measured, seconds)
        VALUES ('t', 'h', '0', 'd', 7, 5, 'ola', 'prec', 'rows', NOW(), 'refused', 8, 3, 0.5);
        INSERT INTO observations (dataset_version_id, node_hash, rows, divisions, k, sum_of_squares, class_sizes,
                                  class_counts, request_id, measured_at)
        VALUES (7, SHA256('3:age=a1' || CHR(10)), 10, 2, 5, 50, [5], [2], 1, NOW());
        INSERT INTO observation_levels VALUES (1, 'age', 1, 'decade', 'a1');
        """,
    )
    if number >= SEALED:
        with duckdb.connect(str(path)) as connection, statements.transaction(connection):
            seal_existing(connection)
    assert len(migrate(path, SHELL)) == LATEST - number
    assert verify(path, SHELL) == ()
    with StateFile(path, SHELL).writing() as connection:
        assert [each.k for each in observations.known(connection, 7).values()] == [5]
        assert [each.request_hash for each in requests.listed(connection)] == ["h"]
        (run,) = forecasts.earlier_runs(connection, "d")
        assert (run.nodes_in_lattice, run.nodes_measured, run.seconds, run.rows) == (8, 3, 0.5, 10)
        assert without_keys(connection)
        assert forecasts.met(connection, None) == ()


@pytest.mark.slow
def test_a_state_from_before_bounds_of_models_keeps_its_failing_classes(tmp_path: Path) -> None:
    before = tmp_path / "before"
    before.mkdir()
    for each in sorted(folder("migrations").iterdir(), key=lambda file: file.name)[:9]:
        (before / each.name).write_bytes(each.read_bytes())
    path = tmp_path / "state.duckdb"
    initialise(path, SHELL, migrations_folder=before)
    run_sql(
        path,
        """
        INSERT INTO dataset_versions VALUES (7, 'd1', NULL, NULL, 6, 5, 'c', NOW(), NOW(), NULL, NULL);
        INSERT INTO observations (dataset_version_id, measured_at, node_hash, rows, divisions, k, sum_of_squares,
                                  class_sizes, class_counts)
        VALUES (7, NOW(), 'f0', 6, 2, 3, 18, [3], [2]);
        INSERT INTO observation_models (observation_id, models_hash, failing_sizes, failing_counts)
        SELECT id, 'b1', [3], [1] FROM observations;
        """,
    )
    assert migrate(path, SHELL)[:1] == ("0010_keepable.sql",)
    with StateFile(path, SHELL).reading() as connection:
        (known,) = observations.known(connection, 7, "b1").values()
    assert (known.failing, known.keepable) == (((3, 1),), None)


@pytest.mark.slow
def test_a_state_from_before_mondrian_keeps_its_microaggregations(tmp_path: Path) -> None:
    before = tmp_path / "before"
    before.mkdir()
    for each in sorted(folder("migrations").iterdir(), key=lambda file: file.name)[:4]:
        (before / each.name).write_bytes(each.read_bytes())
    path = tmp_path / "state.duckdb"
    initialise(path, SHELL, migrations_folder=before)
    run_sql(
        path,
        """
        INSERT INTO requests (title, request_hash, engine_version, dataset_name, k, algorithm, objective, shape,
                              method, options, started_at, status)
        VALUES ('t', 'h', '0', 'd', 5, 'mdav', 'sse_over_sst', 'rows', 'microaggregation', 'seed 1', NOW(), 'running');
        INSERT INTO request_attributes VALUES (1, 0, 'income', '0.5', NULL, NULL, 'mean');
        """,
    )
    assert migrate(path, SHELL)[:1] == ("0005_mondrian.sql",)
    assert verify(path, SHELL) == ()
    with StateFile(path, SHELL).writing() as connection:
        requests.finish(connection, 1, FinishedRequest("released"))
        details = requests.get(connection, 1)
        assert (details.request.method, details.request.options, details.request.status) == (
            "microaggregation",
            "seed 1",
            "released",
        )
        assert ([each.column for each in details.attributes], details.splits) == (["income"], ())


@pytest.mark.parametrize("name", ["1_short", f"{LATEST + 2:04}_gap"])
def test_badly_numbered_migrations_are_a_broken_installation(tmp_path: Path, name: str) -> None:
    bad = migrations_with(tmp_path)
    (bad / f"{name}.sql").write_text("SELECT 1", encoding="utf-8")
    with pytest.raises(RuntimeError):
        known_migrations(bad)


@pytest.mark.slow
def test_two_processes_migrating_at_once_both_end_well(tmp_path: Path) -> None:
    none = tmp_path / "none"
    none.mkdir()
    path = tmp_path / "state.duckdb"
    initialise(path, SHELL, migrations_folder=none)
    code = (
        "import sys\nfrom pathlib import Path\nfrom ordermade.state.authority import SHELL\n"
        "from ordermade.state.database import migrate\n"
        "sys.stdin.readline()\nprint(len(migrate(Path(sys.argv[1]), SHELL)))"
    )
    outputs = both_at_once(code, path)
    assert sorted(outputs) == ["0", str(len(known_migrations()))]
    assert verify(path, SHELL) == ()


@pytest.mark.slow
def test_two_processes_initialising_at_once_both_end_well(tmp_path: Path) -> None:
    path = tmp_path / ".ordermade" / "state.duckdb"
    code = (
        "import sys\nfrom pathlib import Path\nfrom ordermade import initialise\n"
        "sys.stdin.readline()\nprint(initialise(Path(sys.argv[1])).created)"
    )
    assert sorted(both_at_once(code, path)) == ["False", "True"]
    assert verify(path, SHELL) == ()


def both_at_once(code: str, path: Path) -> list[str]:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    results = [process.communicate(timeout=120) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], results
    return [output.strip() for output, _ in results]


def test_status_counts_and_writes_nothing(state: Path) -> None:
    before = state.read_bytes()
    told = state_status(state, SHELL)
    assert told.version == len(known_migrations())
    assert dict(told.counts) == dict.fromkeys([each for each in TABLES if each not in EVIDENCE], 0)
    assert told.size == len(before)
    assert state.read_bytes() == before


@pytest.mark.slow
def test_verify_of_an_older_state_says_to_migrate_and_no_more(tmp_path: Path) -> None:
    first = tmp_path / "first"
    first.mkdir()
    name = next(each.name for each in folder("migrations").iterdir() if each.name.startswith("0001"))
    (first / name).write_bytes((folder("migrations") / name).read_bytes())
    path = tmp_path / "older.duckdb"
    initialise(path, SHELL, migrations_folder=first)
    assert [(each.where, "state migrate" in each.what) for each in verify(path, SHELL)] == [("migrations", True)]


@pytest.mark.slow
def test_verify_finds_a_missing_table_and_broken_references(state: Path) -> None:
    run_sql(
        state,
        "INSERT INTO requests (title, request_hash, engine_version, dataset_name, dataset_version_id, k, algorithm,"
        " objective, shape, started_at, status)"
        " VALUES ('t', 'h', '0', 'd', 99, 2, 'ola', 'prec', 'rows', NOW(), 'running')",
    )
    assert [each.where for each in verify(state, SHELL)] == ["requests.dataset_version_id", "requests 1"]
    run_sql(state, "INSERT INTO observation_levels VALUES (9, 'age', 0, 'value', 'a0')")
    assert [each.where for each in verify(state, SHELL)] == [
        "requests.dataset_version_id",
        "observation_levels.observation_id",
        "requests 1",
        "observation_levels (observation_id, column_name) = (9, age)",
    ]
    run_sql(state, "DROP TABLE audit")
    assert [(each.where, each.what) for each in verify(state, SHELL)] == [("audit", "the table is missing")]


@pytest.mark.parametrize("content", [b"", b"not a database at all" * 1000])
def test_a_file_that_is_not_a_state_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "state.duckdb"
    path.write_bytes(content)
    with pytest.raises(StateDamaged, match=r"state\.duckdb"), StateFile(path, SHELL).reading():
        pass
    with pytest.raises(StateDamaged):
        initialise(path, SHELL)
    assert path.read_bytes() == content


def test_another_duckdb_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "members.duckdb"
    run_sql(path, "CREATE TABLE members (id INTEGER)")
    with pytest.raises(StateDamaged, match="not a state"), StateFile(path, SHELL).writing():
        pass
    with pytest.raises(StateDamaged):
        migrate(path, SHELL)


def test_a_damaged_page_is_found(state: Path) -> None:
    content = bytearray(state.read_bytes())
    for offset in range(4096, len(content), 512):
        content[offset] ^= 0xFF
    state.write_bytes(content)
    with pytest.raises(StateDamaged, match="backup"), StateFile(state, SHELL).reading():
        pass


@pytest.mark.slow
def test_backup_is_a_whole_private_copy(state: Path, tmp_path: Path) -> None:
    (tmp_path / "cache.duckdb").write_bytes(b"codes of persons")
    with StateFile(state, SHELL).writing() as connection:
        statements.add_audit_entry(connection, "b", "c")
    kept = tmp_path / "kept"
    kept.mkdir()
    copy = backup(state, kept / "it's a copy.duckdb", SHELL)
    assert [each.name for each in kept.iterdir()] == [copy.name]
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert verify(copy, SHELL) == ()
    assert dict(state_status(copy, SHELL).counts)["audit"] == 1
    with duckdb.connect(str(copy)) as connection:
        statements.add_audit_entry(connection, "b", "c")
        assert connection.execute("SELECT MAX(id) FROM audit").fetchone() == (2,)
        assert connection.execute("SELECT COUNT(comment) FROM duckdb_tables()").fetchone() == (len(TABLES),)


def test_backup_never_replaces_a_file(state: Path, tmp_path: Path) -> None:
    there = tmp_path / "there.duckdb"
    there.write_bytes(b"precious")
    with pytest.raises(ValueError, match="never replaces"):
        backup(state, there, SHELL)
    with pytest.raises(ValueError, match="no such folder"):
        backup(state, tmp_path / "missing" / "copy.duckdb", SHELL)
    with pytest.raises(StateMissing):
        backup(tmp_path / "none.duckdb", tmp_path / "copy.duckdb", SHELL)
    assert there.read_bytes() == b"precious"
    assert not (tmp_path / "copy.duckdb").exists()
