"""The checks of `make check` find what they are for."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace

import pytest
import typer

from checks import blocks, completeness, links, loaded, pages, pictures, runs, site, sql, words

PAGE = """\
# A page

See [the next](#a-heading--more), [nothing](nowhere.md), [away](https://example.org) and [no heading](#none).

## A heading & more

```console
$ make demo
$ ordermade source add members members.csv --writable   # a comment
$ ORDERMADE_STATE=x ordermade --quiet source add members \\
> members.csv --level 3 | head
$ ordermade source ad members && ordermade source add members --writeable
```

```python
print("unfinished"
```
"""


def page(folder: Path, text: str) -> pages.Page:
    path = folder / "page.md"
    path.write_text(text, encoding="utf-8")
    return pages.read_page(path)


@pytest.fixture
def program() -> object:
    app, source = typer.Typer(), typer.Typer()

    @app.callback()
    def top(quiet: bool = False) -> None: ...

    @source.command("add")
    def add(name: str, path: str, writable: bool = False, level: int = 0) -> None: ...

    @source.command("list")
    def listed() -> None: ...

    app.add_typer(source, name="source")
    return typer.main.get_command(app)


def test_links_that_lead_nowhere_are_found_with_their_line(tmp_path: Path) -> None:
    assert list(links.link_findings(page(tmp_path, PAGE))) == [
        (3, "the link nowhere.md leads to no file"),
        (3, "the link #none leads to no heading"),
    ]


def test_unknown_commands_and_options_are_found(tmp_path: Path, program: object) -> None:
    block = page(tmp_path, PAGE).blocks[0]

    assert list(blocks.command_findings(block, program)) == [
        "`ordermade source` has no command ad",
        "`ordermade source add` has no option --writeable",
    ]


def test_python_that_does_not_compile_is_found(tmp_path: Path) -> None:
    (finding,) = blocks.python_findings(page(tmp_path, PAGE).blocks[1], "page.md")

    assert finding.startswith("does not compile")


@pytest.mark.parametrize("kind", ["request", "hierarchy", "rules", "keywords"])
def test_yaml_that_the_engine_does_not_read_is_found(tmp_path: Path, kind: str) -> None:
    marked = page(tmp_path, f"```yaml\n# {kind}\nnonsense: 1\n```\n")
    unmarked = page(tmp_path, "```yaml\nnonsense: 1\n```\n")

    assert len(list(blocks.yaml_findings(marked.blocks[0]))) == 1
    assert list(blocks.yaml_findings(unmarked.blocks[0])) == []


def test_marked_blocks_are_run_in_one_folder_and_must_end_as_told(tmp_path: Path) -> None:
    marked = (
        "<!-- file: a/b.txt -->\n```text\nhello\n```\n\n"
        "<!-- run -->\n```console\n$ grep hello a/b.txt > c.txt\nhello\n```\n\n"
        "<!-- run: exit 1 -->\n```console\n$ test -f c.txt\n$ grep goodbye c.txt\n```\n\n"
        "Not marked:\n\n```console\n$ false\n```\n"
    )
    wrong = marked.replace("goodbye", "hello")

    assert list(runs.run_findings(page(tmp_path, marked))) == []
    ((line, finding),) = runs.run_findings(page(tmp_path, wrong))
    assert (line, finding) == (13, "`grep hello c.txt` ended with 0, not 1: hello")


def test_marked_python_is_run_as_one_program_in_the_folder_of_the_page(tmp_path: Path) -> None:
    marked = (
        "<!-- file: a.txt -->\n```text\nhello\n```\n\n"
        "<!-- run -->\n```python\nread = open('a.txt').read()\n```\n\n"
        "<!-- run -->\n```python\nassert read == 'hello\\n'\nopen('b.txt', 'w').close()\n```\n\n"
        "<!-- run -->\n```console\n$ test -f b.txt\n```\n\n"
        "Not marked:\n\n```python\n1 / 0\n```\n"
    )

    assert list(runs.run_findings(page(tmp_path, marked))) == []
    ((line, finding),) = runs.run_findings(page(tmp_path, marked.replace("'hello", "'goodbye")))
    assert (line, finding) == (13, "the program ended with 1: AssertionError")


def findings_of(path: Path, text: str, check: Callable[[pages.Page], Iterable[tuple[int, str]]]) -> list[str]:
    return [finding for _, finding in check(page(path, text))]


def test_a_block_that_could_run_says_why_it_does_not(tmp_path: Path) -> None:
    unmarked = "```console\n$ ls\n```\n"

    def marks(read: pages.Page) -> list[tuple[int, str]]:
        return [(block.line, each) for block in read.blocks for each in blocks.mark_findings(read, block)]

    assert "could run" in findings_of(tmp_path, unmarked, marks)[0]
    assert findings_of(tmp_path, "<!-- shown: it is long -->\n" + unmarked, marks) == []
    assert "say why" in findings_of(tmp_path, "<!-- shown: -->\n" + unmarked, marks)[0]
    assert findings_of(tmp_path, "```yaml\n# request\nk: 5\n```\n", marks) == []


def test_an_output_is_compared_but_for_times_and_hashes(tmp_path: Path) -> None:
    text = (
        "<!-- run -->\n```console\n$ echo rows 5 in 1.2 s; echo 0a1b2c3d4e5f; echo more\n```\n\n"
        "<!-- output: 2 lines -->\n```text\nrows   5 in 33 s\nffff00001111\n```\n"
    )

    assert findings_of(tmp_path, text, runs.run_findings) == []
    assert "another one now" in findings_of(tmp_path, text.replace("rows   5", "rows 6"), runs.run_findings)[0]


def test_a_refusal_stands_above_what_its_command_printed(tmp_path: Path) -> None:
    text = (
        "<!-- run: exit 1 -->\n```console\n$ echo offers; (echo Refused; echo Compiling the method once) >&2; false\n"
        "```\n\n<!-- output -->\n```text\nRefused\noffers\n```\n"
    )
    assert findings_of(tmp_path, text, runs.run_findings) == []


def test_outputs_are_written_into_their_blocks_and_nothing_else(tmp_path: Path) -> None:
    text = "<!-- run -->\n```console\n$ echo a; echo b\n```\n\n<!-- output -->\n```text\n{}```\n\nThe end.\n"

    for before in ("", "old\n", "old\nolder\noldest\n"):
        assert runs.write_outputs(page(tmp_path, text.format(before)))
        assert (tmp_path / "page.md").read_text(encoding="utf-8") == text.format("a\nb\n")
    assert not runs.write_outputs(page(tmp_path, text.format("a\nb\n")))


def test_a_sentence_begins_with_its_subject(tmp_path: Path) -> None:
    text = "# What k means\n\nRows are counted. What is left is\nreleased.\n\n* Which one? The first.\n* It was told.\n"

    assert findings_of(tmp_path, text, words.word_findings) == [
        "a sentence begins with a free relative: What is left is released.",
        "say it without `told`: It was told.",
    ]


def test_words_are_those_of_prose_and_tables(tmp_path: Path) -> None:
    text = "# A title\n\n[Two words](a/long/target.md) <!-- none -->\n\n| a | b c |\n|---|---|\n\n```text\nno\n```\n"

    assert words.words(page(tmp_path, text)) == 7


def test_a_picture_needs_the_command_that_makes_it(tmp_path: Path) -> None:
    quick = "<!-- picture: python -m bench.how_it_works -->\n![Of two\nlines](how-it-works.svg)\n"
    drawn = pages.DOCS / "images" / "how-it-works.svg"
    (tmp_path / drawn.name).write_bytes(drawn.read_bytes())

    assert findings_of(tmp_path, quick, pictures.picture_findings) == []
    assert "does not stand above" in findings_of(tmp_path, "![A](how-it-works.svg)\n", pictures.picture_findings)[0]
    wrong = quick.replace("how_it_works", "nothing")
    assert "names no module" in findings_of(tmp_path, wrong, pictures.picture_findings)[0]


@pytest.mark.slow
def test_the_reference_is_complete() -> None:
    assert list(completeness.omissions()) == []


def test_commands_options_and_keys_that_a_page_leaves_out_are_found(program: object) -> None:
    text = "# `ordermade`\n`--quiet`\n## `ordermade source`\n### `ordermade source add`\n`NAME` `PATH` `--writable`\n"
    schema = {
        "properties": {"method": {}},
        "$defs": {"ARequest": {"properties": {"k": {}}}, "Part": {"properties": {"of": {}}}},
    }

    assert list(completeness.command_omissions(text, program)) == [
        "does not name --level under `ordermade source add`",
        "has no heading `ordermade source list`",
    ]
    assert list(completeness.key_omissions("## One\n| `k` |\n| `method` |\n", schema)) == [
        "has no table with all keys of Part: of"
    ]


@pytest.mark.parametrize(("place", "boost"), [("tasks/measure.md", 2.0), ("reference/cli.md", 0.5), ("index.md", None)])
def test_a_task_stands_above_the_reference_in_the_search(place: str, boost: float | None) -> None:
    shown = SimpleNamespace(file=SimpleNamespace(src_uri=place), meta={})
    site.on_page_markdown("text", shown)
    assert shown.meta.get("search", {}).get("boost") == boost


def test_links_of_a_forge_lead_to_their_places_in_the_site() -> None:
    text = (
        "<!-- x -->\n[a](../../CONTRIBUTING.md#set) [b](../reference/cli.md) [c](../../sql/a.sql)\n```text\n[d](e)\n```"
    )

    assert site.in_site(text, "docs/tasks/measure.md", "tasks/measure.md") == (
        "[a](../project/contributing.md#set) [b](../reference/cli.md) [c](../sql/a.sql)\n```text\n[d](e)\n```"
    )
    assert (
        site.in_site("[a](docs/tasks/measure.md)", "CONTRIBUTING.md", "project/contributing.md")
        == "[a](../tasks/measure.md)"
    )


def test_a_block_of_a_file_has_its_name_in_the_site() -> None:
    text = "Text.\n\n<!-- file: a.yaml -->\n```yaml\nx: 1\n```\n\n<!-- run -->\n```console\n$ a\n```"
    shown = 'Text.\n\n```yaml title="Save as a.yaml"\nx: 1\n```\n\n```console\n$ a\n```'
    assert site.in_site(text, "docs/tasks/measure.md", "tasks/measure.md") == shown


@pytest.mark.parametrize(
    ("command", "is_plain"),
    [
        ("ordermade release list", True),
        ("ordermade measure visits.csv --where 'age = 30'", True),
        ("ordermade release list | head -3", False),
        ("ordermade sweep members.yaml --json > sweep.json", False),
        ("ordermade init   # a comment", False),
        ("ORDERMADE_STATE=x ordermade init", False),
        ("ordermade sweep members.yaml \\\n--plot curve.png", False),
        ("sh run.sh", False),
    ],
)
def test_a_command_that_needs_a_shell_is_run_by_one(command: str, is_plain: bool) -> None:
    assert bool(loaded.PLAIN.fullmatch(command)) == is_plain


TABLE = "-- One row is a number.\nCREATE TABLE t AS SELECT 3 AS a"
SELECTION = "-- How many? One row.\n-- $least = 2\n-- after: t\nSELECT COUNT(*) FROM t WHERE t.a >= $least\n"


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        (SELECTION, None),
        ("-- Adds one.\n-- after: t\nINSERT INTO t VALUES (4)\n", None),
        ("SELECT 1\n", "begins with no comment: say what it answers and what one row is"),
        ("-- How many?\nSELECT 1\n", "the header does not say what one row is"),
        ("-- One row.\n", "holds no statement"),
        (SELECTION.replace("t.a", "t.b"), "does not run"),
        (SELECTION.replace(">= $least", "> 0"), "$least is declared in the header and not used"),
        (
            SELECTION.replace("-- $least = 2\n", ""),
            "$least has no line `-- $least = <SQL literal>` in the header",
        ),
        (SELECTION.replace("-- after: t\n", ""), "does not run"),
        (SELECTION.replace("after: t", "after: s"), "`-- after: s`: no such section"),
        (SELECTION.replace("after: t", "after: statement"), "`-- after: statement`: in a circle"),
        ("-- One row.\nSELECT FROM FROM\n", "sqlglot does not parse it"),
    ],
)
def test_statement_is_explained_and_runs(tmp_path: Path, text: str, finding: str | None) -> None:
    ground = sql.Ground("cache", {"statement": text, "t": TABLE}, tmp_path)

    found = list(sql.section_findings(ground, "statement"))

    assert len(found) == (finding is not None)
    assert all(text.startswith(finding or "") for text in found)


def test_a_statement_runs_on_the_stand_ins_that_it_names_and_what_they_are_made_of() -> None:
    made = sql.stand_ins_for(["SELECT * FROM others"])

    assert [each.split(" AS")[0] for each in made[:3]] == [
        "CREATE TEMPORARY TABLE dataset",
        "ALTER TABLE dataset ADD COLUMN condition BOOLEAN DEFAULT TRUE;",
        "CREATE TEMPORARY TABLE others",
    ]
    assert len(made) < len(sql.stand_ins()) / 5
    assert not sql.stand_ins_for(["SELECT 1"])
    assert any(each.startswith("COPY dataset TO") for each in sql.stand_ins_for(["FROM 'stand_in.csv'"]))


def test_files_of_statements_say_their_topic_and_have_sections(tmp_path: Path) -> None:
    for name, text in {
        "sound": "-- Numbers.\n\n-- name: one\n-- One row.\nSELECT 1;\n",
        "stand_ins": "SELECT 1;\n",
        "release/silent": "-- name: one\n-- One row.\nSELECT 1;\n",
        "empty": "-- Numbers.\n",
        "doubled": "-- Numbers.\n-- name: one\nSELECT 1;\n-- name: one\nSELECT 2;\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.sql").write_text(text, encoding="utf-8")

    found, wrong = sql.statements(tmp_path)

    assert found["sound"] == {"one": "-- One row.\nSELECT 1"}
    assert sorted(found) == ["empty", "release/silent", "sound"]
    assert wrong == [
        "sql/doubled.sql: two sections are called one",
        "sql/empty.sql: has no line `-- name: <name>`",
        "sql/release/silent.sql: begins with no comment that says what it is about",
    ]


def test_a_statement_that_nothing_names_is_found() -> None:
    assert sql.is_named("classes", "checked_node", {"classes/checked_node"})
    assert not sql.is_named("classes", "checked_node", {"checked_node", "/checked_node", "counting/checked_node"})
    assert sql.is_named("mysql", "plan", {"/plan"})
    assert not sql.is_named("mysql", "plan", {"postgres/plan"})
    assert sql.is_named("cache", "stand_ins", set())


def test_a_name_of_no_statement_is_found() -> None:
    texts = {"classes": {"checked_node": ""}, "release/rows": {"sorted": ""}}
    strings = [
        sql.Text(value, "module.py:1", is_loaded)
        for value, is_loaded in (
            ("classes/checked_node", True),
            ("release/rows/sorted", False),
            ("classes/checked_nodes", False),
            ("release/row/sorted", False),
            ("class/checked_node", True),
            ("sorted", True),
            ("text/plain", False),
            ("sorted", False),
        )
    ]

    found = [finding.rpartition(" ")[2] for finding in sql.unknown_names(texts, strings)]

    assert found == ["classes/checked_nodes", "release/row/sorted", "class/checked_node", "sorted"]


@pytest.mark.parametrize(
    ("code", "is_loading"),
    [
        ('sql.template("a/b")', True),
        ('statement("a/b")', True),
        ("sql.template()", False),
        ('sql.table("a")', False),
        ('exp.select("a")', False),
    ],
)
def test_a_call_that_loads_a_statement_is_recognised(code: str, is_loading: bool) -> None:
    call = ast.parse(code, mode="eval").body

    assert isinstance(call, ast.Call)
    assert sql.is_loading(call) is is_loading


@pytest.mark.parametrize("text", ["SELECT 1", "\n  WITH a AS (", "insert into t values (1)", "Drop Table t "])
def test_sql_text_is_recognised(text: str) -> None:
    assert sql.SQL_TEXT.match(text)


@pytest.mark.parametrize("text", ["select", "SELECT", "with the release", "Create a dataset first", "update the state"])
def test_prose_is_not_sql(text: str) -> None:
    assert not sql.SQL_TEXT.match(text)
