"""A check of a request by its user, which says what `submit` would, and no label of its hierarchies.

Levels come by their names: the labels are the provider's, and a release shows those of the levels that it is at; a hash
of them lets guesses be tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from ordermade.catalogue.arguments import require_type
from ordermade.errors import Refused
from ordermade.hierarchies.column_types import type_in_words
from ordermade.hierarchies.hierarchy import Grounding, Hierarchy, Key, Level
from ordermade.service.lifecycle import DATA_USER
from ordermade.service.revising import of_user

if TYPE_CHECKING:
    from sqlglot import exp

    from ordermade.lattice.lattice import LevelOrder
    from ordermade.requests.read import RequestLike
    from ordermade.requests.resolving import ResolvedRequest
    from ordermade.service.desk import Desk

_Anything = TypeVar("_Anything")


@dataclass(frozen=True, slots=True, repr=False)
class NamedLevels(Hierarchy):
    """The names and the order of the levels of a hierarchy. Every use of its labels raises Refused."""

    name: str
    levels: tuple[Level, ...]
    order: LevelOrder
    kind: str
    enumerated: bool

    @classmethod
    def of(cls, whole: Hierarchy) -> NamedLevels:
        """The names and the order of the levels of `whole`."""
        levels = tuple(Level(each.name, "") for each in whole.levels)
        return cls(whole.name, levels, whole.order, whole.kind, whole.enumerated)

    @property
    def content_hash(self) -> str:
        """Refused."""
        _withhold()

    def check_type(self, column_type: str) -> str | None:  # noqa: ARG002
        """Refused."""
        _withhold()

    def code(self, column: exp.Expression, column_type: str, base: int) -> exp.Expression:  # noqa: ARG002
        """Refused."""
        _withhold()

    def ground(self, base: int, codes: Sequence[Key]) -> Grounding:  # noqa: ARG002
        """Refused."""
        _withhold()


def _withhold() -> NoReturn:
    raise Refused("the labels of a hierarchy are the provider's", next_step="A release shows those of its levels.")


def checked(of: Desk, request: RequestLike) -> ResolvedRequest:
    """What a check of a request comes to, for its user: the policy decides as of one that is submitted now.

    A reviewer, who submits nothing, has the rules that hold for everybody. Raises PolicyBroken with every rule that it
    breaks, and as `Engine.check`.
    """
    require_type("request", request, "RequestLike", "Engine.check")
    acting, read = of.acting(), of_user(request)
    if DATA_USER in acting.roles:
        of.within_policy(read, acting.name, submits=True)
    return for_user(of.office.check(read))


def for_user(found: _Anything) -> _Anything:
    """What a check found, with `NamedLevels` in the place of every hierarchy, however deep it lies.

    And the kind of each column in the place of its type, and no SQL: what is sent depends on the types.
    """
    return _named(found)  # type: ignore[no-any-return]


def _named(found: Any) -> Any:
    if isinstance(found, Hierarchy):
        return NamedLevels.of(found)
    if isinstance(found, tuple):
        return tuple(map(_named, found)) if type(found) is tuple else found
    if is_dataclass(found) and not isinstance(found, type):
        return replace(found, **{each.name: _field(found, each.name) for each in fields(found) if each.init})
    return {key: _named(each) for key, each in found.items()} if type(found) is dict else found


def _field(found: Any, name: str) -> Any:
    value = getattr(found, name)
    if name == "column_type":
        return type_in_words(value) if value else value
    return None if name == "filter" else _named(value)
