"""`python -m ordermade`: the command line."""

from __future__ import annotations

from ordermade.cli.main import run

if __name__ == "__main__":
    run()
