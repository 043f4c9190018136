"""`ordermade rules`: recommendation rules, drafted from a dataset, and checked. Nothing is released."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ordermade.cli.completion import registered
from ordermade.cli.options import AsJson, RowFilter, example, listed_names, require_new, settings_of, write_new
from ordermade.cli.progress import shown_progress
from ordermade.views import rules as options
from ordermade.views.screen import print_document, print_facts, print_table, say

app = typer.Typer(
    no_args_is_help=True,
    help="Recommendation rules. A request with `method: mondrian` keeps the detail that they need.",
)


@app.command(
    short_help="Report the audience of each rule of a request.", epilog=example("ordermade rules check request.yaml")
)
def check(
    context: typer.Context,
    request: Annotated[Path, typer.Argument(metavar="FILE", help="A request file whose method is mondrian.")],
    as_json: AsJson = False,
) -> None:
    """Report the audience of each rule of a request, and the rules that no release can serve. Nothing is released.

    Numbers are rounded to multiples of k. For an audience of 1 to k - 1 persons only "fewer than k" is shown.
    """
    from ordermade.methods.mondrian import rules as words

    with shown_progress() as progress:
        found = settings_of(context).engine(progress=progress).check_rules(request.expanduser())
    if as_json:
        print_document("rules check", found)
        return
    print_table(words.checked_headings(found), words.checked_rows(found))
    for line in words.reasons(found):
        say(line)


@app.command(
    short_help="Draft rules from the values of a column.",
    epilog=example(
        "ordermade rules suggest members --target item --columns sex,birth,height",
        "ordermade rules suggest members --target plan --columns age --to r.yaml",
    ),
)
def suggest(
    context: typer.Context,
    dataset: Annotated[
        str, typer.Argument(metavar="DATASET", help="The dataset to learn from.", autocompletion=registered("datasets"))
    ],
    target: Annotated[
        str, typer.Option(metavar="COLUMN", help="The column whose values are the items, such as the item bought.")
    ],
    columns: Annotated[
        list[str],
        typer.Option(
            metavar="COLUMNS",
            help="The columns that rules may use: a,b,c. A name with a comma stands in double quotes. May be given "
            "several times.",
        ),
    ],
    hierarchies: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=NAME",
            help="The hierarchies whose classes rules may use: a=x,b=y. Left out: the one of the column's name, if "
            "it fits; for texts without one their values. May be given several times.",
            autocompletion=registered("hierarchies", several=True),
        ),
    ] = None,
    lift: Annotated[
        float,
        typer.Option(
            metavar="NUMBER",
            help="The least lift of a rule: the share of its audience that has the item, against that of everybody.",
        ),
    ] = 1.5,
    support: Annotated[
        float,
        typer.Option(metavar="SHARE", help="The least support: the share of everybody in the audience with the item."),
    ] = 0.01,
    k: Annotated[
        int,
        typer.Option("--k", metavar="NUMBER", help="The least number of persons (or rows) behind a rule."),
    ] = 50,
    most: Annotated[int, typer.Option(metavar="NUMBER", help="The most rules, of the greatest lift.")] = 20,
    attributes: Annotated[int, typer.Option(metavar="NUMBER", help="The most columns of a rule.")] = 2,
    where: RowFilter = None,
    to: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the rules to this new file too, as YAML to edit.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Draft rules from the values of a column in a dataset, k-anonymous themselves.

    Every count is rounded to a multiple of k, and all figures are made of such counts. A rule is left out unless it is
    worth more than each one with fewer conditions or coarser classes.
    """
    from ordermade.documents.rules import suggested
    from ordermade.methods.mondrian import suggest as words
    from ordermade.methods.mondrian.algorithm.mining import MiningThresholds

    file = None if to is None else to.expanduser()
    if file is not None:
        require_new(file)
    wanted = words.RulesOptions(
        target=target,
        columns=listed_names("--columns", columns),
        hierarchies=options.by_column("--hierarchies", listed_names("--hierarchies", hierarchies or ())),
        thresholds=MiningThresholds(k=k, support=support, lift=lift, conditions=attributes),
        most=most,
    )
    with shown_progress() as progress:
        found = settings_of(context).engine(progress=progress).suggest_rules(dataset, wanted, where=where)
    if file is not None:
        options.require_rules(found)
        write_new(file, words.draft(found))
    if as_json:
        print_document("rules suggest", suggested(found))
        return
    print_facts(words.facts(found))
    print_table(
        words.rule_headings(found), words.rule_rows(found), empty=f"No rule has that lift and support. {options.LESS}"
    )
    if file is not None:
        say(f"\nWrote the rules in {file}: edit them, then name them in a request as `mondrian: {{rules: {file}}}`.")
