"""The documents of `ordermade audit`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ordermade.state.records.audit import AuditEntry


@dataclass(frozen=True, slots=True)
class AuditList:
    """The latest entries of the audit."""

    entries: Sequence[AuditEntry]
    """The entries, the latest first."""
