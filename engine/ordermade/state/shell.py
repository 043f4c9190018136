"""Who is at the provider's own shell."""

from __future__ import annotations

import getpass
import os


def actor() -> str:
    """The name of the user on the operating system, or `unknown` where there is none (some containers).

    That of the process, not of LOGNAME or USER: the audit, and whether a review is of an own request, go by it.
    """
    try:
        from pwd import getpwuid
    except ImportError:  # Windows
        return getpass.getuser()
    try:
        return getpwuid(os.geteuid()).pw_name
    except KeyError:
        return "unknown"
