"""What `state restore` makes of each table of the state, as data: a table that is not named here fails a test. Pure.

`carried`: it is as in the state replaced, for it says what happened. `applied again`: what protects in it since the
backup holds on, the rest is as in the backup. `undone`: it is as in the backup. `rebuilt`: it is computed anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

How: TypeAlias = Literal["carried", "applied again", "undone", "rebuilt"]


@dataclass(frozen=True, slots=True)
class Restoring:
    """What becomes of a table; `says`: in words. `fill`: the statement of `sql/` that fills it, empty where none does.

    `row`, `rows`: one and several of its rows in words; empty where they go with those of another table, or are told
    otherwise.
    """

    how: How
    says: str
    fill: str = ""
    row: str = ""
    rows: str = ""


_CARRIED, _UNDONE, _NOT_ERASED = "state/restored_carried", "state/restored_undone", "state/restored_not_erased"
OF_ANY_TABLE = (_CARRIED, _UNDONE, _NOT_ERASED)
"""The statements that fill a table whichever it is."""


def _carried(says: str, row: str = "", rows: str = "") -> Restoring:
    return Restoring("carried", says, _CARRIED, row, rows)


def _measured(row: str = "", rows: str = "") -> Restoring:
    return Restoring("undone", "as in the backup, without what was erased since", _NOT_ERASED, row, rows)


_AS_IN_THE_BACKUP = Restoring("undone", "as in the backup", _UNDONE)

TABLES: Mapping[str, Restoring] = MappingProxyType(
    {
        "migrations": Restoring("rebuilt", "those of both", _CARRIED),
        "sources": Restoring(
            "applied again",
            "as in the backup, without the rights taken since; what was added since is noted as removed",
            "state/restored_sources",
        ),
        "datasets": Restoring(
            "applied again",
            "as in the backup, with the greatest least k, the fewest columns open to filters and the persons counted "
            "since; what was added since is noted as removed",
            "state/restored_datasets",
        ),
        "dataset_filter_columns": Restoring(
            "applied again", "the columns open in the backup and ever since", "state/restored_dataset_filter_columns"
        ),
        "dataset_parts": _carried("every part that was seen"),
        "part_columns": _carried("every part that was seen"),
        "dataset_versions": _carried("every version that was seen; what was erased since is erased"),
        "dataset_version_columns": _carried("every version that was seen"),
        "dataset_identities": _carried("every row filter that was seen; what was erased since is erased"),
        "covering_hierarchies": _carried("every version that was seen"),
        "hierarchies": _AS_IN_THE_BACKUP,
        "hierarchy_levels": _AS_IN_THE_BACKUP,
        "hierarchy_values": _AS_IN_THE_BACKUP,
        "hierarchy_refinements": _AS_IN_THE_BACKUP,
        "user_hierarchies": _AS_IN_THE_BACKUP,
        "requests": _carried(
            "every request that ran; what was erased since is erased",
            "request that ran or was erased",
            "requests that ran or were erased",
        ),
        "measured_levels": _AS_IN_THE_BACKUP,
        "observations": _measured("measured node of table C", "measured nodes of table C"),
        "observation_models": Restoring("undone", "as its measured node is", "state/restored_observation_models"),
        "releases": _carried("every release", "release", "releases"),
        "release_ends": _carried(
            "every withdrawal and replacement of a release",
            "withdrawn or replaced release",
            "withdrawn or replaced releases",
        ),
        "erased_releases": _carried("every erasure of a release", "erased release", "erased releases"),
        "publications": _carried(
            "every release in the catalogue, and every one taken out of it",
            "release in the catalogue or taken out of it",
            "releases in the catalogue or taken out of it",
        ),
        "users": Restoring(
            "applied again", "whoever was removed since stays so; whoever was added since is removed", _CARRIED
        ),
        "tokens": Restoring(
            "applied again", "what was revoked since stays so; what was made since is revoked", _CARRIED
        ),
        "passwords": _carried("every password, as it is now"),
        "sessions": Restoring("applied again", "every session, which is ended", _CARRIED),
        "policies": Restoring(
            "applied again",
            "every version; the last one is in force",
            _CARRIED,
            "version of a policy",
            "versions of policies",
        ),
        "submissions": Restoring("applied again", "where each stands; an approval since is back in review", _CARRIED),
        "submission_revisions": _carried("every revision; what was erased since is erased"),
        "reviews": Restoring("applied again", "every vote; one for a request since no longer counts", _CARRIED),
        "comments": _carried(
            "every comment; what was erased since is erased", "comment on a request", "comments on requests"
        ),
        "accepted_terms": _carried("every acceptance", "acceptance of terms", "acceptances of terms"),
        "data_refusals": _carried(
            "every refusal by the data; why is erased where it was since", "refusal by the data", "refusals by the data"
        ),
        "mails": _carried("every message, as it is now: none is sent again"),
        "live_forecasts": _carried("every request that a user had a forecast of, so that none is counted anew"),
        "forecasts": _measured("forecast", "forecasts"),
        "certificates": _carried("every certificate", "certificate", "certificates"),
        "offer_lists": _measured("list of offers", "lists of offers"),
        "opt_out_salts": _carried("the salt of each dataset"),
        "opt_outs": Restoring(
            "applied again",
            "whoever opted out before or since; whoever was taken off since is out again",
            "state/restored_opt_outs",
        ),
        "audit": _carried("every entry, and one more of the restore"),
        "audit_head": Restoring("rebuilt", "the last entry, which is of the restore", _CARRIED),
        "seals": Restoring("rebuilt", "of every row that is there"),
    }
)
"""Every table of the state, in the order in which they are filled."""

PROTECTING: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "sources": frozenset({"writable", "allow_inline", "allow_external"}),
        "datasets": frozenset({"least_k", "filters", "entity_column"}),
    }
)
"""The columns of what is registered that protect, of which the stricter value since holds on."""

DESCRIBING: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "sources": frozenset(
            {*("id", "name", "kind", "location", "encoding", "header", "skipped_lines"), *("added_at", "removed_at")}
        ),
        "datasets": frozenset(
            {
                *("id", "name", "source_id", "table_name", "query_text", "query_hash", "added_at", "removed_at"),
                *("version_query", "parts_column", "file_parts", "fingerprint", "columns"),
            }
        ),
    }
)
"""Their other columns, which are as in the backup."""

NAMED: Mapping[str, str] = MappingProxyType({"sources": "source", "datasets": "dataset", "hierarchies": "hierarchy"})
"""The tables of what is registered by name, with the noun."""

UNSETTLED = ("predicted", "proposed", "revised", "in_review", "approved", "run")
"""Where a submitted request may stand that goes back to review where the state of before cannot be read."""
