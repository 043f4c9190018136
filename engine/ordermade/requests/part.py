"""The base of every part of the request file: frozen, and without a key beyond those that are declared."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictInt, StrictStr
from pydantic_core import PydanticCustomError

Name = Annotated[StrictStr, Field(min_length=1)]
"""A name: a text that is not empty."""


def _level_reference(value: Any) -> Any:
    """A level number or name, refused here so that a wrong one gives one message and not one a kind."""
    if type(value) in (int, str) and value != "":
        return value
    raise PydanticCustomError("level_type", "a level is a number such as 1 or a name such as 'decade'")


LevelReference = Annotated[StrictInt | StrictStr, BeforeValidator(_level_reference)]
"""A level of a hierarchy, by number or name."""


class Part(BaseModel):
    """A part of the request file: frozen, and without a key that is not declared."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def defaults_where_bare(given: Any) -> Any:
    """The mapping to validate: a column with nothing after it (`income:`) has the defaults."""
    return {} if given is None else given
