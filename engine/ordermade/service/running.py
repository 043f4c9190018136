"""An approved request is run once, its release delivered, and copied by its user.

The process that runs it takes a lease first, with a locked folder beside the state, and renews it while it runs. The
lease of a process that is gone, or that did not renew it for a minute, counts for nothing: the request can be run
again, and a release that came out before the kill is found under its name and taken. A process that wakes late finds
that its lease is another's, and publishes nothing. What was killed several times in a row goes back to its reviewers.
"""

from __future__ import annotations

import os
import shlex
import shutil
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from ordermade.errors import InputError, OrdermadeError, Refused, ReleaseFault
from ordermade.files.private import flush, give_name, new_private_file, sha256_of, take_back, write_private_file
from ordermade.phrases import phrase
from ordermade.release import entitled
from ordermade.release.entitled import LOOKED_AT
from ordermade.release.files import cannot_write, manifest_of, manifest_text, read_manifest
from ordermade.service.certifying import certificate_for_user, certificate_of, certify
from ordermade.service.effective_policy import moment_after
from ordermade.service.leasing import renewed
from ordermade.service.lifecycle import SubmissionState, automatic_move, move
from ordermade.service.revising import delivery
from ordermade.service.rewritten_filters import carry_over
from ordermade.service.step import RevisionCheck, ServiceStep, request_of, step
from ordermade.service.submitted import as_now, is_own, seen
from ordermade.service.user_refusals import is_of_data, of_refusal, said
from ordermade.state import leases, releases, requests
from ordermade.state import submissions as stored
from ordermade.state.audit import AUDIT
from ordermade.state.files import beside
from ordermade.state.records.submissions import Submission
from ordermade.state.runs import Run
from ordermade.state.statements import utc_now
from ordermade.state.submissions import SubmissionDetails
from ordermade.state.table import PRESENT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ordermade.methods.shared.result import Result
    from ordermade.service.desk import Desk
    from ordermade.state.leases import Lease
    from ordermade.state.releases import ReleaseRecord


MOST_TRIES = 3
"""The runs in a row whose processes were killed after which reviewers look at a request before it is run again."""

_CLAIM = "request claim"
_COMMENT = "request comment"
_NO_ANSWER = f"{MOST_TRIES} runs of it in a row were killed: by a crash, for their memory, or from outside"


@dataclass(frozen=True, slots=True)
class Ran:
    """An approved request that was run; or was returned to its reviewers, for the reason `returned`, and not run.

    `uncertified`: why a run that was to be certified was not.
    """

    submission: Submission
    result: Result | None = None
    returned: str = ""
    uncertified: str = ""


@dataclass(frozen=True, slots=True)
class Delivered:
    """A request was delivered."""

    submission: Submission
    """The request."""
    release: int
    """The number of its release."""
    where: str
    """The file or table of the release."""
    copy: Path | None = None
    """The copy that was made; null if none."""


def run(of: Desk, number: int, *, certifies: bool = False) -> Ran:
    """Runs an approved request as it was reviewed; where it is no longer that, it goes back to its reviewers.

    With `certifies` a certificate that nothing better passes is written beside the release, where one is to be had.
    A request that is refused for its data is noted as refused. Its user reads which part failed; the reason is the
    provider's. Raises Refused, InputError, SourceFault, StateFault, ReleaseFault: what ends a look at the data, or the
    run itself, sends the request back to its reviewers, too, and its user reads the same words whatever that was.
    """
    dossier = of.open_to(number, "run")
    carry_over(of, dossier)
    with _back_on_fault(of, dossier, None):
        look = of.look(dossier)
        if look.fault is not None:
            raise look.fault
    with _run_folder(of) as claim:
        with step(of.state, of.credential) as under_way:
            dossier = under_way.dossier(number)
            standing = under_way.standing(dossier, _same(dossier, look))
            if not standing.claimed and _ended_without_answer(under_way, number) >= MOST_TRIES:
                under_way.refused_by_data(dossier.submission, _NO_ANSWER, counts=False)
                return Ran(_returned(under_way, dossier, standing), returned=_NO_ANSWER)
            if not standing.claimed and (back := automatic_move(standing, "return")) is not None:
                move(replace(standing, changed=""), "run", under_way.acting)
                stored.reset(under_way.changes, dossier.reviews)
                under_way.end_release(dossier)
                told = standing.changed if look.counted is None else LOOKED_AT
                if look.counted is not None:
                    under_way.refused_by_data(dossier.submission, standing.changed, counts=is_of_data(look.counted))
                moved = under_way.made(dossier, back, told, claim=None)
                return Ran(moved, returned=standing.changed)
            move(standing, "run", under_way.acting)
            lease = leases.take(under_way.changes, dossier.submission, claim, utc_now())
            under_way.changes.audited(_CLAIM, str(number))
            read = delivery(of.state.path, number, dossier.submission.revision, look.written.read)
            under_way.remove_left(read.request.release.path)
            is_stale = _stands_of_other_data(under_way, read.request.release.path, look.version)
        with _put_back_on_interrupt(of, number, lease):
            with _back_on_fault(of, dossier, lease), renewed(of.state, lease):
                user, by_rule = dossier.submission.submitted_by, standing.automatic
                result = of.office.run(read, again=is_stale, recipients=(user,), reviewed=not by_rule, lease=lease)
                path, uncertified = read.request.release.path, ""
                if certifies and result.released and path is not None:
                    uncertified = certify(of.office, look.written.read, result, path)
            with step(of.state, of.credential) as under_way:
                return replace(_noted(under_way, lease, result, look.version), uncertified=uncertified)


def _same(dossier: SubmissionDetails, look: RevisionCheck) -> RevisionCheck:
    if dossier.in_force.request != look.written.text:
        raise Refused(phrase("it was revised meanwhile"), next_step=phrase("Run it again once it is approved."))
    return look


def _stands_of_other_data(under_way: ServiceStep, path: Path | None, version: int | None) -> bool:
    """Whether a killed run left a release under the name that is of another version of the data."""
    number = releases.standing(under_way.connection, path=str(path))
    if number is None:
        return False
    request = releases.get(under_way.connection, number).request_id
    return requests.get(under_way.connection, request).dataset_version_id != version


def _ended_without_answer(under_way: ServiceStep, number: int) -> int:
    """How many runs of a request were begun since its last other step: their processes were killed.

    A comment is no step of it, else its user could have it run for ever.
    """
    steps = AUDIT.read(under_way.connection, ("action",), subject=str(number), data=PRESENT, order_by=("-id",))
    return sum(1 for _ in takewhile(_CLAIM.__eq__, (each for (each,) in steps if each != _COMMENT)))


def _noted(under_way: ServiceStep, lease: Lease, result: Result, reviewed: int | None) -> Ran:
    """Notes what came of a run, if its lease is still its own; a release of other data is withdrawn at once."""
    leases.require_held(under_way.connection, lease)
    dossier = stored.get(under_way.connection, lease.submission)
    standing = under_way.standing(dossier, lease=lease)
    if result.status == "refused":
        found = move(standing, "refuse", under_way.acting)
        stored.reset(under_way.changes, dossier.reviews)
        under_way.end_release(dossier)
        policy = under_way.governing(dossier.submission.dataset_name).rules
        under_way.refused_by_data(dossier.submission, result.reason or "refused")
        told = of_refusal(request_of(dossier.in_force.request), result, policy)
        moved = under_way.made(dossier, found, told, claim=None, request_id=result.request)
        return Ran(moved, result)
    if result.status != "released":
        moved = _returned(under_way, dossier, standing)
        return Ran(moved, result, returned=result.reason or "it was not released")
    release = releases.of_request(under_way.connection, result.request)
    version = requests.get(under_way.connection, result.request).dataset_version_id
    if version != reviewed and not standing.automatic:
        changed = "the data changed while it ran; the release was withdrawn"
        found = move(replace(standing, changed=changed), "return", under_way.acting)
        stored.reset(under_way.changes, dossier.reviews)
        under_way.end_release(dossier)
        return Ran(under_way.made(dossier, found, changed, claim=None), returned=changed)
    found = move(standing, "run", under_way.acting)
    why = f"request {result.request}, release {release}"
    moved = under_way.made(dossier, found, why, claim=None, request_id=result.request, release_id=release)
    return Ran(moved, result)


def _returned(under_way: ServiceStep, dossier: SubmissionDetails, standing: SubmissionState) -> Submission:
    """Sends an approved request back to its reviewers, in the words that say nothing of the data."""
    found = move(replace(standing, changed=LOOKED_AT), "return", under_way.acting)
    stored.reset(under_way.changes, dossier.reviews)
    return under_way.made(dossier, found, LOOKED_AT, claim=None)


@contextmanager
def _back_on_fault(of: Desk, seen: SubmissionDetails, lease: Lease | None) -> Iterator[None]:
    """Whatever ends the block but an interrupt sends the request back to its reviewers; the error goes on up.

    One that another process has, or took, or that was moved or revised meanwhile, is left alone.
    """
    try:
        yield
    except Exception as fault:
        number = seen.submission.id
        try:
            with step(of.state, of.credential) as under_way:
                dossier = under_way.dossier(number)
                standing = under_way.standing(dossier, lease=lease)
                is_same = dossier.submission.revision == seen.submission.revision
                is_same = is_same and (lease is None or leases.is_held(under_way.connection, lease))
                if is_same and standing.state == "approved" and not standing.claimed:
                    _returned(under_way, dossier, standing)
                    under_way.refused_by_data(dossier.submission, said(fault), counts=is_of_data(fault))
                    fault.add_note(f"Request {number} goes back to its reviewers.")
        except OrdermadeError as other:
            fault.add_note(f"Request {number} could not be sent back to its reviewers: {other.message}")
        raise


@contextmanager
def _put_back_on_interrupt(of: Desk, number: int, lease: Lease) -> Iterator[None]:
    """An interrupt of the block leaves the request approved, to be run again; it goes on up."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit) as interrupt:
        try:
            with step(of.state, of.credential) as under_way:
                if leases.is_held(under_way.connection, lease):
                    stored.move(under_way.changes, under_way.dossier(number).submission, claim=None)
                    under_way.changes.audited("request interrupt", str(number))
        except OrdermadeError as other:
            interrupt.add_note(f"Request {number} could not be noted as interrupted: {other.message}")
        raise


@contextmanager
def _run_folder(of: Desk) -> Iterator[str]:
    run_folder = Run(of.state.path)
    run_folder.begin()
    try:
        yield run_folder.name or ""
    finally:
        run_folder.end()


def deliver(of: Desk, number: int, to: Path | None) -> Delivered:
    """Measures the release of a request again and delivers it, where the policy in force allows the request.

    Raises Refused, ReleaseFault where the release has changed.
    """
    release_id = of.open_to(number, "deliver").submission.release_id
    if to is not None:
        _require_free(to)
    if release_id is None:
        raise Refused(phrase("no release came out of request %(number)s", number=number))
    found = of.office.releases.verify(release_id)
    with step(of.state, of.credential) as under_way:
        dossier = under_way.dossier(number)
        changed = under_way.tightened(dossier, request_of(dossier.in_force.request))
        standing = replace(under_way.standing(dossier), intact=found.intact, changed=changed)
        delivering = move(standing, "deliver", under_way.acting)
        kept_for = under_way.governing(dossier.submission.dataset_name).releases_kept_for
        ends = moment_after(utc_now(), kept_for)
        why = f"release {release_id}, k {found.measured.k}, measured again"
        moved = under_way.made(dossier, delivering, why, expires_at=ends)
        release = releases.get(under_way.connection, release_id)
        if dossier.submission.supersedes is not None:
            _supersede(under_way, dossier.submission.supersedes, number, release_id)
    where = release.name
    if to is None:
        return Delivered(moved, release_id, where)
    typed = shlex.join(["ordermade", "request", "collect", str(number), "--to", str(to)])
    try:
        copy = _copied(Path(where), to, release.sha256)
    except ReleaseFault as fault:
        instead = phrase("All the same it was delivered: `%(typed)s` copies it.", typed=typed)
        raise ReleaseFault(fault.what, where=fault.where, next_step=instead) from None
    return Delivered(moved, release_id, where, copy)


def _supersede(under_way: ServiceStep, earlier: int, number: int, release: int) -> None:
    """Withdraws whatever is delivered of the request that this one does again; its release is superseded."""
    for each in stored.again(under_way.connection, earlier):
        if each.status == "delivered" and each.id != number:
            dossier = stored.get(under_way.connection, each.id)
            found = move(under_way.standing(dossier), "withdraw", under_way.acting)
            under_way.end_release(dossier, by=release)
            under_way.made(dossier, found, f"superseded by request {number}, release {release}")


def collect(of: Desk, number: int, to: Path) -> Path:
    """Copies a delivered release for its user, its certificate beside it where the user may have one.

    Raises Refused before it is delivered, InputError, ReleaseFault.
    """
    path, sha256 = _delivered(of, number)
    proof = certificate(of, number)
    left = {manifest_of(to): _manifest_for_user(path)}
    if proof is not None:
        left[certificate_of(to)] = proof
    _require_free(to, left)
    if proof is not None and not certificate_of(to).exists():
        write_private_file(certificate_of(to), proof)
    try:
        return _copied(path, to, sha256)
    except BaseException:
        if proof is not None:
            certificate_of(to).unlink(missing_ok=True)
        raise


def delivered_file(of: Desk, number: int) -> Path:
    """The file of a delivered release, as it was delivered, for its user. Raises Refused, UnknownName, ReleaseFault."""
    return _delivered(of, number)[0]


def certificate(of: Desk, number: int) -> str | None:
    """What the user of a delivered release may have of its certificate; None: it has none.

    Raises as `delivered_file`.
    """
    release = _release(of, number)
    with of.state.reading() as connection:
        return certificate_for_user(connection, Path(release.name))


def _delivered(of: Desk, number: int) -> tuple[Path, str | None]:
    """The same file, and its hash."""
    release = _release(of, number)
    return as_delivered(release), release.sha256


def not_as_delivered() -> ReleaseFault:
    """The fault of a file that is gone, or is another than was delivered."""
    return ReleaseFault("the release is not what was delivered", next_step="Ask the provider.")


def as_delivered(release: ReleaseRecord) -> Path:
    """The file of a release, which is what was delivered. Raises ReleaseFault."""
    path = Path(release.name)
    if not path.is_file() or sha256_of(path) != release.sha256:
        raise not_as_delivered()
    return path


def _release(of: Desk, number: int) -> ReleaseRecord:
    """The delivered release of a request that the actor may collect. Raises Refused, UnknownName."""
    with of.state.reading() as connection:
        acting = of.credential.actor(connection)
        submission = as_now(seen(connection, number, acting).submission)
        release = None if submission.release_id is None else releases.get(connection, submission.release_id)
    if submission.status == "expired":
        raise Refused(phrase("the time of request %(n)s is over, and its release was taken away", n=number))
    if submission.status != "delivered" or release is None:
        raise Refused(phrase("request %(n)s was not delivered, or its release was withdrawn", n=number))
    if not is_own(submission, acting) and not acting.is_provider:
        raise Refused(phrase("a release is collected by the user who asked for it"))
    if release.ended == "erased":
        what = phrase("the release was erased as the policy of its dataset says")
        raise Refused(what, next_step=phrase("Ask the provider."))
    return release


def _require_free(to: Path, left: Mapping[Path, str] = MappingProxyType({})) -> None:
    """Raises InputError where a copy gets no name here. `left`: files beside it that a killed copy may have left."""
    for each in (to, manifest_of(to), *left):
        if os.path.lexists(each) and not (each in left and _is(each, left[each])):
            raise InputError(phrase("a file of this name exists"), where=str(each), next_step=phrase("Name another."))
    if not to.absolute().parent.is_dir():
        raise InputError(
            phrase("there is no such folder"), where=str(to.parent), next_step=phrase("Make it, or name another.")
        )


def _is(file: Path, text: str) -> bool:
    """Whether this is a file, and no link to one, of this text."""
    return not file.is_symlink() and file.is_file() and file.read_bytes() == text.encode()


def _manifest_for_user(path: Path) -> str:
    return manifest_text(entitled.manifest(read_manifest(path)))


def _copied(path: Path, to: Path, sha256: str | None) -> Path:
    """The copy of a release and of what its user may have of the manifest, whole or not at all.

    A kill between the two names leaves the manifest alone, which the same copy takes for its own.
    Raises ReleaseFault where it cannot be made, a name was taken meanwhile, or the file is not the one of this hash.
    """
    try:
        with beside(to) as made:
            note, said = manifest_of(made), manifest_of(to)
            text = _manifest_for_user(path)
            write_private_file(note, text)
            with path.open("rb") as content, os.fdopen(new_private_file(made), "wb") as copy:
                shutil.copyfileobj(content, copy)
            if sha256_of(made) != sha256:
                raise ReleaseFault("the release changed while it was copied", where=str(path))
            flush(made)
            if not _is(said, text):
                give_name(note, said, replace=False)
            try:
                give_name(made, to, replace=False)
            except BaseException:
                take_back(note, said)
                raise
    except OSError as error:
        raise cannot_write(to, error) from None
    return to
