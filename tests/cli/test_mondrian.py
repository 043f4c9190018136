"""Mondrian from the command line: checked, explained, run, shown; on the screen and as JSON; nothing of a person."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from pathlib import Path

import duckdb
import pytest

from tests.cli.conftest import FIRST_PHONE, MARKER, NOT_LOOKED_AT, Program

REQUEST = """\
title: Members, split
dataset: members
method: mondrian
k: {k}
quasi_identifiers: {{sex: {{hierarchy: sex}}, age: , city: {{hierarchy: city}}}}
identifiers: [name, phone]
keep: [plan]
mondrian: {{variant: {variant}, split: tf-idf, rules: rules.yaml}}
release: {{to: out/members.csv}}
"""
RULES = """\
rules:
  - {item: Clothes B, weight: 2, when: {age: [20, 29], sex: m}}
  - {item: Fewer than k, when: {age: 20, city: Norway, sex: m}}
  - {item: A rather long name of what is recommended to many, when: {city: Oslo}}
"""


def written(folder: Path, k: int = 4, variant: str = "hierarchy", more: str = "") -> Path:
    (folder / "rules.yaml").write_text(RULES, encoding="utf-8")
    path = folder / "split.yaml"
    path.write_text(REQUEST.format(k=k, variant=variant) + more, encoding="utf-8")
    return path


def lines(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines()]


@pytest.mark.slow
def test_a_request_is_checked_run_and_shown(shop: Program, folder: Path) -> None:
    asked = written(folder)
    checked = shop("request", "check", asked)
    asks = "classes of 4 rows or more over sex (sex), age, city (city); hierarchy Mondrian, split by tf-idf; 3 rules"
    assert (checked.status, checked.out) == (0, f"{asked} is sound: {asks}\n{NOT_LOOKED_AT}\n")
    document = shop("request", "check", asked, "--json").document
    assert [each["split_as"] for each in document["quasi_identifiers"]] == ["nested", "ordered", "nested"]
    assert (document["variant"], document["split"], document["rules"]) == ("hierarchy", "tf-idf", 3)

    done = shop("request", "run", asked, "--verbose")
    assert done.status == 0, done.err
    with (folder / "out" / "members.csv").open(encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file)]
    classes = Counter((row["sex"], row["age"], row["city"]) for row in rows)
    oslo = sum(row["city"] in ("Oslo", "Norway") for row in rows)  # half of Norway is Oslo
    shown = lines(done.out)
    for line in (
        "Released: request 1, Members, split",
        "Persons served by each rule:",
        "rule weight means serves recall precision",
        "Fewer than k 1 fewer than 4 - - -",
        f"k {min(classes.values())} (you required 4); it counts rows",
        f"classes {len(classes)}",
        f"largest class {max(classes.values())} rows",
        "rows 144 of 144 released",
        "method hierarchy Mondrian, split by tf-idf",
        "source queries 1",
        "release out/members.csv",
    ):
        assert line in shown
    assert any(line.startswith("A rather long name ") and f" 1 36 {oslo} " in line for line in shown)
    assert any(line.startswith("city ") and line.endswith(told_levels(rows)) for line in shown)

    told = lines(shop("request", "show", "1", "--verbose").out)
    for line in ("method mondrian", "variant hierarchy", "split by tf-idf", "age ordered - -", "city nested city 0"):
        assert line in told
    record = shop("request", "show", "1", "--json").document
    assert record["options"].startswith("strict true, labels interval, 3 rules of sha256 ")
    assert [each["kind"] for each in record["splits"]] == ["nested", "ordered", "nested"]


def told_levels(rows: list[dict[str, str]]) -> str:
    """The rows at each level of the cities, as the labels have them."""
    at = Counter({"Norway": "level1", "Japan": "level1", "*": "*"}.get(row["city"], "value") for row in rows)
    return ", ".join(f"{level}: {at[level]}" for level in ("value", "level1", "*") if at[level])


@pytest.mark.slow
def test_a_release_is_one_document(shop: Program, folder: Path) -> None:
    document = shop("request", "run", written(folder, variant="median"), "--json").document
    with (folder / "out" / "members.csv").open(encoding="utf-8", newline="") as file:
        classes = Counter((row["sex"], row["age"], row["city"]) for row in csv.DictReader(file))
    report = document["mondrian"]
    assert (report["groups"], report["smallest"], report["largest"]) == (
        len(classes),
        min(classes.values()),
        max(classes.values()),
    )
    assert document["k"] == report["smallest"] >= 4
    assert report["prec"] == pytest.approx(1 - document["loss"]["prec"])
    assert [each["item"] for each in document["recommendation"]][:2] == ["Clothes B", "Fewer than k"]
    assert document["recommendation"][0]["meant"] == 20
    assert document["recommendation"][1]["after"] is None
    manifest = json.loads((folder / "out" / "members.csv.manifest.json").read_text(encoding="utf-8"))
    assert manifest["mondrian"] == report
    assert len(manifest["rules_sha256"]) == 64
    assert "Clothes" not in json.dumps(manifest)


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["hierarchy", "median"])
def test_what_is_explained_runs_by_hand_as_far_as_the_classes(shop: Program, folder: Path, variant: str) -> None:
    steps = shop("request", "explain", written(folder, variant=variant), "--json").document["steps"]
    titles = [each["title"] for each in steps]
    with duckdb.connect() as connection:
        for each in steps[: titles.index("the combinations, to be split") + 1]:
            # The folder that a run spills to is its own, so an explained statement leaves its name out.
            found = connection.execute(re.sub(r"'[^']*ordermade-spill-…", f"'{folder}", each["sql"])).fetchall()
        counted = connection.execute("FROM frequency_set").fetchall()
    assert len(found) == len(counted)
    assert sum(row[-1] for row in found) == sum(row[-1] for row in counted) == 144
    assert set(range(36)) in [set(column) for column in zip(*found, strict=True)]  # the numbers of the ages
    assert not [cell for row in counted for cell in row if str(cell).startswith((MARKER, str(FIRST_PHONE)[:7]))]
    assert not (folder / "out").exists()
    assert titles[-2:] == ["release, written", "release, measured again"]


@pytest.mark.slow
def test_a_refusal_and_a_mistake_say_what_to_do(shop: Program, folder: Path) -> None:
    refused = shop("request", "run", written(folder, k=145))
    assert (refused.status, refused.out) == (1, "")
    assert "fewer than 145 rows remain, so nothing can be released" in refused.err
    assert "Ask for a smaller k, or " in refused.err
    sensitive = "sensitive: {phone: [{model: distinct_l, l: 2}]}\n"
    mistaken = shop("request", "check", written(folder, more=sensitive))
    assert (mistaken.status, mistaken.out) == (2, "")
    assert "sensitive.phone" in mistaken.err
    asked = written(folder)
    (folder / "rules.yaml").write_text(RULES.replace("Oslo", "Olso"), encoding="utf-8")
    wrong = shop("request", "run", asked)
    assert (wrong.status, wrong.out) == (2, "")
    assert "rules.yaml:4: rules[2].when.city" in wrong.err
    told = shop("request", "predict", written(folder))
    assert told.status == 2
    assert "no levels are searched" in told.err
    assert not (folder / "out").exists()
