"""The certificate of a submitted request: written when it is run, for the provider, and copied for its user."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ordermade.errors import InputError, ReleaseFault, Unproved
from ordermade.files.private import sha256_of
from ordermade.state.certificates import CERTIFICATES

if TYPE_CHECKING:
    from ordermade.methods.shared.result import Result
    from ordermade.requests.model import Request
    from ordermade.requests.read import ReadRequest
    from ordermade.service.engine_api import EngineApi
    from ordermade.state.connection import StateConnection

ENDING = ".certificate.json"
"""What the name of a certificate has behind that of its release."""


def certificate_of(release: Path) -> Path:
    """Where the certificate of a delivered release is: beside it, in a folder that nothing else is in."""
    return release.with_name(release.name + ENDING)


def certify(office: EngineApi, read: ReadRequest[Request], result: Result, release: Path) -> str:
    """Certifies what came out of a run, for the provider; why there is no certificate, empty where there is one.

    There is none of tables, of methods and searches that prove no optimum, and of a search that ended before it did.
    One that a killed run left is replaced. Raises SourceFault, SourceChanged, StateFault.
    """
    path = certificate_of(release)
    path.unlink(missing_ok=True)
    if read.request.method == "table":
        return "witnesses of tables are the provider's, and no copy is for users"
    try:
        office.require_certifiable(read, path)
        office.certify(read, result, path)
    except (InputError, Unproved) as none:
        return none.message
    return ""


def certificate_for_user(connection: StateConnection, release: Path) -> str | None:
    """The text of the copy that the user of a delivered release may have: no count is in it. None: it has none.

    Raises ReleaseFault where the provider's is not as it was written.
    """
    path = certificate_of(release)
    noted = CERTIFICATES.select(connection, path=str(path), order_by=("-id",))
    if not noted:
        return None
    from ordermade.certificates.certify import user_copy

    if not path.is_file() or sha256_of(path) != noted[0].sha256:
        raise ReleaseFault("the certificate is not as it was written", next_step="Ask the provider.")
    try:
        return user_copy(path).text()
    except Unproved:  # of another version of the engine, which reads it no more
        return None
