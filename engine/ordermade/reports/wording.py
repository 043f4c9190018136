"""The words of a report for codes: methods, roles, metrics, models, and the cautions of a release.

Every text is English, marked for the catalogue by `N_`, and translated where it is shown. A code without words is shown
as it is; a test compares these tables with the engine's own.
"""

from __future__ import annotations

from collections.abc import Mapping

from ordermade.reports.figures import Caution, Count
from ordermade.reports.language import N_, Language

METHODS: Mapping[str, str] = {
    "generalization": N_("generalisation along hierarchies"),
    "mondrian": N_("Mondrian partitioning"),
    "microaggregation": N_("microaggregation"),
    "history": N_("k-anonymous purchase histories"),
    "histories": N_("k-anonymous purchase histories"),
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
    "prec": (N_("Prec"), N_("mean height of the released levels in their hierarchies")),
    "prec_suppressed_as_1": (
        N_("Prec, suppressed rows as 1"),
        N_("Prec, each suppressed row counting as fully generalised"),
    ),
    "height": (N_("height"), N_("sum of the released levels")),
    "classes": (N_("number of classes"), N_("equivalence classes of the release; more is better")),
    "dm": (N_("discernibility (DM)"), N_("sum of the squared class sizes; a suppressed row costs all rows")),
    "dm_star": (N_("discernibility (DM*)"), N_("sum of the squared sizes of all classes, suppressed ones included")),
    "c_avg": (N_("average class size (C_AVG)"), N_("released rows per class, divided by k")),
    "aecs": (N_("average class size (AECS)"), N_("rows per class, suppressed rows being one class")),
    "entropy": (N_("non-uniform entropy"), N_("bits of the original values that the labels leave open")),
    "entropy_ignoring_suppression": (
        N_("non-uniform entropy, all rows"),
        N_("bits that the labels leave open, as if no row were suppressed"),
    ),
    "loss": (N_("Loss (NCP)"), N_("mean share of a hierarchy's values among which a label leaves the choice")),
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
    "attribute_disclosure": (
        N_("Values shared within a class"),
        N_(
            "k limits how surely a row is linked to a person, not how much a class says about its members. The "
            "request has no model for these columns: %(columns)s. Where all rows of a class have the same value, an "
            "attacker who places a person in that class learns it."
        ),
    ),
    "homogeneous_classes": (
        N_("Classes with a single value"),
        N_(
            "Equivalence classes in which all rows have the same value of %(column)s: %(classes)s, with %(units)s. "
            "For persons in these classes the value is disclosed, although none of the rows is linked to them."
        ),
    ),
    "kept_columns": (
        N_("Columns released as they are"),
        N_(
            "These columns were not generalised, and k says nothing of them: %(columns)s. An attacker who knows such "
            "a value of a person besides the quasi-identifiers can narrow the class down to fewer than k rows."
        ),
    ),
    "rows_not_persons": (
        N_("Rows, not persons"),
        N_(
            "k counts rows. Where one person has several rows, a class of k rows may belong to fewer than k persons; "
            "the protection of a person is then weaker than k suggests."
        ),
    ),
    "other_releases": (
        N_("Several releases of the same dataset"),
        N_(
            "Other releases of this dataset: %(releases)s. k holds for each by itself. An attacker who has two of "
            "them can intersect their classes and may arrive below k."
        ),
    ),
    "suppressed_rows": (
        N_("Suppressed rows were rare"),
        N_(
            "A row was suppressed because too few others shared its combination. An attacker who knows that a person "
            "is in the dataset and finds no fitting row learns that the person is one of the rare ones."
        ),
    ),
    "minimality": (
        N_("The method is known"),
        N_(
            "The release gives up no more detail than the request made necessary. An attacker who knows this can "
            "sometimes exclude originals for which less would have been enough (minimality attack)."
        ),
    ),
    "background_knowledge": (
        N_("Knowledge beyond the quasi-identifiers"),
        N_(
            "The risks assume that others know the quasi-identifiers of a person and nothing else. Any further "
            "knowledge, such as a value that a person certainly does not have, narrows a class down."
        ),
    ),
    "membership": (
        N_("Being in the data"),
        N_(
            "k-anonymity does not hide whether a person is in the dataset at all. Where membership itself is "
            "sensitive, another protection is needed."
        ),
    ),
    "population": (
        N_("Sample and population"),
        N_(
            "The journalist and marketer risks are estimated without a table of the population. Where the dataset is "
            "a sample, the true risks are lower; where it is everybody, they are the prosecutor's."
        ),
    ),
    "several_levels": (
        N_("Labels of several levels"),
        N_(
            "These columns have labels of different levels in different rows: %(columns)s. A coarse label says that "
            "its combination was rare. A count of a fine label misses the rows that only have a coarser one."
        ),
    ),
    "averages": (
        N_("Aggregates instead of values"),
        N_(
            "These columns have aggregates of groups: %(columns)s. An extreme value shifts the mean of its group, so "
            "an unusual mean says that an unusual person is in the group."
        ),
    ),
    "correlated_rows": (
        N_("Sequences of purchases"),
        N_(
            "All customers of a cluster show the same history. An attacker who knows purchases of a customer that "
            "only one cluster has learns the rest of that history."
        ),
    ),
    "model_worst": (
        N_("Limits of the requested model"),
        N_(
            "%(column)s satisfies %(model)s in every class, the worst one reaching %(worst)s. Values that are "
            "different but similar in meaning still count as different."
        ),
    ),
    "unjudged": (
        N_("Columns without a role"),
        N_(
            "These columns are released without a role in the request, so nothing limits what they reveal: %(columns)s."
        ),
    ),
}


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


def standing(written: str, say: Language) -> str:
    """Whether the release stands, in words."""
    first, _, number = written.partition(" by ")
    if first == "superseded" and number.isdecimal():
        return say.text("superseded by release %(n)s", n=number)
    return named(STANDINGS, first, say)


def caution(found: Caution, say: Language) -> tuple[str, str]:
    """The heading and the text of a caution; of an unknown one its code and figures."""
    figures = {name: _figure(name, value, say) for name, value in found.figures}
    if found.code not in CAUTIONS:
        written = [f"{name}: {value}" for name, value in found.figures]
        return say.value(found.code), say.listed(written) if written else ""
    heading, text = CAUTIONS[found.code]
    return say.text(heading), say.text(text, **figures)


def _figure(name: str, value: object, say: Language) -> object:
    if isinstance(value, Count):
        return (
            say.units(value, "persons" if name == "persons" else "rows")
            if name in ("units", "rows", "persons")
            else say.count(value)
        )
    if isinstance(value, tuple | list):
        return say.listed(value)
    if name == "model" and isinstance(value, str) and value in MODELS:
        return say.text(MODELS[value][0])
    if isinstance(value, bool):
        return say.value(value)
    if isinstance(value, int):
        return say.number(value)
    if isinstance(value, float):
        return say.percent(value) if name == "share" else say.figure(value)
    return say.value(value)
