"""`ordermade demo`: synthetic persons, and requests that are answered as you watch."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ordermade.cli.choices import one_of
from ordermade.cli.options import example
from ordermade.errors import InputError, UnknownName

if TYPE_CHECKING:
    from ordermade.demo.story import Demo

_MAX_ROWS = 99_999_999
_ROWS = {"members": 1_000_000, "recommend": 100_000, "purchases": 1_000}
"""The demos, and the number of persons of each."""

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command(
    short_help="Make up persons, and run requests on them.",
    epilog=example(
        "ordermade demo",
        "ordermade demo --rows 100000 --folder my-demo",
        "ordermade demo recommend --folder my-demo",
        "ordermade demo purchases",
        "ordermade demo --on postgresql://127.0.0.1/test --rows 100000",
    ),
)
def demo(
    name: Annotated[
        str,
        typer.Argument(
            metavar="members|recommend|purchases",
            show_default=False,
            autocompletion=one_of("members", "recommend", "purchases"),
            help="members: generalised, answered from memory, refused, predicted. recommend: Mondrian guided by "
            "precision, beside Mondrian guided by recommendation rules. purchases: histories of "
            "customers with some 40 purchases each, grouped in three ways, and judged. Left out: members.",
        ),
    ] = "members",
    rows: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=_MAX_ROWS,
            metavar="N",
            help="The number of persons to make up. Left out: 1,000,000 members, 100,000 for recommend, or 1,000 for "
            "purchases.",
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="An empty or new folder to work in and to keep. Left out: nothing is kept."),
    ] = None,
    on: Annotated[
        str,
        typer.Option(
            metavar="URL",
            show_default=False,
            help="Members alone: the database to load them into and to count them in: postgresql://…, mysql://… or "
            "members.sqlite. The table `members` is dropped at the end where no --folder is kept.",
        ),
    ] = "",
) -> None:
    """Make up persons, register them, and run requests on them: of members, for recommendation, or of purchases."""
    if name not in _ROWS:
        raise UnknownName("demo", name, _ROWS)
    if on and name != "members":
        raise InputError("only the demo of members runs on another database", where="--on", next_step="Leave it out.")
    from ordermade.demo.story import play

    kind = _demo_of(name)
    count = _ROWS[name] if rows is None else rows
    if folder is not None:
        play(kind, folder.absolute(), count, kept=True, on=on)
        return
    with tempfile.TemporaryDirectory(prefix="ordermade-demo-") as made:
        play(kind, Path(made), count, kept=False, on=on)


def _demo_of(name: str) -> type[Demo[Any]]:
    if name == "recommend":
        from ordermade.demo.recommend import Recommend

        return Recommend
    if name == "purchases":
        from ordermade.demo.purchases import PurchasesDemo

        return PurchasesDemo
    from ordermade.demo.members import Members

    return Members
