"""Every table of the state, whichever module it is of."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ordermade.state import (
    audit,
    certificates,
    data_refusals,
    datasets,
    forecasts,
    hierarchies,
    live_forecasts,
    mails,
    migrations,
    observations,
    offer_lists,
    opt_outs,
    parts,
    policies,
    publications,
    releases,
    requests,
    sessions,
    sources,
    submissions,
    users,
    versions,
)
from ordermade.state.table import SEALS, Table

TABLES: Mapping[str, Table[Any]] = MappingProxyType(
    {
        each.name: each
        for each in (
            migrations.MIGRATIONS,
            sources.SOURCES,
            *(datasets.DATASETS, datasets.FILTER_COLUMNS),
            *(parts.PARTS, parts.PART_COLUMNS),
            *(versions.VERSIONS, versions.VERSION_COLUMNS, versions.IDENTITIES),
            *(hierarchies.HIERARCHIES, hierarchies.LEVELS, hierarchies.VALUES, hierarchies.REFINEMENTS),
            hierarchies.OF_USERS,
            *(requests.COVERING, requests.REQUESTS),
            *(observations.LEVELS, observations.OBSERVATIONS, observations.MODELS),
            *(releases.RELEASES, releases.RELEASE_ENDS, releases.ERASED_RELEASES),
            publications.PUBLICATIONS,
            *(users.USERS, users.TOKENS, sessions.PASSWORDS, sessions.SESSIONS),
            policies.POLICIES,
            *(submissions.SUBMISSIONS, submissions.REVISIONS, submissions.REVIEWS, submissions.COMMENTS),
            submissions.ACCEPTED_TERMS,
            *(data_refusals.DATA_REFUSALS, live_forecasts.LIVE_FORECASTS, mails.MAILS),
            *(forecasts.FORECASTS, certificates.CERTIFICATES, offer_lists.OFFER_LISTS),
            *(opt_outs.SALTS, opt_outs.OPT_OUTS),
            *(audit.AUDIT, audit.AUDIT_HEAD, SEALS),
        )
    }
)
"""The tables by name."""

SEALED: Mapping[str, Table[Any]] = MappingProxyType({name: each for name, each in TABLES.items() if each.sealed})
"""Those whose rows are sealed."""
