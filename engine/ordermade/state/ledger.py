"""The ledger file beside the state: what was released of each dataset, to whom, with the classes that it shows.

It is personal data as the cache is, a private file of its own: a backup of the state does not have it, and a restore
takes nothing back from it. It outlives the versions of a dataset: what recipients have stays until the provider says
that they destroyed it. An entry is committed as `intended` before its release gets its name, and counts from then on
until it is found that the release never got it.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ordermade.errors import ReleasedMeanwhile, StateDamaged, UnknownName
from ordermade.files.private import write_private_file
from ordermade.files.resources import statement
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.hierarchies.stored import StoredHierarchy, StoredLabels, StoredLevel, restore, store
from ordermade.ledger.entries import EntryStatus, LedgerEntry, ShownClasses, ShownColumn, ShownRelease
from ordermade.ledger.simulatable import LedgerAnswer
from ordermade.state.connection import StateConnection, connect, file_address, run_script, transaction
from ordermade.state.documents import as_text
from ordermade.state.faults import state_fault
from ordermade.state.files import beside, put_in_place, when_free
from ordermade.state.location import ledger_path

if TYPE_CHECKING:
    from ordermade.progress.waiting import Notice
    from ordermade.state.database import StateFile

_IN_COLUMNS = ("id", "key", "dataset", "dataset_name", "status", "request", "release", "shown")
"""The fields of an entry that its document does not say."""
_SHOWN = ("unjudged", "values", "levels", "required")
"""The fields of what it shows that its document says."""
_VERSION = 1
"""The version of the documents."""

Done = TypeVar("Done")


@dataclass(frozen=True, slots=True)
class Ledger:
    """The ledger at `path`, made with its first entry; `wait_seconds` bounds the wait for its lock."""

    path: Path
    wait_seconds: float = field(default=30.0, repr=False)
    notice: Notice | None = field(default=None, repr=False)

    def entries(
        self,
        dataset: str | None = None,
        name: str | None = None,
        release: int | None = None,
        *,
        with_classes: bool = True,
        numbers: Collection[int] | None = None,
    ) -> tuple[LedgerEntry, ...]:
        """The entries of a dataset, or of all; of one release, or of all; in the order they came. `numbers`: of these.

        `dataset`: its identity; those of any dataset of its `name` are of it, too, however it was registered then.

        Raises StateDamaged where an entry is not as it was written, StateLocked, StateFault.
        """
        if not self.path.exists():
            return ()
        with self._opened() as connection:
            rows = _rows(connection, "ledger/entries", dataset=dataset, dataset_name=name, release=release)
            rows = [row for row in rows if numbers is None or row[0] in numbers]
            of_rows = json.dumps([row[0] for row in rows])
            parts = _rows(connection, "ledger/classes", entries=of_rows) if with_classes else []
        classes = {entry: list(found) for entry, found in groupby(parts, key=itemgetter(0))}
        return tuple(self._entry(row, classes.get(row[0], []), with_classes=with_classes) for row in rows)

    def entry(self, number: int) -> LedgerEntry:
        """The entry of a number. Raises UnknownName, and as `entries` does."""
        found = next((each for each in self.entries() if each.id == number), None)
        if found is None:
            raise UnknownName("entry of the ledger", str(number), next_step="`ordermade ledger show` lists them.")
        return found

    def recipients_of(self, run: str | None) -> tuple[str, ...] | None:
        """The recipients of the release of a run, less those who destroyed it; None where it has no entry.

        Raises as `entries` does.
        """
        found = [each for each in self.entries(with_classes=False) if run is not None and each.run == run]
        return tuple(name for each in found if each.counts for name in each.recipients) if found else None

    def hierarchies(self, hashes: Collection[str]) -> Mapping[str, Hierarchy]:
        """The hierarchies of entries, by the hashes of their content."""
        if not hashes:
            return {}
        with self._opened() as connection:
            rows = _rows(connection, "ledger/hierarchies", hashes=json.dumps(sorted(hashes)))
        return {content_hash: restore(name, _stored(json.loads(document))) for content_hash, name, document in rows}

    def add(
        self, entry: LedgerEntry, hierarchies: Iterable[Hierarchy], *, judged_beside: int | None = None
    ) -> LedgerEntry:
        """Commits a new entry, with the hierarchies of its columns; as it is stored, with its number.

        `judged_beside`: the last entry of the dataset that the release was judged beside; None where it was not judged.
        An entry without a key has a random one; one whose key is there already is left out, and has the number 0.
        Raises ReleasedMeanwhile where another one came since, StateLocked, StateFault.
        """
        entry = entry if entry.key else replace(entry, key=secrets.token_hex(16))
        self._make_if_missing()
        with self._opened() as connection, transaction(connection, self._until_free):
            ((last,),) = _rows(connection, "ledger/last", dataset=entry.dataset, dataset_name=entry.dataset_name)
            if judged_beside is not None and int(last) > judged_beside:
                what = "a release of this dataset came out meanwhile, which this one was not judged beside"
                where = f"dataset {entry.dataset_name}"
                raise ReleasedMeanwhile(what, where=where, next_step="Run it again.", rules=["pools"], problems=[what])
            for each in hierarchies:
                known = {"content_hash": each.content_hash, "name": each.name}
                _rows(connection, "ledger/add_hierarchy", **known, document=as_text(asdict(store(each))))
            parts, document = [_part(each) for each in entry.shown.classes], _document(entry)
            added = _rows(
                connection,
                "ledger/add_entry",
                entry_key=entry.key,
                dataset=entry.dataset,
                dataset_name=entry.dataset_name,
                status=entry.status,
                request=entry.request,
                release=entry.release,
                document=document,
                seal=_seal(entry, document, parts),
            )
            number = int(added[0][0]) if added else 0
            for place, (header, numbers) in enumerate(parts if added else []):
                _rows(connection, "ledger/add_classes", entry=number, place=place, header=header, numbers=numbers)
        return replace(entry, id=number)

    def settle(self, number: int, status: EntryStatus, release: int | None = None) -> None:
        """Notes what became of an entry, and the number of its release. Raises UnknownName, StateLocked, StateFault."""
        if not self.path.exists():
            raise UnknownName("entry of the ledger", str(number))
        with self._opened() as connection, transaction(connection, self._until_free):
            if not _rows(connection, "ledger/settle", entry=number, status=status, release=release):
                raise UnknownName("entry of the ledger", str(number), next_step="`ordermade ledger show` lists them.")

    def settle_run(self, run: str, status: EntryStatus, release: int | None = None) -> None:
        """Notes what became of the entries of a run that are still intended. Raises as `settle` and `entries` do."""
        for each in self.entries(with_classes=False):
            if each.run == run and each.status == "intended":
                self.settle(each.id, status, release)

    def answers(self, dataset: str | None = None) -> tuple[LedgerAnswer, ...]:
        """The answers to requests on a dataset, by its identity, or on all, in the order they came.

        Raises StateLocked, StateFault.
        """
        if not self.path.exists():
            return ()
        with self._opened() as connection:
            run_script(connection, statement("ledger/tables"))  # an earlier ledger has no answers
            rows = _rows(connection, "ledger/answers", dataset=dataset)
        return tuple(
            LedgerAnswer(
                question, of, name, tuple(json.loads(recipients)), datetime.fromisoformat(answered_at), decided, bits
            )
            for question, of, name, recipients, answered_at, decided, bits in rows
        )

    def add_answer(self, answer: LedgerAnswer) -> None:
        """Commits what an answer tells, before anybody receives it. Raises StateLocked, StateFault."""
        self._make_if_missing()
        with self._opened() as connection:
            run_script(connection, statement("ledger/tables"))
            with transaction(connection, self._until_free):
                said = asdict(answer) | {"recipients": json.dumps(answer.recipients)}
                _rows(connection, "ledger/add_answer", **said | {"answered_at": answer.answered_at.isoformat()})

    def _entry(self, row: tuple[Any, ...], found: list[tuple[Any, ...]], *, with_classes: bool) -> LedgerEntry:
        number, key, dataset, name, status, request, release, document, seal = row
        try:
            said = json.loads(document)
            parts = [(str(header), bytes(numbers)) for _, header, numbers in found]
            entry = LedgerEntry(
                id=int(number),
                key=key,
                dataset=dataset,
                dataset_name=name,
                status=status,
                request=request,
                release=release,
                shown=_shown(said, tuple(_classes(*each) for each in parts)),
                **_fields(said),
            )
            intact = not with_classes or seal == _seal(entry, document, parts)
        except (ValueError, TypeError, KeyError, zlib.error) as error:
            raise self._damaged(int(number)) from error
        if not intact:
            raise self._damaged(int(number))
        return entry

    def _damaged(self, number: int) -> StateDamaged:
        return StateDamaged(
            f"entry {number} of the ledger is not as it was written",
            where=str(self.path),
            next_step="Nothing is released beside it: put a copy of the ledger back that is sound.",
        )

    def _make_if_missing(self) -> None:
        if self.path.exists():
            return
        try:
            with beside(self.path) as made:
                write_private_file(made, "")
                with closing(connect(file_address(made, read_only=False))) as connection:
                    run_script(connection, statement("ledger/tables"))
                put_in_place(made, self.path)
        except (sqlite3.Error, OSError) as error:
            raise state_fault(error, self.path, "ledger") from error

    @contextmanager
    def _opened(self) -> Iterator[StateConnection]:
        try:
            with closing(connect(file_address(self.path, read_only=False))) as connection:
                yield connection
        except (sqlite3.Error, OSError) as error:
            raise state_fault(error, self.path, "ledger") from error

    def _until_free(self, step: Callable[[], Done], /) -> Done:
        return when_free(step, self.path, what="ledger", wait_seconds=self.wait_seconds, notice=self.notice)


def ledger_of(state: StateFile) -> Ledger:
    """The ledger of a state, which waits for its lock as the state does."""
    return Ledger(ledger_path(state.path), state.wait_seconds, state.notice)


def _rows(connection: StateConnection, name: str, /, **values: object) -> list[tuple[Any, ...]]:
    return connection.execute(statement(name), values).fetchall()


def _document(entry: LedgerEntry) -> str:
    own = asdict(replace(entry, shown=ShownRelease()))
    said = {name: value for name, value in own.items() if name not in _IN_COLUMNS}
    shown = {each: getattr(entry.shown, each) for each in _SHOWN}
    return as_text({"version": _VERSION, **said, **shown, "made_at": entry.made_at.isoformat()})


def _shown(said: dict[str, Any], classes: tuple[ShownClasses, ...]) -> ShownRelease:
    """What an entry shows, whose fields are taken out of its document."""
    unjudged, values, levels, required = (said.pop(each) for each in _SHOWN)
    least = tuple((column, values) for column, values in required)
    return ShownRelease(classes, unjudged, tuple(values), tuple(levels), least)


def _fields(said: dict[str, Any]) -> dict[str, Any]:
    if said.pop("version") != _VERSION:
        raise ValueError("a later version")
    made_at = datetime.fromisoformat(said.pop("made_at"))
    return {"made_at": made_at} | {
        name: tuple(value) if isinstance(value, list) else value for name, value in said.items()
    }


def _part(shown: ShownClasses) -> tuple[str, bytes]:
    """The header and the numbers of the classes of one partition."""
    header = as_text(
        {
            "columns": [asdict(each) for each in shown.columns],
            "labels": shown.labels,
            "classes": len(shown.least),
            "others_most": shown.others_most,
            "rest": shown.rest,
        }
    )
    numbers = [shown.codes.reshape(-1), shown.least, shown.most, shown.hidden.astype(np.int64)]
    return header, zlib.compress(np.concatenate(numbers).astype("<i8").tobytes(), 1)


def _classes(header: str, numbers: bytes) -> ShownClasses:
    said = json.loads(header)
    n, columns = said["classes"], tuple(ShownColumn(**each) for each in said["columns"])
    every = np.frombuffer(zlib.decompress(numbers), dtype="<i8").astype(np.int64)
    if len(every) != n * (len(columns) + 3):
        raise ValueError("numbers are missing")
    codes, least, most, hidden = np.split(every, np.cumsum([n * len(columns), n, n]))
    return ShownClasses(
        columns,
        tuple(tuple(each) for each in said["labels"]),
        codes.reshape(n, len(columns)),
        least,
        most,
        hidden.astype(np.bool_),
        said["others_most"],
        None if said["rest"] is None else (said["rest"][0], said["rest"][1]),
    )


def content_of(shown: ShownRelease) -> str:
    """A hash of what a release shows: the same of the same content."""
    digest = sha256(as_text({"unjudged": shown.unjudged, "values": shown.values}).encode())
    for header, numbers in map(_part, shown.classes):
        digest.update(sha256(header.encode()).digest() + sha256(numbers).digest())
    return digest.hexdigest()


def _seal(entry: LedgerEntry, document: str, parts: Iterable[tuple[str, bytes]]) -> str:
    """A hash of all of an entry but what becomes of it, and of its document as stored: it may lack later fields."""
    digest = sha256(f"{entry.key}\n{entry.dataset}\n{entry.dataset_name}\n{document}".encode())
    for header, numbers in parts:
        digest.update(sha256(header.encode()).digest() + sha256(numbers).digest())
    return digest.hexdigest()


def _stored(said: dict[str, Any]) -> StoredHierarchy:
    return StoredHierarchy(
        said["kind"],
        tuple(
            StoredLevel(**{**each, "bounds": None if each["bounds"] is None else tuple(each["bounds"])})
            for each in said["levels"]
        ),
        tuple(
            StoredLabels(each["level"], tuple(each["leaf_numbers"]), tuple(each["leaves"]), tuple(each["labels"]))
            for each in said["labels"]
        ),
    )
