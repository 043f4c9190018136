"""A program on a pseudo-terminal of a given width, and its screen as text when it has ended."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROWS = 50
_SEQUENCE = re.compile(r"\x1b\[(?P<arguments>[\d;?]*)(?P<kind>[A-Za-z])|\x1b\][^\x07]*\x07|\x1b[=>78]")
_LONGEST = 600.0
"""Seconds until a program that does not end is taken for stuck."""


@dataclass(frozen=True, slots=True)
class Screen:
    """A screen when its program has ended: its lines with their bold parts, its exit status, and its faults.

    `overlong`: the numbers of the lines that the terminal itself broke, as they were wider than it.
    """

    lines: tuple[str, ...]
    bold: tuple[tuple[bool, ...], ...]
    overlong: tuple[int, ...]
    status: int

    @property
    def text(self) -> str:
        """The screen as a text."""
        return "".join(f"{line}\n" for line in self.lines)


def screen_of(command: Sequence[str], folder: Path, columns: int, environment: Mapping[str, str]) -> Screen:
    """Runs a command on a terminal of so many columns, with nobody at its keyboard; its screen at the end.

    Raises TimeoutError where it does not end.
    """
    ours, its = pty.openpty()
    try:
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, columns, 0, 0))
        program = subprocess.Popen(
            command, cwd=folder, env=dict(environment), stdin=its, stdout=its, stderr=its, start_new_session=True
        )
        os.close(its)
        output = _read_to_the_end(ours, program)
    finally:
        os.close(ours)
    emulated = Emulated(columns)
    emulated.feed(output.decode("utf-8", "replace"))
    return emulated.screen(program.returncode)


def _read_to_the_end(ours: int, program: subprocess.Popen[bytes]) -> bytes:
    found = bytearray()
    end = time.monotonic() + _LONGEST
    while True:
        if time.monotonic() > end:
            program.kill()
            program.wait()
            raise TimeoutError("the program does not end")
        ready, _, _ = select.select([ours], [], [], 0.2)
        if ready:
            try:
                part = os.read(ours, 1 << 16)
            except OSError:  # the other end is closed
                part = b""
            if not part:
                break
            found += part
        elif program.poll() is not None:
            break
    program.wait()
    return bytes(found)


@dataclass
class Emulated:
    """As much of a terminal as programs need that print lines, and change the last ones."""

    columns: int
    _rows: list[list[tuple[str, bool]]] = field(default_factory=lambda: [[]])
    _overlong: set[int] = field(default_factory=set)
    _row: int = 0
    _column: int = 0
    _is_bold: bool = False

    def feed(self, output: str) -> None:
        """Takes what a program wrote."""
        place = 0
        while place < len(output):
            match = _SEQUENCE.match(output, place)
            if match is not None:
                if match["kind"]:
                    self._control(match["kind"], match["arguments"])
                place = match.end()
                continue
            self._character(output[place])
            place += 1

    def screen(self, status: int) -> Screen:
        """The screen as it stands."""
        rows = [list(row) for row in self._rows]
        for row in rows:
            while row and row[-1][0] in (" ", ""):
                row.pop()
        while rows and not rows[-1]:
            rows.pop()
        return Screen(
            tuple("".join(character for character, _ in row) for row in rows),
            tuple(tuple(is_bold for character, is_bold in row if character) for row in rows),
            tuple(sorted(number for number in self._overlong if number < len(rows) and rows[number])),
            status,
        )

    def _character(self, character: str) -> None:
        if character == "\n":
            self._go_to_row(self._row + 1)
        elif character == "\r":
            self._column = 0
        elif character == "\t":
            for _ in range(8 - self._column % 8):
                self._put(" ", 1)
        elif character == "\b":
            self._column = max(0, self._column - 1)
        elif character.isprintable():
            self._put(character, columns_of(character))

    def _put(self, character: str, width: int) -> None:
        if self._column + width > self.columns:
            self._overlong.add(self._row)
            self._go_to_row(self._row + 1)
            self._column = 0
        row = self._rows[self._row]
        while len(row) < self._column + width:
            row.append((" ", False))
        if width == 0:
            if self._column:
                row[self._column - 1] = (row[self._column - 1][0] + character, row[self._column - 1][1])
            return
        row[self._column] = (character, self._is_bold)
        for place in range(self._column + 1, self._column + width):
            row[place] = ("", False)
        self._column += width

    def _go_to_row(self, row: int) -> None:
        self._row = max(0, row)
        while len(self._rows) <= self._row:
            self._rows.append([])

    def _control(self, kind: str, arguments: str) -> None:
        first = int(arguments) if arguments.isdecimal() else None
        row = self._rows[self._row]
        match kind:
            case "A":
                self._go_to_row(self._row - (first or 1))
            case "B":
                self._go_to_row(self._row + (first or 1))
            case "G":
                self._column = (first or 1) - 1
            case "K" if first == 2:
                row.clear()
                self._overlong.discard(self._row)
            case "K" if not first:
                del row[self._column :]
                if not self._column:
                    self._overlong.discard(self._row)
            case "m":
                for each in arguments.split(";"):
                    self._is_bold = each == "1" or (self._is_bold and each not in ("", "0", "22"))
            case _:
                pass


def columns_of(character: str) -> int:
    """The columns of a terminal that a character takes: none, one or two."""
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
