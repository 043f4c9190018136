"""Every command once: what it prints for people and what it prints as JSON."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

import ordermade as package
from ordermade.state.cache import Cache
from tests.cli.conftest import PROGRAM, Program, write_members, write_request
from tests.state_by_hand import by_hand


def commands(group: object, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """The path of every command, groups included."""
    found = [path]
    for name, each in getattr(group, "commands", {}).items():
        found += commands(each, (*path, name))
    return found


def test_the_issue_s_commands_are_there() -> None:
    there = {" ".join(path) for path in commands(PROGRAM)}

    assert {
        "init",
        *(f"state {each}" for each in ("status", "migrate", "backup", "restore", "verify")),
        *(f"audit {each}" for each in ("list", "verify", "export")),
        *(f"cache {each}" for each in ("list", "purge")),
        *(f"source {each}" for each in ("add", "list", "show", "check", "remove")),
        *(f"dataset {each}" for each in ("add", "list", "show", "remove")),
        *(f"policy {each}" for each in ("check", "set", "list", "show", "diff", "schema")),
        *(f"hierarchy {each}" for each in ("add", "list", "show", "check", "remove", "suggest")),
        *(f"request {each}" for each in ("check", "predict", "explain", "run", "list", "show", "schema")),
        *(f"release {each}" for each in ("list", "show", "verify")),
        *(f"observations {each}" for each in ("list", "export", "prune")),
    } <= there


@pytest.mark.parametrize("noun", ["", *PROGRAM.commands])  # type: ignore[attr-defined]
def test_help_says_what_a_command_does_and_gives_an_example(noun: str, ordermade: Program) -> None:
    for path in commands(PROGRAM.commands[noun], (noun,)) if noun else [()]:  # type: ignore[attr-defined]
        done = ordermade(*path, "--help")

        named = " ".join(("ordermade", *path))
        assert done.status == 0, named
        assert f"Usage: {named}" in done.out
        assert [line for line in done.out.splitlines() if len(line) > 80] == [], named
        if len(path) > 1 or path == ("init",):
            assert f"$ {named}" in done.out


def test_every_option_is_explained() -> None:
    for path in commands(PROGRAM):
        command = PROGRAM
        for name in path:
            command = command.commands[name]  # type: ignore[attr-defined]

        assert command.help, path
        assert [each.name for each in command.params if not each.help] == [], path  # type: ignore[attr-defined]


def test_no_command_has_two_options_of_one_name() -> None:
    for path in commands(PROGRAM):
        command = PROGRAM
        for name in path:
            command = command.commands[name]  # type: ignore[attr-defined]
        names = [name for each in command.params for name in (*each.opts, *each.secondary_opts)]  # type: ignore[attr-defined]
        assert sorted(names) == sorted(set(names)), path


def test_version(ordermade: Program) -> None:
    assert ordermade("--version").out == f"ordermade {package.__version__}\n"


def test_no_command_prints_the_help(ordermade: Program) -> None:
    done = ordermade()

    assert done.status == 2
    assert "Commands:" in done.err + done.out


@pytest.mark.slow
def test_init_makes_a_state_once(ordermade: Program, folder: Path) -> None:
    first, second = ordermade("init"), ordermade("init")

    assert (first.status, second.status) == (0, 0)
    assert "Made the state" in first.out
    assert "is there already; nothing was changed" in second.out
    assert (folder / ".ordermade" / "state.sqlite").is_file()


@pytest.mark.slow
def test_a_state_is_named_before_the_noun_or_by_the_environment(
    ordermade: Program, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ordermade("--state", "own.sqlite", "init").status == 0
    assert ordermade("--state", "own.sqlite", "state", "status", "--json").document["path"] == str(
        folder / "own.sqlite"
    )
    monkeypatch.setenv("ORDERMADE_STATE", str(folder / "own.sqlite"))
    assert ordermade("source", "list").status == 0
    assert not (folder / ".ordermade").exists()


@pytest.mark.slow
def test_state_commands(shop: Program, folder: Path) -> None:
    status = shop("state", "status", "--json").document
    assert set(status) == {"format", "command", "path", "version", "pending", "bytes", "rows"}
    assert (status["pending"], status["rows"]["sources"], status["rows"]["hierarchies"]) == ([], 1, 3)
    assert "hierarchies" in shop("state", "status").out
    assert shop("state", "migrate").out == "Nothing to do: the state is up to date.\n"
    assert shop("state", "verify", "--json").document["sound"] is True
    assert "is sound" in shop("state", "verify").out
    assert shop("state", "backup", "copy.sqlite").status == 0
    assert (folder / "copy.sqlite").stat().st_mode & 0o777 == 0o600
    again = shop("state", "backup", "copy.sqlite")
    assert again.status == 2
    assert "never replaces a file" in again.err


@pytest.mark.slow
def test_state_verify_ends_with_3_where_the_state_is_not_sound(shop: Program, folder: Path) -> None:
    with by_hand(folder / ".ordermade" / "state.sqlite") as connection:
        connection.execute("DROP TABLE audit")

    found = shop("state", "verify", "--json")

    assert found.status == 3
    assert found.document["findings"] == [
        {"where": "audit_by_subject", "what": "the index is missing"},
        {"where": "audit", "what": "the table is missing"},
    ]
    assert "not sound" in found.err
    assert "audit" in shop("state", "verify").out


@pytest.mark.slow
def test_source_commands(shop: Program, registered: Path) -> None:
    (listed,) = shop("source", "list", "--json").document["sources"]
    assert (listed["name"], listed["kind"], listed["location"]) == ("shop", "csv", str(registered / "members.csv"))
    assert "shop" in shop("source", "list").out
    shown = shop("source", "show", "shop", "--json").document
    assert shown["tables"][0]["rows"] == 144
    assert {"name": "age", "type": "BIGINT"} in shown["tables"][0]["columns"]
    assert "table members: 144 rows" in shop("source", "show", "shop").out
    assert shop("source", "check", "shop", "--json").document == {
        "format": "ordermade-output/1",
        "command": "source check",
        "source": "shop",
        "readable": True,
        "tables": 1,
        "rows": 144,
    }
    assert "can be read" in shop("source", "check", "shop").out
    in_use = shop("source", "remove", "shop")
    assert in_use.status == 2
    assert "members" in in_use.err
    assert shop("dataset", "remove", "members").status == 0
    assert "Its data was not touched" in shop("source", "remove", "shop").out
    assert "No source is registered" in shop("source", "list").out
    assert (registered / "members.csv").exists()


@pytest.mark.slow
def test_dataset_commands(shop: Program, folder: Path) -> None:
    (folder / "adults.sql").write_text("SELECT sex, age, city FROM members WHERE age >= 30\n", encoding="utf-8")
    added = shop("dataset", "add", "adults", "--source", "shop", "--query", "adults.sql")
    assert added.out == "Added the dataset 'adults': a query of the source 'shop'; the least k is 5.\n"
    names = [each["name"] for each in shop("dataset", "list", "--json").document["datasets"]]
    assert names == ["adults", "members"]
    assert "a query" in shop("dataset", "list").out
    shown = shop("dataset", "show", "members", "--json").document
    assert (shown["rows"], shown["dataset"]["entity_column"]) == (144, None)
    persons = shop("dataset", "add", "persons", "--source", "shop", "--table", "members", "--entity", "NAME")
    assert "persons" in persons.out
    assert shop("dataset", "show", "persons", "--json").document["dataset"]["entity_column"] == "name"
    assert "SELECT" in shop("dataset", "show", "adults").out
    both = shop("dataset", "add", "x", "--source", "shop", "--table", "members", "--query", "adults.sql")
    assert both.status == 2
    assert "not both" in both.err
    assert shop("dataset", "remove", "adults").out == "Removed the dataset 'adults'.\n"


@pytest.mark.slow
def test_hierarchy_commands(shop: Program, folder: Path) -> None:
    assert [each["name"] for each in shop("hierarchy", "list", "--json").document["hierarchies"]] == [
        "age",
        "city",
        "sex",
    ]
    assert "explicit" in shop("hierarchy", "list").out
    assert "Unchanged" in shop("hierarchy", "add", "sex", "sex.csv", "--style", "arx").out
    shown = shop("hierarchy", "show", "age", "--json").document
    assert [each["name"] for each in shown["levels"]] == ["age", "five years", "twenty years", "*"]
    assert [each["refines"] for each in shown["levels"]] == [[1, 2, 3], [2, 3], [3], []]
    assert shown["first_values"][0] == {"value": "20", "labels": ["20-24", "20s", "*"]}
    screen = shop("hierarchy", "show", "age", "--leaves", "2").out
    assert "the levels nest" in screen
    assert "20-24" in screen
    assert "\n22 " not in screen
    checked = shop("hierarchy", "check", "age", "--dataset", "members", "--column", "age", "--json").document
    assert checked["usable"] is True
    assert checked["report"]["never_used"] == 4
    assert "covers the column" in shop("hierarchy", "check", "age", "--dataset", "members", "--column", "age").out
    assert "Removed" in shop("hierarchy", "remove", "age").out
    assert shop("hierarchy", "show", "age").status == 2


@pytest.mark.slow
def test_hierarchy_check_ends_with_2_and_shows_values_only_where_asked(shop: Program, folder: Path) -> None:
    (folder / "few.csv").write_text("Oslo;Norway;*\nBergen;Norway;*\nKyoto;Japan;*\n", encoding="utf-8")
    shop("hierarchy", "add", "few", "few.csv")

    checked = shop("hierarchy", "check", "few", "--dataset", "members", "--column", "city")
    shown = shop("hierarchy", "check", "few", "--dataset", "members", "--column", "city", "--show-values")

    assert (checked.status, shown.status) == (2, 2)
    assert "Missing: 1 value in 36 rows is not in the hierarchy." in checked.out
    assert "Osaka" not in checked.out + checked.err
    assert "Osaka" in shown.out
    assert "does not cover" in checked.err


@pytest.mark.slow
def test_levels_that_do_not_nest_are_told(ordermade: Program, folder: Path) -> None:
    ordermade("init")
    (folder / "ages.yaml").write_text("intervals:\n  levels:\n    - width: 5\n    - width: 7\n", encoding="utf-8")
    ordermade("hierarchy", "add", "ages", "ages.yaml")

    assert "does not refine" in ordermade("hierarchy", "show", "ages").out
    assert "an interval of 7 from 0" in ordermade("hierarchy", "show", "ages").out
    assert ordermade("hierarchy", "show", "ages", "--json").document["nested"] is False


@pytest.mark.slow
def test_hierarchy_suggest_writes_a_draft_that_can_be_added(shop: Program, folder: Path) -> None:
    printed = shop("hierarchy", "suggest", "members", "age")
    assert "intervals:" in printed.out

    written = shop("hierarchy", "suggest", "members", "city", "--to", "draft.yaml")
    assert written.status == 0
    assert (folder / "draft.yaml").stat().st_mode & 0o777 == 0o600
    assert shop("hierarchy", "add", "draft", "draft.yaml").status == 0
    again = shop("hierarchy", "suggest", "members", "city", "--to", "draft.yaml")
    assert again.status == 2
    assert "never replaces a file" in again.err
    assert shop("hierarchy", "suggest", "members", "city", "--to", "nowhere/draft.yaml").status == 2


@pytest.mark.slow
def test_hierarchy_suggest_all_writes_a_draft_for_every_column_that_has_one(shop: Program, folder: Path) -> None:
    listed = shop("hierarchy", "suggest", "members", "--all")
    assert listed.status == 0
    assert "age.yaml" in listed.out
    assert not (folder / "drafts").exists()

    written = shop("hierarchy", "suggest", "members", "--all", "--to", "drafts", "--least-rows", "3")
    assert written.status == 0
    assert "`ordermade request draft members` proposes which" in written.out
    assert (folder / "drafts").stat().st_mode & 0o777 == 0o700
    drafts = sorted((folder / "drafts").iterdir())
    assert {"age.yaml", "city.yaml", "sex.yaml"} <= {each.name for each in drafts}
    for each in drafts:
        assert each.stat().st_mode & 0o777 == 0o600
        if each.stem in {"age", "city", "sex"}:
            assert shop("hierarchy", "add", each.stem, str(each)).status == 0

    drafts[-1].unlink()
    again = shop("hierarchy", "suggest", "members", "--all", "--to", "drafts")
    assert again.status == 2
    assert "never replaces a file" in again.err
    assert not drafts[-1].exists()


@pytest.mark.slow
def test_hierarchy_suggest_takes_a_column_or_all(shop: Program) -> None:
    for arguments in (("members",), ("members", "age", "--all")):
        refused = shop("hierarchy", "suggest", *arguments)
        assert refused.status == 2
        assert "--all" in refused.err
    assert shop("hierarchy", "suggest", "members", "--all", "--to", "members.csv").status == 2
    assert shop("hierarchy", "suggest", "members", "--all", "--to", "nowhere/drafts").status == 2


@pytest.mark.slow
def test_cache_commands(shop: Program, folder: Path) -> None:
    assert [each["kind"] for each in shop("cache", "list", "--json").document["entries"]] == ["twin"]
    shop("cache", "purge")
    assert shop("cache", "list", "--json").document["entries"] == []
    assert "empty" in shop("cache", "list").out
    shop("request", "run", "request.yaml")
    Cache(folder / ".ordermade" / "cache.duckdb").store_marginals(7, {("age", "a1"): ((2, 3),)})
    entries = {each["kind"]: each for each in shop("cache", "list", "--json").document["entries"]}
    assert [each["column"] for each in entries["frequency set"]["columns"]] == ["sex", "age", "city"]
    assert 7 in {each.get("dataset_version_id") for each in shop("cache", "list", "--json").document["entries"]}
    assert entries["twin"]["bytes"] > 0
    listed = shop("cache", "list").out
    assert "rows of a CSV file" in listed
    assert "sex, age, city" in listed
    assert "marginals of 1 level" in listed
    assert shop("cache", "purge", "--dataset", "members").out.startswith(
        "Dropped 1 frequency set and the marginals of "
    )
    assert shop("cache", "purge").out == "Dropped 0 frequency sets and the marginals of 1 level.\n"
    assert shop("cache", "purge").out == "Dropped 0 frequency sets and the marginals of 0 levels.\n"
    assert shop("cache", "purge", "--dataset", "membres").status == 2
    assert not (folder / ".ordermade" / "cache.duckdb").exists()


@pytest.mark.slow
def test_the_cache_of_a_removed_dataset_is_purged_by_the_name_it_had(shop: Program) -> None:
    shop("request", "run", "request.yaml")
    shop("dataset", "remove", "members")
    assert shop("cache", "purge", "--dataset", "members").out.startswith(
        "Dropped 1 frequency set and the marginals of "
    )
    assert shop("cache", "list", "--json").document["entries"] == []


@pytest.mark.slow
def test_the_cache_of_a_dataset_first_asked_inline_is_purged_by_its_name(shop: Program, folder: Path) -> None:
    request = (folder / "request.yaml").read_text(encoding="utf-8")
    inline = request.replace("dataset: members", "dataset: {source: own, table: members}")
    (folder / "inline.yaml").write_text(inline, encoding="utf-8")
    (source,) = shop("source", "list", "--json").document["sources"]
    assert shop("source", "add", "own", source["location"], "--allow-inline").status == 0
    assert shop("request", "run", "inline.yaml").status == 0
    assert shop("cache", "purge", "--dataset", "members").out.startswith("Dropped 0 frequency sets")
    assert shop("request", "run", "request.yaml").status == 0
    assert shop("cache", "purge", "--dataset", "members").out.startswith("Dropped 1 frequency set ")


@pytest.mark.slow
def test_release_commands(shop: Program, folder: Path) -> None:
    assert "Nothing was released yet" in shop("release", "list").out
    shop("request", "run", "request.yaml")
    (listed,) = shop("release", "list", "--json").document["releases"]
    assert (listed["id"], listed["path"]) == (1, str(folder / "out" / "members.csv"))
    assert "members.csv" in shop("release", "list").out
    shown = shop("release", "show", "1", "--json").document
    assert {each["column"]: each["role"] for each in shown["columns"]} == {
        "sex": "quasi-identifier",
        "age": "quasi-identifier",
        "city": "quasi-identifier",
        "plan": "keep",
    }
    assert "sha256" in shop("release", "show", "1", "--verbose").out
    verified = shop("release", "verify", "1", "--json").document
    assert verified["intact"] is True
    assert "is intact" in shop("release", "verify", "1").out


@pytest.mark.slow
def test_commands_say_that_a_query_vouches_for_the_versions(shop: Program, folder: Path) -> None:
    query = "SELECT count(*), max(age) FROM members"
    digest = hashlib.sha256(query.encode()).hexdigest()
    of_source = ("--source", "shop", "--table", "members", "--version-query")
    refused = shop("dataset", "add", "vouched", *of_source, "SELECT name FROM members")
    assert (refused.status, "--version-query: the version query gives several rows" in refused.err) == (2, True)
    assert "its version query vouches for its versions" in shop("dataset", "add", "vouched", *of_source, query).out
    assert query in shop("dataset", "show", "vouched").out
    assert shop("dataset", "show", "vouched", "--json").document["dataset"]["version_query"] == query
    listed = {each["name"]: each["version_query"] for each in shop("dataset", "list", "--json").document["datasets"]}
    assert (listed["vouched"], listed["members"]) == (query, None)

    asked = (folder / "request.yaml").read_text(encoding="utf-8").replace("dataset: members", "dataset: vouched")
    (folder / "vouched.yaml").write_text(asked, encoding="utf-8")
    assert "dataset version: vouched for by the provider's query" in shop("request", "explain", "vouched.yaml").out
    assert shop("request", "check", "vouched.yaml", "--data", "--json").document["data"]["version"] is None
    assert shop("request", "run", "vouched.yaml").status == 0
    predicted = shop("request", "predict", "vouched.yaml", "--json").document
    assert predicted["cost"]["version_queries"] == 2
    assert shop("release", "verify", "1", "--json").document["vouched_by"] == digest
    assert f"vouched for by the provider's query, SHA-256 {digest}" in shop("release", "verify", "1").out


@pytest.mark.slow
def test_release_verify_ends_with_3_where_a_release_is_not_what_it_was(shop: Program, folder: Path) -> None:
    shop("request", "run", "request.yaml")
    released = folder / "out" / "members.csv"
    text = released.read_text(encoding="utf-8").splitlines(keepends=True)
    released.chmod(0o600)
    released.write_text("".join(text[:-1]), encoding="utf-8")

    changed = shop("release", "verify", "1", "--json")
    released.unlink()
    gone = shop("release", "verify", "1")

    assert (changed.status, changed.document["intact"], gone.status) == (3, False, 3)
    assert "has changed since it was released" in changed.err
    assert "no longer there" in gone.err


@pytest.mark.slow
def test_request_commands(shop: Program, folder: Path) -> None:
    checked = shop("request", "check", "request.yaml", "--json").document
    assert (checked["sound"], checked["nodes_in_lattice"], checked["problems"]) == (True, 24, [])
    assert "24 nodes over sex (2 levels)" in shop("request", "check", "request.yaml").out
    assert "No request was run yet" in shop("request", "list").out
    shop("request", "run", "request.yaml")
    (listed,) = shop("request", "list", "--json").document["requests"]
    assert (listed["id"], listed["status"], listed["k"]) == (1, "released", 5)
    assert "Members by sex" in shop("request", "list").out
    shown = shop("request", "show", "1", "--json").document
    assert [each["column"] for each in shown["quasi_identifiers"]] == ["sex", "age", "city"]
    assert shown["identifiers"] == ["name", "phone"]
    assert "released" in shop("request", "show", "1").out
    schema = shop("request", "schema").document
    kinds, otherwise = [], schema
    while "else" in otherwise:  # one `if` a method; the last is what is left
        kinds.append(otherwise["then"])
        otherwise = otherwise["else"]
    for kind in (*kinds, otherwise):
        assert schema["$defs"][kind["$ref"].removeprefix("#/$defs/")]["properties"]["k"]["minimum"] == 2


@pytest.mark.slow
def test_read_only_commands_make_no_file(ordermade: Program, folder: Path) -> None:
    write_members(folder / "members.csv")
    write_request(folder / "request.yaml")
    before = sorted(path.name for path in folder.iterdir())

    for command in (
        "state status",
        "state verify",
        "state migrate",
        "source list",
        "source show shop",
        "dataset list",
        "hierarchy list",
        "policy list",
        "policy show members",
        "hierarchy show age",
        "request list",
        "request check request.yaml",
        "request explain request.yaml",
        "request predict request.yaml",
        "request run request.yaml",
        "release list",
        "release verify 1",
        "observations list",
        "state backup copy.sqlite",
    ):
        done = ordermade(*command.split())
        assert done.status == 3, command
        assert "ordermade init" in done.err
    assert ordermade("cache", "list").status == 0
    assert ordermade("cache", "purge").status == 0
    assert ordermade("request", "schema").status == 0
    assert sorted(path.name for path in folder.iterdir()) == before


@pytest.mark.parametrize("arguments", [(), ("--no-rollup",)], ids=["frequency set", "in the source"])
@pytest.mark.slow
def test_explain_prints_every_step_and_runs_nothing(shop: Program, folder: Path, arguments: tuple[str, ...]) -> None:
    explained = shop("request", "explain", "request.yaml", *arguments)
    same = shop("request", "run", "request.yaml", "--explain", *arguments)
    steps = shop("request", "explain", "request.yaml", "--json", *arguments).document["steps"]

    assert explained.out == same.out
    assert explained.out.count("\n-- ") + 1 == len(steps)
    titles = [each["title"] for each in steps]
    assert ("frequency set" in titles) == (not arguments)
    assert "k-check" in titles
    assert all(f"{each['sql']};\n" in explained.out for each in steps)
    assert shop("request", "list", "--json").document["requests"] == []
    assert not (folder / "out").exists()


@pytest.mark.slow
def test_json_is_one_document_for_every_command_that_has_it(shop: Program) -> None:
    shop("request", "run", "request.yaml")
    for command in (
        "state status",
        "state verify",
        "cache list",
        "source list",
        "source show shop",
        "source check shop",
        "dataset list",
        "dataset show members",
        "hierarchy list",
        "hierarchy show city",
        "hierarchy check city --dataset members --column city",
        "request check request.yaml",
        "request explain request.yaml",
        "request list",
        "request show 1",
        "release list",
        "release show 1",
        "release verify 1",
        "observations list",
        "observations export measured.csv",
        "observations prune --all",
    ):
        done = shop(*command.split(), "--json")
        json.loads(done.out)
        assert (done.status, done.err) == (0, "")
