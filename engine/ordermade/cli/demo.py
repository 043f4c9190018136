"""`ordermade demo`: a million made-up members, five requests."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ordermade.cli.settings import example

_MOST_ROWS = 99_999_999
EXAMPLE = example("ordermade demo", "ordermade demo --rows 100000 --folder my-demo")


def demo(
    rows: Annotated[
        int, typer.Option(min=1, max=_MOST_ROWS, metavar="N", help="How many members to make up.")
    ] = 1_000_000,
    folder: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="An empty or new folder to work in and to keep. Left out: nothing is kept."),
    ] = None,
) -> None:
    """Make up members, register them, and ask five requests: released, answered from memory, refused, predicted."""
    import tempfile

    from ordermade.demo.screen import show

    if folder is not None:
        show(folder.absolute(), rows, kept=True)
        return
    with tempfile.TemporaryDirectory(prefix="ordermade-demo-") as name:
        show(Path(name), rows, kept=False)
