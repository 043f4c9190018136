"""`make check`: README.md, CONTRIBUTING.md and docs/ agree with the program.

* Every relative link leads to a file, and to a heading of it where it names one.
* ```console blocks: the commands and options of each `$ ordermade …` exist. Under a line `<!-- run -->` the
  block's commands are also run, in one empty folder a page, in order, and must end with 0; under
  `<!-- run: exit 1 -->` the last of them with 1.
* Under a line `<!-- file: NAME -->` the block's text is written to that file of the same folder first.
* ```yaml blocks that begin with the comment `# request` are valid requests; with `# hierarchy`, hierarchies; with
  `# rules`, recommendation rules; with `# keywords`, keywords of a taxonomy.
* ```python blocks compile. Under a line `<!-- run -->` they are also run, in the same folder: those between two
  blocks of commands as one program.
* Notebooks are stored without outputs, and run from top to bottom in an empty folder.
* The page of the Python library is as its docstrings make it.

Prints one line a finding; exit status 1 if there are any.
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
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from checks import notebooks, python_reference

REPOSITORY = Path(__file__).resolve().parents[1]
FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,})(?P<language>[\w-]*)\s*$")
MARK = re.compile(r"^\s*<!--\s*(?P<text>.+?)\s*-->\s*$")
LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)\s]+)(?:\s+\"[^\"]*\")?\)")
HEADING = re.compile(r"^#{1,6}\s+(?P<title>.+?)\s*#*$")
ELSEWHERE = re.compile(r"^[a-z][a-z0-9+.-]*:", re.IGNORECASE)
END_OF_COMMAND = {"|", "||", "&&", ";", "&", ">", ">>", "<", "2>", "2>&1"}


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, the line of its fence, and the HTML comment just above it."""

    language: str
    text: str
    line: int
    mark: str

    def commands(self) -> list[str]:
        """The input after the prompts of a console block, continued lines joined."""
        found: list[str] = []
        continued = False
        for line in self.text.splitlines():
            if continued:
                found[-1] += "\n" + line.removeprefix("> ")
            elif line.startswith("$ "):
                found.append(line.removeprefix("$ "))
            else:
                continue
            continued = line.endswith("\\")
        return found


@dataclass(frozen=True)
class Page:
    """A Markdown file: its blocks, and its prose by line number."""

    path: Path
    blocks: tuple[Block, ...]
    prose: tuple[tuple[int, str], ...]

    def anchors(self) -> set[str]:
        """The fragments that links can name, made from the headings as forges make them."""
        matches = (HEADING.match(line) for _, line in self.prose)
        titles = (match["title"] for match in matches if match)
        return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def read_page(path: Path) -> Page:
    """Part a Markdown file into blocks and prose."""
    blocks: list[Block] = []
    prose: list[tuple[int, str]] = []
    lines = iter(enumerate(path.read_text(encoding="utf-8").splitlines(), start=1))
    mark = ""
    for number, line in lines:
        if fence := FENCE.match(line):
            text: list[str] = []
            for _, inner in lines:
                if inner.strip() == fence["ticks"]:
                    break
                text.append(inner.removeprefix(fence["indent"]))
            blocks.append(Block(fence["language"], "\n".join(text) + "\n", number, mark))
            mark = ""
            continue
        prose.append((number, line))
        if line.strip():
            found = MARK.match(line)
            mark = found["text"] if found else ""
    return Page(path, tuple(blocks), tuple(prose))


def link_findings(page: Page) -> Iterator[tuple[int, str]]:
    """Relative links that lead nowhere."""
    for number, line in page.prose:
        for match in LINK.finditer(line):
            target = match["target"]
            if ELSEWHERE.match(target):
                continue
            name, _, fragment = target.partition("#")
            path = (page.path.parent / name).resolve() if name else page.path
            if not path.exists():
                yield number, f"the link {target} leads to no file"
            elif fragment and path.suffix == ".md" and fragment not in read_page(path).anchors():
                yield number, f"the link {target} leads to no heading"


def command_findings(block: Block, program: Any) -> Iterator[str]:
    """Commands and options of a console block that the program does not have."""
    for command in block.commands():
        tokens = shlex.split(command.replace("\\\n", " "), comments=True)
        while tokens:
            length = next((i for i, token in enumerate(tokens) if token in END_OF_COMMAND), len(tokens))
            call, tokens = tokens[:length], tokens[length + 1 :]
            words = [i for i, token in enumerate(call) if not re.match(r"\w+=", token)]
            if words and call[words[0]] == "ordermade":
                yield from call_findings(call[words[0] + 1 :], program)


def call_findings(arguments: list[str], program: Any) -> Iterator[str]:
    """The mistakes of one call of `ordermade`: the first unknown command, every unknown option."""
    command, name = program, "ordermade"
    words = iter(arguments)
    for word in words:
        if word == "--":
            return
        if word.startswith("-") and len(word) > 1:
            option = word.partition("=")[0]
            if option == "--help":
                continue
            known = options_of(command)
            if option not in known:
                yield f"`{name}` has no option {option}"
            elif known[option] and "=" not in word:
                next(words, None)
        elif (commands := getattr(command, "commands", None)) is not None:
            if word not in commands:
                yield f"`{name}` has no command {word}"
                return
            command, name = commands[word], f"{name} {word}"


def options_of(command: Any) -> dict[str, bool]:
    """The options of a command, each with whether a value follows it."""
    return {
        option: not (parameter.is_flag or parameter.count)
        for parameter in command.params
        if parameter.param_type_name == "option"
        for option in (*parameter.opts, *parameter.secondary_opts)
    }


def yaml_findings(block: Block) -> Iterator[str]:
    """Requests, hierarchies, rules and keywords that the engine itself would not read."""
    from ordermade.errors import OrdermadeError
    from ordermade.hierarchies.read import read_hierarchy
    from ordermade.requests.read import read_request
    from ordermade.requests.rules import read_rules
    from ordermade.taxonomies.keywords import read_keywords

    kind = block.text.partition("\n")[0].strip()
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "example.yaml"
            path.write_text(block.text, encoding="utf-8")
            if kind == "# request":
                read_request(path)
            elif kind == "# hierarchy":
                read_hierarchy(path, "example")
            elif kind == "# rules":
                read_rules(path)
            elif kind == "# keywords":
                read_keywords(path)
    except OrdermadeError as error:
        yield f"{kind.removeprefix('# ')}: {error.what}"


def python_findings(block: Block, where: str) -> Iterator[str]:
    """A Python block that does not compile."""
    try:
        compile(block.text, where, "exec")
    except SyntaxError as error:
        yield f"does not compile: {error.msg}"


def block_findings(page: Page) -> Iterator[tuple[int, str]]:
    """The mistakes in the blocks of a page as they stand, without running them."""
    program: Any = None
    for block in page.blocks:
        findings: Iterator[str] = iter(())
        if block.language == "console" and "ordermade" in block.text:
            program = program or the_program()
            findings = command_findings(block, program)
        elif block.language == "yaml":
            findings = yaml_findings(block)
        elif block.language == "python":
            findings = python_findings(block, str(page.path))
        for finding in findings:
            yield block.line, finding


def the_program() -> Any:
    """The command line as a tree of commands."""
    import typer

    from ordermade.cli.main import app

    return typer.main.get_command(app)


class Demos:
    """The folders that `ordermade demo --folder` makes: each made once, a copy of it for every page that asks for it.

    Pages begin with the same demo, which takes longer than the rest of the page.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._one_at_a_time = Lock()
        self._made: dict[tuple[str, ...], Path] = {}

    def copied(self, command: str, folder: Path) -> bool:
        """Whether `command` is such a demo into a new folder of `folder`, and that folder is there now."""
        words = tuple(shlex.split(command, comments=True))
        if words[:2] != ("ordermade", "demo") or words[-2:-1] != ("--folder",) or (folder / words[-1]).exists():
            return False
        with self._one_at_a_time:
            if words not in self._made:
                place = Path(tempfile.mkdtemp(dir=self._folder))
                if ended(command, place).returncode:
                    return False
                self._made[words] = place / words[-1]
        shutil.copytree(self._made[words], folder / words[-1])
        return True


def run_findings(page: Page, demos: Demos | None = None) -> Iterator[tuple[int, str]]:
    """Write the files and run the commands that the page marks, up to the first that ends otherwise."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program: list[Block] = []
        for block in page.blocks:
            action, _, detail = (part.strip() for part in block.mark.partition(":"))
            if action == "run" and block.language == "python":
                program.append(block)
                continue
            if action == "run" and program:
                if found := list(program_findings(program, folder)):
                    yield from found
                    return
                program = []
            if action == "file":
                path = folder / detail
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(block.text, encoding="utf-8")
            elif action == "run":
                told = int(detail.removeprefix("exit ")) if detail else 0
                finding = run_block(block, told, folder, demos)
                if finding:
                    yield block.line, finding
                    return
        yield from program_findings(program, folder)


def program_findings(blocks: Sequence[Block], folder: Path) -> Iterator[tuple[int, str]]:
    """Run Python blocks of a page as one program in `folder`: the error that it ends with, at its line of the page."""
    if not blocks:
        return
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
    if done.returncode:
        at = re.findall(r'File "<stdin>", line (\d+)', done.stderr)
        said = done.stderr.strip().rpartition("\n")[2]
        yield int(at[0]) if at else blocks[0].line, f"the program ended with {done.returncode}: {said}"


def run_block(block: Block, told: int, folder: Path, demos: Demos | None = None) -> str:
    """Run the commands of a block in `folder`: what went wrong, or nothing."""
    commands = block.commands()
    for number, command in enumerate(commands, start=1):
        expected = told if number == len(commands) else 0
        if demos is not None and expected == 0 and demos.copied(command, folder):
            continue
        done = ended(command, folder)
        if done.returncode != expected:
            said = (done.stderr or done.stdout).strip()
            return f"`{command}` ended with {done.returncode}, not {expected}: {said}"
    return ""


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
    """This environment's programs first on the PATH, and no state but that of the folder."""
    own = {name: value for name, value in os.environ.items() if name != "ORDERMADE_STATE"}
    return own | {"PATH": os.pathsep.join([str(Path(sys.executable).parent), own.get("PATH", os.defpath)])}


def library_findings() -> Iterator[tuple[Path, str]]:
    """The page of the Python library, where it is not what its docstrings make."""
    path = REPOSITORY / "docs" / "reference" / "python.md"
    if path.read_text(encoding="utf-8") != python_reference.page():
        yield path, "run: python checks/python_reference.py > docs/reference/python.md"


def notebook_findings() -> Iterator[tuple[Path, str]]:
    """Notebooks with outputs, and cells that end with an error."""
    for path in notebooks.notebooks():
        for finding in notebooks.findings(path):
            yield path, finding


def main() -> int:
    """Print the findings; 1 if there are any."""
    named = [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md"]
    paths = [path for path in named if path.is_file()] + sorted((REPOSITORY / "docs").rglob("*.md"))
    pages = [read_page(path) for path in paths]
    standing = [[*link_findings(page), *block_findings(page)] for page in pages]
    # Each page is run in a folder of its own.
    with tempfile.TemporaryDirectory() as made, ThreadPoolExecutor(os.cpu_count()) as pool:
        demos = Demos(Path(made))
        running = pool.map(lambda page, found: found or list(run_findings(page, demos)), pages, standing)
        others = [*library_findings(), *notebook_findings()]
    count = len(others)
    for path, finding in others:
        print(f"{path.relative_to(REPOSITORY)}: {finding}")
    for path, findings in zip(paths, running, strict=True):
        for line, finding in sorted(findings):
            print(f"{path.relative_to(REPOSITORY)}:{line}: {finding}")
        count += len(findings)
    print(f"docs: {len(paths)} pages, {len(notebooks.notebooks())} notebooks, {count} findings")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
