"""What a hierarchy that a user uploads must keep, so that nothing is learnt by uploading one.

It is read by the parsers of registered ones. A rule (intervals, dates, prefixes) needs no values. One that lists values
is compared with those of the registered hierarchy alone, never against the data, and only where the policy says that
these values are known to everybody: whoever uploads guesses would else learn which of them are there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, TypeAlias

from ordermade.errors import HierarchyError, InputError, Refused, quoted
from ordermade.hierarchies.explicit import ExplicitHierarchy
from ordermade.hierarchies.intervals import IntervalHierarchy
from ordermade.hierarchies.prefixes import PrefixHierarchy
from ordermade.hierarchies.read import ReadHierarchy, parse_yaml
from ordermade.hierarchies.read_csv import parse_csv
from ordermade.phrases import phrase
from ordermade.requests.model import misleading
from ordermade.state.statements import LONGEST_NAME, checked_name
from ordermade.state.user_hierarchies import SEPARATOR

if TYPE_CHECKING:
    from ordermade.hierarchies.hierarchy import Hierarchy

HierarchyForm: TypeAlias = Literal["csv", "yaml"]
"""The form of a text: a line for each value, or a rule."""

LARGEST_HIERARCHY = 500_000
"""The most bytes of the text of a user's hierarchy."""

LONGEST_LABEL = 200
"""The most characters of a label, and of the name of a level."""

WHERE = "the hierarchy"
"""What messages call the text of an uploaded hierarchy."""

_NOT_IN_NAMES = frozenset('/\\<>:"|?*')
_FORMULA = re.compile(r"\s*[=@\t\r]|\s*[+-](?![\d.])")
"""How a text begins that a spreadsheet would take for a formula; numbers with a sign are none."""


def own_name(user: str, name: str) -> str:
    """The name of a hierarchy in its user's own space. Raises InputError for one that cannot be."""
    checked_name("hierarchy", name)
    whole = f"{user}{SEPARATOR}{name}"
    is_plain = any(each.isalnum() for each in name) and not _NOT_IN_NAMES & set(name) and misleading(name) is None
    if not is_plain or name.startswith(".") or _FORMULA.match(name) or len(whole) > LONGEST_NAME:
        raise InputError(
            phrase("this cannot be the name of a hierarchy"),
            where="name",
            next_step=phrase(
                "Use letters, digits, spaces and signs but for %(none)s; with the name of its user it has at most "
                "%(most)s characters.",
                none=" ".join(sorted(_NOT_IN_NAMES)),
                most=LONGEST_NAME,
            ),
        )
    return checked_name("hierarchy", whole)


def read_own(text: str, form: HierarchyForm, name: str) -> ReadHierarchy:
    """The hierarchy of a text that a user uploads. Raises HierarchyError with its line, InputError for another form."""
    if form not in ("csv", "yaml"):
        raise InputError(
            phrase("a hierarchy is a text of YAML or CSV"), where="form", next_step=phrase("Give yaml or csv.")
        )
    if len(text.encode("utf-8", "surrogatepass")) > LARGEST_HIERARCHY:
        raise HierarchyError(
            phrase("it is larger than %(largesthierarchy)s bytes", largesthierarchy=format(LARGEST_HIERARCHY, ",")),
            where=WHERE,
            next_step=phrase("Give a rule, or fewer values."),
        )
    for line, each in enumerate(text.split("\n"), start=1):
        found = misleading(each.removesuffix("\r"), but="\t")
        if found is not None:
            raise HierarchyError(
                phrase(
                    "it holds the character %(code)s (%(name)s), and its reviewers would read another text",
                    code=found.code,
                    name=found.name,
                ),
                where=f"{WHERE}:{line}",
                next_step=phrase("Take it out."),
            )
    read = ReadHierarchy(*(parse_csv if form == "csv" else parse_yaml)(text, name, where=WHERE))
    _require_plain(_texts(read.hierarchy))
    return read


def require_groups(
    read: ReadHierarchy, column: str, column_type: str, registered: Iterable[Hierarchy], *, is_public: bool
) -> None:
    """Raises HierarchyError, Refused where a hierarchy is none that a user may have for a column.

    `registered`: the hierarchies of the column. `is_public`: whether everybody may know the values that these list.
    """
    known = [each for each in registered if each.check_type(column_type) is None]
    if not known:
        raise Refused(
            phrase("no hierarchy is registered for the column %(column)s", column=quoted(column)),
            next_step=phrase("Ask the provider for one."),
        )
    own = read.hierarchy
    if unfit := own.check_type(column_type):
        raise HierarchyError(unfit, where=f"column {quoted(column)}", next_step=phrase("Give another kind."))
    if not isinstance(own, ExplicitHierarchy):
        return
    listing = _listed(known)
    if not is_public or not listing:  # before anything is compared: the answer would say which values there are
        raise Refused(
            phrase(
                "the values of the column %(column)s are not read by users, so none is listed", column=quoted(column)
            ),
            next_step=phrase("Give a rule: intervals, date or prefix."),
        )
    (values,) = _listed([own])
    if values not in listing:
        nearest = min(listing, key=lambda each: len(each ^ values))
        raise HierarchyError(
            phrase(
                "it lists other values than the column has: values that are missing: %(missing)s, values that the "
                "column does not have: %(foreign)s",
                missing=format(len(nearest - values), ","),
                foreign=format(len(values - nearest), ","),
            ),
            where=WHERE,
            next_step=phrase("List each value that the catalogue has for the column."),
        )


def lists_the_same(own: ExplicitHierarchy, registered: Iterable[Hierarchy]) -> bool:
    """Whether a hierarchy lists the values that a registered one of the column lists now."""
    return _listed([own])[0] in _listed(registered)


def _listed(hierarchies: Iterable[Hierarchy]) -> list[frozenset[str | None]]:
    """The values of each hierarchy that lists them; a path of NULL is none."""
    return [frozenset(each.leaves) - {None} for each in hierarchies if isinstance(each, ExplicitHierarchy)]


def _texts(hierarchy: Hierarchy) -> Iterable[str]:
    """Every text of a hierarchy that a release or a page may show."""
    yield from (each.name for each in hierarchy.levels)
    if isinstance(hierarchy, ExplicitHierarchy):
        for labels in hierarchy.labels:
            yield from set(labels)
    if isinstance(hierarchy, IntervalHierarchy):
        yield from (each.unit for each in hierarchy.intervals if each.unit)
    if isinstance(hierarchy, PrefixHierarchy):
        yield hierarchy.mask


def _require_plain(texts: Iterable[str]) -> None:
    for each in texts:
        if len(each) > LONGEST_LABEL or misleading(each) is not None or _FORMULA.match(each):
            raise HierarchyError(
                phrase(
                    "a label or the name of a level has more than %(most)s characters, one that is not seen, or begins "
                    "as a formula of a spreadsheet does",
                    most=LONGEST_LABEL,
                ),
                where=WHERE,
                next_step=phrase("Write it otherwise."),
            )
