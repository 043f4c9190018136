"""Texts of MariaDB and MySQL that are no column's: each has a collation all the same, so several may be equal."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sqlglot import exp

from ordermade.sources.collated import Collated, is_text
from ordermade.sources.view_trees import is_of_database, names_of

_MADE = frozenset(["elt", "make_set", "export_set"])
"""Functions that choose among texts."""
_OF_BYTES = (exp.Unhex, exp.Chr, exp.FromBase64, exp.Compress, exp.Encode, exp.Decode, exp.BitString, exp.HexString)
"""What gives bytes, or a text of any."""
_CHOICES = (exp.Case, exp.If, exp.Coalesce, exp.Nullif, exp.Nvl2, exp.Greatest, exp.Least)
_UNKNOWN = "?"
"""What stands for a literal whose signs are not read: it is equal to all."""
_SMALL_KANA, _LARGE_KANA, _BETWEEN = range(0x30A1, 0x30F7), 0x60, 0xFFFF


@dataclass(frozen=True, slots=True)
class MadeTexts(Collated):
    """How these servers compare texts. `plain`: the columns of numbers, days and moments of the tables that are read.

    A literal has a collation, a text that is made of bytes, a value of a JSON document, and what a function gives that
    somebody made. Literals that no collation takes for one another may be chosen from.
    """

    plain: frozenset[str] = frozenset()

    def is_made(self, value: exp.Expr) -> bool:
        """Whether a value is such a text, whatever it is made of."""
        if isinstance(value, exp.Func):
            names = names_of(value)
            is_json = any(each.startswith(("json_", "j_s_o_n_")) for each in names)
            if is_json or is_of_database(value) or set(names) & _MADE:
                return True
        if isinstance(value, exp.Chr):
            return value.args.get("charset") is not None
        if isinstance(value, exp.Cast) and is_text(value.to):
            return not all(map(self._is_of_plain_signs, value.this.walk()))
        return not self.are_apart([value])

    def _is_of_plain_signs(self, node: exp.Expr) -> bool:
        """Whether a text is made of numbers, days and literals here, and not of bytes."""
        if isinstance(node, exp.Column):
            return node.name.casefold() in self.plain
        return not isinstance(node, (*_OF_BYTES, exp.Query))

    def are_apart(self, values: Sequence[exp.Expr]) -> bool:
        """Whether of the literals that values may show no two may be equal and differ."""
        shown = [one for each in values for one in _results(each)]
        literals = [each for each in shown if isinstance(each, exp.Literal | exp.Introducer)]
        within = [one for each in shown if each not in literals for one in each.find_all(*_CHOICES)]
        if not within:
            texts = {_text_of(each) for each in literals if not (isinstance(each, exp.Literal) and not each.is_string)}
            folded = [_folded(each) for each in texts]
            return len(texts) < 2 or (_UNKNOWN not in texts and len({*folded}) == len(folded))
        signs = {*"".join(_text_of(each) for node in within for each in node.find_all(exp.Literal) if each.is_string)}
        folds = sorted(_folded(each) for each in signs)
        return all(len(each) == 1 for each in folds) and all(one != other for one, other in pairwise(folds))


def _results(value: exp.Expr) -> Iterator[exp.Expr]:
    """The values that one is chosen from; itself where it is no choice."""
    value = value.unalias().unnest()
    if isinstance(value, exp.Case):
        chosen = [*(each.args["true"] for each in value.args["ifs"]), value.args.get("default")]
    elif isinstance(value, exp.If | exp.Nvl2):
        chosen = [value.args.get("true"), value.args.get("false")]
    elif isinstance(value, exp.Coalesce | exp.Greatest | exp.Least):
        chosen = [value.this, *value.expressions]
    elif isinstance(value, exp.Nullif):
        chosen = [value.this]
    else:
        yield value
        return
    for each in chosen:
        if each is not None:
            yield from _results(each)


def _text_of(literal: exp.Expr) -> str:
    if isinstance(literal, exp.Introducer):
        literal = literal.expression
    return literal.name if isinstance(literal, exp.Literal) else _UNKNOWN


def _folded(text: str) -> str:
    """A text as the widest collation compares it: without case, marks, signs not seen, and spaces at its end."""
    folded = ""
    for sign in unicodedata.normalize("NFKD", text.casefold()):
        if unicodedata.category(sign)[0] in "MC":
            continue
        number = ord(sign)
        folded += chr(number - _LARGE_KANA) if number in _SMALL_KANA else sign if number <= _BETWEEN else _UNKNOWN
    return folded.rstrip()


def plain_columns(found: Collection[tuple[str, str]], tree: exp.Expr) -> frozenset[str]:
    """The columns that are no text and no bytes, by their kinds, and whose names nothing else in a query has."""
    given = {each.alias.casefold() for each in tree.find_all(exp.Alias) if each.this.name != each.alias}
    given |= {one.name.casefold() for each in tree.find_all(exp.TableAlias) for one in each.columns}
    given |= {name.casefold() for name, kind in found if kind != "plain"}
    return frozenset(name.casefold() for name, kind in found if kind == "plain") - given
