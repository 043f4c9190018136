"""The terminal output of every demo: plain text where it is no terminal."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from ordermade.methods.shared.result import Result

WIDEST = 96

Notify = Callable[[str], None]
"""Receives the name of each step as it begins."""


@dataclass(frozen=True, slots=True)
class Timed:
    """A step of the demo and the seconds it took."""

    name: str
    seconds: float


def table_of(first: str, *headings: str) -> Table:
    """An empty table: a column of names, and columns of figures."""
    table = Table(box=None, padding=(0, 1), header_style="bold")
    table.add_column(Text(first), overflow="fold")
    for heading in headings:
        table.add_column(Text(heading), justify="right")
    return table


def columns_of(*headings: str) -> Table:
    """An empty table of texts, each on one line."""
    table = Table(box=None, padding=(0, 2), header_style="bold")
    for heading in headings:
        table.add_column(Text(heading), no_wrap=True, overflow="ellipsis")
    return table


def add_figures(table: Table, name: str, figures: Sequence[str]) -> None:
    """One row of it."""
    table.add_row(Text(name), *(Text(figure, style="bold") for figure in figures))


class Terminal:
    """Prints the parts of a demo, at most `WIDEST` columns wide."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(highlight=False)
        if self._console.width > WIDEST:
            self._console.width = WIDEST

    @contextmanager
    def status(self) -> Iterator[Notify]:
        """A line with the name of the current step, on a terminal only."""
        if not self._console.is_terminal:
            yield lambda _: None
            return
        with self._console.status("starting") as status:
            yield lambda text: status.update(text)

    def heading(self, text: str) -> None:
        """A line across, with a heading in it."""
        self._console.print()
        self._console.rule(Text(text, style="bold"), align="left")

    def say(self, text: str, style: str = "") -> None:
        """A paragraph."""
        self._console.print(Text(text, style=style))

    def blank(self) -> None:
        """An empty line."""
        self._console.print()

    def verdict(self, word: str, rest: str, colour: str) -> None:
        """The outcome of a request."""
        self._console.print(Text(f"{word}  ", style=f"bold {colour}") + Text(rest))

    def outcome(self, result: Result) -> None:
        """The file of a release and its k, or why there is none."""
        if result.released and result.release is not None:
            self.verdict("Released", f"{result.release.path}: measured again when written, k = {result.k:,}", "green")
        else:
            self.verdict("Refused", result.reason or "", "red")

    def steps(self, steps: Sequence[Timed]) -> None:
        """The steps of a request in a line."""
        self.say(", ".join(f"{step.name} {step.seconds:.2f} s" for step in steps), style="dim")

    def step(self, step: Timed) -> None:
        """A step and its seconds."""
        self.figures([(step.name, f"{step.seconds:.2f} s")])

    def file(self, name: str, text: str) -> None:
        """The text of a YAML file under its name."""
        self._console.print(Text(name, style="bold"))
        yaml = Syntax(text.rstrip(), "yaml", theme="ansi_light", background_color="default", word_wrap=True)
        self._console.print(Padding(yaml, (0, 0, 1, 2)))

    def figures(self, figures: Sequence[tuple[str, str]]) -> None:
        """Names with a figure each."""
        table = Table.grid(padding=(0, 2))
        table.add_column(min_width=50)
        table.add_column(justify="right", min_width=16)
        for name, figure in figures:
            table.add_row(Text(f"  {name}"), Text(figure, style="bold"))
        self._console.print(table)

    def table(self, table: Table) -> None:
        """A table."""
        self._console.print(table)

    def closing(
        self, folder: Path, seconds: float, commands: Sequence[tuple[str, str]], again: str, *, kept: bool
    ) -> None:
        """The next steps: `commands`, each with a note, in a folder that is `kept`; else the command `again`."""
        self.heading("Look further")
        if kept:
            self.say(f"Everything is in {folder}. Go there, and try:")
            self._console.print(Text(f"  cd {shlex.quote(str(folder))}", style="bold"), soft_wrap=True)
            for command, note in commands:
                self._console.print(Text(f"  {command}", style="bold") + Text(f"  # {note}", style="dim"))
        else:
            self.say("The demo's folder is removed. To keep it and run requests of your own:")
            self._console.print(Text(f"  {again}", style="bold"))
        self.say(f"Done in {seconds:.1f} s.")
