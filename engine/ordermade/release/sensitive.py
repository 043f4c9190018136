"""A sensitive attribute of a release: released as it is, its values known by number to the statements of models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from ordermade import sql
from ordermade.measuring.dataset import Dataset
from ordermade.measuring.keys import as_key
from ordermade.measuring.sensitive import Sensitive as Grounded
from ordermade.privacy.models import Model


@dataclass(frozen=True, slots=True)
class Sensitive:
    """A sensitive column, the models that every class must satisfy, and the tables that number its values.

    `values` names a table with a row a value: `key` (as `compared` makes it comparable), `cell` (its place in the order
    of the values, NULL last) and `n` (the rows, or persons, of the whole dataset that have it). `levels` names, for
    each model that goes by a hierarchy (by its identity), a table with a row a value and level: `value`, `level`,
    `ancestor`. `is_written`: its values are those of a written release, where they may have become texts.
    """

    column: str
    column_type: str
    models: tuple[Model, ...]
    values: str
    levels: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    is_written: bool = False

    @classmethod
    def of(cls, dataset: Dataset, grounded: Grounded) -> Sensitive:
        """A sensitive attribute as it was grounded for the search."""
        kind = dataset.type_of(grounded.column)
        return cls(grounded.column, kind, grounded.models, grounded.values, grounded.levels)

    @property
    def compared_as(self) -> str:
        """The type that its values are compared as."""
        return as_key(self.column, self.column_type)[1]

    def compared(self, value: exp.Expr) -> exp.Expr:
        """A value of the column as the table of values holds it."""
        if self.compared_as == self.column_type and not self.is_written:
            return value
        return exp.cast(value, self.compared_as, dialect=sql.DIALECT)
