"""`request predict` from outside: exit status, the one JSON object, screens, what it touches."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Program, write_request

KEYS = {
    "format",
    "command",
    "title",
    "dataset",
    "k",
    "objective",
    "verdict",
    "chance",
    "finest",
    "certain",
    "expected",
    "ranked_by",
    "nodes_in_lattice",
    "nodes_proved_to_pass",
    "nodes_proved_to_fail",
    "predictor",
    "too_little",
    "basis",
    "cost",
    "questions",
    "seconds",
    "calibration",
    "unchecked",
    "gone",
    "covered",
    "nodes_left_out",
    "nodes",
    "beside",
}
NODE = {"levels", "level_names", "k", "low", "high", "bounded", "chance", "proved", "classes"}


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_with_nothing_known_it_says_what_it_would_cost_to_know(shop: Program, folder: Path) -> None:
    before = files(folder)

    told = shop("request", "predict", "request.yaml")
    document = shop("request", "predict", "request.yaml", "--json").document

    assert (told.status, told.err) == (0, "")
    assert told.out.startswith("Predicted, nothing counted: Members by sex, age and city, k = 5 on members\n")
    for words in (
        "cannot be predicted yet",
        "the dataset 'members' was never counted",
        "1 statement for the dataset version, 3 for the values of columns",
        "1 for columns that may identify persons, 1 frequency set and 1 for the release",
        "names and types of the columns: this dataset was never counted",
        "24: 0 proved to pass, 0 proved to fail, 24 open",
    ):
        assert words in told.out
    assert set(document) == KEYS
    assert (document["verdict"], document["nodes"], document["basis"]) == ("open", [], None)
    assert document["cost"] == {
        "version_queries": 1,
        "coverage_queries": 3,
        "identifying_queries": 1,
        "source_queries": 1,
        "release_queries": 1,
        "nodes_open": 24,
        "by_part": False,
        "if_changed": None,
        "unchanged": False,
    }
    assert files(folder) == before


@pytest.mark.slow
def test_what_earlier_requests_counted_is_told_with_figures(shop: Program, folder: Path) -> None:
    shop("request", "run", "request.yaml")
    write_request(folder / "again.yaml", k=3)

    told = shop("request", "predict", "again.yaml")
    document = shop("request", "predict", "again.yaml", "--json").document

    assert (told.status, told.err) == (0, "")
    known = "144 rows, as last seen"
    for words in ("will it pass", "yes, proved", "expected", "its k", "table C", "marginals", known):
        assert words in told.out
    assert set(document["nodes"][0]) == NODE
    assert (document["verdict"], document["chance"]) == ("passes", 1.0)
    assert len(document["nodes"]) == document["nodes_in_lattice"] == 24
    assert document["basis"]["marginals"] == ["sex", "age", "city"]
    proved = [each for each in document["nodes"] if each["proved"]]
    assert len(proved) == document["nodes_proved_to_pass"] + document["nodes_proved_to_fail"]
    assert shop("request", "run", "again.yaml", "--json").document["levels"] == document["certain"]["levels"]


@pytest.mark.slow
def test_exit_status_is_0_where_a_refusal_is_foretold(shop: Program, folder: Path) -> None:
    write_request(folder / "strict.yaml", k=100, end=0)
    text = (folder / "strict.yaml").read_text(encoding="utf-8").replace("{hierarchy: sex}", "{hierarchy: sex, to: 0}")
    (folder / "strict.yaml").write_text(text, encoding="utf-8")
    assert shop("request", "run", "strict.yaml").status == 1

    told = shop("request", "predict", "strict.yaml")

    assert told.status == 0
    assert "no, proved: `request run` will refuse it" in told.out


@pytest.mark.slow
def test_a_list_is_cut_at_thirty_rows_unless_all_are_asked_for(shop: Program, folder: Path) -> None:
    shop("request", "run", "request.yaml")
    text = (folder / "request.yaml").read_text(encoding="utf-8")
    assert "--all" not in shop("request", "predict", "request.yaml").out  # 24 nodes
    ages = "".join(f"{age},{age // 5},{age // 10},{age // 20},{age // 30}\n" for age in range(60))
    (folder / "wide.csv").write_text("age,a,b,c,d\n" + ages, encoding="utf-8")
    assert shop("hierarchy", "add", "wide", "wide.csv").status == 0
    wide = text.replace("hierarchy: age, from: 0, to: 3", "hierarchy: wide")
    (folder / "wide.yaml").write_text(wide, encoding="utf-8")

    cut = shop("request", "predict", "wide.yaml").out
    whole = shop("request", "predict", "wide.yaml", "--all").out

    assert "no prediction" in cut  # the levels between were never counted
    assert "30 of 36 nodes" in cut
    assert "--all" not in whole
    assert len(whole.splitlines()) == len(cut.splitlines()) + 6


@pytest.mark.slow
def test_a_predictor_is_named_or_refused_with_the_nearest(shop: Program, folder: Path) -> None:
    shop("request", "run", "request.yaml")

    named = shop("request", "predict", "request.yaml", "--predictor", "independence", "--json")
    wrong = shop("request", "predict", "request.yaml", "--predictor", "independance")

    assert named.document["predictor"]["name"] == "independence"
    assert wrong.status == 2
    assert "--predictor: there is no predictor 'independance'. Did you mean 'independence'?" in " ".join(
        wrong.err.split()
    )


def test_a_malformed_request_is_exit_status_2_with_every_mistake(shop: Program, folder: Path) -> None:
    write_request(folder / "wrong.yaml", k=1, end=9)
    unknown_level = write_request(folder / "level.yaml", end=9)

    assert shop("request", "predict", "wrong.yaml").status == 2
    told = shop("request", "predict", unknown_level)
    assert told.status == 2
    assert "there is no level 9" in told.err
    assert shop("request", "predict", "no-such-file.yaml").status == 2


@pytest.mark.slow
def test_a_column_the_dataset_no_longer_has_is_told_as_last_seen(shop: Program, folder: Path) -> None:
    shop("request", "run", "request.yaml")
    text = (folder / "request.yaml").read_text(encoding="utf-8").replace("keep: [plan]", "keep: [plans]")
    (folder / "renamed.yaml").write_text(text, encoding="utf-8")

    told = shop("request", "predict", "renamed.yaml")

    assert told.status == 2
    words = " ".join(told.err.split())
    assert "did you mean 'plan'?" in words
    assert "The dataset's columns are those it had when it was last counted" in words


@pytest.mark.slow
def test_the_source_may_be_away(shop: Program, folder: Path, registered: Path) -> None:
    shop("request", "run", "request.yaml")
    before = json.loads(shop("request", "predict", "request.yaml", "--json").out)
    members = registered / "members.csv"
    away = members.rename(registered / "away.csv")
    try:
        assert shop("request", "run", "request.yaml").status == 3
        away_too = shop("request", "predict", "request.yaml", "--json").document
        (unseen,) = away_too.pop("unchecked")
        assert "the source could not be opened (there is no such file)" in unseen
        assert (before.pop("unchecked"), away_too) == ([], before)
    finally:
        away.rename(members)
