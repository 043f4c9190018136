"""The imports of the engine: no circle of modules, those in functions and for types alone among them.

`python -m checks.imports` prints the circles, the imports in functions and the modules; import-linter holds the first.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

import grimp
from importlinter import Contract, ContractCheck, output

ENGINE = Path(__file__).resolve().parents[1] / "engine" / "ordermade"


class NoCircles(Contract):
    """The contract of import-linter that no modules of the engine import each other in a circle."""

    def check(self, graph: Any, verbose: bool) -> ContractCheck:  # noqa: ARG002 (import-linter gives both)
        """Keeps the contract where modules can be put in an order in which each imports earlier ones alone."""
        found = circle()
        return ContractCheck(kept=not found, metadata={"circle": found})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Prints a circle, the importer first."""
        output.print_error(" -> ".join(check.metadata["circle"]))


def circle() -> tuple[str, ...]:
    """Modules that import each other in a circle, the first once more at the end; empty where there is none."""
    graph = grimp.build_graph("ordermade", exclude_type_checking_imports=False)
    imported = {each: graph.find_modules_directly_imported_by(each) for each in sorted(graph.modules)}
    try:
        TopologicalSorter(imported).prepare()
    except CycleError as error:
        return tuple(reversed(error.args[1]))
    return ()


def in_functions(text: str) -> Iterator[ast.Import | ast.ImportFrom]:
    """The imports in the functions of a module."""
    seen = set()
    for function in ast.walk(ast.parse(text)):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(function):
                if isinstance(node, ast.Import | ast.ImportFrom) and node not in seen:
                    seen.add(node)
                    yield node


def main() -> int:
    """Print the figures; 1 where there is a circle."""
    modules = sorted(ENGINE.rglob("*.py"))
    late = {each: list(in_functions(each.read_text(encoding="utf-8"))) for each in modules}
    found = circle()
    for path, imports in late.items():
        for each in imports:
            print(f"{path.relative_to(ENGINE)}:{each.lineno}: {ast.unparse(each)}")
    print(f"circles: {' -> '.join(found) or 0}")
    print(f"imports in functions: {sum(map(len, late.values()))}")
    print(f"modules: {len(modules)}")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
