"""The counts of a node's classes beyond their rows: sensitive values and their models, persons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ordermade.measuring.sensitive import Sensitive
from ordermade.privacy.models import Model
from ordermade.state.cached_set import PERSONS, SENSITIVE, GroundedColumn


@dataclass(frozen=True, slots=True)
class Counting:
    """The counts that a request needs beyond the rows of every class.

    `sensitive`: its sensitive attributes, grounded, with their models. `entity`: the column that identifies persons,
    where the classes count them (their table is stored, see `entity.units`), and `persons` their number.
    `least_classes`: whether it is also counted how small the classes of each person are, as a suppression limit needs.
    """

    sensitive: tuple[Sensitive, ...] = ()
    entity: str | None = None
    persons: int | None = None
    least_classes: bool = False

    @property
    def has_models(self) -> bool:
        """True if classes may fail a model."""
        return any(each.models for each in self.sensitive)

    @property
    def is_plain(self) -> bool:
        """True if nothing but the rows of every class is counted."""
        return self.entity is None and not self.has_models

    def for_each_model(self) -> dict[tuple[str, Model], Counting]:
        """The counts needed for one model alone, by its column and model."""
        return {
            (each.column, model): replace(self, sensitive=(replace(each, models=(model,)),), least_classes=False)
            for each in self.sensitive
            for model in each.models
        }

    @property
    def cached_columns(self) -> tuple[GroundedColumn, ...]:
        """The columns of its frequency set beyond the quasi-identifiers', as the cache keeps them."""
        return besides([each.column for each in self.sensitive], self.entity)


def besides(sensitive: Sequence[str], entity: str | None) -> tuple[GroundedColumn, ...]:
    """The columns that a cached frequency set must have beyond the quasi-identifiers: sensitive columns, persons."""
    columns = tuple(GroundedColumn(column, SENSITIVE, 0) for column in sensitive)
    return columns if entity is None else (*columns, GroundedColumn(entity, PERSONS, 0))


PLAIN = Counting()
