"""`ordermade judge recoding`: for people, as JSON, by the manifest or by options; no class of fewer than k rows."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from pathlib import Path

import pytest
import yaml

from tests.cli.conftest import Program
from tests.recoded import unsealed_request

RELEASE = "sex,city\n" + "f,Oslo\n" * 3 + "f,Kyoto\n" * 3 + "m,Osaka\n" * 2 + "f,Norway\n" * 3 + "*,Japan\n" * 4
ORIGINAL = "sex,city\n" + "".join(
    f"{sex},{city}\n" * rows
    for sex, city, rows in (
        ("f", "Oslo", 3), ("f", "Kyoto", 3), ("m", "Osaka", 2), ("f", "Bergen", 3), ("f", "Osaka", 2),
        ("m", "Kyoto", 2), ("m", "Oslo", 1),
    )
)  # fmt: skip
"""At k = 2. (f, Norway) can only be Bergen. (*, Japan) keeps two cells, which have every value."""
HIERARCHIES = ("--hierarchy", "sex=sex.csv", "--hierarchy", "city=city.yaml")


@pytest.fixture
def files(ordermade: Program, folder: Path) -> Program:
    """The program in a folder with a release, its original and their hierarchies, and no state."""
    (folder / "release.csv").write_text(RELEASE, encoding="utf-8")
    (folder / "original.csv").write_text(ORIGINAL, encoding="utf-8")
    (folder / "sex.csv").write_text("f;*\nm;*\n", encoding="utf-8")
    (folder / "city.yaml").write_text(
        "mapping:\n  Oslo: [Norway]\n  Bergen: [Norway]\n  Kyoto: [Japan]\n  Osaka: [Japan]\n", encoding="utf-8"
    )
    (folder / "towns.csv").write_text("person,city\n1,Oslo\n", encoding="utf-8")
    return ordermade


@pytest.mark.slow
def test_a_release_is_judged_without_a_state(files: Program, folder: Path) -> None:
    done = files("judge", "recoding", "release.csv", *HIERARCHIES, "--original", "original.csv", "--k", 2)
    assert done.status == 0, done.err
    shown = [" ".join(line.split()) for line in done.out.splitlines()]
    for line in (
        "k 2",
        "rows 15 in 5 classes",
        "rounds not known",
        "rows generalised 7 in 2 classes",
        "rows narrowed 3 in 1 class: 42.9 % of the rows generalised",
        "by labels alone 1 class",
        "by the method at most the 2 classes generalised: finer ones failed",
        "inferred sets right 5 of 5",
        "rows of no class fewer than 5 of the original, suppressed",
        "city listed 7 3 42.9 % 2.00 1.57",
        "3 f Norway: 1 of 2 values",
        "The order of the rounds is not known: whoever knows it may infer more (--rounds).",
    ):
        assert line in shown, (line, shown)
    assert not (folder / ".ordermade").exists()


@pytest.mark.slow
def test_the_judgement_is_one_json_document(files: Program) -> None:
    found = files("judge", "recoding", "release.csv", *HIERARCHIES, "--original", "original.csv", "--k", 2, "--json")
    document = found.document
    assert document["narrowed"] == {
        "rows": 3,
        "share": 3 / 7,
        "classes": 1,
        "classes_by_labels_alone": 1,
        "classes_by_rounds_only": 0,
        "classes_narrowed_further_by_rounds": 0,
    }
    assert document["checked"] == {
        "inferred_sets": 5,
        "right": 5,
        "rows_of_no_class": None,
        "rows_with_unlisted_values": 0,
        "original_fits": True,
    }
    assert document["worst"] == [
        {
            "labels": {"sex": "f", "city": "Norway"},
            "rows": 3,
            "values_named": {"sex": 1, "city": 2},
            "values_left": {"sex": 1, "city": 1},
        }
    ]
    assert [each["hierarchy"] for each in document["columns"]] == ["sex.csv", "city.yaml"]


WITH_WARDS = ("--original", "wards_before.csv", "--columns", "sex,city", "--sensitive", "ward", "--k", "2")


@pytest.fixture
def wards(files: Program, folder: Path) -> Program:
    """The same with a ward, by halves of each class eyes and skin in 12 rows, and heart in the class (*, Japan)."""
    for name, text in (("wards_before.csv", ORIGINAL), ("wards_after.csv", RELEASE)):
        _, *rows = text.splitlines()
        lines = [f"{row},{'heart' if '*' in row else 'eyes' if at % 2 else 'skin'}" for at, row in enumerate(rows)]
        (folder / name).write_text("\n".join(("sex,city,ward", *lines, "")), encoding="utf-8")
    return files


def test_sensitive_values_left_are_shown(wards: Program) -> None:
    """Oslo, Kyoto and Osaka are covered by the coarse classes too: 9 rows, and 5 more in cells of their own."""
    judged = ("judge", "recoding", "wards_after.csv", *HIERARCHIES, *WITH_WARDS)
    done = wards(*judged)
    assert done.status == 0, done.err
    assert "Sensitive values possible for persons whose quasi-identifiers are known:" in done.out
    (found,) = wards(*judged, "--json").document["sensitive"]
    assert (found["column"], found["values"], found["rows"]) == ("ward", 3, 15)
    assert found["rows_narrowed"] == 5  # (f, Kyoto) and (m, Osaka) might be in (*, Japan) by labels
    assert (found["values_by_labels"], found["values_left"]) == ((3 * 2 + 3 * 3 + 2 * 3 + 3 * 2 + 4) / 15, 26 / 15)
    assert (found["least_by_labels"], found["least_left"], found["least_candidates"]) == (1, 1, 2)


def test_sensitive_values_of_few_rows_are_not_shown(wards: Program) -> None:
    few = (*WITH_WARDS[:-1], "3")
    assert wards("judge", "recoding", "wards_after.csv", *HIERARCHIES, *few).status == 1
    without = wards("judge", "recoding", "wards_after.csv", *HIERARCHIES, "--sensitive", "ward")
    assert (without.status, "--original" in without.err) == (2, True)


@pytest.mark.slow
def test_fewer_rows_than_five_are_not_shown_where_k_is_not_known(files: Program) -> None:
    done = files("judge", "recoding", "release.csv", *HIERARCHIES)
    assert "fewer than 5 in 1 class" in done.out
    assert "Norway" not in done.out
    document = files("judge", "recoding", "release.csv", *HIERARCHIES, "--json").document
    assert (document["narrowed"]["rows"], document["worst"]) == (None, [])


@pytest.mark.slow
def test_a_column_without_a_hierarchy_is_named(files: Program) -> None:
    done = files("judge", "recoding", "release.csv", "--hierarchy", "city=city.yaml", "--columns", "sex,city")
    assert "Without a hierarchy, so each label counts as one value: sex." in done.out
    done = files("judge", "recoding", "release.csv", "--hierarchy", "city=city.yaml")
    assert "No quasi-identifiers here: sex." in done.out


@pytest.mark.slow
def test_columns_hierarchies_k_and_rounds_are_in_the_manifest(shop: Program, folder: Path) -> None:
    request = unsealed_request("members", 3, ("sex", "age", "city"), "out/members.csv", suppression_limit=1)
    (folder / "request.yaml").write_text(yaml.safe_dump(request, sort_keys=False), encoding="utf-8")
    run = shop("request", "run", "request.yaml", "--json")
    assert run.status == 0, run.err
    (folder / "run.json").write_text(run.out, encoding="utf-8")
    judged = ("judge", "recoding", "out/members.csv", "--original", "shop.members", "--json")
    found = shop(*judged)
    assert found.status == 0, found.err
    assert found.document["k"] == 3
    assert [each["hierarchy"] for each in found.document["columns"]] == ["sex", "age", "city"]
    assert found.document["checked"]["right"] == found.document["classes"]
    named = shop(*judged, "--rounds", "run.json").document
    assert named["rounds"] == len(run.document["local"]["rounds"])
    manifest = folder / "out" / "members.csv.manifest.json"
    content = json.loads(manifest.read_text(encoding="utf-8"))
    manifest.write_text(json.dumps({**content, "rounds": []}), encoding="utf-8")
    without = shop(*judged).document
    assert without["rounds"] is None
    assert shop(*judged, "--rounds", "run.json").document == named


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        ((), 2, "release.csv: no hierarchy says which values the labels name. Give that of each generalised column"),
        (("--hierarchy", "city"), 2, "--hierarchy: a hierarchy is given as a column and a name or file"),
        ((*HIERARCHIES, *HIERARCHIES), 2, "--hierarchy: 'sex' is named twice"),
        (("--hierarchy", "town=city.yaml"), 2, "--hierarchy: there is no column 'town'"),
        (("--hierarchy", "city=none.yaml"), 2, "--hierarchy of 'city': there is no file or registered hierarchy"),
        (("--hierarchy", "city=sex.csv"), 2, "column 'city': labels of 15 rows are in no level of the hierarchy"),
        ((*HIERARCHIES, "--k", 4), 1, "release.csv: the release is not 4-anonymous: a class has fewer than 4 rows"),
        ((*HIERARCHIES, "--rounds", "none.json"), 2, "none.json: the file cannot be read"),
        ((*HIERARCHIES, "--rounds", "sex.csv"), 2, "sex.csv: the file is not JSON"),
        ((*HIERARCHIES, "--where", "sex = 'f'"), 2, "--where: there is no original to filter"),
        ((*HIERARCHIES, "--original", "towns.csv"), 2, "towns.csv: there is no column 'sex'"),
    ],
)
def test_bad_input_ends_with_one_message(
    files: Program, arguments: tuple[object, ...], status: int, message: str
) -> None:
    done = files("judge", "recoding", "release.csv", *arguments)
    assert done.status == status
    assert message in done.err
    assert not done.out


def test_an_empty_release_is_refused(files: Program, folder: Path) -> None:
    (folder / "release.csv").write_text("sex,city\n", encoding="utf-8")
    done = files("judge", "recoding", "release.csv", *HIERARCHIES, "--header")
    assert (done.status, done.out) == (2, "")
    assert "release.csv: there are no rows in it" in done.err


@pytest.mark.slow
def test_a_wrong_original_is_named(files: Program, folder: Path) -> None:
    """Rows that no class can hold are suppressed ones of the right original alone."""
    (folder / "other.csv").write_text(ORIGINAL + "f,Lima\n" * 5 + "f,Bergen\n" * 3, encoding="utf-8")
    done = files("judge", "recoding", "release.csv", *HIERARCHIES, "--original", "other.csv", "--k", 2)
    shown = [" ".join(line.split()) for line in done.out.splitlines()]
    assert (
        "rows of no class 6 of what was given as the original, 5 of them with values that no hierarchy lists" in shown
    )
    assert "This is not the original of the release, or hierarchies, rounds or row" in done.out
    assert "suppressed, " not in done.out
    as_json = files("judge", "recoding", "release.csv", *HIERARCHIES, "--original", "other.csv", "--json")
    checked = json.loads(as_json.out)["checked"]
    assert (checked["original_fits"], checked["rows_with_unlisted_values"]) == (False, 5)


@pytest.mark.slow
def test_an_original_in_sqlite(files: Program, folder: Path) -> None:
    rows = [tuple(line.split(",")) for line in ORIGINAL.splitlines()[1:]]
    with contextlib.closing(sqlite3.connect(folder / "original.sqlite")) as connection:
        connection.execute("CREATE TABLE persons (sex TEXT, city TEXT)")
        connection.executemany("INSERT INTO persons VALUES (?, ?)", rows)
        connection.commit()
    done = files("judge", "recoding", "release.csv", *HIERARCHIES, "--original", "original.sqlite", "--k", 2)
    assert done.status == 0, done.err
    assert "inferred sets right 5 of 5" in [" ".join(line.split()) for line in done.out.splitlines()]


@pytest.mark.slow
def test_a_release_of_mondrian_is_judged_by_its_manifest(ordermade: Program, folder: Path) -> None:
    """Along hierarchies its classes do not overlap; at medians their labels are of no hierarchy."""
    for command in (
        ("demo", "--rows", 2000, "--folder", "made-up"),
        ("init",),
        ("source", "add", "shop", "made-up/members.duckdb"),
        ("dataset", "add", "members", "--source", "shop", "--table", "members"),
        ("hierarchy", "add", "sex", "made-up/hierarchies/sex.yaml"),
        ("hierarchy", "add", "age", "made-up/hierarchies/age.yaml"),
    ):
        assert ordermade(*command).status == 0
    for variant in ("hierarchy", "median"):
        request = {
            "title": variant,
            "method": "mondrian",
            "dataset": "members",
            "k": 20,
            "mondrian": {"variant": variant},
            "quasi_identifiers": {"sex": {"hierarchy": "sex"}, "age": {"hierarchy": "age"}},
            "release": {"to": f"{variant}.parquet"},
        }
        (folder / "request.yaml").write_text(yaml.safe_dump(request), encoding="utf-8")
        assert ordermade("request", "run", "request.yaml").status == 0
    done = ordermade("judge", "recoding", "hierarchy.parquet", "--original", "shop.members", "--json")
    assert done.status == 0, done.err
    found = json.loads(done.out)
    assert (found["k"], found["rows"], found["narrowed"]["classes"]) == (20, 2000, 0)
    assert found["checked"]["right"] == found["checked"]["inferred_sets"] == found["classes"]
    assert found["checked"]["original_fits"]
    assert "The order of the rounds" not in ordermade("judge", "recoding", "hierarchy.parquet").out
    at_medians = ordermade("judge", "recoding", "median.parquet")
    assert at_medians.status == 2
    assert "no hierarchy says which values the labels name" in at_medians.err
