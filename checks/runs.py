"""Run the marked blocks of a page in one empty folder, and compare the output blocks with what was printed.

`<!-- output -->` above a `text` block says that it is the output of the last command of the run block before it;
`<!-- output: 8 lines -->` that it is the first eight lines. Times, hashes and widths of tables may differ.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from checks.loaded import LoadedProgram
from checks.pages import Block, Page

PROGRESS = re.compile(r"\d+(?:\.\d+)? s: |Compiling the method ")
"""How a line begins that a command prints on a slow machine, or once after it was installed."""
COLUMNS = 80
"""The width of the terminal that commands see."""

# Figures of a run that another run does not have: hashes, seconds, dates with times, temporary folders.
_DIFFERS = (
    (re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{8,}\b"), "HASH"),
    (re.compile(r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?"), "TIME"),
    (re.compile(r"\b\d+(?:\.\d+)? ?(?:s|ms|seconds?)\b"), "TIME"),
    (re.compile(r"\b(seconds) +[\d.]+"), r"\1 TIME"),
    (re.compile(r"[ ─━]+"), " "),
)


@dataclass
class Ran:
    """The run of a page: the first finding, and the output of each output block by its line."""

    findings: list[tuple[int, str]] = field(default_factory=list)
    outputs: dict[int, str] = field(default_factory=dict)


class Shared:
    """What pages share that takes longer than the rest of a page: the loaded program, and the demos they begin with.

    Each demo of `ordermade demo --folder` is made once, and every page that begins so has a copy of its files.
    """

    def __init__(self, folder: Path, program: LoadedProgram) -> None:
        self._folder = folder
        self._program = program
        self._one_at_a_time = Lock()
        self._locks: dict[tuple[str, ...], Lock] = {}
        self._made: dict[tuple[str, ...], Path] = {}

    def ended(self, command: str, folder: Path) -> subprocess.CompletedProcess[str]:
        """A command of a page after it was run in `folder`: in a shell, where it is not of the program alone."""
        return self._program.ended(command, folder) or ended(command, folder)

    def copied(self, command: str, folder: Path) -> bool:
        """Whether `command` is such a demo into a new or empty folder of `folder`, and its files are there now."""
        *words, name = shlex.split(command, comments=True) or [""]
        into = folder / name
        if words[:2] != ["ordermade", "demo"] or words[-1] != "--folder" or (into.exists() and any(into.iterdir())):
            return False
        demo = tuple(words)
        with self._one_at_a_time:
            lock = self._locks.setdefault(demo, Lock())
        with lock:
            if demo not in self._made:
                place = Path(tempfile.mkdtemp(dir=self._folder))
                if self.ended(shlex.join([*words, "."]), place).returncode:
                    return False
                self._made[demo] = place
        shutil.copytree(self._made[demo], into, dirs_exist_ok=True)
        return True


def run_page(page: Page, shared: Shared | None = None) -> Ran:
    """Write the files and run the blocks that the page marks, up to the first that ends otherwise."""
    ran = Ran()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program: list[Block] = []
        printed: str | None = None
        for block in page.blocks:
            if block.action == "run" and block.language == "python":
                program.append(block)
                continue
            if block.action in {"run", "output"} and program:
                ran.findings += program_findings(program, folder)
                program, printed = [], None
                if ran.findings:
                    return ran
            if block.action == "file":
                path = folder / block.detail
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(block.text, encoding="utf-8")
            elif block.action == "run":
                expected = int(block.detail.removeprefix("exit ")) if block.detail else 0
                finding, printed = run_block(block, expected, folder, shared)
                ran.findings += [(block.line, finding)] if finding else []
            elif block.action == "output":
                if printed is None:
                    ran.findings.append((block.line, "an output block stands under a console block that is run"))
                else:
                    ran.outputs[block.line] = first_lines(printed.replace(name, "FOLDER"), block.detail)
            if ran.findings:
                return ran
        ran.findings += program_findings(program, folder)
    return ran


def run_findings(page: Page, shared: Shared | None = None) -> Iterator[tuple[int, str]]:
    """The findings of a run of the page, and the output blocks that the run does not print."""
    ran = run_page(page, shared)
    yield from ran.findings
    for block in page.blocks:
        if block.line in ran.outputs and alike(block.text) != alike(ran.outputs[block.line]):
            yield block.line, "the output is another one now: python -m checks.docs --write-outputs"


def first_lines(printed: str, detail: str) -> str:
    """The part of an output that its mark wants: `8 lines`, or all of it without trailing blanks."""
    lines = [line.rstrip() for line in printed.strip("\n").splitlines()]
    if number := re.fullmatch(r"(\d+) lines", detail):
        lines = lines[: int(number[1])]
    return "\n".join(lines) + "\n"


def alike(output: str) -> list[str]:
    """The lines of an output without what differs from run to run."""
    lines = []
    for line in output.strip().splitlines():
        text = line
        for pattern, word in _DIFFERS:
            text = pattern.sub(word, text)
        lines.append(text.strip())
    return lines


def write_outputs(page: Page, shared: Shared | None = None) -> bool:
    """Rewrite the output blocks of a page that differ; whether any did. Raises RuntimeError if it does not run."""
    ran = run_page(page, shared)
    if ran.findings:
        line, finding = ran.findings[0]
        raise RuntimeError(f"{page.name}:{line}: {finding}")
    lines = page.path.read_text(encoding="utf-8").split("\n")
    changed = False
    for block in reversed(page.blocks):
        printed = ran.outputs.get(block.line)
        if printed is None or alike(block.text) == alike(printed):
            continue
        length = len(block.text.splitlines()) if block.text.strip() else block.text.count("\n") - 1
        lines[block.line : block.line + length] = printed.rstrip("\n").split("\n")
        changed = True
    if changed:
        page.path.write_text("\n".join(lines), encoding="utf-8")
    return changed


def program_findings(blocks: Sequence[Block], folder: Path) -> list[tuple[int, str]]:
    """Run Python blocks of a page as one program in `folder`: the error that it ends with, at its line of the page."""
    if not blocks:
        return []
    lines: list[str] = []
    for block in blocks:
        lines += [""] * (block.line - len(lines)) + block.text.splitlines()
    done = subprocess.run(
        [sys.executable, "-"],
        input="\n".join(lines) + "\n",
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    if not done.returncode:
        return []
    at = re.findall(r'File "<stdin>", line (\d+)', done.stderr)
    said = done.stderr.strip().rpartition("\n")[2]
    return [(int(at[0]) if at else blocks[0].line, f"the program ended with {done.returncode}: {said}")]


def run_block(block: Block, expected: int, folder: Path, shared: Shared | None = None) -> tuple[str, str]:
    """Run the commands of a block in `folder`: the finding, or nothing, and the output of the last command.

    The output of a refused command is stderr, which says the refusal, with stdout beneath it, as on a terminal.
    """
    commands = block.commands()
    printed = ""
    for number, command in enumerate(commands, start=1):
        status = expected if number == len(commands) else 0
        if shared is not None and status == 0 and shared.copied(command, folder):
            continue
        done = shared.ended(command, folder) if shared else ended(command, folder)
        if done.returncode != status:
            said = (done.stderr or done.stdout).strip()
            return f"`{command}` ended with {done.returncode}, not {status}: {said}", ""
        said = "".join(line for line in done.stderr.splitlines(keepends=True) if not PROGRESS.match(line))
        printed = (said if status else "") + done.stdout
    return "", printed


def ended(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A command of a page after it was run in `folder`."""
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )


def environment() -> Mapping[str, str]:
    """This environment's programs first on the PATH, a plain terminal of 80 columns, and no state but the folder's."""
    own = {name: value for name, value in os.environ.items() if name not in {"ORDERMADE_STATE", "FORCE_COLOR"}}
    path = os.pathsep.join([str(Path(sys.executable).parent), own.get("PATH", os.defpath)])
    return own | {"PATH": path, "COLUMNS": str(COLUMNS), "NO_COLOR": "1", "TERM": "dumb"}
