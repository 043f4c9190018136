"""The moves of `ordermade request`, from submit to withdraw, and what is said about it: comment, history."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ordermade.cli.completion import registered
from ordermade.cli.options import AsJson, example, new_file_of, request_of, settings_of
from ordermade.cli.permitted import may_run
from ordermade.cli.progress import shown_progress
from ordermade.documents.service import (
    Collected,
    Commented,
    HistoryStep,
    Moved,
    OffersToPropose,
    SubmissionHistory,
    SubmissionShown,
    SubmittedRun,
)
from ordermade.errors import Refused, UnknownName
from ordermade.service.collections import submitted_of
from ordermade.service.comment_subjects import in_words
from ordermade.service.lifecycle import words
from ordermade.service.permissions import permits
from ordermade.views.screen import notify, print_document, print_table, say
from ordermade.views.service import print_submission

if TYPE_CHECKING:
    from ordermade.offers.offer import Offers
    from ordermade.service.submissions import Submissions
    from ordermade.state.records.submissions import Submission

app = typer.Typer()

Number = Annotated[
    int,
    typer.Argument(metavar="ID", help="The number of the submitted request.", autocompletion=registered("requests")),
]
FileOrInput = Annotated[
    Path, typer.Argument(metavar="FILE", help="The request file (YAML), or - for standard input: by a token - alone.")
]
Why = Annotated[str | None, typer.Option(metavar="TEXT", help="The reason, in one line; kept in the audit.")]
AcceptTerms = Annotated[bool, typer.Option("--accept-terms", help="Accept the terms of the dataset's policy.")]
NeededWhy = Annotated[str, typer.Option(metavar="TEXT", help="The reason, in one line; its user sees it.")]


@app.command(
    short_help="Submit a request, which is predicted and reviewed.",
    epilog=example("ordermade request submit request.yaml --why 'for the yearbook'"),
)
@may_run("data-user")
def submit(
    context: typer.Context,
    file: FileOrInput,
    why: Why = None,
    accept_terms: AcceptTerms = False,
    as_json: AsJson = False,
) -> None:
    """Submit a request: it gets a number, and its outcome is predicted. Nothing is counted.

    Exit status 0 submitted, 1 the policy does not allow it, with every reason, 2 malformed, 3 a fault of the state.
    """
    noun = settings_of(context).engine().submissions
    moved = noun.submit(request_of(context, file), why, accept_terms=accept_terms)
    dossier = noun.get(moved.id)
    if as_json:
        print_document("request submit", Moved(moved, dossier.in_force))
        return
    say(f"Submitted as request {moved.id}, {words(moved.status)}: {dossier.in_force.prediction}.")


@app.command(
    short_help="Propose another request to its user.",
    epilog=example("ordermade request propose 3", "ordermade request propose 3 --offer 1"),
)
def propose(
    context: typer.Context,
    number: Number,
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="The request to propose, or - for standard input. Left out: an offer."),
    ] = None,
    offer: Annotated[
        int | None, typer.Option(metavar="M", min=1, help="The offer to propose. Left out: the offers are shown.")
    ] = None,
    why: Why = None,
    as_json: AsJson = False,
) -> None:
    """Show what passes instead of a submitted request, or propose it to its user, who accepts or revises it.

    Exit status 0 shown or proposed, 1 not possible now, 2 malformed, 3 a fault of the source or the state.
    """
    noun = settings_of(context).engine().submissions
    if file is None and offer is None:
        if why is not None:
            raise typer.BadParameter("it goes with a proposal: a file, or --offer", param_hint="--why")
        _show_offers(noun.offers(number), number, as_json=as_json)
        return
    moved = noun.propose(number, offer, None if file is None else request_of(context, file), why)
    proposal = noun.get(number).revisions[-1]
    if as_json:
        print_document("request propose", Moved(moved, proposal))
    else:
        what = proposal.reason or "another request"
        say(f"Proposed to {moved.submitted_by} as revision {proposal.revision}: {what}.")


@app.command(short_help="Accept what was proposed.", epilog=example("ordermade request accept 3"))
@may_run("data-user")
def accept(context: typer.Context, number: Number, why: Why = None, as_json: AsJson = False) -> None:
    """Accept what the provider proposed: it is the request from now on, and reviewed anew."""
    _moved(context, "accept", number, why, as_json=as_json)


@app.command(
    short_help="Put another request in its place.",
    epilog=example("ordermade request revise 3 request.yaml --why 'ages by decade will do'"),
)
@may_run("data-user")
def revise(
    context: typer.Context,
    number: Number,
    file: FileOrInput,
    why: Why = None,
    accept_terms: AcceptTerms = False,
    as_json: AsJson = False,
) -> None:
    """Put another request in the place of a submitted one; it is predicted, and reviewed anew."""
    noun = settings_of(context).engine().submissions
    moved = noun.revise(number, request_of(context, file), why, accept_terms=accept_terms)
    revision = noun.get(number).in_force
    if as_json:
        print_document("request revise", Moved(moved, revision))
    else:
        say(f"Request {number} is {words(moved.status)}, revision {moved.revision}: {revision.prediction}.")


@app.command(
    short_help="Vote on a submitted request.",
    epilog=example("ordermade request review 3 --approve", "ordermade request review 3 --refuse --why 'too detailed'"),
)
@may_run("reviewer")
def review(
    context: typer.Context,
    number: Number,
    approve: Annotated[
        bool | None, typer.Option("--approve/--refuse", help="The vote. One of them is needed.", show_default=False)
    ] = None,
    why: Why = None,
    as_json: AsJson = False,
) -> None:
    """Vote on a submitted request. Nobody votes on an own request, or on one that they revised or proposed.

    The request is approved with as many votes as the policy asks for. A revision, another policy, changed data or a
    changed hierarchy resets them.

    Exit status 0 noted, 1 not possible now, 2 malformed, 3 a fault of the source or the state.
    """
    if approve is None:
        raise typer.BadParameter("give one of them", param_hint="--approve/--refuse")
    moved = settings_of(context).engine().submissions.review(number, "approve" if approve else "refuse", why)
    if as_json:
        print_document("request review", Moved(moved))
    else:
        say(f"The vote is noted. Request {number} is {words(moved.status)}.")


@app.command(
    short_help="Say something about a submitted request.",
    epilog=example("ordermade request comment 3 'by region?' --at column:age"),
)
@may_run("data-user", "reviewer")
def comment(
    context: typer.Context,
    number: Number,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What is said, in one line.")],
    at: Annotated[
        str,
        typer.Option(
            metavar="OBJECT",
            help="What it is about: request, k, suppression, filter, column:NAME, check:policy, check:forecast, "
            "check:ledger or check:release.",
        ),
    ] = "request",
    as_json: AsJson = False,
) -> None:
    """Say something about a submitted request: its user, the reviewers and the provider read it. It decides nothing.

    Exit status 0 noted, 1 not possible now, 2 malformed, 3 a fault of the state.
    """
    made = settings_of(context).engine().submissions.comment(number, text, at)
    if as_json:
        print_document("request comment", Commented(made))
    else:
        say(f"The comment is noted, on {in_words(made.about)}.")


@app.command(short_help="Close a review in spite of a vote.", epilog=example("ordermade request approve 3"))
def approve(context: typer.Context, number: Number, why: Why = None, as_json: AsJson = False) -> None:
    """Close a review that has its approvals, in spite of a vote to refuse. Without one it closes by itself."""
    _moved(context, "approve", number, why, as_json=as_json)


@app.command(
    short_help="Refuse a submitted request.",
    epilog=example("ordermade request refuse 3 --why 'the cities are too small'"),
)
def refuse(context: typer.Context, number: Number, why: NeededWhy, as_json: AsJson = False) -> None:
    """Refuse a submitted request, with a reason for its user, who may revise it."""
    _moved(context, "refuse", number, why, as_json=as_json)


@app.command(
    short_help="Deliver the release of a request.",
    epilog=example("ordermade request deliver 3", "ordermade request deliver 3 --to /srv/out/members.csv"),
)
def deliver(
    context: typer.Context,
    number: Number,
    to: Annotated[Path | None, typer.Option(metavar="FILE", help="Copy the release to this new file, too.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure the release of a request again, and deliver it: its user may collect it.

    Exit status 0 delivered, 1 not possible now, 2 malformed, 3 the release has changed, or a fault.
    """
    done = settings_of(context).engine().submissions.deliver(number, None if to is None else to.expanduser())
    if as_json:
        print_document("request deliver", done)
        return
    say(f"Delivered release {done.release} to {done.submission.submitted_by}, measured again.")
    if done.copy is not None:
        say(f"A copy: {done.copy}")


@app.command(short_help="Copy a delivered release.", epilog=example("ordermade request collect 3 --to members.csv"))
@may_run("data-user")
def collect(
    context: typer.Context,
    number: Number,
    to: Annotated[
        Path,
        typer.Option(
            metavar="FILE|-",
            help="The new file; the user's manifest is written beside it, and the certificate where there is one. -: "
            "the release alone, to stdout; by a token - alone.",
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Copy the release that was delivered for an own request."""
    if str(to) == "-":
        if as_json:
            raise typer.BadParameter("standard output has the release", param_hint="--json")
        sys.stdout.flush()
        with settings_of(context).engine().submissions.delivered_file(number).open("rb") as content:
            shutil.copyfileobj(content, sys.stdout.buffer)
        return
    copy = settings_of(context).engine().submissions.collect(number, new_file_of(context, to))
    if as_json:
        print_document("request collect", Collected(number, copy))
    else:
        say(f"Collected: {copy}")


@app.command(
    short_help="Print the certificate of a delivered release.",
    epilog=example("ordermade request certificate 3 > members.csv.certificate.json"),
)
@may_run("data-user")
def certificate(context: typer.Context, number: Number) -> None:
    """Print the certificate that no more detailed release passes, as the user of the request may have it.

    Exit status 0 printed, 1 it has none, or was not delivered, 3 a fault.
    """
    found = settings_of(context).engine().submissions.certificate(number)
    if found is None:
        raise Refused("the release has no certificate", next_step="Its report says what is proved.")
    sys.stdout.write(found)


@app.command(
    short_help="Withdraw a request and its release.",
    epilog=example("ordermade request withdraw 3 --why 'no longer needed'"),
)
@may_run("data-user")
def withdraw(context: typer.Context, number: Number, why: Why = None, as_json: AsJson = False) -> None:
    """Withdraw a request: its user before it is delivered, the provider after it. Its release is taken away."""
    _moved(context, "withdraw", number, why, as_json=as_json)


@app.command(epilog=example("ordermade request history 3"))
@may_run("data-user", "reviewer")
def history(context: typer.Context, number: Number, as_json: AsJson = False) -> None:
    """Show every step of a submitted request: when, who, what, why."""
    steps = settings_of(context).engine().submissions.history(number)
    if as_json:
        print_document("request history", SubmissionHistory(number, tuple(HistoryStep.of(each) for each in steps)))
        return
    print_table(
        ("when", "who", "step", "why"),
        [(each.happened_at, each.actor, each.action.removeprefix("request "), each.detail or "") for each in steps],
    )


def _moved(context: typer.Context, name: str, number: int, why: str | None, *, as_json: bool) -> None:
    noun = settings_of(context).engine().submissions
    moved = getattr(noun, name)(number, why)
    if as_json:
        print_document(f"request {name}", Moved(moved))
    else:
        say(f"Request {number} is {words(moved.status)}.")


def _show_offers(offers: Offers, number: int, *, as_json: bool) -> None:
    from ordermade.offers.offer import offer_table

    if as_json:
        print_document("request propose", OffersToPropose(number, offers.status, offers.offers))
    elif offers.offers:
        print_table(*offer_table(offers, None))
        command = shlex.join(["ordermade", "request", "propose", str(number), "--offer", "1"])
        say(f"\nNext: {command}")
    else:
        say("The request passes as it is." if offers.status == "passes" else "Nothing near to it passes.")


def print_submitted(submitted: Sequence[Submission]) -> None:
    """Prints the submitted requests."""
    print_table(
        ("id", "status", "dataset", "by", "revision", "moved", "title"),
        [
            (
                each.id,
                words(each.status),
                each.dataset_name,
                each.submitted_by,
                each.revision,
                each.moved_at,
                each.title,
            )
            for each in submitted
        ],
        title="Submitted",
    )


def print_rerun(noun: Submissions, number: int, *, as_json: bool) -> None:
    """Submits a delivered request again, and prints the new one."""
    moved = noun.rerun(number)
    revision = noun.get(moved.id).in_force
    if as_json:
        print_document("request rerun", Moved(moved, revision))
    else:
        say(f"Request {number} is submitted again as request {moved.id}, {words(moved.status)}: {revision.prediction}.")


def run_submitted(context: typer.Context, number: int, *, as_json: bool, verbose: bool) -> None:
    """Runs an approved request; exit status 1 where it is refused, or goes back to its reviewers."""
    from ordermade.service.step import request_of
    from ordermade.views.answers import print_answer

    with shown_progress(piped=True) as progress:
        noun = settings_of(context).engine(progress=progress).submissions
        ran = noun.run(number)
    if as_json:
        print_document("request run", SubmittedRun.of(ran))
    elif ran.result is not None:
        print_answer(ran.result, request_of(noun.get(number).in_force.request), shown=True, verbose=verbose)
    if ran.returned:
        notify(f"Request {number} goes back to its reviewers: {ran.returned}.")
    elif not as_json:
        say(f"\nRequest {number} is {words(ran.submission.status)}.")
    if ran.result is None or not ran.result.released:
        raise typer.Exit(1)


def print_dossier(context: typer.Context, number: int, *, as_json: bool) -> bool:
    """Prints a submitted request; False where no submitted request has the number."""
    engine = settings_of(context).engine()
    submitted = submitted_of(engine)
    try:
        dossier = submitted.get(number)
    except UnknownName:
        if submitted.acting().is_provider:
            return False
        raise
    noun = engine.submissions
    moves, where = noun.allowed(number), noun.where(number)
    by_data = noun.refused_by_data(number) if permits("submissions.refused_by_data", noun.acting()) else ()
    if as_json:
        print_document("request show", SubmissionShown(dossier, moves, where, by_data))
    else:
        refusal = noun.progress(number).why if dossier.submission.status == "refused" else None
        print_submission(dossier, moves, where, refusal, by_data)
    return True
