"""A release that has been written: what was expected of it, and what is reported."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ordermade.errors import InputError
from ordermade.files.private import give_name, take_back
from ordermade.methods.shared.release_record import ReleaseDraft
from ordermade.methods.shared.released_columns import ReleasedForms
from ordermade.methods.shared.result import ReleaseReport
from ordermade.release.files import (
    StagedFile,
    cannot_write,
    check_target,
    read_rows,
    refuse_standing,
)
from ordermade.release.folders import StagedFolder
from ordermade.release.measure import ExpectedRelease
from ordermade.release.plan import Plan
from ordermade.release.rows import ReleaseCounts
from ordermade.state.releases import ReleaseRecord
from ordermade.state.runs import FileMove, SourceCommit

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Published:
    """A release that is measured and about to be out: where, what the state is to note of it, warnings for the user.

    `moves` give its files their names, in order, the data last; or `commit` commits it into the source. The recorder
    of the request carries them out once the state has recorded the release.
    """

    report: ReleaseReport
    record: ReleaseRecord
    warnings: tuple[str, ...]
    staged: tuple[StagedFile | StagedFolder, ...] = ()
    commit: Commit | None = None
    replaces: bool = False
    forms: ReleasedForms = field(default_factory=ReleasedForms)

    @property
    def moves(self) -> tuple[FileMove, ...]:
        """The last steps of the files, for the journal of the run."""
        return tuple(each.move(replace=self.replaces) for each in self.staged)

    def require_room(self) -> None:
        """Raises InputError where a name was taken meanwhile, ReleaseFault where a file is not as it was measured."""
        for each in self.staged:
            each.seal()
            check_target(each.target, kind=each.kind)
            if not self.replaces:
                refuse_standing(each.target, "It appeared while the request ran. Choose another name.")

    def carry_out(self) -> None:
        """Gives every file its name, or commits the table. Raises ReleaseFault, InputError; then no new name stays."""
        if self.commit is not None:
            self.commit.carry_out()
        carry_out_all(self.moves)


def expected_of(plan: Plan, settled: ReleaseCounts) -> ExpectedRelease:
    """The figures that the written release must have."""
    rows = settled.rows if plan.shape == "rows" else settled.visible.divisions
    return ExpectedRelease(settled.visible, plan.k, rows, settled.stars)


def report_of(draft: ReleaseDraft, where: str, sha256: str | None, rows: pa.Table | None = None) -> ReleaseReport:
    """The report of a release; `rows`: those that a program gets back, None where they are in a file or a table."""
    settled, plan, opened = draft.settled, draft.plan, draft.open_request.opened
    frame = None
    if opened.backend.capabilities.gives_frames:
        from ordermade.release.returned import returned

        exact = (*plan.kept, *(each.column for each in plan.sensitive)) if not settled.stars else ()
        released = partial(read_rows, Path(where)) if rows is None else lambda: rows
        frame = returned(opened.backend, opened.origin, plan.columns, exact, released)
    return ReleaseReport(
        path=where,
        sha256=sha256,
        rows=draft.rows,
        star_rows=settled.star_rows,
        suppressed_rows=settled.suppressed_rows,
        persons=settled.persons,
        suppressed_persons=settled.suppressed_persons,
        frame=frame,
    )


@dataclass(frozen=True, slots=True)
class Commit:
    """The last step of a release into the source: its entry in the journal, and the function that commits."""

    noted: SourceCommit
    carry_out: Callable[[], None]


def carry_out_all(moves: Sequence[FileMove]) -> None:
    """Gives files their names, in order.

    Raises InputError where a name was taken meanwhile, ReleaseFault; then the names that took nobody's place are free
    again.
    """
    try:
        for each in moves:
            carry_out(each)
    except BaseException:
        for each in moves:
            if not each.replace:
                take_back(Path(each.made), Path(each.name))
        raise


def carry_out(move: FileMove) -> None:
    """Gives a file its name. Raises InputError where the name was taken meanwhile, ReleaseFault."""
    name = Path(move.name)
    try:
        give_name(Path(move.made), name, replace=move.replace)
    except FileExistsError:
        raise InputError(
            "a file of this name appeared while the request ran", where=move.name, next_step="Choose another name."
        ) from None
    except OSError as error:
        raise cannot_write(name, error) from None
