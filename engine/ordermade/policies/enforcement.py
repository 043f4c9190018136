"""Enforce the policy of a dataset on a request, before its source is opened: refuse it, or cut it to finest levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ordermade.errors import PolicyBroken, RequestError, quoted
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.policies.decision import BrokenRule, breach_of_k, broken_by_rules, broken_rules
from ordermade.policies.policy import Policy
from ordermade.privacy.least_k import DatasetTerms
from ordermade.progress.waiting import Notice, Sayable
from ordermade.requests.model import Request
from ordermade.requests.problems import RequestProblem
from ordermade.requests.read import AnyRequest, ReadRequest


def within_policy(
    read: ReadRequest[AnyRequest],
    terms: DatasetTerms,
    hierarchies: Mapping[str, Hierarchy],
    notice: Notice | None,
    *,
    for_user: bool = False,
) -> ReadRequest[AnyRequest]:
    """The request within the policy: a quasi-identifier that names no `from` begins at the finest level allowed.

    `hierarchies`: those that the request names. `notice` receives a line about each cut. `for_user`: the error is for a
    user, so it says nothing of the values in a hierarchy. Raises PolicyBroken with every rule that the request breaks.
    """
    policy = terms.policy
    if policy is None:
        return read
    broken = broken_rules(policy, read.request, None, hierarchies, for_user=for_user)
    if broken:
        raise refused(policy, broken, read.where, read)
    return _cut(read, policy, hierarchies, notice)


def refused(
    policy: Policy, broken: Sequence[BrokenRule], where: str, read: ReadRequest[Request] | None = None
) -> PolicyBroken:
    """The error with every broken rule, and the line of its field if the request came from a file (`read`)."""
    found = [
        RequestProblem(each.message, each.next_step, each.path, 0 if read is None else read.line(each.path))
        for each in broken
    ]
    messages = [each.message(where) for each in sorted(found, key=lambda problem: problem.line)]
    rules = [each.rule for each in broken]
    head = f"the policy of {quoted(policy.dataset)} does not allow the request"
    if len(messages) == 1:
        return PolicyBroken(f"{head}: {messages[0]}", rules=rules, problems=messages)
    listed = "".join(f"\n  {line}" for line in messages)
    return PolicyBroken(f"{head}, for {len(messages):,} reasons:{listed}", rules=rules, problems=messages)


def refusal_of_k(policy: Policy, k: int) -> RequestError | None:
    """The error for a k that the policy does not allow; None if it does."""
    breach = breach_of_k(policy, k)
    return None if breach is None else RequestError(breach.message, where="--k", next_step=breach.next_step)


def require_minable(policy: Policy, k: int, columns: Sequence[str], target: str, where: str | None) -> None:
    """Raises PolicyBroken if mining recommendation rules from the dataset would break its policy."""
    broken = broken_by_rules(policy, k, columns, target, where)
    if broken:
        raise refused(policy, broken, "rules suggest")


def _cut(
    read: ReadRequest[AnyRequest], policy: Policy, hierarchies: Mapping[str, Hierarchy], notice: Notice | None
) -> ReadRequest[AnyRequest]:
    finest = {name.casefold(): level for name, level in policy.finest.items()}
    columns = dict(getattr(read.request, "quasi_identifiers", {}))
    cut = {}
    for name, options in columns.items():
        level = finest.get(name.casefold())
        hierarchy = hierarchies.get(options.hierarchy) if options.hierarchy is not None else None
        if level is None or hierarchy is None or "from_level" in options.model_fields_set:
            continue
        if hierarchy.level_number(level):
            cut[name] = level
            columns[name] = options.model_copy(update={"from_level": level})
    if not cut:
        return read
    if notice is not None:
        listed = ", ".join(f"{name} from {quoted(str(level))}" for name, level in cut.items())
        notice(Sayable(f"The policy of {quoted(policy.dataset)} allows no finer levels: {listed}."))
    request = read.request.model_copy(update={"quasi_identifiers": columns})
    return ReadRequest(request, read.text, read.path, read.lines)


def is_kept(policy: Policy | None, request: Request, hierarchies: Mapping[str, Hierarchy]) -> bool:
    """Whether a request breaks no rule of the policy; True if there is none."""
    return policy is None or not broken_rules(policy, request, None, hierarchies)
