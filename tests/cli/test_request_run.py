"""`request run` from outside: exit status, the one JSON object, screens, warnings, hostile names."""

from __future__ import annotations

import csv
import shutil
from collections import Counter
from pathlib import Path

import duckdb
import pytest

from ordermade.cli.progress import PipedProgress
from ordermade.progress import so_far
from tests.cli.conftest import Program, write_request

pytestmark = pytest.mark.slow

COMMON = (
    "request",
    "title",
    "dataset",
    "method",
    "status",
    "k_requested",
    "k",
    "classes",
    "rows",
    "released_rows",
    "suppressed_rows",
    "suppressed_persons",
    "columns",
    "privacy",
    "risk",
    "loss",
    "loss_shares",
    "beside",
    "release",
    "reason",
    "next",
    "warnings",
)
"""The keys of the answers of all methods, in order."""
FIRST = ("format", "command", "request", "title", "dataset", "method", "status", "k_requested", "k", "classes", "rows")
KEYS = {"format", "command", *COMMON, "levels", "level_names", "local", "search", "column", "nearest", "lost"}
SEARCH = {
    "algorithm",
    "nodes_in_lattice",
    "nodes_proven",
    "nodes_measured",
    "classes_measured",
    "certified",
    "start",
    "source_queries",
    "version_queries",
    "coverage_queries",
    "release_queries",
    "seconds",
    "stopped",
    "gap",
    "score_proved",
}
LOSS = {
    "prec",
    "prec_suppressed_as_1",
    "height",
    "classes",
    "dm",
    "dm_star",
    "c_avg",
    "aecs",
    "entropy",
    "entropy_ignoring_suppression",
    "loss",
}
RELEASE = {"path", "sha256", "rows", "star_rows", "suppressed_rows", "persons", "suppressed_persons", "number"}


def test_released_is_exit_status_0_and_a_file_with_that_k(shop: Program, folder: Path) -> None:
    done = shop("request", "run", "request.yaml", "--json")

    assert (done.status, done.err) == (0, "")
    answer = done.document
    assert set(answer) == KEYS
    assert tuple(answer)[: len(FIRST)] == FIRST
    assert set(answer["search"]) == SEARCH
    assert set(answer["loss"]) == LOSS
    assert set(answer["release"]) == RELEASE
    with (folder / "out" / "members.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert set(rows[0]) == {"sex", "age", "city", "plan"}
    classes = Counter((row["sex"], row["age"], row["city"]) for row in rows)
    assert (answer["k"], answer["classes"], answer["rows"]) == (min(classes.values()), len(classes), 144)
    assert answer["k"] >= 5
    assert (answer["status"], answer["reason"], answer["nearest"]) == ("released", None, None)


def test_screen_of_a_release(shop: Program) -> None:
    done = shop("request", "run", "request.yaml")

    assert done.status == 0
    assert done.out.startswith("Released: request 1, Members by sex, age and city\n")
    shown = [" ".join(line.split()) for line in done.out.splitlines()]
    assert shown[2] == "column level example"
    names = ("rows", "suppressed", "k", "risk", "detail given up", "release", "Next:")
    for name in names:
        assert any(line.startswith(f"{name} ") for line in shown)
    assert "rows 144 of 144 released" in shown
    assert "suppressed none" in shown
    assert shown[-1] == "Next: ordermade release report 1 --html report-1.html"
    assert len(shown) == 1 + 6 + 6 + 1 + 3  # the heading, the columns with their head, facts, what is next, blanks
    for hidden in ("sha256", "prec", "dm", "source queries", "nodes", "seconds", "optimum"):
        assert hidden not in done.out


def test_verbose_shows_every_loss_with_its_share_and_the_search(shop: Program) -> None:
    done = shop("request", "run", "request.yaml", "--verbose")

    shown = [" ".join(line.split()) for line in done.out.splitlines()]
    assert "loss share raw" in shown
    for name in (*LOSS, "classes", "optimum", "nodes measured", "source queries", "seconds", "sha256"):
        assert any(name in line for line in shown)
    assert "decided by table C beforehand" in done.out


def test_a_returned_release_says_how_its_request_is_made_anew(shop: Program) -> None:
    shop("request", "run", "request.yaml")
    assert shop("request", "run", "request.yaml").out.endswith("Next: ordermade request run request.yaml --again\n")


def test_asked_again_the_source_is_not_counted(shop: Program) -> None:
    first = shop("request", "run", "request.yaml", "--json").document["search"]
    again = shop("request", "run", "request.yaml", "--again", "--json").document["search"]

    assert (again["source_queries"], again["nodes_measured"]) == (0, 0)
    assert again["nodes_proven"] == again["nodes_in_lattice"] > first["nodes_proven"]
    assert first["certified"] is again["certified"] is True


def test_no_cache_keeps_no_file(shop: Program, folder: Path) -> None:
    shutil.rmtree(folder / ".ordermade" / "cache.twins")  # the rows that were kept when the dataset was added
    assert shop("request", "run", "request.yaml", "--no-cache").status == 0
    assert {path.name for path in (folder / ".ordermade").iterdir()} == {"state.sqlite", "ledger.sqlite"}


def test_no_rollup_gives_the_same_figures(shop: Program, folder: Path) -> None:
    shutil.copy(folder / ".ordermade" / "state.sqlite", folder / "other.sqlite")
    in_source = shop("request", "run", "request.yaml", "--no-rollup", "--json").document
    rolled_up = shop("--state", "other.sqlite", "request", "run", "request.yaml", "--json").document

    assert in_source["search"]["source_queries"] == in_source["search"]["nodes_measured"]
    assert rolled_up["search"]["source_queries"] == 1
    for name in ("levels", "k", "classes", "loss"):
        assert in_source[name] == rolled_up[name]


def test_refused_is_exit_status_1_with_column_and_nearest_node(shop: Program, folder: Path) -> None:
    write_request(folder / "request.yaml", k=100, end=1)

    screen = shop("request", "run", "request.yaml")
    done = shop("request", "run", "request.yaml", "--json")

    assert (screen.status, done.status) == (1, 1)
    assert screen.out.lstrip().startswith("Passes instead:")
    assert screen.err.startswith("Refused: ")
    for words in ("column 'age' breaks it", "Nearest node that passes", "age: *", "ordermade request show 1"):
        assert words in screen.err
    answer = done.document
    assert set(answer) == KEYS | {"offers", "offers_complete", "nodes_measured_for_offers"}
    assert (answer["status"], answer["column"], answer["release"], answer["levels"]) == ("refused", "age", None, {})
    assert set(answer["nearest"]) == {"levels", "level_names", "k", "suppressed"}
    assert answer["nearest"]["levels"]["age"] == 3
    assert answer["nearest"]["k"] == 144
    for fact in ("no accepted combination of levels has 100 rows in every class\n", "  the coarsest has k = 4\n"):
        assert fact in done.err
    assert not (folder / "out" / "members.csv").exists()
    assert [each["status"] for each in shop("request", "list", "--json").document["requests"]] == ["refused", "refused"]
    assert "breaks it" in shop("request", "show", "1").out


def test_a_refusal_that_takes_long_tells_its_progress(
    shop: Program, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten seconds into a run a line of progress is due, in the search for the nearest node too."""
    monkeypatch.setattr(PipedProgress.__init__, "__defaults__", (0.0,))
    monkeypatch.setattr(so_far, "_COMPUTED_EVERY", 0.0)
    write_request(folder / "request.yaml", k=60, end=1)
    refused = shop("request", "run", "request.yaml", "--json")
    assert (refused.status, refused.document["status"]) == (1, "refused")
    assert "nearest node that passes" in refused.err
    assert "TypeError" not in refused.err


@pytest.mark.parametrize("k", [145, 10**12])
def test_k_greater_than_the_rows_is_refused(shop: Program, folder: Path, k: int) -> None:
    write_request(folder / "request.yaml", k=k)

    done = shop("request", "run", "request.yaml")

    assert done.status == 1
    assert f"fewer than {k:,} rows remain, so nothing can be released" in done.err


def test_an_empty_table_is_refused(shop: Program, folder: Path) -> None:
    request = folder / "request.yaml"
    request.write_text(request.read_text(encoding="utf-8") + "where: age > 1000\n", encoding="utf-8")

    done = shop("request", "run", "request.yaml")

    assert done.status == 1
    assert "fewer than 5 rows remain, so nothing can be released" in done.err


def test_an_all_null_column_is_one_class(shop: Program, folder: Path) -> None:
    (folder / "nulls.sql").write_text(
        "SELECT sex, age, CAST(NULL AS VARCHAR) AS city, plan, name, phone FROM members\n", encoding="utf-8"
    )
    shop("dataset", "add", "nulls", "--source", "shop", "--query", "nulls.sql", "--least-k", "2")
    request = write_request(folder / "request.yaml", k=4)
    request.write_text(request.read_text(encoding="utf-8").replace("dataset: members", "dataset: nulls"), "utf-8")

    done = shop("request", "run", "request.yaml", "--json")

    assert done.status == 0
    assert done.document["levels"]["city"] == 0
    assert done.document["classes"] == 36 or done.document["levels"]["age"] > 0


def test_an_identifying_column_is_refused_unless_the_request_allows_it(shop: Program, folder: Path) -> None:
    request = folder / "request.yaml"
    text = request.read_text(encoding="utf-8").replace("[name, phone]", "[name]").replace("[plan]", "[phone]")
    request.write_text(text, encoding="utf-8")

    screen = shop("request", "run", "request.yaml")

    assert screen.status == 1
    assert "more than half as many values as rows are in 'phone'" in screen.err
    assert not (folder / "out").exists()
    request.write_text(text + "allow_identifying: [phone]\n", encoding="utf-8")
    (warning,) = shop("request", "run", "request.yaml", "--json").document["warnings"]
    assert "'phone'" in warning


def test_a_check_looks_at_the_data_where_it_is_to(shop: Program, folder: Path) -> None:
    request = folder / "request.yaml"
    plain = shop("request", "check", "request.yaml")
    assert "Not checked: dataset version, coverage of the hierarchies, identifying columns" in plain.out
    assert "--data" in plain.out
    assert shop("request", "check", "request.yaml", "--json").document["data"] is None
    before = sorted(folder.rglob("*"))
    data = shop("request", "check", "request.yaml", "--data")
    assert (data.status, data.out.splitlines()[1].startswith("Checked: dataset version")) == (0, True)
    document = shop("request", "check", "request.yaml", "--data", "--json").document
    assert (document["data"]["rows"], document["sound"]) == (144, True)
    text = request.read_text(encoding="utf-8").replace("[name, phone]", "[name]").replace("[plan]", "[phone]")
    request.write_text(text, encoding="utf-8")
    assert shop("request", "check", "request.yaml").status == 0
    refused = shop("request", "check", "request.yaml", "--data")
    assert (refused.status, "in 'phone'" in refused.err) == (1, True)
    assert shop("request", "list", "--json").document["requests"] == []
    assert sorted(folder.rglob("*")) == before


def test_names_are_shown_literally(ordermade: Program, folder: Path) -> None:
    """Quotes, markup, semicolons, Japanese, reserved words and escape sequences are names like any other."""
    names = ["[red]sel;ect[/red]", 'qu"ote', "order", "県 'x'", "esc\x1b[31m"]
    (folder / "odd.csv").write_text(
        ",".join('"' + name.replace('"', '""') + '"' for name in names) + "\n" + "1,2,3,4,5\n" * 6, encoding="utf-8"
    )
    (folder / "one.csv").write_text("value,all\n" + "".join(f"{n},*\n" for n in range(1, 6)), encoding="utf-8")
    entries = "".join(f'  {json_name(name)}: {{hierarchy: "[bold]\'; DROP TABLE audit; --"}}\n' for name in names)
    (folder / "request.yaml").write_text(
        f'title: "[blink]x[/blink]"\ndataset: "[b]; odd"\nk: 3\nquasi_identifiers:\n{entries}release: {{to: r.csv}}\n',
        encoding="utf-8",
    )
    ordermade("init")
    ordermade("source", "add", "sou'rce[red]", "odd.csv")
    ordermade("dataset", "add", "[b]; odd", "--source", "sou'rce[red]", "--table", "odd", "--least-k", "2")
    ordermade("hierarchy", "add", "[bold]'; DROP TABLE audit; --", "one.csv")

    shown = ordermade("source", "show", "sou'rce[red]").out
    released = ordermade("request", "run", "request.yaml")

    assert "\x1b" not in shown + released.out + released.err
    assert released.status == 0
    for name in (*names[:4], r"esc\x1b[31m"):
        assert name in shown
        assert name in released.out
    assert "[blink]x[/blink]" in released.out
    assert "[b]; odd" in ordermade("dataset", "list").out
    assert "[bold]'; DROP TABLE audit; --" in ordermade("hierarchy", "list").out
    assert "sou'rce[red]" in ordermade("source", "list").out
    assert ordermade("request", "show", "1").status == 0
    assert ordermade("release", "show", "1").status == 0
    assert ordermade("release", "verify", "1").status == 0
    assert ordermade("state", "verify").status == 0
    assert ordermade("hierarchy", "add", "bad\nname", "one.csv").status == 2


def json_name(name: str) -> str:
    """A name as a YAML key in double quotes."""
    return '"' + "".join(f"\\x{ord(c):02x}" if c in '"\\\x1b' else c for c in name) + '"'


def test_what_to_do_after_a_refusal_is_what_can_help(shop: Program, folder: Path) -> None:
    for k, where, step in (
        (10**12, "", "Ask for a smaller k, or of more rows"),
        (5, "where: age > 1000\n", "Ask for a smaller k, or of more rows"),
    ):
        write_request(folder / "request.yaml", k=k)
        with (folder / "request.yaml").open("a", encoding="utf-8") as file:
            file.write(where)
        refused = shop("request", "run", "request.yaml")
        assert refused.status == 1
        assert step in refused.err
        assert "coarser" not in refused.err


@pytest.fixture
def database(shop: Program, folder: Path) -> Path:
    """The members in a DuckDB file, registered as the dataset that request.yaml names."""
    path = folder / "m.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE members AS SELECT * FROM read_csv(?, all_varchar = TRUE)", ["members.csv"])
    assert shop("source", "add", "own", "m.duckdb").status == 0
    assert shop("dataset", "add", "own", "--source", "own", "--table", "members", "--least-k", "2").status == 0
    request = folder / "request.yaml"
    request.write_text(request.read_text("utf-8").replace("dataset: members", "dataset: own"), encoding="utf-8")
    return path


def test_a_live_view_is_printed_below_the_answer_and_runs_as_it_is(shop: Program, folder: Path, database: Path) -> None:
    done = shop("request", "run", "request.yaml", "--as-view", "members_now")
    assert done.status == 0
    statement = done.out[done.out.index("CREATE VIEW") :]
    again = shop("request", "run", "request.yaml", "--as-view", "members_now", "--json").document
    rows = again["view"].pop("rows")
    assert again["view"] == {"name": "members_now", "statement": statement.strip().rstrip(";"), "created": False}
    assert f"-- Each reading of the view counts all {rows:,} rows again" in done.out
    with (folder / "out" / "members.csv").open(encoding="utf-8") as file:
        released = Counter(tuple(row) for row in csv.reader(file) if row[0] != "sex")
    with duckdb.connect(str(database)) as connection:
        connection.execute(statement)
        shown = connection.execute("SELECT * FROM members_now").fetchall()
    assert Counter(tuple("" if cell is None else str(cell) for cell in row) for row in shown) == released


def test_a_live_view_is_made_only_in_a_writable_source_and_by_name(shop: Program, folder: Path, database: Path) -> None:
    unnamed = shop("request", "run", "request.yaml", "--create")
    assert (unnamed.status, "--as-view" in unnamed.err) == (2, True)
    refused = shop("request", "run", "request.yaml", "--as-view", "members_now", "--create")
    assert (refused.status, "--writable" in refused.err) == (2, True)
    assert not (folder / "out").exists()
    with duckdb.connect(str(database)) as connection:
        assert connection.execute("SHOW TABLES").fetchall() == [("members",)]
