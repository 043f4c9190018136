"""`ordermade policy`: what requests on a dataset must keep."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ordermade.cli.completion import registered
from ordermade.cli.options import AsJson, example, settings_of
from ordermade.cli.permitted import may_run
from ordermade.documents.policy import PolicyList, PolicyShown
from ordermade.errors import InputError
from ordermade.views.screen import hand_over, notify, print_document, print_json, print_list, print_table, say

if TYPE_CHECKING:
    from ordermade.catalogue.policies import PolicyDifference

app = typer.Typer(
    no_args_is_help=True,
    help="Policies: what requests on a dataset must keep. A request that breaks one is refused before any query.",
)

File = Annotated[Path, typer.Argument(metavar="FILE", help="The policy file.")]
Dataset = Annotated[
    str, typer.Argument(metavar="DATASET", help="The dataset it is for.", autocompletion=registered("datasets"))
]


@app.command(short_help="Check a policy file; nothing is set.", epilog=example("ordermade policy check policy.yaml"))
def check(context: typer.Context, file: File, as_json: AsJson = False) -> None:
    """Check a policy file: every mistake at once, each with its line; names are looked up where they are known."""
    found = settings_of(context).engine().policies.check(file.expanduser())
    if as_json:
        print_document("policy check", found)
        return
    say(f"The policy of '{found.policy.dataset}' has no mistakes.")
    for note in found.notes:
        notify(f"Note: {note}.")


@app.command("set", short_help="Put a policy in force.", epilog=example("ordermade policy set policy.yaml"))
def set_policy(context: typer.Context, file: File, as_json: AsJson = False) -> None:
    """Put a policy in force, as the next version of its dataset's. Earlier versions stay on record."""
    found = settings_of(context).engine().policies.set(file.expanduser())
    if as_json:
        print_document("policy set", PolicyShown(found))
        return
    say(f"Version {found.version} of the policy of '{found.policy.dataset}' is in force.")


@app.command("list", epilog=example("ordermade policy list"))
def list_policies(context: typer.Context, as_json: AsJson = False) -> None:
    """List the policy in force of each dataset that has one."""
    policies = settings_of(context).engine().policies.list()
    if as_json:
        print_document("policy list", PolicyList(policies))
        return
    from ordermade.catalogue.policies import SHOWN

    print_list(
        SHOWN,
        policies,
        instead={"hash": lambda each: each.policy_hash[:12]},
        empty="No dataset has a policy. Set one with `ordermade policy set`.",
    )


@app.command(
    short_help="Show the policy of a dataset.",
    epilog=example("ordermade policy show members", "ordermade policy show members --version 1 > policy.yaml"),
)
@may_run("data-user", "reviewer")
def show(
    context: typer.Context,
    dataset: Dataset,
    version: Annotated[
        int | None, typer.Option(metavar="N", help="A version of it. Left out: the one in force.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the policy of a dataset as a policy file, with its terms written out."""
    from ordermade.policies.written import yaml_of

    found = settings_of(context).engine().policies.show(dataset, version)
    if as_json:
        print_document("policy show", PolicyShown(found))
        return
    hand_over(f"# version {found.version}, set {found.set_at:%Y-%m-%d %H:%M} UTC\n{yaml_of(found.policy)}")


@app.command(
    short_help="Show what gets stricter and what looser.",
    epilog=example(
        "ordermade policy diff members",
        "ordermade policy diff members policy.yaml",
        "ordermade policy diff members --versions 1,3",
    ),
)
def diff(
    context: typer.Context,
    dataset: Dataset,
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="A policy file, compared with the policy in force."),
    ] = None,
    versions: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Two versions; 0 is no policy. Left out: the last one and the one before."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what a policy makes stricter and what looser, field by field."""
    if file is not None and versions is not None:
        raise InputError("a file is compared with the policy in force", where="--versions", next_step="Give one alone.")
    policies = settings_of(context).engine().policies
    found = policies.diff(dataset, None if file is None else file.expanduser(), versions=_versions(versions))
    if as_json:
        print_document("policy diff", found)
        return
    _print_difference(found)


def _versions(written: str | None) -> tuple[int, int] | None:
    if written is None:
        return None
    first, comma, then = written.partition(",")
    if not (comma and first.strip().isdecimal() and then.strip().isdecimal()):
        raise InputError("these are not two versions", where="--versions", next_step="Write for example 1,2.")
    return int(first), int(then)


def _print_difference(found: PolicyDifference) -> None:
    print_table(
        ("gets", "field", "before", "after"),
        [(each.direction, each.field, each.before, each.after) for each in found.changes],
        empty="Nothing differs.",
    )


@app.command(epilog=example("ordermade policy schema > policy.schema.json"))
@may_run("data-user", "reviewer")
def schema() -> None:
    """Print the JSON Schema of policy files. Editors complete and check them with it."""
    from ordermade.policies.schema import json_schema

    print_json(json_schema())
