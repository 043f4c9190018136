"""`docs/reference/lifecycle.md`, from the lifecycle as data: `python -m checks.lifecycle_reference` prints it."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from ordermade.cli.permitted import declared
from ordermade.service.lifecycle import ENDED, GUARDS, MOVES, STATES, LifecycleMove, words
from ordermade.service.permissions import CALLS

INTRODUCTION = """\
# The lifecycle of a submitted request

Roles bind at the border of the process alone, [a login that runs the program with a user's
token](../tasks/service.md#users-by-ssh): whoever can start it otherwise, run Python beside it, or read the state or the
source is the provider. Everything below is made from the data that the engine goes by.
"""


def page() -> str:
    """The page."""
    import typer

    from ordermade.cli.main import app

    commands = sorted((name, roles) for name, roles in declared(typer.main.get_command(app)) if roles)
    return "\n".join(
        [
            INTRODUCTION,
            "```text",
            *_diagram(),
            "```",
            "",
            "## States",
            "",
            "| state | meaning |",
            "|---|---|",
            *(f"| {words(name)} | {meaning} |" for name, meaning in STATES.items()),
            "",
            "## Moves",
            "",
            "| move | from | to | by | where |",
            "|---|---|---|---|---|",
            *map(_row, MOVES),
            "",
            "## Commands of users",
            "",
            "All other commands are the provider's alone. The command that is dispatched is what is checked.",
            "",
            "| command | role |",
            "|---|---|",
            *(f"| `{name}` | {', '.join(sorted(roles))} |" for name, roles in commands),
            "",
            "## Calls of users",
            "",
            "All other members of `Engine(token=…)` and of its nouns are the provider's alone.",
            "",
            "| call | role |",
            "|---|---|",
            *(f"| `{name}` | {', '.join(sorted(roles))} |" for name, roles in sorted(CALLS.items())),
            "",
        ]
    )


def _row(each: LifecycleMove) -> str:
    by = "the engine, in a step of another move" if each.by_itself else ", ".join(each.roles)
    name = f"`{each.name}`" if not each.by_itself else each.name
    sources = ", ".join(map(words, each.sources))
    return f"| {name} | {sources} | {words(each.target)} | {by} | {GUARDS[each.guard][0] if each.guard else ''} |"


def _diagram() -> Iterator[str]:
    """A line a state and target: the state at the left, its moves on the arrows."""
    widest = max(map(len, STATES))
    for state in STATES:
        targets: dict[str, list[str]] = {}
        for each in MOVES:
            if state in each.sources:
                targets.setdefault(each.target, []).append(each.name)
        label = words(state).ljust(widest)
        if state in ENDED:
            yield f"{label}  (the end)"
        for target, names in targets.items():
            yield f"{label}  ── {', '.join(names)} ──▶ {words(target)}"
            label = " " * widest


if __name__ == "__main__":
    sys.stdout.write(page())
