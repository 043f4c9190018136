"""The sentences of a report: its summary, its risks explained, its certificate, and how to cite it.

The page and the screen show the same ones, in markup or as plain text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePath

from ordermade.loss.shares import given_up
from ordermade.records.inert import inert
from ordermade.reports import wording
from ordermade.reports.figures import CitedRelease, DescribedRelease, ReportedRisks, ReportFigures
from ordermade.reports.language import Language
from ordermade.reports.table_figures import TablesFigures


def audience(report: ReportFigures | TablesFigures, say: Language) -> tuple[str, str]:
    """For whom the report is, and what that means."""
    if report.audience == "provider":
        return say.text("For the data provider: do not pass on"), say.text(
            "This report has figures of the original that were not released."
        )
    return say.text("For data users"), say.text(
        "This report has no count below %(n)s and nothing that was not released.", n=say.number(report.floor)
    )


def summary(report: ReportFigures, say: Language) -> list[str]:
    """The release in a few sentences: request, answer, suppression, risk, detail given up, certainty."""
    return [
        *requested(report, say),
        released(report, say),
        risk(report, say),
        *detail(report, say),
        *certainty(report, say),
    ]


def plain_summary(report: ReportFigures, language: str) -> str:
    """The summary as plain text, a sentence a line, beneath the title and for whom the report is."""
    say = Language.of(language, markup=False)
    title = say.value(report.title or report.dataset)
    heading = say.text("%(title)s, release %(n)s", title=title, n=say.number(report.release))
    return "\n".join([heading, audience(report, say)[0], "", *summary(report, say)])


def requested(report: ReportFigures, say: Language) -> list[str]:
    """The dataset, the k and the unit, and the k that was reached."""
    k, unit = say.number(report.asked.k), report.asked.unit
    dataset = say.value(report.dataset)
    if unit == "persons":
        asked = say.text(
            "The request is for dataset %(dataset)s with k = %(k)s: every released combination of quasi-identifiers "
            "must be shared by at least %(k)s persons.",
            dataset=dataset,
            k=k,
        )
    else:
        asked = say.text(
            "The request is for dataset %(dataset)s with k = %(k)s: every released combination of quasi-identifiers "
            "must be shared by at least %(k)s rows.",
            dataset=dataset,
            k=k,
        )
    reached = say.plural(
        "The release has %(n)s equivalence class, and its smallest class has %(k)s.",
        "The release has %(n)s equivalence classes, and the smallest has %(k)s.",
        report.given.classes,
        k=_smallest(report, say),
    )
    return [asked, reached]


def _smallest(report: ReportFigures, say: Language) -> str:
    """The size of the smallest class; the least that it has where the release does not show it."""
    k = report.given.k
    if not report.given.is_measured:
        return say.plural("%(n)s person or more", "%(n)s persons or more", k)
    if report.asked.unit == "persons":
        return say.plural("%(n)s person", "%(n)s persons", k)
    return say.plural("%(n)s row", "%(n)s rows", k)


def released(report: ReportFigures, say: Language) -> str:
    """The rows of the release, and those that were suppressed."""
    given = report.given
    suppressed = given.suppressed_rows
    rows = say.number(given.rows)
    if suppressed.number == 0:
        return say.text("All %(rows)s rows are released; no row was suppressed.", rows=rows)
    lost = say.units(suppressed, "rows")
    if given.rows_of_dataset is None or suppressed.number is None:
        return say.text("%(rows)s rows are released, %(lost)s suppressed.", rows=rows, lost=lost)
    share = say.percent(suppressed.number / given.rows_of_dataset)
    return say.text(
        "%(rows)s of %(all)s rows are released, %(lost)s (%(share)s) suppressed.",
        rows=rows,
        all=say.number(given.rows_of_dataset),
        lost=lost,
        share=share,
    )


def risk(report: ReportFigures, say: Language) -> str:
    """The highest risk of re-identification, in words."""
    chance = say.chance(report.risks_after.prosecutor)
    return say.text(
        "An attacker who knows the quasi-identifiers of a person picks that person's row with a chance of at most "
        "%(chance)s.",
        chance=chance,
    )


def headline(report: ReportFigures) -> tuple[str, float] | None:
    """The metric that speaks for a release, as on the screen, with its share; None where no share is known.

    A user may not have it, and gets no other figure under its name: `Prec` is the detail given up of no release that
    has a loss.
    """
    return given_up({each.metric: each.share for each in report.losses if each.metric == report.headline})


def detail(report: ReportFigures, say: Language) -> list[str]:
    """The share of the detail that is given up, by the loss that speaks for a release."""
    found = headline(report)
    if found is None:
        return []
    metric, share = found
    return [
        say.text(
            "By %(metric)s, %(share)s of the detail is given up.",
            share=say.percent(share),
            metric=wording.metric(metric, say)[0],
        )
    ]


def certainty(report: ReportFigures, say: Language) -> list[str]:
    """Whether something better would have passed, by the metric that was searched for."""
    proof, shown = report.proof, headline(report)
    if proof.certified is None:
        return []
    if proof.certified and proof.objective is not None and (shown is None or proof.objective != shown[0]):
        by = wording.metric(proof.objective, say)[0]
        return [say.text("No release that the request accepts gives up less by %(by)s: this is proved.", by=by)]
    if proof.certified:
        return [say.text("No release that the request accepts gives up less: this is proved.")]
    return [say.text("A release that gives up less may exist: the search ended before that was proved.")]


def certificate(report: ReportFigures, say: Language) -> list[str]:
    """The certificate in words: proved or not, how many combinations, how many of them counted."""
    proof = report.proof
    by = None if proof.objective is None else wording.metric(proof.objective, say)[0]
    found = []
    if proof.certified is None:
        found.append(say.text("The method proves no optimum: another grouping could give up less."))
    elif proof.certified:
        found.append(
            say.text("It is proved that no accepted combination of levels passes and is better.")
            if by is None
            else say.text("It is proved that no accepted combination of levels passes and is better by %(by)s.", by=by)
        )
    else:
        found.append(
            say.text("It is not proved that no accepted combination of levels is better.")
            if by is None
            else say.text("It is not proved that no accepted combination of levels is better by %(by)s.", by=by)
        )
    if proof.nodes is not None:
        found.append(
            say.plural(
                "The request accepts %(n)s combination of levels.",
                "The request accepts %(n)s combinations of levels.",
                proof.nodes,
            )
        )
    if proof.measured is not None:
        found.append(
            say.plural(
                "%(n)s of them was counted for this answer; the others follow from proofs, bounds or earlier counts.",
                "%(n)s of them were counted for this answer; the others follow from proofs, bounds or earlier counts.",
                proof.measured,
            )
            if proof.certified and proof.nodes is not None and proof.measured < proof.nodes
            else say.plural(
                "%(n)s of them was counted for this answer.",
                "%(n)s of them were counted for this answer.",
                proof.measured,
            )
        )
    if proof.stopped is not None:
        found.append(say.text("The search was stopped: %(reason)s.", reason=say.value(proof.stopped)))
    return found


@dataclass(frozen=True, slots=True)
class RiskRow:
    """A risk: its name, its explanation, and its value before (None: not shown) and after."""

    name: str
    explained: str
    before: str | None
    after: str
    shares: tuple[float | None, float | None] = (None, None)


def risks(report: ReportFigures, say: Language) -> list[RiskRow]:
    """The risks by name, each explained in a sentence."""
    before, after = report.risks_before, report.risks_after
    found = []
    for field, name, explained in (
        (
            "prosecutor",
            say.text("prosecutor risk"),
            say.text(
                "An attacker knows that a certain person is in the data and looks for that person's row; the worst "
                "case."
            ),
        ),
        (
            "average",
            say.text("average prosecutor risk"),
            say.text("The same, as the mean over all rows of the table."),
        ),
        (
            "journalist",
            say.text("journalist risk"),
            say.text(
                "An attacker looks for one person, whichever, and does not know who of the population is in the data."
            ),
        ),
        (
            "marketer",
            say.text("marketer risk"),
            say.text("An attacker links all rows to a register: the share of the rows that get the right person."),
        ),
    ):
        was = None if before is None else _of(before, field)
        now = _of(after, field)
        found.append(RiskRow(name, explained, None if was is None else _risk(was, say), _risk(now, say), (was, now)))
    found.append(
        RiskRow(
            say.text("sample uniques"),
            say.text("Rows that are alone in their class: no other row has the same quasi-identifiers."),
            None if before is None else _uniques(before, say),
            _uniques(after, say),
        )
    )
    return found


def _of(found: ReportedRisks, field: str) -> float:
    value: float = getattr(found, field)
    return value


def _uniques(found: ReportedRisks, say: Language) -> str:
    return say.text("%(n)s unique", n=say.count(found.uniques))


def _risk(value: float, say: Language) -> str:
    return say.percent(value)


def cited(report: ReportFigures | CitedRelease, say: Language) -> str:
    """The release as a plain citation."""
    figures: dict[str, object] = {
        "title": say.value(report.title or report.dataset),
        "dataset": say.value(report.dataset),
        "release": say.number(report.release),
        "k": say.number(_stated_k(report)),
        "date": say.day(report.released_at),
        "version": say.value(report.engine_version),
    }
    written = say.text(
        "%(title)s. Dataset %(dataset)s, release %(release)s (k-anonymous, k = %(k)s), %(date)s. Made with ordermade "
        "%(version)s.",
        **figures,
    )
    return with_hash(written, report, say)


def _stated_k(report: ReportFigures | CitedRelease) -> int:
    return report.given.k if isinstance(report, ReportFigures) else report.k


def with_hash(written: str, report: DescribedRelease, say: Language) -> str:
    """A citation with the hash of the released file behind it, if there is one."""
    if report.sha256 is None:
        return written
    return say.joined([written, say.text("SHA-256: %(hash)s.", hash=say.value(report.sha256))])


def bibtex(report: ReportFigures | CitedRelease, say: Language) -> str:
    """The same as an entry of BibTeX, plain text."""
    say = replace(say, markup=False)
    note = say.text(
        "Dataset %(dataset)s, release %(release)s, k-anonymous with k = %(k)s",
        dataset=tex(report.dataset),
        release=report.release,
        k=_stated_k(report),
    )
    return bibtex_entry(report, note, say)


def bibtex_entry(report: DescribedRelease, note: str, say: Language) -> str:
    """An entry of BibTeX for a release, with this note; `say` is of plain text."""
    title = tex(report.title or report.dataset)
    when = report.released_at.astimezone(say.zone)
    entries = {
        "title": f"{{{title}}}",
        "year": f"{when.year}",
        "month": when.strftime("%b").lower(),
        "note": note,
        "howpublished": say.text("Made with ordermade %(version)s", version=tex(report.engine_version)),
    }
    if report.sha256 is not None:
        entries["annote"] = f"SHA-256: {tex(report.sha256)}"
    month = entries.pop("month")
    lines = [f"  {name} = {{{value}}}," for name, value in entries.items()]
    lines.insert(2, f"  month = {month},")
    return "\n".join((f"@misc{{ordermade-release-{report.release},", *lines, "}"))


_TEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"} | {
    each: "\\" + each for each in "{}%&#_$"
}


def tex(text: str) -> str:
    """A text as TeX takes it: cut, inert, its signs escaped."""
    return "".join(_TEX.get(each, each) for each in inert(text[:200]))


def file_name(report: ReportFigures | TablesFigures) -> str:
    """The released file without its folder, which is nobody's but the provider's."""
    return PurePath(report.file).name if report.audience == "user" else report.file
