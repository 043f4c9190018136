"""The compiler of the engine, ready: imported by the server of processes, so that none of those has to load it."""

from __future__ import annotations

from numba.core.registry import cpu_target

cpu_target.target_context.refresh()
cpu_target.typing_context.refresh()
