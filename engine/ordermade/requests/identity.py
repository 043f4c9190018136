"""What makes two requests the same request."""

from __future__ import annotations

import hashlib
import json

from ordermade.requests.model import Request


def request_hash(request: Request, filter_text: str | None = None, rules_hash: str | None = None) -> str:
    """The sha256, in hex, of what a request asks for.

    Not part of it: the title, where the release is written, the order of `identifiers` and of an attribute's models,
    and fields left at their defaults (so that a field added later changes no hash). The order of the quasi-identifiers,
    of microaggregated attributes and of the columns that groups are within is: it breaks ties; that of the sensitive
    attributes is: so they are released. `filter_text` is the canonical text of the row filter
    (`ResolvedRequest.filter_text`); without it the filter counts as it is written. `rules_hash` is that of the rules
    (`ResolvedRequest.rules_hash`), which count by what they say and not by their file; without it the file's name does.
    """
    content = request.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    content.pop("title", None)
    content["release"] = {"shape": request.release.shape}
    if request.release.pseudonym is not None:
        content["release"]["pseudonym"] = request.release.pseudonym
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
    if rules_hash is not None:
        content["mondrian"]["rules"] = rules_hash
    text = json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()
