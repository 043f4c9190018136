"""The screens of every command: `python -m checks.screens --columns 80` writes them into a folder and checks them.

Every scene of `screen_scenes` is played in order, in folders made by `ordermade demo`, on a pseudo-terminal of the
width. Reported are commands without a scene, other exit statuses than the scene's, lines wider than the terminal,
words that are broken where a break at a space would do, and tracebacks. Exit status 1 if there are any.

`python -m checks.screens --picture NAME > NAME.svg` plays the scene NAME alone and draws its screen.
"""

from __future__ import annotations

import argparse
import itertools
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from checks.pseudo_terminal import Screen, columns_of, screen_of
from checks.screen_pictures import picture
from checks.screen_scenes import SCENES, Scene, unplayed, write_files, write_further

PROGRAM = (sys.executable, "-m", "ordermade")
DEMOS = {"members": ("members", "20000"), "purchases": ("purchases", "200"), "recommend": ("recommend", "2000")}
"""By folder: the demo that makes it, and its persons."""
FURTHER = {"purchases": "1-rank", "recommend": "2-tf-idf"}
"""By folder: the request of the demo that scenes run further, with a release of its own."""
PICTURE_COLUMNS = 80
LONGEST_WORD = 24
"""A longer word, such as a path or a hash, may have to be broken."""
_CELL = re.compile(r"\S+(?: \S+)*")


def environment(folder: Path) -> dict[str, str]:
    """The environment of a scene: a plain terminal, and nothing of whoever plays it."""
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "VIRTUAL_ENV") if name in os.environ}
    given = {"HOME": str(folder), "TERM": "xterm-256color", "LANG": "C.UTF-8", "TZ": "UTC", "PYTHONUTF8": "1"}
    return kept | given


def make_folders(base: Path, wanted: Iterable[str]) -> None:
    """Makes the folders that scenes are played in."""
    for name in sorted(set(wanted)):
        if name not in DEMOS:
            (base / name).mkdir()
            continue
        demo, rows = DEMOS[name]
        command = (*PROGRAM, "demo", demo, "--rows", rows, "--folder", name)
        subprocess.run(command, cwd=base, env=environment(base), check=True, capture_output=True)
        if name == "members":
            write_files(base / name)
        elif name in FURTHER:
            write_further(base / name, FURTHER[name])


def played(scenes: Sequence[Scene], columns: int, base: Path) -> Iterator[tuple[Scene, Screen]]:
    """Each scene with its screen, one after the other."""
    for scene in scenes:
        yield scene, screen_of((*PROGRAM, *scene.words), base / scene.folder, columns, environment(base))


def needed(chosen: Sequence[Scene]) -> list[Scene]:
    """The chosen scenes, and those before them in the same folder that they may need, in order."""
    last = {scene.folder: place for place, scene in enumerate(SCENES) if scene in chosen}
    return [
        scene
        for place, scene in enumerate(SCENES)
        if scene in chosen or (scene.changes and place < last.get(scene.folder, -1))
    ]


def faults(scene: Scene, screen: Screen) -> list[str]:
    """A line for each fault of a screen."""
    wide = [] if scene.is_text else [each for each in screen.overlong if " " in screen.lines[each].strip()]
    found = [f"line {number + 1} is wider than the terminal" for number in wide]
    if screen.status != scene.status:
        found.append(f"exit status {screen.status} instead of {scene.status}")
    if "Traceback (most recent call last)" in screen.text:
        found.append("a traceback")
    found += [] if scene.is_text else [f"the word {word!r} is broken" for word in broken_words(screen.lines)]
    return [f"{scene.name}: {each}" for each in found]


def broken_words(lines: Sequence[str]) -> list[str]:
    """The words of tables that go on in the middle in the cell below, put together.

    A table follows a line across, up to an empty line. A cell that is as wide as any of its column, above one in a row
    that goes on from the row above (its other cells are empty): rich breaks a word so where its column is too narrow,
    and a text between words. Which of both, the rest of the screen shows: a torn word's halves stand nowhere else.
    """
    found = []
    words = Counter(re.findall(r"\w+", "\n".join(lines)))
    for start, end in tables(lines):
        rows = [dict(cells(line)) for line in lines[start:end]]
        widest: dict[int, int] = {}
        for row in rows:
            for column, text in row.items():
                widest[column] = max(widest.get(column, 0), sum(map(columns_of, text)))
        most = max(map(len, rows), default=0)
        for upper, lower in itertools.pairwise(rows):
            for column, follows in lower.items() if len(lower) < most else ():
                text = upper.get(column, "")
                left, right = re.search(r"\w+$", text), re.match(r"\w+", follows)
                if left and right and left[0].isdecimal() and right[0].isdecimal():
                    continue  # numbers of two rows, the lower of which has an empty cell elsewhere
                if left is None or right is None or sum(map(columns_of, text)) < widest[column]:
                    continue
                if (
                    words[left[0]] == words[right[0]] == 1
                    and " " not in text
                    and len(left[0] + right[0]) <= LONGEST_WORD
                ):
                    found.append(left[0] + right[0])
    return found


def tables(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The first line below the rule of each table, and the line after its last."""
    for number, line in enumerate(lines):
        if line and set(line) == {"─"}:
            ends = (place for place in range(number + 1, len(lines)) if not lines[place])
            yield number + 1, next(ends, len(lines))


def cells(line: str) -> Iterator[tuple[int, str]]:
    """The cells of a line, parted by two spaces or more: the column of each, and its text."""
    for match in _CELL.finditer(line):
        yield sum(map(columns_of, line[: match.start()])), match[0]


def write_screens(scenes: Sequence[Scene], columns: int, to: Path) -> list[str]:
    """Plays scenes, writes each screen into the folder `to`, and returns the faults."""
    found: list[str] = []
    to.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="screens-") as made:
        base = Path(made)
        make_folders(base, (scene.folder for scene in scenes))
        for scene, screen in played(scenes, columns, base):
            place = f"{SCENES.index(scene):03} {scene.name}.txt".replace(" ", "-")
            text = screen.text.replace(made, "/srv/screens-00000000"[: len(made)].ljust(len(made), "0"))
            (to / place).write_text(f"$ {scene.typed}\n{text}", encoding="utf-8")
            found += faults(scene, screen)
    return found


def drawn(name: str) -> str:
    """The screen of the scene of this name as SVG. Raises LookupError where there is none."""
    scene = next((each for each in SCENES if each.name == name), None)
    if scene is None:
        raise LookupError(f"there is no scene {name!r}")
    with tempfile.TemporaryDirectory(prefix="screens-") as made:
        base = Path(made)
        make_folders(base, [scene.folder])
        *_, (_, screen) = played(needed([scene]), PICTURE_COLUMNS, base)
        return picture(scene.typed, screen, {made: "/srv"})


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes screens, or draws one; the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--columns", type=int, default=80, help="the width of the terminal")
    parser.add_argument("--to", type=Path, default=Path("screens"), help="the folder to write screens into")
    parser.add_argument("--picture", metavar="NAME", help="draw this scene as SVG on stdout instead")
    parser.add_argument("--only", metavar="WORD", help="only scenes whose name has this word, and those they need")
    options = parser.parse_args(arguments)
    if options.picture:
        sys.stdout.write(drawn(options.picture))
        return 0
    from typer.main import get_command

    from ordermade.cli.main import app

    scenes = needed([each for each in SCENES if not options.only or options.only in each.name])
    found = [*([] if options.only else unplayed(get_command(app))), *write_screens(scenes, options.columns, options.to)]
    print(
        "\n".join([*found, f"{len(scenes)} screens of {options.columns} columns in {options.to}, {len(found)} faults"])
    )
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
