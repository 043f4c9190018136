"""Tables as people have them, for one command each: messy CSV in Shift-JIS, workbooks, SQLite, a wide file."""

from __future__ import annotations

import csv
import random
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

JAPANESE = ("東京都", "大阪府", "北海道", "愛知県", "福岡県", "沖縄県", "宮城県", "広島県")
DISEASES = ("influenza", "asthma", "diabetes", "hypertension", "migraine")
PERSONS = 4_000


def _persons(rows: int, seed: int) -> list[dict[str, str]]:
    chosen = random.Random(seed)
    persons = []
    for number in range(rows):
        age = min(99, max(0, int(chosen.gauss(45, 18))))
        year, month, day = 2023 - age, chosen.randint(1, 12), chosen.randint(1, 28)
        income = int(chosen.lognormvariate(8.3, 0.5)) * 1_000
        persons.append(
            {
                "id": f"P{number:06}",
                "name": f"氏名{number}",
                "age": f"{age}歳",
                "sex": chosen.choice("男女"),
                "birth": f"{year}/{month:02}/{day:02}",
                "prefecture": chosen.choices(JAPANESE, weights=range(len(JAPANESE), 0, -1))[0],
                "income": f"￥{income:,}",
                "visits": str(chosen.randint(1, 12)),
                "disease": chosen.choice(DISEASES),
            }
        )
    return persons


def messy_shift_jis(path: Path, rows: int = PERSONS) -> Path:
    """A CSV file in Shift-JIS: ages like 54歳, incomes like ￥1,200,000, dates with slashes."""
    persons = _persons(rows, 1)
    with path.open("w", encoding="cp932", newline="") as file:
        writer = csv.DictWriter(file, list(persons[0]))
        writer.writeheader()
        writer.writerows(persons)
    return path


def workbook(path: Path, rows: int = PERSONS) -> Path:
    """An .xlsx workbook with one sheet of persons, numbers as numbers."""
    import xlsxwriter

    persons = _persons(rows, 4)
    names = list(persons[0])
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet("patients")
        sheet.write_row(0, 0, names)
        for place, person in enumerate(persons, start=1):
            sheet.write_row(place, 0, list((person | {"visits": int(person["visits"])}).values()))
    return path


def sqlite_file(path: Path, rows: int = PERSONS) -> Path:
    """A SQLite file with one table of persons."""
    persons = _persons(rows, 2)
    names = list(persons[0])
    with sqlite3.connect(path) as connection:
        connection.execute(f"CREATE TABLE patients ({', '.join(f'{name} TEXT' for name in names)})")
        connection.executemany(
            f"INSERT INTO patients VALUES ({', '.join('?' * len(names))})",
            [tuple(each.values()) for each in persons],
        )
    connection.close()
    return path


def wide_csv(path: Path, columns: int = 300, rows: int = 20_000) -> Path:
    """A CSV file of so many columns: answers to questions, a few measurements, sex, age and town."""
    chosen = random.Random(3)
    names = ["sex", "age", "town", *(f"q{number}" for number in range(columns - 3))]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        for _ in range(rows):
            answers: list[object] = [
                chosen.randint(1, 5) if place % 10 else round(chosen.gauss(0, 1), 3) for place in range(columns - 3)
            ]
            writer.writerow([chosen.choice("fm"), chosen.randint(18, 90), f"town {chosen.randint(1, 40)}", *answers])
    return path


def least_class(release: Path, quasi_identifiers: Sequence[str]) -> int:
    """The rows of the smallest class of a release, counted by pandas alone."""
    if release.suffix == ".parquet":
        frame = pd.read_parquet(release)
    elif release.suffix == ".xlsx":
        frame = pd.read_excel(release, dtype=str, engine="calamine")
    else:
        frame = pd.read_csv(release, dtype=str, keep_default_na=False)
    return int(frame.groupby(list(quasi_identifiers), dropna=False).size().min())
