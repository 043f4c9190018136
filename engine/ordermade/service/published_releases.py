"""The releases of a state, as the provider has them: those that were delivered are put in the catalogue, too."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ordermade.catalogue.arguments import typed_methods
from ordermade.catalogue.releases import Releases
from ordermade.progress.waiting import Progress, Silent
from ordermade.service.authentication import Credential

if TYPE_CHECKING:
    from ordermade.service.publishing import PublishedRelease


@typed_methods
@dataclass(frozen=True, slots=True)
class ServiceReleases(Releases):
    """The releases of a state, and their publication."""

    credential: Credential = field(default_factory=Credential, repr=False)
    progress: Progress = field(default_factory=Silent, repr=False)

    def publish(self, number: int, title: str, *, reviewed: bool = False) -> PublishedRelease:
        """Puts a delivered release in the catalogue: every user reads it there, and may have its file.

        It comes to everybody, so it is measured again, and judged beside what every pool of recipients received, by
        the policy in force. The ledger has it from then on as released to anyone. One that is there under the same
        title stays as it is.

        Args:
            number: Its number.
            title: Its title in the catalogue, in the place of that of its request, which its user wrote.
            reviewed: Whether a reviewer looked at what the policy leaves to one, and at texts of its user in the file.

        Returns:
            The release as it is published.

        Raises:
            Refused: It is not delivered, the policy in force does not allow it, or what it would tell beside other
                releases; or it is there under another title.
            NeedsReview: The policy leaves it to a reviewer, or its file has texts of its user; and not `reviewed`.
            ReleaseFault: It has changed since it was released, or is gone.
            ReleasedMeanwhile: Another release of the dataset came meanwhile.
            InputError: The title is not one line that everybody sees.
            UnknownName: There is no such release, or its dataset is no longer registered.
            SourceFault: The dataset cannot be read.
            StateFault: The state or the ledger cannot be read or written.
        """
        from ordermade.service.publishing import publish

        return publish(self, self.credential, self.progress, number, title, is_reviewed=reviewed)

    def unpublish(self, number: int, why: str | None = None) -> PublishedRelease:
        """Takes a release out of the catalogue, with its file.

        The ledger keeps it as released to anyone: what went out may have been read.

        Args:
            number: Its number.
            why: The reason, for the audit.

        Returns:
            The release, with the moment that it was taken out.

        Raises:
            Refused: It is not in the catalogue.
            InputError: The reason is not one line.
            UnknownName: There is no such release.
            StateFault: The state cannot be written.
        """
        from ordermade.service.publishing import unpublish

        return unpublish(self, self.credential, number, why)
