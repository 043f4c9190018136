"""What users read of a policy: the keys that are listed, and none of another recipient or of other requests."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel, Field

from ordermade.policies.policy import Filters, Policy, read_policy
from ordermade.policies.read_by_users import READ_OF_POLICY, policy_for

WHOLE = {
    "dataset": "members",
    "k": 5,
    "ks": [5, 10],
    "suppression": "2 %",
    "scales": {"t": [0.2], "suppression": ["0 %", "1 %"]},
    "models": {"plan": [{"model": "distinct_l", "l": 2}]},
    "never": {"ask": ["name"], "keep": ["income"], "filter": ["age"]},
    "finest": {"age": "5 years"},
    "labels": ["prefecture"],
    "filters": {"persons": 20, "apart": 20, "confirmed": ["MONTH(joined) = 4"], "values": 20, "borders": {"a": "b"}},
    "recipients": {"ann": {"k": 10, "requests": 5}, "ben": {"k": 20}},
    "quota": {"requests": 20, "per": "month"},
    "refusals": {"most": 5},
    "terms": "Nobody is looked for.",
    "reviews": 2,
    "automatic": {"k": 20, "columns": ["age"]},
    "retention": {"cache": "30 days", "releases": "365 days", "requests": "5 years"},
    "expiry": "90 days",
}
HIDDEN = {"filters.confirmed", "pools", "retention.cache"}
"""The keys that are the provider's alone, written down a second time."""


def keys(part: type[BaseModel], path: str = "") -> Iterator[str]:
    """Every key of a policy, by its path; those of a recipient under `recipients`."""
    for name, each in part.model_fields.items():
        kinds = [each.annotation, *getattr(each.annotation, "__args__", ())]
        below = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)]
        if below:
            yield from keys(below[0], f"{path}{name}.")
        else:
            yield f"{path}{name}"


def test_every_key_of_a_policy_is_shown_or_hidden_by_name() -> None:
    assert set(keys(Policy)) == READ_OF_POLICY | HIDDEN


def test_a_user_reads_the_own_terms_and_no_filter_of_others() -> None:
    shown = policy_for(read_policy(WHOLE).policy, "ann").model_dump(mode="json", exclude_defaults=True)
    whole = read_policy(WHOLE).policy.model_dump(mode="json", exclude_defaults=True)
    del whole["filters"]["confirmed"], whole["retention"]["cache"], whole["recipients"]["ben"]
    assert shown == whole
    assert policy_for(read_policy(WHOLE).policy, "eve").recipients == {}


def test_a_new_key_is_hidden_until_it_is_listed() -> None:
    class NewFilters(Filters):
        traced: tuple[str, ...] = Field(default=(), description="New.")

    class NewPolicy(Policy):
        filters: NewFilters = Field(default_factory=NewFilters, description="As before.")
        suspects: tuple[str, ...] = Field(default=(), description="New.")

    made = NewPolicy(dataset="members", suspects=("secret",), filters=NewFilters(persons=20, traced=("secret",)))
    assert "secret" in made.canonical
    shown = policy_for(made, "ann")
    assert "secret" not in shown.canonical
    assert shown.filters.persons == 20
