"""Where submitted requests are looked at by who acts: found, held against policies and data, before a step is taken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ordermade.errors import OrdermadeError, PolicyBroken, Refused, SourceFault
from ordermade.requests.read import read_request
from ordermade.service.authentication import Credential
from ordermade.service.effective_policy import governing
from ordermade.service.engine_api import EngineApi
from ordermade.service.lifecycle import (
    Actor,
    SubmissionState,
    require_possible,
)
from ordermade.service.open_names import require_names
from ordermade.service.revising import (
    WrittenRevision,
    again,
    submittable,
    written,
)
from ordermade.service.shown import ShownRequest
from ordermade.service.step import RevisionCheck, ServiceStep
from ordermade.service.submitted import as_now, seen
from ordermade.state.changes import StateChanges
from ordermade.state.database import StateFile
from ordermade.state.submissions import SubmissionDetails

if TYPE_CHECKING:
    from ordermade.requests.model import Request
    from ordermade.requests.read import ReadRequest, RequestLike
    from ordermade.state.connection import StateConnection


@dataclass(frozen=True)
class Desk:
    """The state, the office that counts, and the credential of who acts."""

    state: StateFile
    office: EngineApi = field(repr=False)
    credential: Credential = field(default_factory=Credential, repr=False)

    def acting(self) -> Actor:
        """Who acts, and in which roles. Raises Refused for a token that is not accepted, StateFault."""
        with self.state.reading() as connection:
            return self.credential.actor(connection)

    def standing(self, connection: StateConnection, number: int) -> tuple[Actor, SubmissionDetails, SubmissionState]:
        """Who acts, a request as it is now, and what its moves depend on. Raises UnknownName, Refused."""
        acting = self.credential.actor(connection)
        dossier = seen(connection, number, acting)
        standing = ServiceStep(self.state, StateChanges(connection, acting.name), acting).standing(dossier)
        now = as_now(dossier.submission)
        return acting, replace(dossier, submission=now), replace(standing, state=now.status)

    def open_to(self, number: int, name: str, shown: ShownRequest | None = None) -> SubmissionDetails:
        """A submitted request; Refused, before anything is looked at, where state or role do not let the actor move.

        `shown`: and where it is not as it was shown.
        """
        with self.state.reading() as connection:
            acting, dossier, standing = self.standing(connection, number)
        if shown is not None:
            shown.require(dossier)
        require_possible(standing, name, acting)
        return dossier

    def acting_to_submit(self) -> Actor:
        """Who acts. Raises Refused for a role that submits nothing."""
        acting = self.acting()
        require_possible(SubmissionState("draft", ""), "submit", acting)
        return acting

    def written(self, request: RequestLike, recipient: str, **asks: bool) -> WrittenRevision:
        """The request, held against the policy of its dataset, and then checked. Raises PolicyBroken and as `written`.

        `asks`: as `Governing.require`. The policy comes first: a request that breaks it is refused with every rule,
        before any query.
        """
        return written(self.office, self.within_policy(submittable(request), recipient, **asks))

    def within_policy(self, read: ReadRequest[Request], recipient: str, **asks: bool) -> ReadRequest[Request]:
        """The request, which keeps the policy of its dataset. Raises PolicyBroken with every rule that it breaks.

        And as `require_names`: what it names is there.
        """
        with self.state.reading() as connection:
            require_names(connection, read, recipient, self.credential.actor(connection))
            governing(connection, str(read.request.dataset)).require(connection, read, recipient, **asks)
        return read

    def in_force(self, dossier: SubmissionDetails) -> WrittenRevision:
        """The revision in force, checked. Raises as `again`."""
        return again(self.office, dossier.in_force.request)

    def looked_to_vote(self, dossier: SubmissionDetails) -> RevisionCheck:
        """The revision in force checked anew, and the version that its data were last seen with: none of them is read.

        Raises what is of the request itself.
        """
        return self._checked(dossier, lambda asked: self.office.last_version(asked.dataset, asked.filter_text))

    def look(self, dossier: SubmissionDetails) -> RevisionCheck:
        """What the data of the revision in force are now. Raises what is of the request itself, which no data are."""
        return self._checked(dossier, lambda asked: self.office.check_data(asked.read).version_id)

    def _checked(
        self, dossier: SubmissionDetails, version_of: Callable[[WrittenRevision], int | None]
    ) -> RevisionCheck:
        text = dossier.in_force.request
        try:
            asked = self.in_force(dossier)
        except PolicyBroken:  # the step that follows says how
            return RevisionCheck(WrittenRevision(read_request(text), text), None, breaks=True)
        except SourceFault as fault:  # of a dataset whose columns were never noted
            return RevisionCheck(WrittenRevision(read_request(text), text), None, fault=fault)
        try:
            return RevisionCheck(asked, version_of(asked))
        except PolicyBroken as counted:
            return RevisionCheck(asked, None, counted=counted)
        except Refused:  # the data rule every release out, whatever their version is
            return RevisionCheck(asked, None)
        except OrdermadeError as fault:
            return RevisionCheck(asked, None, fault=fault)
