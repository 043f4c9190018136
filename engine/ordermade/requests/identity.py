"""The identity of a request: a hash of everything that changes its release."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from types import MappingProxyType

from ordermade.requests.history import HistoryRequest
from ordermade.requests.model import Request
from ordermade.requests.resolving import FileField

_NO_FILES: Mapping[FileField, str] = MappingProxyType({})


def request_hash(
    request: Request, filter_text: str | None = None, said_by_files: Mapping[FileField, str] = _NO_FILES
) -> str:
    """The sha256, in hex, of the content of a request.

    Not part of it: the title, where the release and the map of its rows are written, the order of `identifiers` and of
    an attribute's models, and fields left at their defaults (so that a field added later changes no hash). The order of
    the quasi-identifiers, of microaggregated attributes and of the columns that groups are within is: it breaks ties;
    that of the sensitive attributes and of a history's numbers is: they are released so. `filter_text` is the canonical
    text of the row filter (`ResolvedRequest.filter_text`); without it the filter counts as it is written.
    `said_by_files` has the hashes of the contents of files (`ResolvedRequest.said_by_files`), which count instead of
    their names; without them the names do.
    """
    content = request.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    content.pop("title", None)
    content["release"] = {"shape": request.release.shape}
    if request.release.pseudonym is not None:
        content["release"]["pseudonym"] = request.release.pseudonym
    if request.release.escapes_formulas:
        content["release"]["csv"] = {"formulas": "escape"}
    for key in ("quasi_identifiers", "attributes", "within"):
        if key in content:
            content[key] = list(content[key].items())
    if "sensitive" in content:
        content["sensitive"] = [
            [column, sorted(models, key=json.dumps)] for column, models in content["sensitive"].items()
        ]
    content["identifiers"] = sorted(request.identifiers)
    if request.where is not None:
        content["where"] = filter_text if filter_text is not None else request.where.strip()
    if isinstance(request, HistoryRequest):
        content["history"]["numbers"] = [
            [name, options.model_dump(mode="json", exclude_defaults=True)]
            for name, options in request.history.number_options
        ]
    for (part, key), content_hash in said_by_files.items():
        content[part][key] = content_hash
    text = json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()
