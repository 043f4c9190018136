"""The file of a certificate: its fields, its SHA-256, the copy for a data user, and reading it, every fault named."""

from __future__ import annotations

import errno
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ordermade.certificates.claims import Why
from ordermade.errors import InputError, Unproved
from ordermade.files.yaml_documents import json_content
from ordermade.release.entitled import certified
from ordermade.version import VERSION

FORMAT = 1
LARGEST_FILE = 16_777_216
_KEYS = frozenset({"certificate", "tables_certificate", "ordermade", "evidence"})
"""Keys of which a certificate has one."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class CertifiedVersion(_Part):
    """The dataset version: the hash of its columns; in the provider's copy its rows, and hashes of its contents."""

    rows: int | None = None
    columns_hash: str
    hash_sum: str | None = None
    vouched_by: str | None = None


class CertifiedColumn(_Part):
    """A quasi-identifier: its hierarchy and the accepted levels; in the provider's copy the SHA-256 of each."""

    column: str
    hierarchy: str
    sha256: str | None = None
    levels: tuple[str, ...] | None = Field(default=None, strict=False)
    accepted: tuple[int, ...] = Field(strict=False)


class CertifiedAnswer(_Part):
    """The certified node: its levels, and in the provider's copy its figures; `score` is an exact fraction."""

    node: tuple[int, ...] = Field(strict=False)
    k: int | None = None
    classes: int | None = None
    suppressed: int | None = None
    score: str | None = None


class CertificateEvidence(_Part):
    """One counted node, and why it leaves nothing better around it: see `claims.Why`.

    The counts are the provider's: `classes` of any size, the smallest (`least`), units in classes below k (`below`)
    and in suppressed ones.
    """

    node: tuple[int, ...] = Field(strict=False)
    why: Why
    classes: int | None = None
    least: int | None = None
    below: int | None = None
    suppressed: int | None = None


class Certificate(_Part):
    """A certificate. `answer` is None where nothing passes. `provider_sha256`: of the copy that has the counts.

    `salt`, random and the provider's alone: without it nobody finds counts that the SHA-256 of that copy fits.
    """

    certificate: Literal[1] = 1
    audience: Literal["provider", "user"] = Field(alias="for")
    ordermade: str
    dataset: str
    version: CertifiedVersion
    request_sha256: str
    request: str
    objective: str
    columns: tuple[CertifiedColumn, ...] = Field(strict=False)
    answer: CertifiedAnswer | None
    evidence: tuple[CertificateEvidence, ...] = Field(strict=False)
    salt: str | None = None
    provider_sha256: str | None = None

    def text(self) -> str:
        """The file: one line a field, one a piece of evidence, its SHA-256 last."""
        given = self.model_dump(mode="json", by_alias=True, exclude_none=True)
        names = [field.alias or name for name, field in type(self).model_fields.items()]
        content = {name: given.get(name) for name in names if name in given or name == "answer"}
        content["sha256"] = self.sha256
        return lines_of(content)

    @property
    def sha256(self) -> str:
        """The SHA-256, in hex, of all fields."""
        content = self.model_dump(mode="json", by_alias=True, exclude_none=True)
        text = json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
        return hashlib.sha256(text.encode("ascii")).hexdigest()

    def for_user(self, request: str) -> Certificate:
        """The copy for a data user: which nodes fail or are no better, without a count that was not released.

        `request`: as the user may have it.
        """
        content = {**certified(self.model_dump(mode="json", by_alias=True)), "request": request}
        return Certificate.model_validate({**content, "for": "user", "provider_sha256": self.sha256})


def lines_of(content: Mapping[str, Any]) -> str:
    """The text of a certificate: one line a field, one an object of a list."""
    return "{\n" + ",\n".join(f'  "{name}": {_lines(each)}' for name, each in content.items()) + "\n}\n"


def _lines(value: Any) -> str:
    """A value as JSON; a list of objects with one a line."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n    " + ",\n    ".join(json.dumps(each, ensure_ascii=False) for each in value) + "\n  ]"
    return json.dumps(value, ensure_ascii=False)


def read_certificate(path: Path) -> Certificate:
    """The certificate in a file. Raises InputError where it is none, Unproved where it was changed or is of others."""
    content = certificate_content(path)
    stated = content.pop("sha256", None)
    made_by = content.get("ordermade")
    if content.get("certificate") != FORMAT or made_by != VERSION:
        raise Unproved(
            f"the certificate is of ordermade {str(made_by)[:20]!r}, and this is {VERSION}",
            where=str(path),
            next_step="Verify it with the version that wrote it, or certify the request anew.",
        )
    found = certificate_as(Certificate, content, path)
    require_unchanged_file(stated, found.sha256, path)
    return found


Kind = TypeVar("Kind", bound=BaseModel)


def certificate_as(kind: type[Kind], content: Mapping[str, Any], path: Path) -> Kind:
    """The fields of a certificate as one of its kind. Raises InputError where they cannot be read."""
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        fields = ", ".join(sorted({str(each["loc"][0]) for each in error.errors() if each["loc"]}))
        raise InputError(
            f"the certificate is cut or changed: {fields or 'its fields'} cannot be read",
            where=str(path),
            next_step="Take the file as it was written, or certify the request anew.",
        ) from None


def require_unchanged_file(stated: object, sha256: str, path: Path) -> None:
    """Raises Unproved where a certificate states another SHA-256 than that of its fields."""
    if stated != sha256:
        raise Unproved(
            "the certificate was changed after it was written: its SHA-256 is another",
            where=str(path),
            next_step="Take the file as it was written, or certify the request anew.",
        )


def certificate_content(path: Path, largest: int = LARGEST_FILE) -> dict[str, Any]:
    """The fields of a certificate of any kind, of so many bytes at most. Raises InputError where the file is none."""
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            raise OSError(errno.EINVAL, "it is not a regular file")  # to open one may wait for its other end
        with path.open("rb") as file:
            read = file.read(largest + 1)
        found = json_content(read.decode("utf-8")) if len(read) <= largest else None
    except FileNotFoundError:
        raise InputError("there is no such file", where=str(path), next_step="Name a certificate.") from None
    except OSError as error:
        what = f"the file cannot be read: {error.strerror or 'no reason is known'}"
        raise InputError(what, where=str(path), next_step="Name a certificate.") from None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not _KEYS & found.keys():
        raise InputError(
            "the file is no certificate, or a part of one",
            where=str(path),
            next_step="Name a file that `request run --certify` wrote, as it was written.",
        )
    return found
