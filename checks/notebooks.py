"""Notebooks of the docs: kept without outputs, and run from top to bottom, each in an empty folder.

`python checks/notebooks.py` strips them.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NOTEBOOKS = Path(__file__).resolve().parents[1] / "docs" / "notebooks"
SECONDS = 300
"""The most that one cell may take."""

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_METADATA = {"kernelspec", "language_info"}


def notebooks() -> list[Path]:
    """The notebooks of the docs."""
    return sorted(NOTEBOOKS.glob("*.ipynb"))


def outputs(notebook: dict[str, Any]) -> Iterator[str]:
    """What a notebook keeps of having been run, or of the machine it was written on."""
    for place, cell in enumerate(notebook["cells"], start=1):
        if cell.get("outputs"):
            yield f"cell {place} has outputs: `python checks/notebooks.py` takes them out"
        if cell.get("execution_count") is not None:
            yield f"cell {place} has a number: `python checks/notebooks.py` takes it out"
        if cell["metadata"]:
            yield f"cell {place} has metadata: `python checks/notebooks.py` takes it out"
    for name in sorted(notebook["metadata"].keys() - _METADATA):
        yield f"the notebook has metadata, {name}: `python checks/notebooks.py` takes it out"


def stripped(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook without them."""
    for cell in notebook["cells"]:
        cell["metadata"] = {}
        if cell["cell_type"] == "code":
            cell |= {"outputs": [], "execution_count": None}
    kept = {name: each for name, each in notebook["metadata"].items() if name in _METADATA}
    return notebook | {"metadata": kept}


def faults(path: Path) -> Iterator[str]:
    """The first cell that ends with an error, or nothing. The stored file stays as it is."""
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    with tempfile.TemporaryDirectory() as folder:
        resources = {"metadata": {"path": folder}}
        client = NotebookClient(notebook, timeout=SECONDS, kernel_name="python3", resources=resources)
        try:
            client.execute()
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
            plain = _COLOUR.sub("", str(error))
            yield f"does not run: {plain.strip().splitlines()[-1]}"


def findings(path: Path) -> Iterator[str]:
    """What is stored with it; of one without outputs, whether it runs."""
    stored = list(outputs(json.loads(path.read_text(encoding="utf-8"))))
    yield from stored or faults(path)


def main() -> int:
    """Strip every notebook."""
    for path in notebooks():
        notebook = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps(stripped(notebook), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
