"""`ordermade certificate`: certificates of optima, verified by plain counts, and copied for data users."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from ordermade.cli.options import AsJson, example, settings_of
from ordermade.documents.certificate import CertificateCopied, CertificateVerified, TablesCertificateVerified
from ordermade.records.cells import counted
from ordermade.views.screen import print_document, say

app = typer.Typer(
    no_args_is_help=True,
    short_help="Certificates that nothing better passes.",
    help="Certificates that nothing better passes, made by `request run --certify`: verify or copy them.",
)

File = Annotated[Path, typer.Argument(metavar="FILE", help="The certificate.")]


@app.command(
    short_help="Count every node of a certificate again.",
    epilog=example(
        "ordermade certificate verify certificate.json",
        "ordermade certificate verify certificate.json --request request.yaml",
    ),
)
def verify(
    context: typer.Context,
    file: File,
    request: Annotated[
        Path | None, typer.Option("--request", metavar="FILE", help="The request that it must be a certificate of.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Count every node of a certificate again, and check that nothing better is left over.

    The counts are plain GROUP BYs of the dataset; no search and nothing that earlier requests measured takes part.
    Of tables with totals the cells are counted again, and the witnesses of every suppressed cell held to them.

    Exit status 0 it holds, 1 it does not, 2 the file is no certificate, 3 a fault of the source or the state.
    """
    from ordermade.certificates.verification import VerifiedCertificate

    engine = settings_of(context).engine()
    found = engine.verify_certificate(file.expanduser(), None if request is None else request.expanduser())
    if isinstance(found, VerifiedCertificate):
        if as_json:
            print_document("certificate verify", CertificateVerified(file, found))
            return
        say(f"The certificate holds: {counted(found.counted, 'node')} counted, nothing better among {found.nodes:,}.")
    elif as_json:
        print_document("certificate verify", TablesCertificateVerified(file, found))
    else:
        proved = f"each of {found.suppressed:,} suppressed ones proved by its witnesses"
        say(f"The certificate holds: {counted(found.cells, 'cell')} counted, {proved}.")


@app.command(
    short_help="Copy a certificate for a data user.",
    epilog=example("ordermade certificate copy certificate.json for-the-user.json --for user"),
)
def copy(
    context: typer.Context,  # noqa: ARG001
    file: File,
    to: Annotated[Path, typer.Argument(metavar="COPY", help="The new file.")],
    audience: Annotated[Literal["user"], typer.Option("--for", help="The reader of the copy.")],
    as_json: AsJson = False,
) -> None:
    """Copy a certificate for a data user: pass and fail alone, without the counts that were not released.

    The copy names the SHA-256 of the provider's certificate. The provider can verify both.

    Exit status 0 copied, 1 the certificate was changed, 2 the file is no certificate.
    """
    from ordermade.certificates.certify import copy_for_user

    copied = copy_for_user(file.expanduser(), to.expanduser())
    if as_json:
        print_document("certificate copy", CertificateCopied(to, audience, copied.sha256, copied.evidence))
        return
    say(f"Copied to {to} for a data {audience}, SHA-256 {copied.sha256}.")
