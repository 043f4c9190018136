"""The nouns of the catalogue, as an engine has them: each is imported when it is first used.

Most commands need one or two of them, and what they import (sqlglot, numpy, pydantic) takes longer than many commands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from ordermade.catalogue.datasets import Datasets
    from ordermade.catalogue.hierarchies import Hierarchies
    from ordermade.catalogue.ledger import RememberedReleases
    from ordermade.catalogue.observations import Observations
    from ordermade.catalogue.policies import Policies
    from ordermade.catalogue.releases import Releases
    from ordermade.catalogue.requests import Requests
    from ordermade.catalogue.sources import Sources


class Collections:
    """What is registered in a state, and what was measured, requested and released on it."""

    @property
    def sources(self) -> Sources:
        """The registered sources."""
        from ordermade.catalogue.sources import Sources

        return Sources(_of(self).state_file, _of(self).limits)

    @property
    def datasets(self) -> Datasets:
        """The registered datasets."""
        from ordermade.catalogue.datasets import Datasets

        return Datasets(_of(self).state_file, _of(self).limits)

    @property
    def hierarchies(self) -> Hierarchies:
        """The registered generalisation hierarchies."""
        from ordermade.catalogue.hierarchies import Hierarchies

        return Hierarchies(_of(self).state_file, _of(self).limits)

    @property
    def policies(self) -> Policies:
        """The policies of datasets."""
        from ordermade.catalogue.policies import Policies

        return Policies(_of(self).state_file, _of(self).limits)

    @property
    def releases(self) -> Releases:
        """The releases written so far."""
        from ordermade.catalogue.releases import Releases

        return Releases(_of(self).state_file, _of(self).limits)

    @property
    def ledger(self) -> RememberedReleases:
        """The ledger: what was released to whom."""
        from ordermade.catalogue.ledger import RememberedReleases

        return RememberedReleases(_of(self).state_file)

    @property
    def observations(self) -> Observations:
        """Table C: every node that was ever measured."""
        from ordermade.catalogue.observations import Observations

        return Observations(_of(self).state_file)

    @property
    def requests(self) -> Requests:
        """The requests that were run so far."""
        from ordermade.catalogue.requests import Requests

        return Requests(_of(self).state_file)


def _of(engine: Collections) -> Any:
    """The engine that has them, with its state and its limits."""
    return cast("Any", engine)
