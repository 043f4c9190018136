"""The repository itself: nothing of a machine in it, documented modules, sound migrations."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import pytest

from tests.made import new_state
from tests.state_by_hand import by_hand

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGE = REPOSITORY / "engine" / "ordermade"
MODULES = sorted(PACKAGE.rglob("*.py"))
LIGHT = [path for path in MODULES if path.parent.name == "cli" or path == PACKAGE / "__init__.py"]

# Written so that no pattern finds itself in this file.
MACHINE_PATH = re.compile(r"(?:^|[^\w.])/(?:work|root|home|farm|Users)/")
DOWNLOAD_HOST = re.compile(r"python[h]osted|pypi\.org/simple|index[-_]url|https?://[^ \"']+\.(?:whl|tgz|tar\.gz)\b")


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def tracked_lines() -> Iterator[tuple[str, str]]:
    """Every line of every text file that git tracks, with `file:line`."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=REPOSITORY, capture_output=True, check=False)
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    for name in filter(None, listed.stdout.decode().split("\0")):
        path = REPOSITORY / name
        if not path.is_file():
            continue
        content = path.read_bytes()
        if b"\0" in content:
            continue
        for number, line in enumerate(content.decode("utf-8", errors="replace").splitlines(), start=1):
            yield f"{name}:{number}", line


@pytest.mark.slow
def test_tracked_files_name_no_machine_and_no_download_host() -> None:
    found = [where for where, line in tracked_lines() if MACHINE_PATH.search(line) or DOWNLOAD_HOST.search(line)]

    assert found == []


def test_every_module_says_what_it_is_in_its_docstring() -> None:
    trees = {module_name(path): ast.parse(path.read_text(encoding="utf-8")) for path in MODULES}

    assert [name for name, tree in trees.items() if not ast.get_docstring(tree)] == []


@pytest.mark.slow
def test_every_module_can_be_imported() -> None:
    names = [module_name(path) for path in MODULES if path.stem != "__main__"]
    code = (
        "import importlib, sys\n"
        "for name in sys.argv[1:]:\n"
        "    try: importlib.import_module(name)\n"
        "    except ModuleNotFoundError as error:\n"
        "        if error.name not in ('pyspark', 'py4j'): raise\n"  # the one extra that tests do not need
    )

    done = subprocess.run([sys.executable, "-c", code, *names], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_what_bench_and_checks_import_of_the_engine_is_there() -> None:
    wanted = sorted(
        {
            (node.module, each.name)
            for folder in ("bench", "checks")
            for path in (REPOSITORY / folder).rglob("*.py")
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "ordermade"
            for each in node.names
        }
    )
    code = "import sys\nfor line in sys.stdin: exec(line)"
    lines = "".join(f"from {module} import {name}\n" for module, name in wanted)

    done = subprocess.run([sys.executable, "-c", code], input=lines, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr


def test_nothing_heavy_is_imported_before_it_is_used() -> None:
    code = (
        "import importlib, sys\n"
        "for name in sys.argv[1:]:\n"
        "    importlib.import_module(name)\n"
        "    heavy = {'duckdb', 'pandas', 'numpy', 'sqlglot', 'pydantic', 'yaml', 'rich.console'} & set(sys.modules)\n"
        "    if heavy:\n"
        "        sys.exit(f'{name} imports {sorted(heavy)}')\n"
    )

    names = [module_name(path) for path in LIGHT]
    done = subprocess.run([sys.executable, "-c", code, *names], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_the_engine_imports_no_compiler_and_no_statistics_before_they_are_used() -> None:
    code = (
        "import ordermade.engine, sys\n"
        "heavy = {'numba', 'pyarrow', 'scipy', 'pandas', 'matplotlib'} & set(sys.modules)\n"
        "sys.exit(', '.join(sorted(heavy)) or None)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.returncode == 0, f"the engine imports {done.stderr}"


def test_migrations_are_numbered_one_by_one() -> None:
    names = sorted(path.name for path in (REPOSITORY / "migrations").iterdir() if not path.name.startswith("."))

    matches = [re.fullmatch(r"(\d{4})_[a-z0-9_]+\.sql", name) for name in names]

    assert all(matches), f"not NNNN_what_it_does.sql: {[n for n, m in zip(names, matches, strict=True) if not m]}"
    assert [int(match[1]) for match in matches if match] == list(range(1, len(names) + 1))


def test_a_restore_says_what_it_makes_of_every_table_of_the_state(tmp_path: Path) -> None:
    from ordermade.state.inspection import TABLES
    from ordermade.state.restored_tables import DESCRIBING, PROTECTING
    from ordermade.state.restored_tables import TABLES as RESTORED

    assert set(RESTORED) == {"migrations", *TABLES}, "name it in state/restored_tables.py"
    state = new_state(tmp_path / "state.sqlite")
    with by_hand(state) as connection:
        for table, protecting in PROTECTING.items():
            there = {name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})").fetchall()}
            assert there == protecting | DESCRIBING[table], "say in state/restored_tables.py whether it protects"
            assert not protecting & DESCRIBING[table]


def test_the_page_of_the_state_lists_every_migration() -> None:
    page = (REPOSITORY / "docs" / "reference" / "state.md").read_text(encoding="utf-8")

    listed = re.findall(r"^\| (\d{4}) \|", page, re.MULTILINE)
    assert listed == sorted(path.name[:4] for path in (REPOSITORY / "migrations").glob("*.sql"))


def sources_by_class() -> set[str]:
    """The names of the classes of the room `sources` that are a source, the base class among them."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in sorted((PACKAGE / "sources").glob("*.py"))]
    bases: Mapping[str, set[str]] = {
        node.name: {each.id for each in node.bases if isinstance(each, ast.Name)}
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    found, before = {"Backend"}, 0
    while len(found) > before:
        before = len(found)
        found |= {name for name, of in bases.items() if of & found}
    return found


def lines_by_kind_of_source(tree: ast.Module, classes: Collection[str], kinds: Collection[str]) -> Iterator[int]:
    """The lines that test the class of a source, or compare its kind with the name of one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
            if set(classes) & {each.id for each in ast.walk(node.args[1]) if isinstance(each, ast.Name)}:
                yield node.lineno
        elif isinstance(node, ast.MatchClass) and isinstance(node.cls, ast.Name) and node.cls.id in classes:
            yield node.lineno
        elif isinstance(node, ast.Compare | ast.Match):
            patterns = [case.pattern for case in node.cases] if isinstance(node, ast.Match) else node.comparators
            compared = node.subject if isinstance(node, ast.Match) else node.left
            within = [each for part in (compared, *patterns) for each in ast.walk(part)]
            named = {each.attr for each in within if isinstance(each, ast.Attribute)}
            named |= {each.id for each in within if isinstance(each, ast.Name)}
            texts = {each.value for each in within if isinstance(each, ast.Constant)}
            if named & {"kind", "source_kind"} and (texts & set(kinds) or named & {"FRAMES", "SERVERS"}):
                yield node.lineno


def test_the_capabilities_of_a_source_are_asked_for_and_not_its_class_or_kind() -> None:
    from ordermade.sources.kinds import KINDS

    classes = sources_by_class()
    assert {
        "DuckDBFile",
        "Frames",
        "InDuckDB",
        "PostgreSQL",
        "RemoteSource",
        "Server",
        "Spark",
        "SQLiteFile",
    } <= classes
    found = [
        f"{module_name(path)}:{line}"
        for path in MODULES
        if path.parent.name != "sources"
        for line in lines_by_kind_of_source(ast.parse(path.read_text(encoding="utf-8")), classes, KINDS)
    ]

    assert found == [], "a source gives what it can do: sources/backend.py, and sources/kinds.py before it is opened"


NO_NOUNS = re.compile("question|setting|told|asked|standing|kept|held|noted|given|wanted", re.IGNORECASE)


def classes() -> Iterator[tuple[str, str]]:
    """Each public class of the package, with its module."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield node.name, path.relative_to(PACKAGE).as_posix()


def test_no_class_has_a_method_that_only_raises() -> None:
    sources = {module_name(path): path.read_text(encoding="utf-8") for path in MODULES}

    assert [name for name, source in sources.items() if "raise NotImplementedError" in source] == []


def test_one_name_is_of_one_class() -> None:
    modules: dict[str, list[str]] = {}
    for name, module in classes():
        modules.setdefault(name, []).append(module)

    assert {name: of for name, of in modules.items() if len(of) > 1} == {}


def test_classes_and_modules_are_called_by_nouns() -> None:
    words = [
        (name, module)
        for name, module in classes()
        for word in re.findall("[A-Z][a-z]+", name)
        if NO_NOUNS.fullmatch(word)
    ]
    modules = [path.name for path in PACKAGE.rglob("*.py") if any(map(NO_NOUNS.fullmatch, path.stem.split("_")))]

    assert (words, modules) == ([], [])
