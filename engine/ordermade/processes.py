"""Which process is still there: what a killed one left behind may be removed."""

from __future__ import annotations

import os


def process_is_alive(process: int) -> bool:
    """Whether a process of that number runs on this machine."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
