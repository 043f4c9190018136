"""`docs/reference/cli.md`, made from the commands themselves: `python -m ordermade.cli.reference` prints it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from itertools import dropwhile
from typing import Any

import typer

from ordermade.cli.main import app

INTRODUCTION = """\
# The command line

Every command, argument and option, made from the program itself, like the output of `ordermade NOUN COMMAND --help`.
`--state`, `--wait`, `--memory`, `--token-file` and `--log` stand before the noun, as in
`ordermade --state other.sqlite request list`.

| exit status | meaning |
|---|---|
| 0 | done; of `request run`: released |
| 1 | refused: nothing acceptable passes, and the reason is on stderr; of `taxonomy check`: items have no category |
| 2 | malformed input: a file, a name, an option; nothing was run |
| 3 | a fault of the source or the state, or a release that has changed |
| 130 | stopped with Ctrl-C; nothing is left half written |

Results are on stdout, messages on stderr, so that `--json` prints one JSON document and nothing else on stdout. With
`--log debug` (or `ORDERMADE_LOG=debug`) every statement is logged to stderr, without its bound values; with `json` each
event is a line of JSON without SQL, names of files and values.
"""


ORDER = (
    "anonymize", "measure", "sweep", "judge", "init", "source", "dataset", "hierarchy", "taxonomy", "request", "rules",
    "microaggregation", "release", "ledger", "certificate", "policy", "user", "observations", "audit", "retention",
    "state", "cache", "schema", "demo", "serve",
)  # fmt: skip
"""The nouns as a reader needs them: what works on a file alone, the way from a source to a release, then the office."""


def cli_reference() -> str:
    """The whole page as Markdown."""
    root: Any = typer.main.get_command(app)
    nouns = {name: root.commands[name] for name in sorted(root.commands, key=ORDER.index)}
    sections = (each for name, command in nouns.items() for each in _sections(command, f"ordermade {name}"))
    return "\n".join([INTRODUCTION, _contents(nouns), _section(root, "ordermade", 2), *sections])


def _contents(nouns: Mapping[str, Any]) -> str:
    """A table with a row a noun and links to its commands."""
    rows = [f"| {_link(name, name)} | {_commands(command, name)} |" for name, command in nouns.items()]
    return "\n".join(["| noun | commands |", "|---|---|", *rows, ""])


def _commands(command: Any, path: str) -> str:
    """Links to the commands of a noun, and to theirs; of a command without any what it does."""
    if not hasattr(command, "commands"):
        return (command.short_help or command.help or "").split("\n\n")[0].replace("\n", " ").replace("|", "\\|")
    links = []
    for name, each in command.commands.items():
        below = [f"{name} {further}" for further in getattr(each, "commands", {})]
        links += [_link(one, f"{path} {one}") for one in below or [name]]
    return ", ".join(links)


def _link(shown: str, path: str) -> str:
    return f"[`{shown}`](#ordermade-{path.replace(' ', '-')})"


def _sections(command: Any, path: str, depth: int = 2) -> Iterator[str]:
    """The command's own section, then those of its commands: nouns at depth 2, their commands at 3."""
    yield _section(command, path, depth)
    for name, each in getattr(command, "commands", {}).items():
        yield from _sections(each, f"{path} {name}", 3)


def _section(command: Any, path: str, depth: int) -> str:
    parts = [f"{'#' * depth} `{path}`", " ".join((command.help or "").split())]
    if not hasattr(command, "commands") and command.params:
        arguments = [each for each in command.params if _is_argument(each)]
        words = [each.metavar if each.required else f"[{each.metavar}]" for each in arguments]
        options = ["[OPTIONS]"] if len(words) < len(command.params) else []
        parts.append(f"`{' '.join([path, *words, *options])}`")
    rows = [_row(each) for each in command.params if each.name not in {"install_completion", "show_completion"}]
    if rows:
        parts.append("\n".join(["| | meaning | left out |", "|---|---|---|", *rows]))
    lines = (command.epilog or "").splitlines()
    calls = [line.removeprefix("  ") for line in dropwhile(lambda line: not line.startswith("  $ "), lines)]
    if calls:
        parts.append("\n".join(["```console", *calls, "```"]))
    return "\n\n".join(parts) + "\n"


def _is_argument(parameter: Any) -> bool:
    return bool(parameter.param_type_name == "argument")


def _row(parameter: Any) -> str:
    if _is_argument(parameter):
        name, default = parameter.metavar, "must be given" if parameter.required else ""
    else:
        value = "" if parameter.is_flag else f" {parameter.metavar or '|'.join(_choices(parameter))}"
        name = ", ".join(f"{each}{value}" for each in parameter.opts)
        default = _default(parameter)
    meaning = parameter.help or ""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in (f"`{name}`", meaning, default)) + " |"


def _choices(parameter: Any) -> list[str]:
    return [str(each) for each in parameter.type_descriptor.choices or ()]


def _default(parameter: Any) -> str:
    if parameter.required:
        return "must be given"
    if parameter.is_flag or parameter.default is None:
        return ""
    return f"`{parameter.default:g}`" if isinstance(parameter.default, float) else f"`{parameter.default}`"


if __name__ == "__main__":
    sys.stdout.write(cli_reference())
