"""The words of a shown table by language: heads, the total, what stands for a label or a figure that is not there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ordermade.errors import UnknownName

NO_FIGURE = "-"
"""What stands in a cross-tabulated table where an empty cell has no figure, such as a mean of nobody."""


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a language, by its code.

    `status_of`: the head of the statuses of one of several measures. `between`: a label below that of its parent, where
    a table has the label twice. `described`: the heads of the rows by those of the columns. `several`: names one after
    the other. `suppressed`, `no_figure`: what the marks say, below a table. `titled`: a table with its one measure.
    """

    language: str
    count: str
    persons: str
    share: str
    sum_of: str
    mean_of: str
    total: str
    empty: str
    table: str
    status: str
    status_of: str
    measure: str
    bounds: str
    exact: str
    at_least: str
    between: str
    described: str
    several: str
    suppressed: str
    no_figure: str
    titled: str

    def head(self, kind: str, column: str | None, count: str, *, of_persons: bool) -> str:
        """The head of a figure by its kind in a request, and its column; `count`: the head that counts get there.

        `count` itself stands for the word of the language.
        """
        if kind == "count":
            return (self.persons if of_persons else self.count) if count == "count" else count
        if kind == "rows":
            return self.count
        if kind == "share":
            return self.share
        head = self.sum_of if kind == "sum" else self.mean_of
        return head.format(column=column)

    def description(self, rows: tuple[str, ...], columns: tuple[str, ...]) -> str:
        """The names of the axes of a table: `region by sex and age`."""
        down = self.several.join(rows)
        return self.described.format(rows=down, columns=self.several.join(columns)) if columns else down


ENGLISH = Words(
    language="en",
    count="count",
    persons="persons",
    share="share (%)",
    sum_of="sum of {column}",
    mean_of="mean of {column}",
    total="Total",
    empty="(empty)",
    table="table",
    status="status",
    status_of="status of {measure}",
    measure="figures",
    bounds="bounds",
    exact="exact",
    at_least="at least this wide",
    between="{parent} / {label}",
    described="{rows} by {columns}",
    several=", ",
    suppressed="{mark}: suppressed to protect confidentiality.",
    no_figure="{mark}: no figure.",
    titled="{name} ({measure})",
)
JAPANESE = Words(
    language="ja",
    count="件数",
    persons="人数",
    share="割合（％）",
    sum_of="{column}の合計",
    mean_of="{column}の平均",
    total="計",
    empty="（空欄）",
    table="表",
    status="秘匿",
    status_of="秘匿（{measure}）",
    measure="項目",
    bounds="上下限",
    exact="厳密",
    at_least="少なくともこの幅",
    between="{parent}／{label}",
    described="{rows} × {columns}",
    several="・",
    suppressed="{mark}：秘匿した数値",
    no_figure="{mark}：該当なし",
    titled="{name}（{measure}）",
)
WORDS: Mapping[str, Words] = {each.language: each for each in (ENGLISH, JAPANESE)}


def words_in(language: str) -> Words:
    """The words of a language by its code. Raises UnknownName."""
    if language not in WORDS:
        raise UnknownName("language", language, WORDS)
    return WORDS[language]
