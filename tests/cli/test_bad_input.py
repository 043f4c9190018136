"""Bad input of every kind: its exit status, one clear message of what, where and what to do, nothing lost.

That no message holds a traceback or a value of a person is asserted of every command by the `ordermade` fixture.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ordermade.cli.options import Settings
from tests.cli.conftest import MARKER, Program, write_request


def ask(folder: Path, **changed: str) -> Path:
    """request.yaml with texts replaced: `old=new` pairs given as (old, new) in `changed`."""
    path = folder / "request.yaml"
    text = path.read_text(encoding="utf-8")
    for old, new in changed.values():
        assert old in text
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("command", "status", "words"),
    [
        ("source add other missing.csv", 3, "missing.csv: there is no such file"),
        ("source add other .", 2, "the ending of the path does not say what it is"),
        ("source add other members.xyz", 2, "Known endings: .duckdb"),
        ("source add other postgresql://u:secret@host/db", 2, "must not hold a password"),
        ("source add other https://example.org/members.csv", 2, "this kind of address is not supported"),
        ("source add shop members.csv", 2, "there is already a source 'shop'"),
        ("source add other members.csv --writable", 2, "cannot be written into"),
        ("source add other members.csv --encoding latin-9", 2, "unknown encoding"),
        ("source show shopp", 2, "Did you mean 'shop'?"),
        ("dataset add other --source shop --table membres", 2, "Did you mean 'members'?"),
        ("dataset add other --source shop --query missing.sql", 2, "missing.sql: there is no such file"),
        ("dataset add other --source shop --query .", 2, "the file cannot be read: is a directory"),
        ("dataset add other --source shop", 2, "Give --table or --query"),
        ("dataset add other --source shop --table members --entity nam", 2, "Did you mean 'name'?"),
        ("dataset show member", 2, "Did you mean 'members'?"),
        ("hierarchy add other missing.csv", 2, "missing.csv: there is no such file"),
        ("hierarchy add other .", 2, "the file cannot be read: is a directory"),
        ("hierarchy add other sex.csv --style xyz", 2, "arx"),
        ("hierarchy add other", 2, "there is neither a file nor a source"),
        ("hierarchy add other sex.csv --table members", 2, "--table needs --source"),
        ("hierarchy add other sex.csv --source shop --table members --code sex", 2, "FILE does not go with --source"),
        ("hierarchy add other --source shop --table members --code sex --style arx", 2, "--style does not go with"),
        ("hierarchy add other --source shop --code sex --parent city", 2, "--table is missing"),
        ("hierarchy add other --source shop --table members --parent city", 2, "--code is missing"),
        ("hierarchy add other --source shop --table members --code sex", 2, "neither the parent nor the levels"),
        ("hierarchy add other --source shop --table member --code sex --parent city", 2, "Did you mean 'members'?"),
        ("hierarchy add other --source shop --table members --code sx --parent city", 2, "Did you mean 'sex'?"),
        ("hierarchy add other --source shop --table members --code name --levels city,,sex", 2, "a name is empty"),
        (
            "hierarchy add other --source shop --table members --code sex --parent city --valid-on now",
            2,
            "--valid-on: this is no day",
        ),
        ("hierarchy refresh age", 2, "it comes from no code list"),
        ("hierarchy show ages", 2, "Did you mean 'age'?"),
        ("hierarchy check age --dataset members --column agee", 2, "Did you mean 'age'?"),
        ("hierarchy suggest members cty", 2, "Did you mean 'city'?"),
        ("hierarchy suggest members city --to draft.txt", 2, "Name a file that ends in .yaml"),
        ("request run missing.yaml", 2, "missing.yaml: there is no such file"),
        ("request run requst.yaml", 2, "Did you mean 'request.yaml'?"),
        ("request run .", 2, "this is a folder"),
        ("request show 7", 2, "there is no request '7'"),
        ("request show seven", 2, "Invalid value for 'ID'"),
        ("release show 7", 2, "there is no release '7'"),
        ("release verify 7", 2, "there is no release '7'"),
        ("state backup nowhere/copy.sqlite", 2, "nowhere: there is no such folder"),
        ("reques run request.yaml", 2, "Did you mean 'request'"),
        ("request run request.yaml --jsno", 2, "--json"),
        ("--wait -1 source list", 2, "a number of seconds that is not negative"),
        ("--wait soon source list", 2, "--wait"),
        ("--log loud source list", 2, "Known: debug, info, json"),
        ("--memory much source list", 2, "a size with a unit, such as 4GB"),
        ("--memory 0GB source list", 2, "a size with a unit, such as 4GB"),
    ],
)
def test_one_message_of_what_where_and_what_to_do(
    shop: Program, folder: Path, command: str, status: int, words: str
) -> None:
    before = (folder / ".ordermade" / "state.sqlite").read_bytes()

    done = shop(*command.split())

    assert done.status == status
    assert words in done.err
    assert "secret" not in done.err
    assert done.out == ""
    assert (folder / ".ordermade" / "state.sqlite").read_bytes() == before


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("k: 5", "k: 0", "k: k must be at least 2"),
        ("k: 5", "k: 1", "protects nobody"),
        ("k: 5", "k: -3", "k must be at least 2"),
        ("k: 5", "k: five", "expected a whole number"),
        ("k: 5", "k: 5.5", "k: "),
        ("k: 5", "k: 99999999999999", "larger than any table"),
        ("k: 5", "kk: 5", "kk"),
        ("dataset: members", "dataset: membres", "Did you mean 'members'?"),
        ("  age: {", "  aeg: {", "did you mean 'age'?"),
        ("hierarchy: age,", "hierarchy: agee,", "did you mean 'age'?"),
        ("from: 0", "from: 7", "request.yaml:6"),
        ("from: 0", "from: 0, step: 1", "step"),
        ("from: 0, to: 3", "from: 3, to: 1", "request.yaml:6"),
        ("from: 0", "from: five yaers", "five years"),
        ("[plan]", "[plam]", "did you mean 'plan'?"),
        ("[name, phone]", "[name, age]", "age"),
        ("out/members.csv", "out/members.json", ".parquet"),
        ("out/members.csv", "out/members.ods", "write a path such as out/members.xlsx"),
        ("keep: [plan]", "keep: [plan]\nwhere: age; DROP TABLE members", "where"),
        ("keep: [plan]", "keep: [plan]\nwhere: age IN (SELECT age FROM members)", "where"),
        ("keep: [plan]", "keep: [plan]\nwhere: read_text('/etc/passwd') = ''", "where"),
        ("keep: [plan]", "keep: [plan]\nwhere: agee > 3", "did you mean 'age'?"),
        ("keep: [plan]", "keep: [plan]\nsearch: {algorithm: olaa}", "ola"),
        ("k: 5", "k: !!python/object/apply:os.system ['echo pwned']", "request.yaml:3"),
        ("k: 5", "k: [", "request.yaml:"),
        ("k: 5", "k: 5\nk: 6", "k"),
    ],
)
def test_a_malformed_request_is_told_with_its_line(shop: Program, folder: Path, old: str, new: str, words: str) -> None:
    ask(folder, change=(old, new))

    checked = shop("request", "check", "request.yaml", "--json")
    run = shop("request", "run", "request.yaml", "--json")

    assert (checked.status, run.status) == (2, 2)
    failure = run.document["error"]
    assert failure["code"] in ("request_error", "unknown_name")
    assert any(words in each for each in (*failure.get("problems", ()), failure["next"]))
    assert words in run.err
    assert run.err.startswith("Error: ")
    assert set(checked.document) == {"format", "command", "request", "sound", "problems"}
    assert checked.document["sound"] is False
    assert any(words in each for each in checked.document["problems"])
    assert shop("request", "list", "--json").document["requests"] == []
    assert not (folder / "out").exists()


def test_all_mistakes_are_told_at_once(shop: Program, folder: Path) -> None:
    ask(folder, k=("k: 5", "k: 1"), age=("hierarchy: age,", "hierarchi: age,"), to=("members.csv", "members.doc"))

    done = shop("request", "check", "request.yaml")

    assert done.status == 2
    assert "mistakes" in done.err
    for line in (3, 6, 10):
        assert f"request.yaml:{line}: " in done.err


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [x,x,x,x,x,x,x,x,x]\n"
        + "".join(f"{b}: &{b} [{','.join([f'*{a}'] * 9)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)),
        "[" * 5000,
        "{" * 5000,
        "k: " + "9" * 100_000,
        "\0",
        "- just\n- a list\n",
        "",
        "k: !!binary aGVsbG8=\n",
        "&a k: *a\n",
        "title: \ud83d\n".encode("utf-8", "surrogatepass").decode("latin-1"),
    ],
    ids=["aliases", "brackets", "braces", "huge number", "nul", "list", "empty", "tag", "self alias", "mojibake"],
)
def test_yaml_bombs_and_oddities_are_malformed_input(shop: Program, folder: Path, text: str) -> None:
    (folder / "request.yaml").write_text(text, encoding="utf-8")
    (folder / "bomb.yaml").write_text(text, encoding="utf-8")

    assert shop("request", "run", "request.yaml").status == 2
    assert shop("hierarchy", "add", "bomb", "bomb.yaml").status == 2


def test_files_in_a_wrong_encoding(shop: Program, folder: Path) -> None:
    (folder / "request.yaml").write_bytes("title: 会員\n".encode("cp932"))
    (folder / "odd.csv").write_bytes(b"value;\xff\xff\x81\n")
    (folder / "query.sql").write_bytes("SELECT '会員' FROM members".encode("cp932"))
    (folder / "latin.csv").write_bytes(f"name,city\n{MARKER}1,K\xf8ln\n".encode("latin-1"))

    request = shop("request", "run", "request.yaml")
    hierarchy = shop("hierarchy", "add", "odd", "odd.csv")
    query = shop("dataset", "add", "odd", "--source", "shop", "--query", "query.sql")
    source = shop("source", "add", "latin", "latin.csv", "--encoding", "utf-8")

    assert (request.status, hierarchy.status, query.status, source.status) == (2, 2, 2, 3)
    assert "not UTF-8" in request.err
    assert "Save it as UTF-8" in hierarchy.err
    assert "not UTF-8" in query.err
    assert "latin.csv" in source.err


@pytest.mark.slow
def test_a_value_that_is_not_in_the_hierarchy(shop: Program, folder: Path) -> None:
    (folder / "few.csv").write_text("Oslo;Norway;*\nBergen;Norway;*\nKyoto;Japan;*\n", encoding="utf-8")
    shop("hierarchy", "add", "city", "few.csv")

    done = shop("request", "run", "request.yaml", "--json")

    assert (done.status, done.document["error"]["code"]) == (2, "hierarchy_error")
    assert "Osaka" not in done.out
    assert "city" in done.err
    assert "36 row" in done.err
    assert "Osaka" not in done.err
    assert "hierarchy check" in done.err
    (asked,) = shop("request", "list", "--json").document["requests"]
    assert asked["status"] == "failed"
    assert "Osaka" not in shop("request", "show", asked["id"]).out


@pytest.mark.slow
def test_duplicate_values(shop: Program, folder: Path) -> None:
    (folder / "twice.csv").write_text("f;*\nm;*\nf;*\n", encoding="utf-8")
    (folder / "both.csv").write_text("f;a;*\nm;b;*\nf;b;*\n", encoding="utf-8")
    (folder / "alike.csv").write_text(
        "value,all\n" + "".join(f"{age},*\n" for age in [*range(20, 60), "020"]), encoding="utf-8"
    )

    assert shop("hierarchy", "add", "sex", "both.csv").status == 2
    twice = shop("hierarchy", "add", "sex", "twice.csv")
    assert twice.status == 2
    assert "twice.csv" in twice.err
    shop("hierarchy", "add", "age", "alike.csv")
    ask(folder, levels=(", from: 0, to: 3", ""))
    ambiguous = shop("request", "run", "request.yaml")
    assert ambiguous.status == 2
    assert "age" in ambiguous.err


@pytest.mark.slow
def test_a_hierarchy_that_does_not_fit_the_column(shop: Program, folder: Path) -> None:
    (folder / "dates.yaml").write_text("date: [month, year]\n", encoding="utf-8")
    shop("hierarchy", "add", "dates", "dates.yaml")

    done = shop("hierarchy", "check", "dates", "--dataset", "members", "--column", "city")

    assert done.status == 2
    assert "column 'city', hierarchy 'dates'" in done.err


@pytest.mark.slow
@pytest.mark.parametrize(
    "query",
    [
        "DROP TABLE members",
        "SELECT 1; SELECT 2",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM 'members.csv'",
        "SELECT *, random() FROM members",
        "SELECT nothing FROM members",
        "not sql at all ((",
        "",
    ],
)
def test_hostile_dataset_queries(shop: Program, folder: Path, query: str) -> None:
    (folder / "query.sql").write_text(query, encoding="utf-8")

    done = shop("dataset", "add", "hostile", "--source", "shop", "--query", "query.sql")

    assert done.status in {2, 3}
    assert done.err.startswith("Error: ")
    assert [each["name"] for each in shop("dataset", "list", "--json").document["datasets"]] == ["members"]


@pytest.mark.slow
def test_a_source_that_is_gone_or_damaged_is_a_fault(ordermade: Program, folder: Path) -> None:
    (folder / "data.csv").write_text(f"name,age\n{MARKER},3\n", encoding="utf-8")
    ordermade("init")
    ordermade("source", "add", "data", "data.csv")
    ordermade("dataset", "add", "data", "--source", "data", "--table", "data")

    (folder / "data.csv").unlink()
    gone = ordermade("dataset", "show", "data")
    (folder / "junk.duckdb").write_bytes(b"junk" * 5000)
    junk = ordermade("source", "add", "junk", "junk.duckdb")
    (folder / "junk.parquet").write_bytes(b"junk" * 50)
    parquet = ordermade("source", "add", "junk", "junk.parquet")
    unset = ordermade("source", "add", "unset", "${ORDERMADE_TEST_NOT_SET}/data.csv")

    assert (gone.status, junk.status, parquet.status, unset.status) == (3, 3, 3, 3)
    assert "there is no such file" in gone.err
    assert "not a DuckDB database" in junk.err
    assert "ORDERMADE_TEST_NOT_SET is not set" in unset.err


@pytest.mark.slow
def test_a_folder_where_nothing_can_be_written(shop: Program, folder: Path) -> None:
    """A folder under /proc stands in for a read-only one: permissions do not stop the superuser."""
    ask(folder, to=("out/members.csv", "/proc/ordermade/members.csv"))

    release = shop("request", "run", "request.yaml")
    state = shop("--state", "/proc/ordermade/state.sqlite", "init")
    backup = shop("state", "backup", "/proc/copy.sqlite")
    draft = shop("hierarchy", "suggest", "members", "age", "--to", "/proc/draft.yaml")

    assert release.status in {2, 3}
    assert "/proc/ordermade" in release.err
    assert (state.status, backup.status, draft.status) == (3, 3, 3)
    assert "/proc" in state.err
    assert "/proc" in backup.err
    assert "/proc/draft.yaml" in draft.err


def test_a_file_where_a_folder_is_needed(shop: Program, folder: Path) -> None:
    (folder / "out").write_text("a file", encoding="utf-8")

    done = shop("request", "run", "request.yaml")

    assert done.status in {2, 3}
    assert "out" in done.err
    assert shop("--state", "out/state.sqlite", "init").status == 3
    assert (folder / "out").read_text(encoding="utf-8") == "a file"


@pytest.mark.slow
def test_a_file_that_is_no_state(ordermade: Program, folder: Path) -> None:
    (folder / "text.sqlite").write_text("not a database " * 100, encoding="utf-8")

    for command in ("init", "state status", "state verify", "state migrate", "source list"):
        done = ordermade("--state", "text.sqlite", *command.split())
        assert done.status == 3, command
        assert "text.sqlite" in done.err
    assert ordermade("--state", "", "state", "status").status == 2
    assert ordermade("--state", ".", "state", "status").status == 3


def test_a_log_level_that_is_none(ordermade: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORDERMADE_LOG", "loud")

    done = ordermade("--version")

    assert done.status == 2
    assert "Known: debug, info, json" in done.err


def test_a_memory_limit_that_is_none(shop: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORDERMADE_MEMORY", "much")

    done = shop("source", "show", "shop")

    assert done.status == 2
    assert "ORDERMADE_MEMORY" in done.err


@pytest.mark.slow
def test_whatever_was_refused_the_next_request_is_answered(shop: Program, folder: Path) -> None:
    write_request(folder / "bad.yaml", k=0)
    write_request(folder / "refused.yaml", k=144, end=1)

    assert shop("request", "run", "bad.yaml").status == 2
    assert shop("request", "run", "refused.yaml").status == 1
    assert shop("request", "run", "request.yaml").status == 0
    assert sorted(path.name for path in (folder / "out").iterdir()) == ["members.csv", "members.csv.manifest.json"]


def test_a_memory_limit_before_the_noun_bounds_the_database(shop: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """Above the one of the environment, which is not looked at then."""
    monkeypatch.setenv("ORDERMADE_MEMORY", "much")

    assert shop("--memory", "300MB", "source", "show", "shop").status == 0
    assert Settings(memory="300MB").engine().limits.memory == "300MB"
