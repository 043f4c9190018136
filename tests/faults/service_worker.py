"""One of several processes that submit, review, run and deliver on one state, until it is killed.

`python -m tests.faults.service_worker FOLDER LOG SEED SECONDS`. What was done is a line of the log, once the call has
returned; a refusal, because another process was first, is none.
"""

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path

from ordermade import Engine
from ordermade.errors import Refused, StateLocked

WAIT = 30.0
MAX_OPEN = 6


def request(title: int) -> dict[str, object]:
    """A request that passes, unlike any other by its title."""
    return {
        "title": f"Members {title}",
        "dataset": "members",
        "k": 5,
        "quasi_identifiers": {"sex": {"hierarchy": "sex"}, "age": {"hierarchy": "age"}},
        "identifiers": ["name", "phone", "city"],
        "release": {"to": "members.csv"},
    }


def one_step(engines: dict[str, Engine], chosen: random.Random) -> tuple[str, int] | None:
    """Takes one step that is due for some request; what it was, None where another process was first."""
    everything = engines["shell"].submissions.list()
    unfinished = [each for each in everything if each.status not in ("delivered", "withdrawn", "refused")]
    if len(unfinished) < MAX_OPEN:
        return "submit", engines["ann"].submissions.submit(request(chosen.randrange(10**9))).id
    at = chosen.choice(unfinished)
    match at.status:
        case "approved":
            return ("run", at.id) if engines["shell"].submissions.run(at.id).result is not None else None
        case "run":
            engines["shell"].submissions.deliver(at.id)
            return "deliver", at.id
        case _:
            engines["rei"].submissions.review(at.id, "approve")
            return "review", at.id


def work(folder: Path, log: Path, seed: int, seconds: float) -> None:
    """Takes steps for so many seconds."""
    tokens = json.loads((folder / "tokens.json").read_text())
    state = folder / "state.sqlite"
    engines = {name: Engine(state, token=token, wait_seconds=WAIT) for name, token in tokens.items()}
    engines["shell"] = Engine(state, wait_seconds=WAIT)
    chosen, until = random.Random(seed), time.monotonic() + seconds
    with log.open("a", encoding="utf-8") as lines:
        while time.monotonic() < until:
            began = time.monotonic()
            try:
                done = one_step(engines, chosen)
            except Refused:
                done = None
            except StateLocked:
                done = ("locked", 0)
            if done is not None:
                print(*done, f"{time.monotonic() - began:.2f}", file=lines, flush=True)


if __name__ == "__main__":
    work(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
