"""The heavy rest of the suite in the time that CI has left: `python -m checks.rest SECONDS`.

The rest is what `make test` leaves out, but for Spark. Of its files those run that a change since the last whole run
reaches, in an order that turns with each commit. What runs out of time is listed.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import grimp

REPOSITORY = Path(__file__).resolve().parents[1]
RUNS = REPOSITORY / "CONTRIBUTING.md"
"""The page with the table of whole runs."""
HEAVY = "(thorough or services or browser) and not spark"
LEAST_SECONDS = 60
"""In less time nothing is begun: servers start and tests are collected."""
ROOTS = ("bench", "checks", "ordermade", "tests")
RECORDS = ("CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "tests/durations.json", "mkdocs.yml")
"""No test of the rest reads these."""
FOR_ALL_TESTS = ("conftest.py", "fixtures.py")
"""Files of tests that others use without an import."""

_RUN = re.compile(r"^\| \d{4}-\d\d-\d\d \| `([0-9a-f]{12,40})` \|", re.MULTILINE)
_BY_NAME = re.compile(r'import_module\(\s*f"(ordermade\.[\w.]*)\{')
_PROGRAM = re.compile(r"\bsys\.executable\b")
_DOCS = re.compile(r"\bdocs\b|\bREADME\b")


@dataclass(frozen=True)
class Reached:
    """The modules of tests that changes reach, and the file for which these are all, if there is one."""

    tests: set[str]
    for_all: str | None = None


def last_whole_run(page: str) -> str | None:
    """The commit of the last line of the table of whole runs; None where there is no line."""
    return next(reversed(_RUN.findall(page)), None)


def changed_since(commit: str, repository: Path = REPOSITORY) -> list[str] | None:
    """The files that differ from those of a commit, new ones too; None where the clone does not have the commit."""

    def git(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["git", "-C", str(repository), *arguments], capture_output=True, text=True, check=False)

    if git("cat-file", "-e", f"{commit}^{{commit}}").returncode:
        return None
    listed = [git("diff", "--name-only", "--no-renames", "-z", commit), git("ls-files", "-oz", "--exclude-standard")]
    for each in listed:
        each.check_returncode()
    return sorted({name for each in listed for name in each.stdout.split("\0") if name})


def module_of(file: str) -> str | None:
    """The module of a file of the engine or the tests; None for any other file."""
    path = PurePosixPath(file)
    if path.suffix != ".py" or path.parts[0] not in ("engine", "tests") or path.name in FOR_ALL_TESTS:
        return None
    return ".".join(path.with_suffix("").parts).removeprefix("engine.").removesuffix(".__init__")


def import_graph(roots: Iterable[str] = ROOTS, repository: Path = REPOSITORY) -> grimp.ImportGraph:
    """The imports of engine and tests, with those that grimp cannot see.

    A module that imports others by name imports all of those whose names begin so; a test that starts a Python imports
    all of the engine; a test imports the `conftest.py` of its folder.
    """
    graph = grimp.build_graph(*roots, exclude_type_checking_imports=True, cache_dir=None)
    for module in sorted(graph.modules):
        for other in _unseen(graph, module, repository):
            graph.add_import(importer=module, imported=other)
    return graph


def _unseen(graph: grimp.ImportGraph, module: str, repository: Path) -> Iterator[str]:
    text = _text(module, repository)
    beginnings = tuple(_BY_NAME.findall(text))
    if module.startswith("tests.") and _PROGRAM.search(text):
        beginnings = (*beginnings, "ordermade.")
    folder = module.rpartition(".")[0]
    for other in graph.modules:
        if other != module and (other.startswith(beginnings) or (folder != "tests" and other == f"{folder}.conftest")):
            yield other


def _text(module: str, repository: Path) -> str:
    path = (repository / "engine" if module.startswith("ordermade") else repository).joinpath(*module.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def files_of_tests(graph: grimp.ImportGraph) -> set[str]:
    """The modules of tests."""
    return {each for each in graph.modules if each.startswith("tests.") and ".test_" in each}


def reached(changed: Iterable[str], graph: grimp.ImportGraph, repository: Path = REPOSITORY) -> Reached:
    """The tests that changed files reach: by imports those of modules, those that name them the docs, else all."""
    modules: set[str] = set()
    for file in changed:
        if file in RECORDS:
            continue
        if file == "README.md" or file.startswith("docs/"):
            modules |= {
                each for each in graph.modules if each.startswith("tests.") and _DOCS.search(_text(each, repository))
            }
            continue
        module = module_of(file)
        if module is None or module not in graph.modules:
            return Reached(files_of_tests(graph), file)
        modules.add(module)
    found = modules.union(*(graph.find_downstream_modules(each) for each in modules))
    return Reached(found & files_of_tests(graph))


def main(arguments: list[str]) -> int:
    """Run the rest; the exit status of pytest, 0 where nothing is reached or there is no time."""
    began, seconds = time.time(), float(arguments[0])
    sys.path.insert(0, str(REPOSITORY))
    graph = import_graph()
    commit = last_whole_run(RUNS.read_text(encoding="utf-8"))
    changed = None if commit is None else changed_since(commit)
    if changed is None:
        files = files_of_tests(graph)
        why = "no whole run is recorded" if commit is None else f"{commit} is not in this clone"
    else:
        by = reached(changed, graph)
        files = by.tests
        why = f"{len(changed)} files changed since {commit}" + (f", of these {by.for_all}" if by.for_all else "")
    print(f"the heavy rest: {len(files)} of {len(files_of_tests(graph))} files are reached: {why}", flush=True)
    if seconds < LEAST_SECONDS or not files:
        print(f"left out: all of these, with {seconds:.0f} seconds left" if files else "nothing to run", flush=True)
        return 0
    paths = sorted(each.replace(".", "/") + ".py" for each in files)
    return subprocess.run(
        [sys.executable, "-m", "tests.services", "-m", HEAVY, *paths],
        cwd=REPOSITORY,
        env={**os.environ, "ORDERMADE_TESTS_UNTIL": str(began + seconds)},
        check=False,
    ).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
