"""The tables of the state whose rows are sealed, with their keys: what a seal is known by."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

KEYS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "migrations": ("number",),
        "sources": ("id",),
        "datasets": ("id",),
        "dataset_filter_columns": ("dataset_id", "position"),
        "dataset_parts": ("dataset_hash", "content"),
        "part_columns": ("dataset_hash", "columns"),
        "dataset_versions": ("id",),
        "dataset_version_columns": ("dataset_version_id", "position"),
        "dataset_identities": ("dataset_id", "dataset_hash"),
        "hierarchies": ("id",),
        "hierarchy_levels": ("hierarchy_id", "level"),
        "hierarchy_values": ("hierarchy_id", "leaf_no", "level"),
        "hierarchy_refinements": ("hierarchy_id", "finer", "coarser"),
        "covering_hierarchies": ("dataset_version_id", "column_name", "hierarchy_hash"),
        "requests": ("id",),
        "measured_levels": ("id",),
        "observations": ("id",),
        "observation_models": ("observation_id", "models_hash"),
        "releases": ("id",),
        "release_ends": ("release_id",),
        "erased_releases": ("release_id",),
        "users": ("id",),
        "tokens": ("id",),
        "policies": ("id",),
        "submissions": ("id",),
        "submission_revisions": ("submission_id", "revision"),
        "reviews": ("submission_id", "revision", "reviewer", "voted_at"),
        "accepted_terms": ("dataset_name", "user_name", "terms_hash"),
        "data_refusals": ("id",),
        "forecasts": ("id",),
        "certificates": ("id",),
        "offer_lists": ("id",),
        "opt_out_salts": ("dataset_name",),
        "opt_outs": ("dataset_name", "person_hash"),
    }
)
"""The key of each table whose rows are sealed; the first column is the owner where it is a whole number."""
