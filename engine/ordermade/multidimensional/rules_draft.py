"""Drafted rules as the text of a rules file, with comments that say how they were made."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ordermade.hierarchies.suggest import yaml_text
from ordermade.multidimensional.suggest import Suggestion
from ordermade.multidimensional.wording import Between, Said

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
"""A key that YAML takes for the text that it is; keys are never anything else."""


def draft(suggestion: Suggestion) -> str:
    """The text of a file that `requests.rules.read_rules` reads. Raises ValueError without a rule: no file is empty.

    Like the rules, it reveals nobody: its classes hold k or more, its counts are rounded to multiples of k.
    """
    if not suggestion.rules:
        raise ValueError("a rules file has a rule at least")
    lines = [f"# {line}" for line in _head(suggestion)] + ["rules:"]
    for rule in suggestion.rules:
        when = ", ".join(f"{_key(column)}: {in_yaml(said)}" for column, said in rule.when.items())
        figures = f"lift {rule.lift:g}, confidence {rule.confidence:g}, support {rule.support:g}"
        lines.append(f"  # {figures}: about {rule.persons:,} {suggestion.unit}")
        lines += [f"  - item: {yaml_text(rule.item)}", f"    when: {{{when}}}"]
    return "\n".join(lines) + "\n"


def in_yaml(said: Said) -> str:
    """A condition on a column in YAML: a quoted text, one number or date, or the ends of an interval."""
    if not isinstance(said, Between):
        return yaml_text(said)
    return _end(said.low) if said.low == said.high else f"[{_end(said.low)}, {_end(said.high)}]"


def _end(text: str) -> str:
    return yaml_text(text) if ":" in text else text


def _key(column: str) -> str:
    return column if _PLAIN.fullmatch(column) else yaml_text(column)


def _head(suggestion: Suggestion) -> Iterator[str]:
    thresholds, unit = suggestion.thresholds, suggestion.unit
    yield "First draft of recommendation rules by `ordermade rules suggest`: edit it before it is used."
    yield f"Dataset {yaml_text(suggestion.dataset)}: who has which value of {yaml_text(suggestion.target)}."
    if suggestion.filter is not None:
        yield f"Only rows with {yaml_text(suggestion.filter)}."
    for column in suggestion.columns:
        named = suggestion.hierarchies.get(column)
        classes = "single values" if named is None else f"classes of the hierarchy {yaml_text(named)}"
        yield f"Of {yaml_text(column)} {classes}."
    yield f"Thresholds: lift {thresholds.lift:g}, support {thresholds.support:g}, k of {thresholds.k:,} {unit}."
    rules = f"{len(suggestion.rules):,} of the {suggestion.found:,} rules found"
    yield f"These are {rules} that ask for at most {thresholds.conditions} column(s), of the greatest lift."
    rounded = f"Every number of {unit} is rounded to a multiple of {thresholds.k:,}"
    yield f"{rounded}, and all figures are made of such numbers."
