"""Notebooks of the docs are stored without outputs, and a cell that ends with an error is found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from checks.notebooks import faults, notebooks, outputs, stripped


def read(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_a_notebook_is_whole_and_without_outputs(path: Path) -> None:
    notebook = read(path)
    nbformat.validate(notebook)
    assert list(outputs(notebook)) == []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            compile("".join(cell["source"]), str(path), "exec")


def test_there_is_a_notebook() -> None:
    assert "first-release" in [path.stem for path in notebooks()]


def test_what_a_run_left_is_found_and_taken_out() -> None:
    ran = nbformat.v4.new_code_cell(
        "1 + 1",
        execution_count=1,
        metadata={"collapsed": True},
        outputs=[nbformat.v4.new_output("stream", text="2")],
    )
    kernel = {"name": "python3", "display_name": "Python 3"}
    left = nbformat.v4.new_notebook(cells=[ran], metadata={"kernelspec": kernel, "vscode": {}})
    said = " ".join(outputs(left))
    assert said.count("`python checks/notebooks.py`") == 4
    assert "cell 1 has outputs" in said
    clean = stripped(left)
    assert list(outputs(clean)) == []
    assert clean["cells"][0]["source"] == "1 + 1"
    nbformat.validate(clean)


@pytest.mark.thorough
@pytest.mark.parametrize(("source", "said"), [("1 / 0", "ZeroDivisionError: division by zero"), ("1 / 1", None)])
def test_a_cell_that_fails_is_found(tmp_path: Path, source: str, said: str | None) -> None:
    path = tmp_path / "one.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)]), path)
    assert list(faults(path)) == ([] if said is None else [f"does not run: {said}"])


PROGRESS = """
from ordermade import Engine, ProgressLine
from ordermade.progress.notebook import NotebookProgress
assert isinstance(Engine().progress, ProgressLine)
progress = NotebookProgress(after=0, every=0).__enter__()
progress.step("counting <b>")
progress.nodes_left(3)
"""


@pytest.mark.thorough
def test_a_kernel_shows_progress_in_one_display_and_empties_it() -> None:
    cells = [nbformat.v4.new_code_cell(PROGRESS), nbformat.v4.new_code_cell("progress.__exit__(None, None, None)")]
    notebook = nbformat.v4.new_notebook(cells=cells)
    shown: list[str] = []

    def note(cell: Any, cell_index: int, execute_reply: Any) -> None:
        shown.extend(each["data"]["text/html"] for each in notebook.cells[0].outputs)

    NotebookClient(notebook, kernel_name="python3", on_cell_executed=note).execute()
    assert len(shown) == 2
    assert "counting &lt;b&gt;, 3 nodes left, 0 queries" in shown[0]
    assert shown[1] == ""
