"""The words of a report for codes: methods, roles, metrics, models, and the cautions of a release.

Every text is English, marked for the catalogue by `N_`, and translated where it is shown; the metrics of loss have
theirs in their registry. A code without words is shown as it is; a test compares these tables with the engine's own.
"""

from __future__ import annotations

from collections.abc import Mapping

from ordermade.hierarchies.hierarchy import unnamed
from ordermade.loss import metrics
from ordermade.reports.figures import Caution, Count
from ordermade.reports.language import N_, Language

METHODS: Mapping[str, str] = {
    "generalization": N_("generalisation along hierarchies"),
    "mondrian": N_("Mondrian partitioning"),
    "microaggregation": N_("microaggregation"),
    "history": N_("k-anonymous purchase histories"),
    "histories": N_("k-anonymous purchase histories"),
    "table": N_("tables with totals"),
}
METHODS_EXPLAINED: Mapping[str, str] = {
    "generalization": N_(
        "Each quasi-identifier was generalised along its hierarchy until every combination of released labels is "
        "shared by at least k units."
    ),
    "mondrian": N_(
        "The rows were split again and again at one quasi-identifier, as long as each part kept at least k units. "
        "Each part shows the range or the set of its values."
    ),
    "microaggregation": N_(
        "Similar rows were put into groups of at least k, and each group shows one aggregate (a mean, median, mode or "
        "common ancestor) in place of its values."
    ),
    "history": N_(
        "Customers with similar purchases were put into clusters of at least k, and all customers of a cluster show "
        "the same history."
    ),
}
METHODS_EXPLAINED = {**METHODS_EXPLAINED, "histories": METHODS_EXPLAINED["history"]}

FIGURES: Mapping[str, str] = {
    "count": N_("count"),
    "rows": N_("count of rows"),
    "share": N_("share of all, in percent"),
    "sum": N_("sum of %(column)s"),
    "mean": N_("mean of %(column)s"),
}
COSTS: Mapping[str, str] = {
    "inner": N_("few cells, and inner ones before totals"),
    "equal": N_("few cells, whichever"),
    "units": N_("cells of few units"),
}
ZEROS: Mapping[str, str] = {
    "shown": N_("shown as 0"),
    "hidden": N_("hidden behind the mark of suppressed cells"),
}

ROLES: Mapping[str, str] = {
    "quasi-identifier": N_("quasi-identifier"),
    "sensitive": N_("sensitive attribute"),
    "keep": N_("kept as it is"),
    "pseudonym": N_("pseudonym"),
    "count": N_("count"),
    "attribute": N_("attribute"),
}
KINDS: Mapping[str, str] = {
    "numbers": N_("numbers"),
    "dates": N_("dates"),
    "intervals": N_("intervals"),
    "labels": N_("labels"),
    "texts": N_("texts"),
    "sets": N_("sets of values"),
    "truth values": N_("truth values"),
}
HIERARCHY_KINDS: Mapping[str, str] = {
    "explicit": N_("listed labels"),
    "interval": N_("intervals"),
    "date": N_("dates"),
    "prefix": N_("prefixes"),
}
MEASURES: Mapping[str, str] = {
    "cramers_v": N_("Cramér's V"),
    "correlation": N_("correlation"),
    "eta": N_("correlation ratio η"),
}
STANDINGS: Mapping[str, str] = {
    "stands": N_("stands under its name"),
    "withdrawn": N_("withdrawn"),
    "superseded": N_("superseded by a later release"),
}
METRICS: Mapping[str, tuple[str, str]] = {
    **{name: each.words for name, each in metrics.METRICS.items()},
    "sse_over_sst": (N_("SSE/SST"), N_("share of the variance that lies inside the groups and is gone")),
    "utility": (N_("utility loss of histories"), N_("mean change of a cell of the histories")),
    "utility_as_categories": (N_("utility loss by category"), N_("the same with items as their categories")),
    "deleted_share": (N_("deleted purchases"), N_("share of the purchases that are deleted")),
    "safety": (N_("risk (1/k)"), N_("chance of picking the right customer of a cluster")),
    "total": (N_("utility loss and risk"), N_("sum of both, as the contest scores releases")),
}
MODELS: Mapping[str, tuple[str, str]] = {
    "distinct_l": (N_("distinct l-diversity"), N_("least number of different values in a class")),
    "entropy_l": (N_("entropy l-diversity"), N_("least entropy of a class, in nats")),
    "recursive_cl": (
        N_("recursive (c, l)-diversity"),
        N_("least ratio of the l-th commonest and all rarer values to the commonest"),
    ),
    "t_closeness": (N_("t-closeness"), N_("greatest distance of a class from the whole dataset")),
    "alpha_k": (N_("(α, k)-anonymity"), N_("greatest share of one value in a class")),
}
ORIGINALS: Mapping[str, str] = {
    "changed": N_("The dataset has changed since the release, so figures of the original are left out."),
    "gone": N_("The dataset can no longer be read, so figures of the original are left out."),
    "user": N_("Figures of the original are the data provider's alone and are left out."),
}
BOUNDS: Mapping[str, str] = {"highest": N_("highest risk"), "average": N_("average risk")}

CAUTIONS: Mapping[str, tuple[str, str]] = {
    "small_k": (
        N_("A small k"),
        N_(
            "The request has k = %(k)s. Guides on statistical disclosure control ask for more where data leave the "
            "office; with a small k, one more fact about a person can be enough to find the row."
        ),
    ),
    "not_persons": (
        N_("Rows, not persons"),
        N_(
            "k counts rows. Where one person has several rows, a class of k rows may belong to fewer than k persons; "
            "the protection of a person is then weaker than k suggests."
        ),
    ),
    "cells_of_rows": (
        N_("Rows, not persons"),
        N_(
            "k counts rows. Where one person has several rows, a cell of k rows may be of fewer than k persons; the "
            "protection of a person is then weaker than k suggests."
        ),
    ),
    "attribute_disclosure": (
        N_("Classes with a single value"),
        N_(
            "Equivalence classes in which %(column)s has one value alone: %(classes)s. An attacker who places a "
            "person in such a class learns the value, although no row is linked to the person. The request has no "
            "model for this column."
        ),
    ),
    "skewness": (
        N_("Distributions within a class"),
        N_(
            "The models of %(column)s do not compare a class with the whole dataset. A value can be far more "
            "frequent in a class than elsewhere, and an attacker learns that it is likely (skewness attack)."
        ),
    ),
    "kept_unique": (
        N_("A column that tells rows apart"),
        N_(
            "%(column)s is released as it is and has %(values)s different values, so many of them occur once. An "
            "attacker who knows the value of a person finds the row, whatever k is."
        ),
    ),
    "overlapping_labels": (
        N_("Labels of several levels"),
        N_(
            "Labels of one column overlap, as a coarse one contains finer ones. A row with the coarse label does not "
            "have a value that its finer labels would have covered, which narrows it down."
        ),
    ),
    "suppressed_known": (
        N_("Suppressed rows remain visible"),
        N_(
            "Suppressed rows stay in the release as * in every column: %(rows)s. Their number shows how many records "
            "were rare, and an attacker who misses a person among the others knows where the person is."
        ),
    ),
    "table_subtraction": (
        N_("Differences between tables"),
        N_(
            "The release is a statistical table of %(classes)s cells. An attacker who has another table of the same "
            "dataset can subtract one from the other, and differences may be below k."
        ),
    ),
    "microaggregation_means": (
        N_("Aggregates instead of values"),
        N_(
            "Each row shows the aggregate of a group of at least %(k)s. An extreme value shifts the mean of its "
            "group, so an unusual mean says that an unusual person is in the group."
        ),
    ),
    "history_items": (
        N_("Sequences of purchases"),
        N_(
            "All customers of a cluster show the same history. An attacker who knows purchases of a customer that "
            "only one cluster has learns the rest of that history."
        ),
    ),
    "other_releases": (
        N_("Several releases of the same dataset"),
        N_(
            "Other releases of this dataset: %(releases)s. k holds for each by itself. An attacker who has two of "
            "them can intersect their classes and may arrive below k."
        ),
    ),
    "other_tables": (
        N_("Several releases of the same dataset"),
        N_(
            "Other releases of this dataset: %(releases)s. The tables were protected without them. An attacker who has "
            "several can subtract one from the other; `ordermade judge table` judges tables together."
        ),
    ),
    "filter": (
        N_("A row filter"),
        N_(
            "The release is of the rows that satisfy a filter. Whether a person is in it says whether the person "
            "satisfies the filter; data users need not know the filter."
        ),
    ),
    "sample": (
        N_("Sample and population"),
        N_(
            "The journalist and marketer risks assume that the dataset is a random sample of %(share)s of the "
            "population. Of a person who is known to be in the sample the prosecutor risk holds."
        ),
    ),
    "background_knowledge": (
        N_("Knowledge beyond the quasi-identifiers"),
        N_(
            "The risks assume that an attacker knows the quasi-identifiers of a person and nothing else. Any further "
            "knowledge, such as a value that the person certainly does not have, narrows a class down."
        ),
    ),
    "membership": (
        N_("Being in the data"),
        N_(
            "k-anonymity does not hide whether a person is in the dataset at all. Where membership itself is "
            "sensitive, another protection is needed."
        ),
    ),
}
ALWAYS = ("background_knowledge", "membership")
"""The cautions of every release."""
NARROWED = N_("%(share)s of the generalised rows can be narrowed down below their labels.")


def named(table: Mapping[str, str], code: str, say: Language) -> str:
    """The words of a table for a code; the code itself where there are none."""
    return say.text(table[code]) if code in table else say.value(code)


def metric(name: str, say: Language) -> tuple[str, str]:
    """The name and the definition of a metric; of an unknown one the name alone."""
    return _pair(METRICS, name, say)


def model(name: str, say: Language) -> tuple[str, str]:
    """The name of a model and its figure."""
    return _pair(MODELS, name, say)


def _pair(table: Mapping[str, tuple[str, str]], code: str, say: Language) -> tuple[str, str]:
    first, second = table.get(code, ("", ""))
    return (say.text(first), say.text(second)) if first else (say.value(code), "")


def level_name(name: str, say: Language) -> str:
    """The name of a level; of one that got none in its file the words of the language."""
    number = unnamed(name)
    if number is None:
        return say.value(name)
    return say.text("level %(n)s", n=say.number(number)) if number else say.text("original value")


def standing(written: str, say: Language) -> str:
    """Whether the release stands, in words."""
    first, _, number = written.partition(" by ")
    if first == "superseded" and number.isdecimal():
        return say.text("superseded by release %(n)s", n=number)
    return named(STANDINGS, first, say)


def caution(found: Caution, say: Language) -> tuple[str, str]:
    """The heading and the text of a caution; of an unknown one its code and figures."""
    if found.code not in CAUTIONS:
        written = [f"{name}: {value}" for name, value in found.figures]
        return say.value(found.code), say.listed(written) if written else ""
    figures = {name: _figure(value, say) for name, value in found.figures}
    share = dict(found.figures).get("fraction", dict(found.figures).get("narrowed"))
    if isinstance(share, float):
        figures["share"] = say.percent(share)
    heading, text = CAUTIONS[found.code]
    sentences = [say.text(text, **figures)]
    if found.code == "overlapping_labels" and "share" in figures:
        sentences.append(say.text(NARROWED, **figures))
    return say.text(heading), say.joined(sentences)


def _figure(value: object, say: Language) -> object:
    if isinstance(value, Count):
        return say.count(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return say.figure(value) if isinstance(value, float) else say.number(value)
    return say.value(value)
