"""CSV files as one typed table that loses nothing of their text; encoding, separator and header are detected.

The first row is data if one of its texts is an e-mail address or a truth value; is a figure (a number, a date, a
telephone number) over figures; has the digits and signs of half the values below it; or occurs again in its column. It
is names if a text that is no figure stands over figures. Otherwise it is unclear, and its texts are not shown.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import json
import re
import shutil
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from itertools import chain, groupby, islice
from pathlib import Path
from typing import IO, Any, cast

from sqlglot import exp

from ordermade import sql
from ordermade.errors import SourceFault
from ordermade.files.encodings import AUTO, decodes, detected
from ordermade.files.file_reading import FileReading
from ordermade.sources.csv_head import (
    LONGEST_HEADER,
    CsvHead,
    csv_head,
    original_line,
    records_begin,
    says_separator,
)
from ordermade.sources.executor import Executor, Purpose
from ordermade.sources.parquet_format import literal_path, parquet_query

_FIGURE = re.compile(r"[\W\d_]*[0-9][\W\d_]*(?:[Tt][\W\d_]*)?[Zz]?")
_ADDRESS = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_TRUTHS = frozenset({"true", "false"})


class FirstLine(Enum):
    """The content of the first line of a CSV file, judged by the lines below it."""

    NAMES = "names"
    DATA = "data"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class FormatLikeness:
    """The likeness of a text of the first line to its column.

    `below`: the number of values below it; of these, `same`: equal texts, `alike`: texts equal but for their digits,
    `figures`: figures.
    """

    below: int
    same: int
    alike: int
    figures: int

    def shown(self, text: str) -> FirstLine:
        """The content of the first line by this text alone."""
        if self.same or _is_data(text) or (_is_figure(text) and 2 * self.figures >= self.below):
            return FirstLine.DATA
        if _has_digits(text) and self.below and 2 * self.alike >= self.below:
            return FirstLine.DATA
        named = self.below and self.figures == self.below and not _is_figure(text)
        return FirstLine.NAMES if named else FirstLine.UNCLEAR


def likeness(executor: Executor, text: exp.Expr, columns: Sequence[str]) -> dict[str, FormatLikeness]:
    """The likeness of the texts `columns` of the first line to the relation `text` of the lines below it."""
    if not columns:
        return {}
    tree = sql.select("files/csv_first_line")
    figures = tree.expressions
    parameters: dict[str, str] = {}
    expressions: list[exp.Expr] = []
    for at, name in enumerate(columns):
        parameters |= {f"text{at}": name, f"shape{at}": _shape_of_header(name)}
        expressions += [_of_column(each, name, at) for each in figures]
    tree.set("expressions", expressions)
    counted = executor.rows(Purpose.CATALOG, sql.with_relations(tree, {"dataset": text}), parameters)[0]
    width = len(figures)
    return {name: FormatLikeness(*counted[at * width : (at + 1) * width]) for at, name in enumerate(columns)}


def _of_column(figure: exp.Expr, name: str, at: int) -> exp.Expr:
    """One figure of one column, with parameters of its own."""
    own = sql.with_columns(figure.copy(), {"dataset.qi": name}).unalias()
    for node in list(own.find_all(exp.Parameter, exp.Placeholder)):
        numbered = f"{node.name}{at}"
        node.set("this", exp.var(numbered) if isinstance(node, exp.Parameter) else numbered)
    return own


def _shape_of_header(text: str) -> str:
    """The text with each run of digits as `9`; the template does the same with values."""
    return re.sub(r"[0-9]+", "9", text)


def _is_data(text: str) -> bool:
    """Whether a text is no name of a column, whatever the values below it."""
    return _ADDRESS.fullmatch(text.strip()) is not None or text.strip().casefold() in _TRUTHS


def _is_figure(text: str) -> bool:
    return _FIGURE.fullmatch(text) is not None


def _has_digits(text: str) -> bool:
    return any(each.isdigit() for each in text)


_AS_IT_IS = ("utf-8", "utf-8-sig", "ascii")
"""The encodings whose files DuckDB reads without a recoded copy."""


def is_quoted_after_mark(path: Path) -> bool:
    """Whether the file begins with a byte order mark and a quoted name, which DuckDB takes for one without quotes.

    A comma or a line end in such a name would then end it, and rows be lost. Raises OSError.
    """
    with _opened(path) as file:
        return file.read(len(codecs.BOM_UTF8) + 1) == codecs.BOM_UTF8 + b'"'


def without_mark(path: Path, folder: Path) -> Path:
    """A copy of a file without its byte order mark, compressed as the file is. Raises OSError."""
    copy = folder / f"plain{''.join(path.suffixes[-2:])}"
    with _opened(path) as file, (gzip.open if copy.suffix == ".gz" else open)(copy, "wb") as made:
        file.read(len(codecs.BOM_UTF8))
        shutil.copyfileobj(file, made)
    return copy


@dataclass(frozen=True, slots=True)
class CsvFile:
    """A CSV file ready to be read as UTF-8: `path` may be a recoded copy of the `original`, in `encoding`."""

    path: Path
    original: Path
    encoding: str
    head: CsvHead


def prepared(path: Path, reading: FileReading, spill: Path) -> CsvFile:
    """The file with its head; recoded into the private folder `spill` unless it is UTF-8, and all of it the table.

    Raises SourceFault if it is not text in the encoding, if no encoding can be detected, or if it has no header of
    distinct names.
    """
    try:
        found = encoding_of(path, reading.encoding)
        skipped = lines_left_out(path, found, reading)
        is_whole = found in _AS_IT_IS and not skipped and not is_quoted_after_mark(path)
        readable = path if is_whole else _recoded(path, found, skipped, spill)
        with _opened(readable) as file:
            text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="").read(LONGEST_HEADER)
    except (OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or "the file is cut short"
        raise SourceFault(
            f"the file cannot be read ({reason})", where=str(path), next_step="Check that it is whole and readable."
        ) from None
    return CsvFile(readable, path, found, csv_head(text, str(path), skipped))


def lines_left_out(path: Path, encoding: str, reading: FileReading) -> frozenset[int]:
    """The numbers of the lines of a file that are no part of the table, that of its separator among them."""
    skipped = frozenset(reading.skipped)
    with lines_of(path, encoding) as lines:
        return skipped | {1} if says_separator(next(lines, "")) else skipped


def lines_of_records(path: Path, reading: FileReading, records: Sequence[int]) -> tuple[int, ...]:
    """The lines of a file, from 1, at which these of its records begin, which are counted from 1 below the names."""
    if not records:
        return ()
    encoding = encoding_of(path, reading.encoding)
    skipped = lines_left_out(path, encoding, reading)
    with lines_of(path, encoding) as lines:
        kept = (line for number, line in enumerate(lines, start=1) if number not in skipped)
        head = list(islice(kept, _HEAD_LINES))
        separator = csv_head("".join(head)[:LONGEST_HEADER], str(path), skipped).separator
        begun = records_begin(chain(head, kept), separator, max(records) + 1)
        wanted = set(records)
        try:
            return tuple(original_line(line, skipped) for record, line in enumerate(begun) if record in wanted)
        except csv.Error:  # what DuckDB reads and Python does not has no lines to name
            return ()


_HEAD_LINES = 200
"""So many lines show the separator of a file that was read by it before."""


def encoding_of(path: Path, encoding: str) -> str:
    """The encoding of the file: `encoding`, or the detected one. Raises SourceFault if the file is not text in it."""
    opened = partial(_opened, path)
    if encoding == AUTO:
        found = detected(opened)
        if found.encoding is None:
            step = "Save it as UTF-8, or give its --encoding."
            raise SourceFault(found.open_question, where=str(path), next_step=step)
        return found.encoding
    if not decodes(opened, encoding):
        raise SourceFault(
            f"the file is not text in {encoding}",
            where=str(path),
            next_step="Give another --encoding, or auto to have it found.",
        )
    return encoding


def _recoded(path: Path, encoding: str, skipped: Collection[int], spill: Path) -> Path:
    """A copy in UTF-8, without the lines of these numbers."""
    with (
        tempfile.NamedTemporaryFile("w", encoding="utf-8", newline="", dir=spill, suffix=".csv", delete=False) as copy,
        lines_of(path, encoding) as lines,
    ):
        copy.writelines(line for number, line in enumerate(lines, start=1) if number not in skipped)
    return Path(copy.name)


@contextmanager
def lines_of(path: Path, encoding: str) -> Iterator[Iterator[str]]:
    """The lines of a file in an encoding, each with its end as it is written."""
    with _opened(path) as file:
        yield io.TextIOWrapper(file, encoding="utf-8-sig" if encoding in _AS_IT_IS else encoding, newline="")


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    with path.open("rb") as file:
        if path.suffix.lower() == ".gz":
            with gzip.GzipFile(fileobj=file) as unpacked:
                yield unpacked  # type: ignore[misc]  # it reads bytes as any file does
        else:
            yield file


_TEXT = "VARCHAR"
_ONE_SHAPE = "Every line needs the fields of the first, and the same kind of line end."
_WHOLE, _DECIMAL, _SHORT, _DATE, _TIMESTAMP, _BOOLEAN = 1, 2, 4, 8, 16, 32
"""The flags that `files/csv_types` adds up for a value: the types that write the value exactly as it stands."""
_LEAST_DIGITS, _MAX_DIGITS = 18, 38
_NUMBERS = ("BIGINT", "DECIMAL", "DOUBLE")
RULE = 2
"""The version of these rules. It rises when they read the same bytes otherwise; Parquet twins of old ones are void."""
SAMPLED = 20_480
"""The number of first records that rule types out."""
SAMPLED_OF_FEW, MANY_BYTES = 2_048, 1 << 26
"""The same number for files below `MANY_BYTES`, where a second pass over all texts costs little."""


@dataclass(frozen=True, slots=True)
class CsvType:
    """The narrowest type of a column of texts.

    `certain`: further texts cannot change it. `scale`, `digits`: the decimals and the precision of a DECIMAL.
    """

    kind: str
    certain: bool = False
    scale: int = 0
    digits: int = 0

    @property
    def name(self) -> str:
        """The name of the type in DuckDB, such as DECIMAL(18, 2)."""
        return f"DECIMAL({self.digits}, {self.scale})" if self.kind == "DECIMAL" else self.kind


@dataclass(frozen=True, slots=True)
class CsvRead:
    """The findings of a reading of CSV files.

    `unvouched`: columns whose names may be data, as the first line is unclear. `load`: the statement that read them.
    `unnamed`: the fields that have no name and are left out, in words.
    """

    encodings: tuple[str, ...]
    columns: tuple[str, ...]
    unvouched: frozenset[str]
    load: str
    unnamed: tuple[str, ...] = ()

    def note(self) -> str:
        """The findings as one line of JSON."""
        return json.dumps([self.encodings, self.columns, bool(self.unvouched), self.load, self.unnamed])

    @classmethod
    def of_note(cls, note: str) -> CsvRead:
        """The findings from a line of JSON."""
        encodings, columns, is_unvouched, load, unnamed = json.loads(note)
        unvouched = frozenset(columns) if is_unvouched else frozenset()
        return cls(tuple(encodings), tuple(columns), unvouched, load, tuple(unnamed))


def read_once(executor: Executor, paths: Sequence[Path], reading: FileReading, spill: Path, loaded: Path) -> CsvRead:
    """Write the files as one Parquet file `loaded`, each column in the narrowest type that rewrites no value.

    A sample rules types out; the pass that loads verifies the remaining type on every text. One text that the type
    would rewrite (leading zeros, 1E2) keeps its column text. Raises SourceFault, with the line that does not fit, if a
    file cannot be read or has data in its first line.
    """
    files = [prepared(path, reading, spill) for path in paths]
    columns = files[0].head.columns
    for file in files[1:]:
        if set(file.head.columns) != set(columns):
            raise SourceFault(
                f"the columns are not those of {files[0].original}",
                where=str(file.original),
                next_step="Files of one source have the same columns; register them apart.",
            )
    text = sql.union_all(_text_of(list(alike), columns) for _, alike in groupby(files, key=lambda each: each.head))
    try:
        sampled = SAMPLED if sum(file.path.stat().st_size for file in files) >= MANY_BYTES else SAMPLED_OF_FEW
        holds = _Load(executor, text, columns, loaded, sampled).proved(header=reading.header)
    except SourceFault as fault:
        where = ", ".join(str(file.original) for file in files[:3]) + (", …" if len(files) > 3 else "")
        step = fault.next_step if "Line" in fault.next_step else f"{fault.next_step} {_ONE_SHAPE}"
        raise SourceFault("this cannot be read as a CSV file with a header", where=where, next_step=step) from None
    if holds is FirstLine.DATA:
        raise SourceFault(
            "the first line looks like data, not like names of columns",
            where=f"{files[0].original}:1",
            next_step="Write the names of the columns in the first line, or say with `--header` that it holds them.",
        )
    encodings = tuple(dict.fromkeys(file.encoding for file in files))
    *_, load = (each.text for each in executor.ledger if each.purpose is Purpose.LOAD)
    unvouched = frozenset(columns) if holds is FirstLine.UNCLEAR else frozenset()
    return CsvRead(encodings, columns, unvouched, load, tuple(f"field {place:,}" for place in files[0].head.unnamed))


def text_columns(columns: Sequence[str]) -> list[exp.Expr]:
    """The columns for READ_CSV, all of type VARCHAR."""
    return [exp.PropertyEQ(this=sql.identifier(name), expression=exp.Literal.string(_TEXT)) for name in columns]


def _text_of(files: Sequence[CsvFile], columns: Sequence[str]) -> exp.Query:
    """Files of one shape as a table of texts, its columns in the given order."""
    tree = sql.select("files/csv_text")
    paths = exp.Array(expressions=[literal_path(file.path) for file in files])
    tree = sql.with_literal(tree, "stand_in.csv", paths)
    tree = sql.with_literal(tree, ",", exp.Literal.string(files[0].head.separator))
    struct = tree.find(exp.Struct)
    if struct is None:
        raise TypeError("files/csv_text names no columns")
    struct.set("expressions", text_columns(_field_names(files[0].head)))
    column = tree.expressions[0]
    tree.set("expressions", [sql.with_columns(column.copy(), {"dataset.qi": name}) for name in columns])
    return tree


def _field_names(head: CsvHead) -> list[str]:
    """A name for every field of a file, also for those that are left out."""
    found: list[str] = []
    for name in head.fields:
        found.append(_free_name("unnamed", [*head.columns, *found]) if name is None else name)
    return found


def _type_of(fits: int | None, least_scale: int | None, scale: int | None, digits: int | None) -> CsvType:
    if fits is None or least_scale is None or scale is None or digits is None:
        return CsvType(_TEXT)
    if fits & _WHOLE:
        return CsvType("BIGINT")
    if fits & _DECIMAL and least_scale == scale > 0 and digits + scale <= _MAX_DIGITS:
        return CsvType("DECIMAL", scale=scale, digits=max(_LEAST_DIGITS, digits))
    for mask, kind in ((_SHORT, "DOUBLE"), (_DATE, "DATE"), (_TIMESTAMP, "TIMESTAMP"), (_BOOLEAN, "BOOLEAN")):
        if fits & mask:
            return CsvType(kind)
    return CsvType(_TEXT, certain=True)


@dataclass(frozen=True, slots=True)
class _Load:
    """The load of CSV files, from the query `text` of all their texts into the Parquet file `path`.

    `sampled`: the number of first records that rule types out.
    """

    executor: Executor
    text: exp.Query
    columns: Sequence[str]
    path: Path
    sampled: int

    def proved(self, *, header: bool) -> FirstLine:
        """Load each column in the narrowest type of all its texts; returns the content of the first line.

        More texts only rule types out, so a sample's type that no text refutes is the type of all texts. With `header`
        the first line is names.
        """
        types = self._types(_first(self.text, self.sampled), self.columns)
        refuted, named = self._loaded(types)
        if refuted:
            uncertain = [name for name, each in types.items() if not each.certain]
            found = self._types(self.text, uncertain)
            types |= {name: replace(each, certain=True) for name, each in found.items()}
            self._loaded(types)
        if header:
            return FirstLine.NAMES
        return FirstLine.DATA if named else self._first_line(types)

    def _types(self, text: exp.Query, columns: Sequence[str]) -> dict[str, CsvType]:
        """The narrowest type of each column for all values of `text`."""
        tree = sql.select("files/csv_types")
        figures = tree.expressions
        tree.set(
            "expressions",
            [sql.with_columns(each.copy(), {"dataset.qi": name}).unalias() for name in columns for each in figures],
        )
        counted = self.executor.rows(Purpose.CATALOG, sql.with_relations(tree, {"dataset": text}))[0]
        width = len(figures)
        return {name: _type_of(*counted[at * width : (at + 1) * width]) for at, name in enumerate(columns)}

    def _loaded(self, types: Mapping[str, CsvType]) -> tuple[int, int]:
        """Write the file; returns the rows with a text that refutes its type, and those with the name of its column."""
        named = sql.select("files/csv_refuted").expressions[-1]
        uncertain = {at: name for at, name in enumerate(types) if not types[name].certain}
        evidence = {
            _free_name("refuted", types): [_of_column(_proof(types[name]), name, at) for at, name in uncertain.items()],
            _free_name("named", types): [_of_column(named, name, at) for at, name in enumerate(types)],
        }
        tree = sql.template("files/csv_loaded")
        query = cast("exp.Select", tree.this.this)
        values = [sql.named(_tried(name, kind), name) for name, kind in types.items()]
        query.set("expressions", [*values, *(sql.named(_any(each), name) for name, each in evidence.items())])
        tree.set("files", [exp.Literal.string(str(self.path))])
        bound: dict[str, Any] = {f"text{at}": name for at, name in enumerate(types)}
        for at, name in uncertain.items():
            if types[name].kind == "DECIMAL":
                bound |= {f"scale{at}": types[name].scale, f"digits{at}": types[name].digits}
        # Not bound but written out: `request explain` shows the statement to run by hand.
        for each in list(tree.find_all(exp.Placeholder, exp.Parameter)):
            each.replace(exp.convert(bound[each.name]))
        self.executor.rows(Purpose.LOAD, sql.with_relations(tree, {"dataset": self.text}))
        seen = sql.select("files/csv_evidence")
        (texts,) = seen.expressions
        seen.set("expressions", [sql.with_columns(texts.copy(), {"dataset.id": name}).unalias() for name in evidence])
        refuted, same = self.executor.rows(
            Purpose.CATALOG, sql.with_relations(seen, {"dataset": parquet_query([self.path])})
        )[0]
        return int(refuted), int(same)

    def _first_line(self, types: Mapping[str, CsvType]) -> FirstLine:
        """The content of a first line, no text of which occurs again in its column.

        Over numbers, a figure is data, and any other text is a name. The texts of other columns are read only if they
        may decide.
        """
        numbers = [name for name, each in types.items() if each.kind in _NUMBERS]
        others = [name for name in types if name not in numbers]
        if any(map(_is_data, types)) or any(map(_is_figure, numbers)):
            return FirstLine.DATA
        deciding = [name for name in others if _has_digits(name)]
        if not numbers:
            without = [name for name in others if name not in deciding]
            first = likeness(self.executor, _first(self._texts(without), SAMPLED), without)
            deciding += [name for name, each in first.items() if each.figures == each.below]
        shown = [each.shown(name) for name, each in likeness(self.executor, self._texts(deciding), deciding).items()]
        if FirstLine.DATA in shown:
            return FirstLine.DATA
        return FirstLine.NAMES if numbers or FirstLine.NAMES in shown else FirstLine.UNCLEAR

    def _texts(self, columns: Sequence[str]) -> exp.Query:
        """The query for the loaded columns, which are no numbers, as the texts in the file."""
        tree = sql.select("files/csv_typed")
        (value,) = tree.expressions
        texts = [sql.named(sql.with_columns(value.copy(), {"dataset.qi": each}), each) for each in columns]
        tree.set("expressions", texts)
        return sql.with_relations(tree, {"dataset": parquet_query([self.path])})


def _first(text: exp.Query, records: int) -> exp.Query:
    """The first records of a query."""
    sample = sql.with_relations(sql.select("files/csv_sample"), {"dataset": text})
    return sample.limit(records, copy=False)


def _tried(name: str, kind: CsvType) -> exp.Expr:
    """The expression that casts a text to its type; NULL if it cannot be cast."""
    (value,) = sql.select("files/csv_tried").expressions
    tried = sql.with_columns(value, {"dataset.qi": name}).unalias()
    tried.set("to", exp.DataType.build(kind.name, dialect=sql.DIALECT))
    return cast("exp.Expr", tried.this) if kind.kind == _TEXT else tried


def _proof(kind: CsvType) -> exp.Expr:
    """The expression that is 1 if a text refutes the type that the sample gave its column."""
    rewritten, decimal, short, boolean, any_text, _ = sql.select("files/csv_refuted").expressions
    patterns = {"DECIMAL": decimal, "DOUBLE": short, "BOOLEAN": boolean, _TEXT: any_text}
    pattern: exp.Expr | None = patterns.get(kind.kind)
    if pattern is not None:
        return pattern
    tried = rewritten.find(exp.TryCast)
    if tried is None:
        raise TypeError("files/csv_refuted tries no type")
    tried.set("to", exp.DataType.build(kind.name, dialect=sql.DIALECT))
    return cast("exp.Expr", rewritten)


def _any(texts: Sequence[exp.Expr]) -> exp.Expr:
    """The expression that is 1 if any of several is 1, else 0."""
    return exp.Greatest(this=exp.Literal.number(0), expressions=texts)


def _free_name(name: str, columns: Iterable[str]) -> str:
    """`name`, lengthened until no column has it."""
    taken = {each.casefold() for each in columns}
    while name in taken:
        name += "_"
    return name
