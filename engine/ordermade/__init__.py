"""ordermade: a SQL-backed k-anonymisation engine for tailor-made data requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ordermade.engine import Engine as Engine

__version__ = "0.1.0"
__all__ = ["Engine", "__version__"]


def __getattr__(name: str) -> Any:
    """Imports `ordermade.Engine` on first use, so that `import ordermade` stays light."""
    if name == "Engine":
        from ordermade.engine import Engine

        return Engine
    raise AttributeError(f"module 'ordermade' has no attribute {name!r}")
