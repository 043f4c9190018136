"""The fenced blocks of a page as they stand: commands and options exist, YAML is valid, Python compiles.

A `console`, `python` or `yaml` block is run, validated, or says under a line `<!-- shown: REASON -->` why it is not.
"""

from __future__ import annotations

import re
import shlex
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from checks.pages import REFERENCE, Block, Page

END_OF_COMMAND = {"|", "||", "&&", ";", "&", ">", ">>", "<", "2>", "2>&1"}
RUNNABLE = {"console", "python", "yaml"}
SHELLS = {"bash", "sh", "shell"}
ACTIONS = {"", "run", "file", "output", "shown"}
VALIDATED = {"# request", "# hierarchy", "# rules", "# keywords"}
GENERATED = {"cli.md", "python.md", "sql-templates.md", "lifecycle.md", "negotiation.md"}
"""Pages of the reference that the program makes: their blocks are signatures and headers."""


def block_findings(page: Page) -> Iterator[tuple[int, str]]:
    """The mistakes in the blocks of a page as they stand, without running them."""
    for block in page.blocks:
        findings: Iterator[str] = iter(())
        if block.language == "console" and "ordermade" in block.text:
            findings = command_findings(block, the_program())
        elif block.language == "yaml":
            findings = yaml_findings(block)
        elif block.language == "python":
            findings = python_findings(block, str(page.path))
        for finding in findings:
            yield block.line, finding
        for finding in mark_findings(page, block):
            yield block.line, finding


def mark_findings(page: Page, block: Block) -> Iterator[str]:
    """Blocks that could run and do not, and reasons that are missing."""
    if block.action == "shown" and not block.detail:
        yield "say why the block is only shown: <!-- shown: REASON -->"
    if block.language in SHELLS:
        yield f"write `console` and prompts instead of `{block.language}`: such a block can be run"
    generated = page.path.parent == REFERENCE and page.path.name in GENERATED
    if block.language not in RUNNABLE or generated or block.action in ACTIONS - {""}:
        return
    if block.language == "yaml" and block.text.partition("\n")[0].strip() in VALIDATED:
        return
    yield f"the {block.language} block could run: mark it <!-- run -->, or <!-- shown: REASON -->"


def shown_blocks(page: Page) -> Iterator[tuple[int, str]]:
    """The blocks that are only shown, each with its reason."""
    for block in page.blocks:
        if block.action == "shown":
            yield block.line, block.detail


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
    from ordermade.methods.histories.taxonomies.keywords import read_keywords
    from ordermade.requests.read import read_request
    from ordermade.requests.rules import read_rules

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


@cache
def the_program() -> Any:
    """The command line as a tree of commands."""
    import typer

    from ordermade.cli.main import app

    return typer.main.get_command(app)
