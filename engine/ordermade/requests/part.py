"""What every part of the request file is: frozen, and without a key beyond those that are declared."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StrictStr

Name = Annotated[StrictStr, Field(min_length=1)]
"""A name: a text that is not empty."""


class Part(BaseModel):
    """A part of the request file: frozen, and without a key that is not declared."""

    model_config = ConfigDict(extra="forbid", frozen=True)
