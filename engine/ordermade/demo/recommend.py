"""The demo of recommendation: Mondrian guided by precision and by five rules, side by side on a terminal.

Persons, hierarchies and rules are those of Arai, Kono and Babaguchi 2015 (Tables 5 and 6), with more persons.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.table import Table as RichTable
from rich.text import Text

from ordermade.demo.story import Answer, Demo, DemoTable, Stopwatch, show_request
from ordermade.demo.tables import RECOMMEND, make_persons
from ordermade.demo.terminal import Terminal, add_figures, table_of
from ordermade.methods.mondrian.result import MondrianReport, MondrianResult, RuleReport, Service, SplitAttribute

RULES = "rules.yaml"
CREDIT = (
    "The rules and the spread of the persons: Arai, Kono and Babaguchi 2015, Tables 5 and 6. Occupations: "
    "「総務省 日本標準職業分類」 (December 2009), Government of Japan Standard Terms of Use 2.0."
)
NOBODY = "-"


class Recommend(Demo[MondrianResult]):
    """Persons, split by two requests."""

    command = "ordermade demo recommend"
    table = DemoTable("persons", RECOMMEND, make_persons, "persons")
    opening = (
        "A shop has {rows} customers (made up by this program) and five things to recommend, each to some of "
        "them. It may only use a k-anonymised table of its customers. Mondrian makes one: it begins with everybody "
        "in one class, and splits class after class by an attribute, as long as every part has k persons. An "
        "attribute that is split first keeps its detail. So which one should be split first?"
    )
    headings = ("1 · Split where precision gains most", "2 · Split where the rules gain most")
    further = (
        ("ordermade rules check requests/2-tf-idf.yaml", "which rules can be served"),
        ("ordermade request explain requests/2-tf-idf.yaml", "the SQL of every step"),
        ("ordermade request list", "all requests"),
        ("ordermade release verify 2", "measure the release again"),
        ("ordermade request run requests/2-tf-idf.yaml", f"edit {RULES} first"),
    )

    def answers(self) -> Iterator[Answer[MondrianResult]]:
        """The answers to the requests, run one after the other."""
        for file in self.requests:
            yield self.run(file, Stopwatch(self.notify))

    def show(self, screen: Terminal) -> None:
        """The rules, the requests, and the detail of their releases beside the rules that they serve."""
        screen.heading("Rules: items and their audiences")
        screen.file(RULES, (self.folder / RULES).read_text(encoding="utf-8"))
        answers: list[Answer[MondrianResult]] = []
        for heading, answer in zip(self.headings, self.answers(), strict=True):
            show_request(screen, heading, answer, answers[0] if answers else None)
            answers.append(answer)
        _show_beside(screen, answers)


def _show_beside(screen: Terminal, answers: Sequence[Answer[MondrianResult]]) -> None:
    """The detail of the releases and the rules they serve, if there are any."""
    reports = [answer.result.mondrian for answer in answers]
    released = [report for report in reports if report is not None]
    if len(released) < len(answers):
        return
    screen.heading("Detail that each keeps")
    screen.table(_kept(released, [answer.result.rows or 0 for answer in answers]))
    screen.heading("Rules that each can serve")
    screen.table(_served(released, [answer.result.recommendation for answer in answers]))
    screen.blank()
    screen.say(
        "A rule serves a class if half of the class's cell or more lies inside it. Recall: of the persons whom the "
        "rule means, the share that is in such classes. Precision: of the persons in such classes, the share that "
        "the rule means. (The original table would have 100 % of both. Counts on it are rounded to "
        "multiples of k.)"
    )
    screen.heading("Findings")
    screen.say(
        "By precision, the attributes with the fewest levels are split first, whatever the rules: sex, then "
        "occupation and height, and birth last. By TF-IDF, a class is split where its parts differ most in the "
        "rules that they meet. So other attributes keep their detail, each where rules use it, and Prec shows "
        "its cost. Rules compete: one rule may gain where another loses. The paper guides by one rule at a time. "
        f"Try it: leave only the charm in {RULES}, and run the request again."
    )
    screen.blank()
    screen.say(CREDIT, style="dim")


def _kept(reports: Sequence[MondrianReport], rows: Sequence[int]) -> RichTable:
    """Figures of the releases, and the share of persons with each attribute at each level, coarse to fine."""
    table = table_of("", *(f"by {report.split}" for report in reports))
    add_figures(table, "Prec (1 = as it was, 0 = nothing left)", [f"{report.prec:.3f}" for report in reports])
    add_figures(table, "classes", [f"{report.groups:,}" for report in reports])
    add_figures(table, "persons in a class", [f"{report.smallest:,} to {report.largest:,}" for report in reports])
    table.add_section()
    add_figures(table, "Share of persons with a value of", [""] * len(reports))
    for attributes in zip(*(report.attributes for report in reports), strict=True):
        for each in zip(*(_detail(attribute) for attribute in attributes), strict=True):
            add_figures(table, f"  {each[0][0]}", [_share(kept / of) for (_, kept), of in zip(each, rows, strict=True)])
    return table


def _detail(attribute: SplitAttribute) -> Iterator[tuple[str, int]]:
    """For each level below `*`, the coarsest first: its name, and the number of persons at it or finer."""
    levels = list(attribute.rows)[:-1]
    for number in reversed(range(len(levels))):
        kept = sum(attribute.rows[level] for level in levels[: number + 1])
        at_least = f"{levels[number]} or finer" if number else "as it is"
        yield f"{attribute.column}: {at_least}", kept


def _served(reports: Sequence[MondrianReport], recommendations: Sequence[Sequence[RuleReport]]) -> RichTable:
    """A line a rule: the persons it means, then recall and precision under each release."""
    splits = [report.split for report in reports]
    table = table_of(
        "", "persons meant", *(f"{what}\nby {split}" for what in ("recall", "precision") for split in splits)
    )
    for rules in zip(*recommendations, strict=True):
        meant = "fewer than k" if rules[0].meant is None else f"{rules[0].meant:,}"
        served = [rule.after for rule in rules]
        figures = [_figure(each, "recall") for each in served] + [_figure(each, "precision") for each in served]
        table.add_row(Text(rules[0].item), Text(meant), *(Text(figure, style="bold") for figure in figures))
    return table


def _figure(service: Service | None, name: str) -> str:
    figure = None if service is None else service.recall if name == "recall" else service.precision
    return NOBODY if figure is None else _share(figure)


def _share(share: float) -> str:
    return f"{100 * share:.1f} %"
