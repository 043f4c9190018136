"""The tree of errors. Every message says what is wrong, where, and what to do next.

    OrdermadeError
    ├── InputError (ValueError)          exit status 2: the input is malformed
    │   ├── RequestError                 a request file or one of its fields
    │   ├── HierarchyError               a hierarchy file, rule or level
    │   │   └── CodeListError            a table of codes with their parents
    │   ├── FilterError                  a `where` that is not allowed
    │   └── UnknownName (LookupError)    no source, dataset, column, hierarchy … of that name
    ├── Refused                          exit status 1: well-formed, but nothing may be released
    │   ├── PolicyBroken                 it breaks rules of the policy of its dataset
    │   │   └── ReleasedMeanwhile        another release was made while it ran, with which it was not compared
    │   ├── NeedsReview                  it is not proved what readers work out beside earlier releases
    │   │   └── NeedsReviewFirst         it never is, or answers told as much as the policy allows
    │   └── TooLittleKnown               the evidence so far supports no prediction
    ├── SourceFault (RuntimeError)       exit status 3: the source cannot be read or written
    │   ├── UnfitValue                   a calculation or a cast does not fit its type
    │   ├── DatasetClosed                one does not in some row of a dataset, whatever a request's filter
    │   ├── NoColumns                    the server lets the user read no column of a table
    │   ├── PasswordNeeded               the server does not let the user in without a password, or with this one
    │   └── SourceChanged                it changed while the request ran
    ├── StateFault (RuntimeError)        exit status 3: the engine's own state or cache
    │   ├── StateMissing, StateOlder, StateNewer, StateDamaged
    │   └── StateLocked                  another process holds it past the bounded wait
    └── ReleaseFault (RuntimeError)      exit status 3: the release cannot be written or read
        └── ReleaseMismatch              the written release does not measure as it must

No message ever holds a value of a person: counts, levels, names of columns and hashes only.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import ClassVar

from ordermade.phrases import joined, phrase


class OrdermadeError(Exception):
    """Base of every error the engine raises on purpose.

    `what` is wrong, `where` it was found (a file and line, a field, a table; may be empty) and `next_step` (the
    remedy; may be empty). `str(error)` joins them into one message. `exit_status` is that of the command line.
    """

    exit_status: ClassVar[int] = 3

    def __init__(self, what: str, *, where: str = "", next_step: str = "") -> None:
        self.what = what
        self.where = where
        self.next_step = next_step
        super().__init__(self.message)

    @property
    def message(self) -> str:
        """The one message a person reads: `where: what. What to do next.` in full."""
        head = f"{self.where}: {self.what}" if self.where else self.what
        sentence = head if head.endswith((".", "?", "!")) else head + "."
        return f"{sentence} {self.next_step}".rstrip()


class InputError(OrdermadeError, ValueError):
    """The input is malformed; nothing was run."""

    exit_status = 2


class RequestError(InputError):
    """A request is malformed. `problems` lists every mistake found, one message each."""

    def __init__(self, what: str, *, where: str = "", next_step: str = "", problems: Sequence[str] = ()) -> None:
        super().__init__(what, where=where, next_step=next_step)
        self.problems = tuple(problems)


class HierarchyError(InputError):
    """A generalisation hierarchy is malformed or does not fit the column it is used for."""


class CodeListError(HierarchyError):
    """A code list in a database is no hierarchy: codes in a cycle, below none that is there, or repeated.

    The message counts. `reason`: the codes it is about, the first of them, for the provider's screen alone.
    """

    def __init__(self, what: str, *, where: str = "", next_step: str = "", reason: str = "") -> None:
        super().__init__(what, where=where, next_step=next_step)
        self.reason = reason


class FilterError(InputError):
    """A `where` or a dataset query is not one of the expressions that are allowed."""


class UnknownName(InputError, LookupError):
    """Nothing of that name is registered or in the catalog."""

    def __init__(
        self, kind: str, name: str, known: Iterable[str] = (), *, where: str = "", next_step: str = ""
    ) -> None:
        hint = did_you_mean(name, known)
        super().__init__(_there_is_no(kind, quoted(name)), where=where, next_step=joined(hint, next_step))
        self.kind = kind
        self.name = name


class Refused(OrdermadeError):
    """The request is well-formed, but no acceptable release exists.

    `column` is the quasi-identifier that breaks k, None where no single one does.
    """

    exit_status = 1

    def __init__(self, what: str, *, where: str = "", next_step: str = "", column: str | None = None) -> None:
        super().__init__(what, where=where, next_step=next_step)
        self.column = column


class PolicyBroken(Refused):
    """A request breaks rules of the policy of its dataset. `rules`: their names; `problems`: one message each."""

    def __init__(
        self,
        what: str,
        *,
        where: str = "",
        next_step: str = "",
        rules: Sequence[str] = (),
        problems: Sequence[str] = (),
    ) -> None:
        super().__init__(what, where=where, next_step=next_step)
        self.rules = tuple(rules)
        self.problems = tuple(problems)


class ReleasedMeanwhile(PolicyBroken):
    """Rows were released while a request ran, with which its own were not compared: no value of the data is why."""


class NeedsReview(Refused):
    """A release needs a reviewer: it is not proved what its readers work out beside earlier ones."""


class NeedsReviewFirst(NeedsReview):
    """A release needs a reviewer whatever the data are, so that nothing was counted."""


class Unproved(OrdermadeError):
    """A certificate cannot be given, or does not hold: of an answer without proof, of other data, or changed."""

    exit_status = 1


class TooLittleKnown(Refused):
    """A prediction was requested, but table C and the column marginals do not support one yet."""


class SourceFault(OrdermadeError, RuntimeError):
    """A source cannot be reached, read or written."""


class UnfitValue(SourceFault):
    """A calculation goes beyond the range of its type, or a value is read as a type that it does not fit."""


class DatasetClosed(SourceFault):
    """A column of a dataset cannot be evaluated in every row, so no request on it is answered, whatever its filter.

    The message is a user's, and tells no more. `reason`: the provider's, empty for others.
    """

    def __init__(self, dataset: str, fault: SourceFault) -> None:
        what = "the dataset is closed: some of it cannot be calculated"
        step = "Its provider mends it; then run the request again."
        super().__init__(what, where=f"dataset {quoted(dataset)}", next_step=step)
        self.reason = fault.message


class NoColumns(SourceFault):
    """A table or view of a server has no column that its user may read."""


class PasswordNeeded(SourceFault):
    """A server does not let the user in without a password, or with the one that it was given."""


class SourceChanged(SourceFault):
    """The dataset changed between two steps of one request."""


class StateFault(OrdermadeError, RuntimeError):
    """The engine's own state or cache file cannot be used."""


class StateMissing(StateFault):
    """The state does not exist at its path."""


class StateOlder(StateFault):
    """The state needs migrations that this engine knows."""


class StateNewer(StateFault):
    """The state was written by a newer engine."""


class StateDamaged(StateFault):
    """The state does not verify: a changed migration, a missing table, a file that is not a state."""


class StateLocked(StateFault):
    """Another process kept the file locked for longer than the bounded wait."""


class ReleaseFault(OrdermadeError, RuntimeError):
    """A release cannot be written or read."""


class Undecided(ReleaseFault):
    """The connection was lost while a release was committed: the next command finds out whether it is there."""


class ReleaseMismatch(ReleaseFault):
    """The written release does not measure as it must: no figure measured on the way is to be trusted."""


def _there_is_no(kind: str, name: str) -> str:
    match kind:
        case "column":
            return phrase("there is no column %(name)s", name=name)
        case "hierarchy":
            return phrase("there is no hierarchy %(name)s", name=name)
        case "dataset":
            return phrase("there is no dataset %(name)s", name=name)
    return phrase("there is no %(kind)s %(name)s", kind=kind, name=name)


class UnverifiedHeader(str):
    """A text in the first line of a CSV file that may be data, not a name: looked up, never listed."""

    __slots__ = ()


def quoted(name: str) -> str:
    """`name` between single quotes, control characters shown as escapes, shortened past 80 characters."""
    shown = name if len(name) <= 80 else name[:77] + "..."
    return "'" + shown.encode("unicode_escape").decode("ascii") + "'" if not shown.isprintable() else f"'{shown}'"


def an(noun: str) -> str:
    """The noun after `a` or `an`."""
    return f"{'an' if noun[:1].casefold() in 'aeiou' else 'a'} {noun}"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A sentence that names the nearest known name, else lists up to eight of them; empty if none are known.

    Names that may be data are not among them: they may be a person's values.
    """
    listable = set(known)
    unvouched = {each for each in listable if isinstance(each, UnverifiedHeader)}
    if unvouched:
        return phrase(
            "The first line of the CSV file may be data, so it is not listed; `--header` states that it holds names."
        )
    names = sorted(listable)
    by_folded = {candidate.casefold(): candidate for candidate in names}
    near = difflib.get_close_matches(name.casefold(), list(by_folded), n=1, cutoff=0.6)
    if near:
        return phrase("Did you mean %(name)s?", name=quoted(by_folded[near[0]]))
    if not names:
        return ""
    listed = ", ".join(quoted(candidate) for candidate in names[:8])
    return phrase("Known: %(listed)s.", listed=f"{listed}{', …' if len(names) > 8 else ''}")
