"""The rules of hierarchies that users uploaded: who may name one, where, and on which columns. Pure.

A hierarchy of a user says itself where its classes begin. So it is named for its own column alone, and for none that
the provider releases no finer than a level of the registered hierarchies: its own levels may have the same names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ordermade.errors import quoted
from ordermade.phrases import phrase
from ordermade.policies.decision import BrokenRule

if TYPE_CHECKING:
    from ordermade.hierarchies.owner import HierarchyOwner
    from ordermade.policies.policy import Policy
    from ordermade.requests.model import Request
    from ordermade.requests.problems import FieldPath

OWN = "hierarchies"
"""The rule of hierarchies of users."""


def broken_by_own(
    policy: Policy, request: Request, recipient: str, owners: Mapping[str, HierarchyOwner]
) -> tuple[BrokenRule, ...]:
    """The rules that a request of a recipient breaks by the hierarchies of users that it names.

    `owners`: of those among them, by name.
    """
    return tuple(_broken(policy, request, recipient, owners))


def _broken(
    policy: Policy, request: Request, recipient: str, owners: Mapping[str, HierarchyOwner]
) -> Iterator[BrokenRule]:
    finest = {each.casefold() for each in policy.finest}
    columns = _columns_by_hierarchy(request)
    for name in sorted(request.hierarchy_names & owners.keys()):
        owner, used = owners[name], columns.get(name, ())
        path: FieldPath = ("quasi_identifiers", used[0], "hierarchy") if used else ()
        if owner.user != recipient:
            what = phrase("the hierarchy %(name)s is another user's", name=quoted(name))
            yield BrokenRule(OWN, what, phrase("Name a registered one."), path)
        elif not used or _elsewhere(request, name):
            what = phrase(
                "%(name)s is a user's own, which generalises a quasi-identifier and is named nowhere else",
                name=quoted(name),
            )
            yield BrokenRule(OWN, what, phrase("Name a registered one."), path)
        elif owner.dataset != request.dataset or any(each.casefold() != owner.column.casefold() for each in used):
            what = phrase(
                "%(name)s is for the column %(column)s of %(dataset)s alone",
                name=quoted(name),
                column=quoted(owner.column),
                dataset=quoted(owner.dataset),
            )
            yield BrokenRule(OWN, what, phrase("Upload another one for this column."), path)
        elif owner.column.casefold() in finest:
            what = phrase(
                "%(column)s is released at a level of a registered hierarchy or coarser alone",
                column=quoted(owner.column),
            )
            yield BrokenRule("finest", what, phrase("Name a registered one."), path)


def _columns_by_hierarchy(request: Request) -> dict[str, tuple[str, ...]]:
    """The quasi-identifiers that each hierarchy generalises, where levels of them are searched."""
    found: dict[str, tuple[str, ...]] = {}
    if request.method == "generalization":
        for column, options in getattr(request, "quasi_identifiers", {}).items():
            found[options.hierarchy] = (*found.get(options.hierarchy, ()), column)
    return found


def _elsewhere(request: Request, name: str) -> bool:
    """Whether a hierarchy is named beside the quasi-identifiers: for the distances of a model."""
    models = getattr(request, "sensitive", {})
    return any(each.named_hierarchy == name for of_column in models.values() for each in of_column)
