"""Files as they really are, made up: each with the options that read it, the types it then has, and what is said of it.

A file is read right, or what was not read is named with the option that mends it.
"""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

TEXT, WHOLE, DAY, MOMENT = "VARCHAR", "BIGINT", "DATE", "TIMESTAMP"
CHOSEN = random.Random(41)
ROWS = 60
Column = Callable[[int], str]


def several(*texts: str) -> Column:
    """A column of these texts in turn, so that each comes several times."""
    return lambda row: texts[row % len(texts)]


def number(least: int, most: int, form: str = "{}") -> Column:
    """A column of whole numbers."""
    numbers = [CHOSEN.randrange(least, most) for _ in range(ROWS)]
    return lambda row: form.format(numbers[row])


def amount(form: Callable[[float], str]) -> Column:
    """A column of amounts with decimals."""
    amounts = [CHOSEN.uniform(10, 99_000) for _ in range(ROWS)]
    return lambda row: form(amounts[row])


def day(form: str) -> Column:
    """A column of days, some of them after the 12th."""
    days = [(CHOSEN.randrange(1940, 2005), CHOSEN.randrange(1, 13), row % 28 + 1) for row in range(ROWS)]
    return lambda row: form.format(y=days[row][0], s=days[row][0] % 100, m=days[row][1], d=days[row][2])


def but(column: Column, odd: Mapping[int, str]) -> Column:
    """A column with other texts in some rows, from 0."""
    return lambda row: odd.get(row, column(row))


@dataclass(frozen=True)
class OddFile:
    """A file: its text from `above`, a header, and `columns` below it; `after` the records.

    `options`: of the command that reads it. `types`: those of its columns then. `said`: what the screen says, each a
    piece of a line. `names`: those in the header, where they are others; `second`: a line below it.
    """

    columns: Mapping[str, Column]
    types: Mapping[str, str]
    said: Sequence[str] = ()
    options: Sequence[str] = ()
    separator: str = ","
    encoding: str = "utf-8"
    ending: str = "\n"
    above: Sequence[str] = ()
    after: Sequence[str] = ()
    names: Sequence[str] | None = None
    suffix: str = ".csv"
    quotes: bool = False
    second: str | None = None

    def content(self) -> bytes:
        """The bytes of the file."""
        names = list(self.columns) if self.names is None else list(self.names)
        records = [names, *([column(row) for column in self.columns.values()] for row in range(ROWS))]
        lines = [self.separator.join(map(self._quoted, record)) for record in records]
        lines[1:1] = [] if self.second is None else [self.second]
        text = self.ending.join([*self.above, *lines, *self.after, ""])
        found = text.encode(self.encoding)
        return gzip.compress(found) if self.suffix.endswith(".gz") else found

    def _quoted(self, text: str) -> str:
        return f'"{text}"' if self.quotes or self.separator in text else text


SEX = several("f", "m")
GERMAN = several("Köln", "Düren", "Bonn", "Grevenbroich")
FRENCH = several("Orléans", "Nîmes", "Paris", "Besançon")
POLISH = several("Łódź", "Gdańsk", "Kraków", "Rzeszów")
JAPANESE = several("東京都", "大阪府", "北海道", "沖縄県")


def german(value: float) -> str:
    """An amount as it is written in German: 12.345,67."""
    return f"{value:,.2f}".replace(",", ";").replace(".", ",").replace(";", ".")


FILES: Mapping[str, OddFile] = {
    "a clinic's export of Windows in German": OddFile(
        {"Geschlecht": several("m", "w"), "Alter": number(18, 90), "Aufnahme": day("{d:02}.{m:02}.{y}"), "Ort": GERMAN},
        {"Geschlecht": TEXT, "Alter": WHOLE, "Aufnahme": DAY, "Ort": TEXT},
        separator=";", encoding="cp1252", ending="\r\n",
    ),
    "amounts with decimal commas": OddFile(
        {"Ort": GERMAN, "Betrag": amount(german)}, {"Ort": TEXT, "Betrag": "DECIMAL(18,2)"}, separator=";"
    ),
    "amounts of Switzerland": OddFile(
        {"Ort": GERMAN, "Betrag": amount(lambda each: f"CHF {each:,.2f}".replace(",", "’"))},
        {"Ort": TEXT, "Betrag": "DECIMAL(18,2)"}, separator=";",
    ),
    "amounts of France, thin spaces between thousands": OddFile(
        {"ville": FRENCH, "revenu": amount(lambda each: f"{each:,.2f} €".replace(",", "\u202f").replace(".", ","))},
        {"ville": TEXT, "revenu": "DECIMAL(18,2)"}, separator=";",
    ),
    "whole amounts with points between thousands": OddFile(
        {"Ort": GERMAN, "Betrag": lambda row: f"{row % 9 + 1}.{row * 17 % 10}00"},
        {"Ort": TEXT, "Betrag": "DECIMAL(18,3)"},
        ["Betrag: its points are read as decimal points", "--decimal Betrag=comma"], separator=";",
    ),
    "the same, said to be thousands": OddFile(
        {"Ort": GERMAN, "Betrag": lambda row: f"{row % 9 + 1}.{row * 17 % 10}00"},
        {"Ort": TEXT, "Betrag": WHOLE}, options=["--decimal", "Betrag=comma"], separator=";",
    ),
    "one unknown word among ages": OddFile(
        {"sex": SEX, "age": but(number(18, 90), {5: "weiß nicht", 29: "weiß nicht"})},
        {"sex": TEXT, "age": TEXT},
        ["2 of 60 cells of 'age' are no numbers ('weiß nicht' in lines 7, 31)", "--missing 'age=weiß nicht'"],
    ),
    "the same, said to be missing": OddFile(
        {"sex": SEX, "age": but(number(18, 90), {5: "weiß nicht", 29: "weiß nicht"})},
        {"sex": TEXT, "age": WHOLE}, options=["--missing", "age=weiß nicht"],
    ),
    "a marker for every column": OddFile(
        {
            "sex": but(SEX, {7: "?!"}), "age": but(number(18, 90), {5: "?!"}),
            "day": but(day("{y}-{m:02}-{d:02}"), {9: "?!"}),
        },
        {"sex": TEXT, "age": WHOLE, "day": DAY}, options=["--missing", "?!"],
    ),
    "-9 and 99 for missing numbers": OddFile(
        {"sex": SEX, "children": but(number(0, 6), {5: "-9", 8: "99"})},
        {"sex": TEXT, "children": WHOLE}, options=["--missing", "-9,99"],
    ),
    "words that clearly mean a missing value": OddFile(
        {"Ort": GERMAN, "Alter": but(number(18, 90), {3: "k.A.", 4: "unbekannt", 9: "N/A", 12: ""})},
        {"Ort": TEXT, "Alter": WHOLE}, separator=";",
    ),
    "a 1 among dates": OddFile(
        {"sex": SEX, "visit": but(day("{y}-{m:02}-{d:02}"), {29: "1"})},
        {"sex": TEXT, "visit": TEXT}, ["1 of 60 cells of 'visit' is no date ('1' in line 31)", "--missing visit=1"],
    ),
    "a second line of names": OddFile(
        {"sex": SEX, "age": number(18, 90), "visit": day("{y}-{m:02}-{d:02}")},
        {"sex": TEXT, "age": TEXT, "visit": TEXT},
        ["line 2 has texts where the others have none, in 'age', 'visit'", "--skip-lines 2"],
        options=["--header"], second="Geschlecht,Alter,Besuch",
    ),
    "a second line of names, left out": OddFile(
        {"sex": SEX, "age": number(18, 90), "visit": day("{y}-{m:02}-{d:02}")},
        {"sex": TEXT, "age": WHOLE, "visit": DAY}, options=["--skip-lines", "2"],
        second="Geschlecht,Alter,Besuch",
    ),
    "a total below": OddFile(
        {"town": GERMAN, "age": number(18, 90)}, {"town": TEXT, "age": WHOLE},
        ["line 62 sums up the others, by a word in 'town'", "--skip-lines 62"], after=["Summe,2700"],
    ),
    "a total below, left out": OddFile(
        {"town": GERMAN, "age": number(18, 90)}, {"town": TEXT, "age": WHOLE}, options=["--skip-lines", "62"],
        after=["Summe,2700"],
    ),
    "a title of two lines, left out": OddFile(
        {"town": GERMAN, "age": number(18, 90)}, {"town": TEXT, "age": WHOLE}, options=["--skip", "2"],
        above=["Visits of 2025", "as of 1 March"],
    ),
    "the separator said for a spreadsheet program": OddFile(
        {"town": GERMAN, "age": number(18, 90)}, {"town": TEXT, "age": WHOLE}, separator=";", above=["sep=;"]
    ),
    "numbered rows without a name": OddFile(
        {"n": lambda row: str(row), "sex": SEX, "age": number(18, 90)}, {"sex": TEXT, "age": WHOLE},
        ["no name: field 1"], names=["", "sex", "age"],
    ),
    "a separator at the end of each line": OddFile(
        {"sex": SEX, "age": number(18, 90), "end": lambda row: ""}, {"sex": TEXT, "age": WHOLE},
        ["no name: field 3"], names=["sex", "age", ""], separator=";",
    ),
    "bounds of what a laboratory can measure": OddFile(
        {"sex": SEX, "crp": but(amount(lambda each: f"{each:.1f}"), {2: "<0.5", 7: ">90000", 8: "<0.5"})},
        {"sex": TEXT, "crp": TEXT}, ["3 of 60 cells of 'crp' are no numbers", "--at-bounds crp"],
    ),
    "the same at their bounds": OddFile(
        {"sex": SEX, "crp": but(amount(lambda each: f"{each:.1f}"), {2: "<0.5", 7: ">90000", 8: "<0.5"})},
        {"sex": TEXT, "crp": "DECIMAL(18,1)"}, options=["--at-bounds", "crp"],
    ),
    "dates in which day and month cannot be told apart": OddFile(
        {"sex": SEX, "visit": lambda row: f"{row % 12 + 1:02}/{row % 11 + 1:02}/2024"},
        {"sex": TEXT, "visit": TEXT}, ["day and month cannot be told apart", "--date-format visit=dmy"],
    ),
    "the same with the order said": OddFile(
        {"sex": SEX, "visit": lambda row: f"{row % 12 + 1:02}/{row % 11 + 1:02}/2024"},
        {"sex": TEXT, "visit": DAY}, options=["--date-format", "dmy"],
    ),
    "months first": OddFile(
        {"sex": SEX, "visit": day("{m}/{d}/{y}")}, {"sex": TEXT, "visit": DAY}
    ),
    "years of two digits": OddFile(
        {"sex": SEX, "born": day("{d:02}.{m:02}.{s:02}")},
        {"sex": TEXT, "born": TEXT}, ["years have two digits", "--date-format born=dmy:1925"],
    ),
    "years of two digits, the century said": OddFile(
        {"sex": SEX, "born": day("{d:02}.{m:02}.{s:02}")}, {"sex": TEXT, "born": DAY},
        options=["--date-format", "born=dmy:1925"],
    ),
    "months by their names": OddFile(
        {"sex": SEX, "visit": lambda row: f"{row % 28 + 1:02}-{('JAN', 'MAR', 'MAI', 'OKT')[row % 4]}-2024"},
        {"sex": TEXT, "visit": DAY},
    ),
    "moments of ISO 8601 in zones": OddFile(
        {"sex": SEX, "at": lambda row: f"2024-{row % 12 + 1:02}-07T08:{row:02}:00{('Z', '+02:00')[row % 2]}"},
        {"sex": TEXT, "at": MOMENT},
    ),
    "moments with the day first": OddFile(
        {"sex": SEX, "at": lambda row: f"{row % 28 + 1:02}.{row % 12 + 1:02}.2024 {row % 24}:{row:02}"},
        {"sex": TEXT, "at": MOMENT}, separator=";",
    ),
    "a clock of twelve hours": OddFile(
        {"sex": SEX, "at": lambda row: f"1/{row % 28 + 1}/2024 {row % 12 + 1}:{row:02} {('AM', 'PM')[row % 2]}"},
        {"sex": TEXT, "at": TEXT}, ["by a clock of twelve hours"],
    ),
    "numbers in powers of ten": OddFile(
        {"sex": SEX, "cells": lambda row: f"{row + 1}.5E+0{row % 5}"}, {"sex": TEXT, "cells": "DOUBLE"}
    ),
    "weights with units": OddFile(
        {"sex": SEX, "Gewicht": lambda row: f"{50 + row},5 kg"}, {"sex": TEXT, "Gewicht": "DECIMAL(18,1)"},
        separator=";",
    ),
    "codes with leading zeros": OddFile(
        {"sex": SEX, "plz": lambda row: f"0{1000 + row % 9}"}, {"sex": TEXT, "plz": TEXT}
    ),
    "a municipality's table in Shift-JIS": OddFile(
        {
            "性別": several("男", "女"), "年齢": number(18, 90, "{}歳"), "住所": JAPANESE,
            "異動日": lambda row: f"令和{row % 5 + 1}年{row % 12 + 1}月{row % 28 + 1}日",
        },
        {"性別": TEXT, "年齢": WHOLE, "住所": TEXT, "異動日": DAY}, encoding="cp932", ending="\r\n",
    ),
    "a table in EUC-JP": OddFile(
        {"性別": several("男", "女"), "年齢": number(18, 90), "住所": JAPANESE},
        {"性別": TEXT, "年齢": WHOLE, "住所": TEXT}, encoding="euc_jp",
    ),
    "a register of Poland": OddFile(
        {"płeć": several("K", "M"), "wiek": number(18, 90), "miejscowość": POLISH},
        {"płeć": TEXT, "wiek": WHOLE, "miejscowość": TEXT}, separator=";", encoding="cp1250",
    ),
    "UTF-16 with tabs, as spreadsheet programs save text": OddFile(
        {"sexe": SEX, "âge": number(18, 90), "ville": FRENCH}, {"sexe": TEXT, "âge": WHOLE, "ville": TEXT},
        separator="\t", encoding="utf-16", suffix=".txt",
    ),
    "UTF-8 with a mark, everything in quotes": OddFile(
        {"sexe": SEX, "âge": number(18, 90), "ville": FRENCH}, {"sexe": TEXT, "âge": WHOLE, "ville": TEXT},
        encoding="utf-8-sig", quotes=True,
    ),
    "lines that end as on an old Macintosh": OddFile(
        {"sexe": SEX, "âge": number(18, 90)}, {"sexe": TEXT, "âge": WHOLE}, ending="\r"
    ),
    "packed": OddFile(
        {"sexe": SEX, "âge": number(18, 90)}, {"sexe": TEXT, "âge": WHOLE}, suffix=".csv.gz", separator="|"
    ),
    "blanks around values": OddFile(
        {"sex": several("f ", " m", "f"), "age": number(18, 90, " {} ")}, {"sex": TEXT, "age": WHOLE}
    ),
}  # fmt: skip
