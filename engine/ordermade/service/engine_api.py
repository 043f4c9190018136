"""The part of an engine that the service goes by; tests put something quicker in its place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from pathlib import Path

    from ordermade.certificates.certify import WrittenCertificate
    from ordermade.methods.generalization.predicted import Predicted
    from ordermade.methods.shared.judged import ForeseenBeside
    from ordermade.methods.shared.open_request import CheckedData
    from ordermade.methods.shared.result import Result
    from ordermade.methods.tables.predicted import PredictedTables
    from ordermade.offers.offer import Offers
    from ordermade.requests.read import RequestLike
    from ordermade.requests.resolving import ResolvedRequest
    from ordermade.state.leases import Lease


class EngineApi(Protocol):
    """Checks, predicts and runs requests, each as `Engine` has it, with the rights of the provider."""

    def check(self, request: RequestLike) -> ResolvedRequest:
        """Checks a request against its dataset."""

    def check_data(self, request: RequestLike) -> CheckedData:
        """Checks a request against its data, too."""

    def last_version(self, dataset: str, filter_text: str | None) -> int | None:
        """The number of the version that a dataset was last seen with under a row filter."""

    def predict(self, request: RequestLike, *, note: bool = False, look: bool = True) -> Predicted | PredictedTables:
        """Predicts a request. `note`: the state notes that it did; `look`: the catalog of the source is looked at."""

    def foreseen(self, request: RequestLike, recipients: Sequence[str] = ()) -> ForeseenBeside | None:
        """What the releases of recipients decide about a request, without counting."""

    def offers(self, request: RequestLike, *, under_refusal: bool = False, recipients: Sequence[str] = ()) -> Offers:
        """The passing alternatives to a request for recipients; `under_refusal`: those that few nodes tell."""

    def run(
        self,
        request: RequestLike,
        *,
        again: bool = False,
        recipients: Sequence[str] = (),
        reviewed: bool = True,
        lease: Lease | None = None,
    ) -> Result:
        """Answers a request for recipients; `reviewed`: whether somebody approved it, `lease`: while that holds."""

    def require_certifiable(self, request: RequestLike, path: Path | str) -> None:
        """Checks that a request can have a certificate in a new file of this path."""

    def certify(self, request: RequestLike, result: Result, path: Path | str) -> WrittenCertificate:
        """Writes why nothing better than a result passes."""

    @property
    def releases(self) -> Any:
        """The releases, each of which can be measured again."""
