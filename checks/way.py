"""The way of a request through the rooms of the engine: `python -m checks.way`.

One small request for generalisation and one for Mondrian are run, traced, and printed: the rooms and modules that they
come through, the depth of calls from module to module, and the calls that climb into a room that imports the caller's.
A callback climbs, and so does a method of a class that a higher room made: neither is seen in imports.
"""

from __future__ import annotations

import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.resources import as_file
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import ordermade
from ordermade import Engine
from ordermade.demo.tables import MEMBERS, make_members

REPOSITORY = Path(__file__).resolve().parents[1]
PACKAGE = Path(ordermade.__file__).parent
ROWS = 3_000
COLUMNS = ("age", "sex", "prefecture", "occupation")
REQUESTS: Mapping[str, Mapping[str, Any]] = {
    "generalisation": {"quasi_identifiers": {each: {"hierarchy": each} for each in COLUMNS}},
    "Mondrian": {"method": "mondrian", "quasi_identifiers": {each: {} for each in COLUMNS}},
}


@dataclass
class Way:
    """What the calls of one request came through.

    `climbs`: by the rooms of caller and called, the pairs of modules of which the called one is in a higher room.
    """

    floors: Mapping[str, int]
    modules: set[str] = field(default_factory=set)
    climbs: Counter[tuple[str, str]] = field(default_factory=Counter)
    deepest: tuple[str, ...] = ()
    _pairs: set[tuple[str, str]] = field(default_factory=set)

    @property
    def rooms(self) -> set[str]:
        """The rooms that the modules are in."""
        return {room_of(each) for each in self.modules}

    def call(self, frame: FrameType) -> None:
        """Notes the call of a function of the engine."""
        called = module_of(frame.f_code)
        if called is None:
            return
        self.modules.add(called)
        chain = tuple(_modules_above(frame))
        if len(chain) > len(self.deepest):
            self.deepest = chain
        caller = chain[1] if len(chain) > 1 else called
        if (caller, called) not in self._pairs:
            self._pairs.add((caller, called))
            rooms = room_of(caller), room_of(called)
            if self.floors[rooms[1]] < self.floors[rooms[0]]:
                self.climbs[rooms] += 1


def _modules_above(frame: FrameType) -> Iterator[str]:
    """The modules that called each other down to a frame, the last first; one that calls itself once."""
    last, at = None, frame
    while at is not None:
        module = module_of(at.f_code)
        if module is not None and module != last:
            yield module
            last = module
        at = at.f_back  # type: ignore[assignment]


_MODULES: dict[CodeType, str | None] = {}


def module_of(code: CodeType) -> str | None:
    """The module of the engine that a function is written in, below the package; None of another's."""
    if code not in _MODULES:
        path = Path(code.co_filename)
        inside = path.is_relative_to(PACKAGE) and path.name != "<string>"
        _MODULES[code] = ".".join(path.relative_to(PACKAGE).with_suffix("").parts) if inside else None
    return _MODULES[code]


def room_of(module: str) -> str:
    """The room of a module: the folder, or the module beside the folders."""
    return module.partition(".")[0]


def floors() -> Mapping[str, int]:
    """The floor of each room, the highest 0, as import-linter holds them."""
    contracts = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    (layers,) = (each["layers"] for each in contracts["contracts"] if each.get("containers") == ["ordermade"])
    found = {room.strip(): floor for floor, each in enumerate(layers) for room in each.replace("|", ":").split(":")}
    return found | {"__init__": -1}


@contextmanager
def traced(way: Way) -> Iterator[None]:
    """Notes every call of the block in the way."""

    def profile(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            way.call(frame)

    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(None)


@contextmanager
def small_engine() -> Iterator[tuple[Engine, Path]]:
    """An engine with the demo's members and hierarchies, few of them, in a folder of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_members(folder / "members.duckdb", ROWS)
        ordermade.initialise(folder / ".ordermade" / "state.sqlite")
        engine = Engine(folder / ".ordermade" / "state.sqlite")
        engine.sources.add("shop", str(folder / "members.duckdb"))
        engine.datasets.add("members", "shop", table="members", least_k=2)
        with as_file(MEMBERS) as data:
            for file in sorted((data / "hierarchies").iterdir()):
                engine.hierarchies.add(file.stem, file)
        yield engine, folder


def way_of(request: Mapping[str, Any], engine: Engine, folder: Path) -> Way:
    """The way of a request, the second of its kind: the first fills what is kept for later ones."""
    way = Way(floors())
    whole = {
        "dataset": "members",
        "identifiers": ["member_id", "name"],
        "release": {"to": str(folder / "out.csv"), "replace": True},
        **request,
    }
    engine.run({**whole, "k": 4})
    with traced(way):
        engine.run({**whole, "k": 5})
    return way


def main() -> int:
    """Print the figures of each request."""
    with small_engine() as (engine, folder):
        for name, request in REQUESTS.items():
            way = way_of(request, engine, folder)
            print(f"{name}: {len(way.rooms)} rooms, {len(way.modules)} modules, depth {len(way.deepest)}, ", end="")
            print(f"{sum(way.climbs.values())} climbs into a higher room")
            print(f"  rooms: {', '.join(sorted(way.rooms))}")
            print(f"  deepest: {' < '.join(way.deepest)}")
            for (caller, called), number in way.climbs.most_common():
                print(f"  climbs: {caller} -> {called} {number}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
