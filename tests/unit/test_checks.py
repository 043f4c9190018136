"""The checks of `make check` find what they are for."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer

from checks import docs, sql

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


def page(folder: Path, text: str) -> docs.Page:
    path = folder / "page.md"
    path.write_text(text, encoding="utf-8")
    return docs.read_page(path)


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
    assert list(docs.link_findings(page(tmp_path, PAGE))) == [
        (3, "the link nowhere.md leads to no file"),
        (3, "the link #none leads to no heading"),
    ]


def test_unknown_commands_and_options_are_found(tmp_path: Path, program: object) -> None:
    block = page(tmp_path, PAGE).blocks[0]

    assert list(docs.command_findings(block, program)) == [
        "`ordermade source` has no command ad",
        "`ordermade source add` has no option --writeable",
    ]


def test_python_that_does_not_compile_is_found(tmp_path: Path) -> None:
    (finding,) = docs.python_findings(page(tmp_path, PAGE).blocks[1], "page.md")

    assert finding.startswith("does not compile")


@pytest.mark.parametrize("kind", ["request", "hierarchy", "rules", "keywords"])
def test_yaml_that_the_engine_does_not_read_is_found(tmp_path: Path, kind: str) -> None:
    marked = page(tmp_path, f"```yaml\n# {kind}\nnonsense: 1\n```\n")
    unmarked = page(tmp_path, "```yaml\nnonsense: 1\n```\n")

    assert len(list(docs.yaml_findings(marked.blocks[0]))) == 1
    assert list(docs.yaml_findings(unmarked.blocks[0])) == []


def test_marked_blocks_are_run_in_one_folder_and_must_end_as_told(tmp_path: Path) -> None:
    marked = (
        "<!-- file: a/b.txt -->\n```text\nhello\n```\n\n"
        "<!-- run -->\n```console\n$ grep hello a/b.txt > c.txt\nhello\n```\n\n"
        "<!-- run: exit 1 -->\n```console\n$ test -f c.txt\n$ grep goodbye c.txt\n```\n\n"
        "Not marked:\n\n```console\n$ false\n```\n"
    )
    wrong = marked.replace("goodbye", "hello")

    assert list(docs.run_findings(page(tmp_path, marked))) == []
    ((line, finding),) = docs.run_findings(page(tmp_path, wrong))
    assert (line, finding) == (13, "`grep hello c.txt` ended with 0, not 1: hello")


def test_marked_python_is_run_as_one_program_in_the_folder_of_the_page(tmp_path: Path) -> None:
    marked = (
        "<!-- file: a.txt -->\n```text\nhello\n```\n\n"
        "<!-- run -->\n```python\nread = open('a.txt').read()\n```\n\n"
        "<!-- run -->\n```python\nassert read == 'hello\\n'\nopen('b.txt', 'w').close()\n```\n\n"
        "<!-- run -->\n```console\n$ test -f b.txt\n```\n\n"
        "Not marked:\n\n```python\n1 / 0\n```\n"
    )

    assert list(docs.run_findings(page(tmp_path, marked))) == []
    ((line, finding),) = docs.run_findings(page(tmp_path, marked.replace("'hello", "'goodbye")))
    assert (line, finding) == (13, "the program ended with 1: AssertionError")


TABLE = "-- One row is a number.\nCREATE TABLE t AS SELECT 3 AS a\n"
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
        (SELECTION.replace("after: t", "after: s"), "`-- after: s`: no such file"),
        (SELECTION.replace("after: t", "after: statement"), "`-- after: statement`: in a circle"),
        ("-- One row.\nSELECT FROM FROM\n", "sqlglot does not parse it"),
    ],
)
def test_sql_file_is_explained_and_runs(tmp_path: Path, text: str, finding: str | None) -> None:
    path = tmp_path / "statement.sql"
    path.write_text(text, encoding="utf-8")
    (tmp_path / "t.sql").write_text(TABLE, encoding="utf-8")

    found = list(sql.file_findings(sql.Ground("cache", tmp_path), path))

    assert len(found) == (finding is not None)
    assert all(text.startswith(finding or "") for text in found)


@pytest.mark.parametrize("text", ["SELECT 1", "\n  WITH a AS (", "insert into t values (1)", "Drop Table t "])
def test_sql_text_is_recognised(text: str) -> None:
    assert sql.SQL_TEXT.match(text)


@pytest.mark.parametrize("text", ["select", "SELECT", "with the release", "Create a dataset first", "update the state"])
def test_prose_is_not_sql(text: str) -> None:
    assert not sql.SQL_TEXT.match(text)
