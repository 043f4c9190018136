"""Recipients who ask for what would tell them most, and an integer program over all the files that they received.

The adversary was written from the documents alone, without sight of the check that it is up against. It knows the
values of the columns and their hierarchies, reads back every released file, and writes what each says as bounds of sums
over the full cross of the columns: a listed class or a shown cell has its count, an unlisted class of a release has
fewer than k persons, and all of a release's unlisted classes have the number that its manifest says. What it asks next
is what is expected to tell most: a request whose classes differ from known ones by few persons.

After each batch the least and the most of groups are found by integer programs. A group of which the least is 1 or more
and the most below k is isolated. Found first, then verified: only groups that have 1 to k - 1 persons in the data can
be isolated, so that others cost no program, and none is missed among the groups looked at.
"""

from __future__ import annotations

import csv
import itertools
import json
import os
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp

from bench.figure import Figure, print_rows
from ordermade import Engine, initialise
from ordermade.errors import InputError, NeedsReview

Whole = NDArray[np.int64]
Marks = NDArray[np.bool_]

K = 5
ROWS = 1_000
SEED = 44
RECIPIENTS = tuple(f"r{number:02}" for number in range(20))
POOLS: Mapping[str, Sequence[Sequence[str]]] = {
    "one pool of all": [RECIPIENTS],
    "pools of 5": [RECIPIENTS[place : place + 5] for place in range(0, 20, 5)],
    "apart": [[each] for each in RECIPIENTS],
}
REQUESTS = int(os.environ.get("ADVERSARY_REQUESTS", "200"))
"""Of each policy."""
SECONDS = float(os.environ.get("ADVERSARY_SECONDS", "120"))
"""Of each policy: no request is sent later."""
BATCH = 10
DRAWN = 60
"""The requests that are weighed for each that is sent."""
MOST_DIMENSIONS = 2
"""Of a table: one of more columns with many suppressed cells takes up to half a minute."""
LIMITS = (0, 0.01, 0.02, 0.05)
LABELS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "age": (
        tuple(f"a{place}" for place in range(6)),
        tuple(f"A{place // 2}" for place in range(6)),
        tuple(f"H{place // 4}" for place in range(6)),
        ("*",) * 6,
    ),
    "city": (tuple(f"c{place}" for place in range(4)), tuple(f"R{place // 2}" for place in range(4)), ("*",) * 4),
    "sex": (("s0", "s1"), ("*",) * 2),
    "plan": (("p0", "p1"), ("*",) * 2),
}
"""Of each column the label of each value at each level."""
COLUMNS = tuple(LABELS)
CELLS: Whole = np.array(list(itertools.product(*(range(len(LABELS[each][0])) for each in COLUMNS))), dtype=np.int64)
CODES: Mapping[str, tuple[Whole, ...]] = {
    name: tuple(np.array([sorted(set(level)).index(each) for each in level], dtype=np.int64) for level in levels)
    for name, levels in LABELS.items()
}


@dataclass(frozen=True, eq=False)
class Known:
    """A sum over cells that lies within bounds, and the file that says so."""

    inside: Marks
    least: float
    most: float
    says: str


@dataclass(frozen=True, eq=False)
class Asked:
    """A request of the adversary: its form, what is sent, and the cells of each class or cell that it shows."""

    form: str
    request: Mapping[str, Any]
    rows: Marks
    levels: Mapping[str, int]
    classes: tuple[Marks, ...]

    def __str__(self) -> str:
        return json.dumps({name: each for name, each in self.request.items() if name != "release"})


@dataclass(frozen=True, eq=False)
class Isolated:
    """A group of fewer than k persons that follows from what a pool holds, and all requests that say so."""

    group: str
    least: int
    most: int
    truth: int
    derived: tuple[str, ...]


@dataclass(eq=False)
class Reader:
    """All that a pool knows, and data that agree with it."""

    known: dict[bytes, Known] = field(default_factory=dict)
    sums: list[Known] = field(default_factory=list)
    found: dict[bytes, Isolated] = field(default_factory=dict)
    agreeing: Whole = field(default_factory=lambda: np.zeros((0, len(CELLS)), dtype=np.int64))
    undecided: int = 0

    def learn(self, each: Known) -> None:
        key = each.inside.tobytes()
        old = self.known.get(key)
        if old is not None and old.least >= each.least and old.most <= each.most:
            return
        if old is not None:
            says = old.says if each.says in old.says else f"{old.says} | {each.says}"
            each = Known(each.inside, max(old.least, each.least), min(old.most, each.most), says)
        self.known[key] = each
        sums = self.agreeing @ each.inside
        self.agreeing = self.agreeing[(sums >= each.least) & (sums <= each.most)]

    def program(self, costs: NDArray[np.floating[Any]]) -> tuple[bool, Whole | None]:
        """Whether the least of the costs was found, and its data."""
        every = list(self.known.values())
        bounds = LinearConstraint(
            np.array([each.inside for each in every], dtype=np.float64),
            np.array([each.least for each in every]),
            np.array([each.most for each in every]),
        )
        solved = milp(
            costs,
            constraints=bounds,
            bounds=Bounds(0, 10 * ROWS),
            integrality=np.ones(len(CELLS), dtype=np.int64),
            options={"time_limit": 10.0, "mip_rel_gap": 0.0},
        )
        if solved.x is None:
            return False, None
        return solved.status == 0, np.rint(solved.x).astype(np.int64)

    def remember(self, data: Whole | None) -> None:
        if data is None:
            return
        every = list(self.known.values())
        sums = np.array([each.inside for each in every], dtype=np.int64) @ data
        if all(each.least <= n <= each.most for each, n in zip(every, sums.tolist(), strict=True)):
            self.agreeing = np.vstack([self.agreeing, data])[-200:]

    def look(self, rng: np.random.Generator, persons: Whole, until: float) -> list[Isolated]:
        """The groups that are isolated now and were not before."""
        if not self.known:
            return []
        for _ in range(max(0, 8 - len(self.agreeing))):
            self.remember(self.program(rng.normal(size=len(CELLS)))[1])
        groups = self.groups(persons)
        new = []
        for key, (inside, name) in groups.items():
            if key in self.found:
                continue
            sums = self.agreeing @ inside
            if ((sums < 1) | (sums >= K)).any():
                continue
            truth, bounds = int(persons[inside].sum()), []
            for sign in (1.0, -1.0):
                is_proved, data = self.program(sign * inside)
                self.remember(data)
                bounds.append(int(data[inside].sum()) if is_proved and data is not None else None)
                if bounds[-1] is None or not 1 <= bounds[-1] < K:
                    break
            if None in bounds:
                self.undecided += 1
            elif len(bounds) == 2 and all(each is not None and 1 <= each < K for each in bounds):
                derived = self.derivation(inside)
                new.append(Isolated(name, bounds[0] or 0, bounds[1] or 0, truth, derived))
                self.found[key] = new[-1]
            if time.monotonic() > until:
                break
        return new

    def derivation(self, inside: Marks) -> tuple[str, ...]:
        """Few of the known sums from which the group's bounds follow: what can be left out is left out, by halves."""
        kept = list(self.known.values())
        size = max(1, len(kept) // 2)
        while True:
            place = 0
            while place < len(kept):
                fewer = kept[:place] + kept[place + size :]
                one = Reader({each.inside.tobytes(): each for each in fewer})
                if fewer and one.isolates(inside):
                    kept = fewer
                else:
                    place += size
            if size == 1:
                return tuple(f"[{each.least:g}, {each.most:g}] {named(each.inside)}: {each.says}" for each in kept)
            size //= 2

    def isolates(self, inside: Marks) -> bool:
        for sign in (1.0, -1.0):
            is_proved, data = self.program(sign * inside)
            if not is_proved or data is None or not 1 <= data[inside].sum() < K:
                return False
        return True

    def groups(self, persons: Whole) -> dict[bytes, tuple[Marks, str]]:
        """Boxes of the hierarchies, differences of two boxes and of two known sums, that have 1 to k - 1 persons."""
        boxes = np.array(BOXES)
        sums = np.array([each.inside for each in self.known.values()])
        found: dict[bytes, tuple[Marks, str]] = {}

        def add(inside: Marks) -> None:
            found.setdefault(inside.tobytes(), (inside, named(inside)))

        for inside in np.vstack([boxes, sums])[few(np.vstack([boxes, sums]) @ persons)]:
            add(inside)
        for one, other in ((sums, sums), (boxes, sums), (sums, boxes), (boxes, boxes)):
            sizes, counts = other.sum(axis=1), other @ persons
            for whole in one:
                nested = (other @ whole.astype(np.int64) == sizes) & few(int(persons[whole].sum()) - counts)
                for part in other[nested]:
                    add(whole & ~part)
        return found


def few(counts: Any) -> Any:
    return (counts >= 1) & (counts < K)


def box(levels: Mapping[str, int]) -> list[Marks]:
    """The cells of each combination of labels."""
    codes = np.stack([CODES[name][level][CELLS[:, COLUMNS.index(name)]] for name, level in levels.items()], axis=1)
    _, numbers = np.unique(codes, axis=0, return_inverse=True)
    numbers = numbers.reshape(-1)
    return [numbers == each for each in range(int(numbers.max()) + 1)]


def every_box() -> list[Marks]:
    found: dict[bytes, Marks] = {}
    for levels in itertools.product(*(range(len(LABELS[each])) for each in COLUMNS)):
        for inside in box(dict(zip(COLUMNS, levels, strict=True))):
            found.setdefault(inside.tobytes(), inside)
    return list(found.values())


BOXES = every_box()


def named(inside: Marks) -> str:
    """The group in words: of each column its values, and where it is no box the number of cells."""
    values = [np.unique(CELLS[inside, axis]) for axis in range(len(COLUMNS))]
    words = [
        f"{name} in {{{', '.join(LABELS[name][0][each] for each in some)}}}"
        for name, some in zip(COLUMNS, values, strict=True)
        if len(some) < len(LABELS[name][0])
    ]
    whole = int(np.prod([len(each) for each in values]))
    rest = "" if inside.sum() == whole else f", {int(inside.sum())} of these {whole} cells: {np.flatnonzero(inside)}"
    return (" and ".join(words) or "all") + rest


def drawn(rng: np.random.Generator, earlier: Sequence[Asked]) -> Asked:
    """A request: new, or one near to an earlier one, at a finer or a coarser level, with other rows or another k."""
    if earlier and rng.random() < 0.7:
        old = earlier[int(rng.integers(len(earlier)))]
        levels, where = dict(old.levels), old.request.get("where")
        form, limit, k = old.form, float(rng.choice(LIMITS)), int(rng.choice((5, 5, 5, 10)))
        match int(rng.integers(4)):
            case 0:  # one column finer or coarser
                name = str(rng.choice(list(levels)))
                levels[name] = int(np.clip(levels[name] + rng.choice((-1, 1)), 0, len(LABELS[name]) - 2))
            case 1:  # a column more or less
                name = str(rng.choice(COLUMNS))
                if name in levels and len(levels) > 1:
                    del levels[name]
                else:
                    levels[name] = int(rng.integers(len(LABELS[name]) - 1))
            case 2:  # other rows
                where = filtered(rng) if where is None or rng.random() < 0.5 else None
            case _:
                form = "rows" if form == "table" else "table"
    else:
        names = rng.choice(COLUMNS, size=int(rng.integers(1, 5)), replace=False).tolist()
        levels = {name: int(rng.integers(len(LABELS[name]) - 1)) for name in names}
        where = filtered(rng) if rng.random() < 0.35 else None
        form = str(rng.choice(("rows", "rows", "table")))
        limit, k = float(rng.choice(LIMITS)), int(rng.choice((5, 5, 5, 10)))
    return asked(form, {name: levels[name] for name in COLUMNS if name in levels}, where, limit, k)


def filtered(rng: np.random.Generator) -> str:
    """A row filter that leaves out or lets pass some values of one or two columns."""
    names = rng.choice(COLUMNS, size=int(rng.integers(1, 3)), replace=False).tolist()
    parts = [f"{name} {rng.choice(('=', '<>'))} '{rng.choice(LABELS[name][0])}'" for name in names]
    if len(parts) == 1:
        return str(parts[0])
    return f"NOT ({parts[0]} AND {parts[1]})" if rng.random() < 0.5 else f"{parts[0]} AND {parts[1]}"


def passing(where: str | None) -> Marks:
    """The cells whose rows the filter lets pass."""
    if where is None:
        return np.ones(len(CELLS), dtype=np.bool_)
    inside = np.zeros(len(CELLS), dtype=np.bool_)
    numbers = cells_in_duckdb().execute(f"SELECT number FROM cells WHERE {where}").fetchall()
    inside[[each for (each,) in numbers]] = True
    return inside


@cache
def cells_in_duckdb() -> duckdb.DuckDBPyConnection:
    """A database in memory with the values of each cell."""
    connection = duckdb.connect()
    fields = ", ".join(f"{name} VARCHAR" for name in COLUMNS)
    connection.execute(f"CREATE TABLE cells (number INTEGER, {fields})")
    listed = [
        (number, *(LABELS[name][0][each] for name, each in zip(COLUMNS, row, strict=True)))
        for number, row in enumerate(CELLS.tolist())
    ]
    connection.executemany(f"INSERT INTO cells VALUES (?{', ?' * len(COLUMNS)})", listed)
    return connection


PASSING: dict[str | None, Marks] = {}


def asked(form: str, levels: Mapping[str, int], where: str | None, limit: float, k: int) -> Asked:
    if where not in PASSING:
        PASSING[where] = passing(where)
    rows = PASSING[where]
    request: dict[str, Any] = {"dataset": "persons", "k": k}
    if where is not None:
        request["where"] = where
    if form == "table" and len(levels) <= MOST_DIMENSIONS:
        names = list(levels)
        request |= {"method": "table", "rows": names[:1], "columns": names[1:]}
        request["dimensions"] = {name: {"level": f"level{each}"} for name, each in levels.items() if each}
        upper = [f"{name}.level{each + 1}" for name, each in levels.items() if each + 1 < len(LABELS[name]) - 1]
        request["totals"] = [*upper, *names]
        classes: list[Marks] = []
        for chosen in itertools.product(*(range(levels[name], len(LABELS[name])) for name in names)):
            if all(
                each - levels[name] < 2 or each == len(LABELS[name]) - 1
                for name, each in zip(names, chosen, strict=True)
            ):
                classes.extend(box(dict(zip(names, chosen, strict=True))))
    else:
        form = "rows"
        request["quasi_identifiers"] = {
            name: {"hierarchy": name, "from": each, "to": each} for name, each in levels.items()
        }
        request["suppression_limit"] = limit
        classes = box(levels)
    return Asked(form, request, rows, levels, tuple(each & rows for each in classes if (each & rows).any()))


def told(each: Asked, reader: Reader) -> float:
    """The classes that are expected to differ from known sums by 1 to k - 1 persons, and what is unknown of them."""
    classes = np.array(each.classes)
    estimates = reader.agreeing if len(reader.agreeing) else np.full((1, len(CELLS)), ROWS // len(CELLS))
    counts = classes @ estimates.T
    unknown = np.array([one.tobytes() not in reader.known for one in each.classes])
    score = 0.02 * float((np.log1p(counts.std(axis=1)) * unknown).sum() + unknown.sum())
    if reader.known:
        sums = np.array([one.inside for one in reader.known.values() if one.least == one.most or one.most < K])
        if len(sums):
            both = sums.astype(np.int64) @ classes.T.astype(np.int64)
            known_counts = sums @ estimates.T
            for nested, sign in ((both == sums.sum(axis=1)[:, None], 1), (both == classes.sum(axis=1), -1)):
                one, other = np.nonzero(nested & unknown[None, :])
                if len(one):
                    gap = sign * (counts[other] - known_counts[one])
                    score += float(few(gap).mean(axis=1).sum())
    return score


def read_back(each: Asked, path: Path, says: str, manifests: bool) -> list[Known]:
    """What a file says, with its manifest or without it."""
    manifest = json.loads(path.with_name(path.name + ".manifest.json").read_text(encoding="utf-8"))
    with path.open(encoding="utf-8", newline="") as file:
        listed = list(csv.DictReader(file))
    whole = manifest["dataset_version"]["rows"]
    found = [Known(each.rows, whole, whole, says)] if manifests else []
    if each.form == "table":
        for row in listed:
            inside = each.rows.copy()
            for name in each.levels:
                inside &= within(name, row[name])
            if not inside.any():
                assert row["count"] in ("0", ""), row
            elif row["status"]:  # suppressed
                found.append(Known(inside, 1, ROWS, says))
            else:
                found.append(Known(inside, int(row["count"]), int(row["count"]), says))
        return found
    counts = Counter(tuple(row[name] for name in each.levels) for row in listed)
    rest = each.rows.copy()
    for labels, n in counts.items():
        inside = each.rows.copy()
        for name, label in zip(each.levels, labels, strict=True):
            inside &= within(name, label)
        found.append(Known(inside, n, n, says))
        rest &= ~inside
    if manifests:
        most = least = manifest["suppressed_rows"]
    else:
        limit = each.request["suppression_limit"]
        least, most = 0, int(limit * len(listed) / (1 - limit))
    fewest = min(most, each.request["k"] - 1)
    found.extend(Known(inside, 0, fewest, says) for inside in each.classes if (inside & rest).any())
    if rest.any():
        found.append(Known(rest, least, most, says))
    return found


def within(name: str, label: str) -> Marks:
    if label == "Total":
        return np.ones(len(CELLS), dtype=np.bool_)
    level = next(each for each in LABELS[name] if label in each)
    return np.array([level[each] == label for each in CELLS[:, COLUMNS.index(name)].tolist()])


def made(folder: Path, seed: int) -> tuple[Engine, Whole]:
    """An engine on a skewed dataset, and its persons by cell."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(len(CELLS), 0.8))
    persons: Whole = rng.multinomial(ROWS, shares).astype(np.int64)
    with duckdb.connect(str(folder / "data.duckdb")) as connection:
        connection.execute(f"CREATE TABLE persons ({', '.join(f'{name} VARCHAR' for name in COLUMNS)})")
        rows = [
            tuple(LABELS[name][0][each] for name, each in zip(COLUMNS, cell, strict=True))
            for cell in np.repeat(CELLS, persons, axis=0).tolist()
        ]
        connection.executemany(f"INSERT INTO persons VALUES ({', '.join('?' * len(COLUMNS))})", rows)
    initialise(folder / "state" / "state.sqlite")
    engine = Engine(folder / "state" / "state.sqlite")
    engine.sources.add("made", str(folder / "data.duckdb"))
    engine.datasets.add("persons", "made", table="persons")
    for name, levels in LABELS.items():
        heads = ["value", *(f"level{number}" for number in range(1, len(levels) - 1)), "*"]
        lines = [";".join(heads), *(";".join(path) for path in dict.fromkeys(zip(*levels, strict=True)))]
        (folder / f"{name}.csv").write_text("\n".join(lines[1:]) + "\n", encoding="utf-8")
        engine.hierarchies.add(name, folder / f"{name}.csv")
    return engine, persons


@dataclass(frozen=True)
class Outcome:
    """What came of the requests under one policy."""

    sent: int
    answered: int
    review: int
    refused: int
    undecided: int
    isolated: tuple[Isolated, ...]


def attack(
    pools: Sequence[Sequence[str]],
    requests: int,
    seconds: float,
    seed: int,
    *,
    shows: bool = True,
    joined: bool = False,
    manifests: bool = True,
) -> Outcome:
    """Sends the requests, each of the recipient and the form that promise most, and looks at all after each batch.

    Args:
        pools: Who may join what they have, by the policy.
        requests: The most requests that are sent.
        seconds: The time after which none is sent.
        seed: Of the data and of the requests.
        shows: Whether progress is printed.
        manifests: Whether the adversary has the manifests: the number of rows, and that of suppressed ones.
        joined: Whether the pools join what they have all the same, against the policy.
    """
    rng = np.random.default_rng([seed, len(pools)])
    readers, earlier = [Reader() for _ in pools], [list[Asked]() for _ in pools]
    if joined:
        readers, earlier = readers[:1] * len(pools), earlier[:1] * len(pools)
    seen: Counter[str] = Counter()
    passed: Counter[tuple[str, bool]] = Counter()
    isolated: list[Isolated] = []
    with TemporaryDirectory(prefix="ordermade-adversary-") as name:
        folder = Path(name)
        engine, persons = made(folder, seed)
        engine.policies.set({"dataset": "persons", "k": K, "pools": [list(each) for each in pools]})
        in_engine, slowest = 0.0, (0.0, "")
        started, sent, asked_for = time.monotonic(), 0, set[tuple[int, str]]()
        while sent < requests and time.monotonic() - started < seconds:
            place = int(rng.integers(len(pools)))
            who = pools[place][int(rng.integers(len(pools[place])))]
            some = [drawn(rng, earlier[place]) for _ in range(DRAWN if rng.random() < 0.7 else 1)]
            some = [each for each in some if (place, str(each)) not in asked_for]
            if not some:
                continue
            best = max(some, key=lambda each: told(each, readers[place]) * hoped(each, passed)) if some[1:] else some[0]
            asked_for.add((place, str(best)))
            sent += 1
            path = folder / f"{sent}.csv"
            before = time.monotonic()
            outcome = answered(engine, best, who, path)
            took = time.monotonic() - before
            in_engine += took
            slowest = max(slowest, (took, f"{outcome}, after {seen['answered']} answers: {best}"))
            seen[outcome] += 1
            passed[best.form, outcome == "answered"] += 1
            if outcome == "answered":
                earlier[place].append(best)
                for each in read_back(best, path, f"request {sent} of {who}: {best}", manifests):
                    assert each.least <= persons[each.inside].sum() <= each.most, f"misread: {each.says}"
                    readers[place].learn(each)
            if sent % BATCH == 0 or sent == requests or time.monotonic() - started >= seconds:
                until = time.monotonic() + 20
                for reader in dict.fromkeys(readers):
                    isolated.extend(new := reader.look(rng, persons, until))
                    for found in new:
                        print(f"  ISOLATED [{found.least}, {found.most}], {found.truth} persons: {found.group}")
                        print("".join(f"    from {each}\n" for each in found.derived), flush=True)
                if shows:
                    known = sum(len(each.known) for each in dict.fromkeys(readers))
                    all_seconds = time.monotonic() - started
                    seconds_of = f"{all_seconds:.0f} s, {in_engine:.0f} of them of the engine"
                    print(
                        f"  {sent} sent, {dict(seen)}, {known} sums, {len(isolated)} isolated, {seconds_of}", flush=True
                    )
    if shows:
        print(f"  {sent} sent, {dict(seen)}, {len(isolated)} isolated; the slowest {slowest[0]:.0f} s, {slowest[1]}")
    undecided = sum(each.undecided for each in dict.fromkeys(readers))
    return Outcome(sent, seen["answered"], seen["review"], seen["refused"], undecided, tuple(isolated))


def hoped(each: Asked, passed: Mapping[tuple[str, bool], int]) -> float:
    """The share of the requests of its form that were answered so far; one of each is counted beside them."""
    yes, no = passed.get((each.form, True), 0), passed.get((each.form, False), 0)
    return (yes + 1) / (yes + no + 2)


def answered(engine: Engine, each: Asked, who: str, path: Path) -> str:
    request = {**each.request, "release": {"to": str(path)}}
    try:
        result = engine.run(request, recipients=[who], reviewed=False)
    except NeedsReview:
        return "review"
    except InputError:
        return "invalid"
    return "answered" if result.released else "refused"


def show() -> Sequence[Figure]:
    """Prints what was answered under each policy and every isolated group; the number of those, at most 0."""
    outcomes = {}
    for manifests, (pooled, pools) in itertools.product((False, True), POOLS.items()):
        name = f"{pooled}, {'with' if manifests else 'without'} manifests"
        print(f"\n{name}, seed {SEED}")
        outcomes[name] = attack(pools, REQUESTS, SECONDS, SEED, manifests=manifests)
    rows = [
        (name, one.sent, one.answered / one.sent, one.refused, one.review, one.undecided, len(one.isolated))
        for name, one in outcomes.items()
    ]
    headings = ("policy", "requests", "answered", "refused", "to review", "programs not ended", "isolated")
    print_rows(f"{len(RECIPIENTS)} recipients, {ROWS} rows, {len(CELLS)} cells, k = {K}", headings, rows)
    return [
        Figure(f"groups below k isolated, {name}", len(one.isolated), 0.0, "", digits=0)
        for name, one in outcomes.items()
    ]
