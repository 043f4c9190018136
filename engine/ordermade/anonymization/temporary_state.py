"""The state of a call that keeps none: in a private folder, gone at the end of the call."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ordermade.state.database import initialise
from ordermade.state.location import ENVIRONMENT_VARIABLE
from ordermade.state.temporary import TemporaryState

if TYPE_CHECKING:
    from ordermade.engine import Engine


@contextlib.contextmanager
def engine_of_call(engine: Engine, *, is_kept: bool = True) -> Iterator[Engine]:
    """The engine on the state that was named, made if it is not there; else on one that is removed with the block.

    A state is named by `Engine(state=…)` or by ORDERMADE_STATE; the default one in the working directory is left
    alone. Nothing is kept in any of them unless `is_kept`. What a killed process leaves behind, the next command
    removes. Raises StateFault.
    """
    if is_kept and (engine.state is not None or os.environ.get(ENVIRONMENT_VARIABLE)):
        file = engine.state_file
        initialise(file.path, file.authority, wait_seconds=file.wait_seconds, notice=file.notice)
        yield engine
        return
    temporary = TemporaryState()
    try:
        yield dataclasses.replace(engine, state=temporary.path)
    finally:
        temporary.close()
