"""The JSON Schema of the policy file, and the tables of its reference page: `python -m ordermade.policies.schema`."""

from __future__ import annotations

import sys
from typing import Any

from ordermade.policies.policy import Policy
from ordermade.requests.schema import DRAFT, AsDeclared, section_of

_HEADINGS = {
    "Scales": "`scales`",
    "Never": "`never`",
    "Filters": "`filters`",
    "Recipient": "One entry of `recipients`",
    "Quota": "`quota`",
    "Refusals": "`refusals`",
    "Forecasts": "`forecasts`",
    "Automatic": "`automatic`",
    "Beside": "`beside`",
    "Retention": "`retention`",
}

INTRODUCTION = """\
# The policy file

Every key of `policy.yaml`, made from the model that reads it. `ordermade policy schema` prints its JSON Schema; the
[guide to policies](../tasks/policy.md) has an example. Models are written as in a [request](request.md). A length of
time is a number of days, weeks, months (30 days) or years (365 days). The defaults, in the column *left out*, also
apply to submitted requests on a dataset without a policy.

Users with a token see a policy by `policy show`, without `filters.confirmed`, `retention.cache`, `pools` and the terms
of other recipients.
"""


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a policy file."""
    schema = Policy.model_json_schema(by_alias=True, schema_generator=AsDeclared)
    return {"$schema": DRAFT, **schema, "title": "Policy of ordermade"}


def policy_reference() -> str:
    """The whole reference page as Markdown."""
    schema = json_schema()
    parts = schema["$defs"]
    sections = [section_of(heading, parts[name]) for name, heading in _HEADINGS.items()]
    return "\n".join([INTRODUCTION, section_of("`policy.yaml`", schema), *sections])


if __name__ == "__main__":
    sys.stdout.write(policy_reference())
