"""`request offers` and `request run --offer`: what passes instead, as promised; anew where the data changed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from ordermade.views.screen import notify
from tests.cli.conftest import Program, done_in, write_members, write_request

pytestmark = pytest.mark.slow


@pytest.fixture
def refused(shop: Program, folder: Path) -> Program:
    """The program in a folder of its own with its own members, and a request that is refused."""
    write_members(folder / "members.csv")
    done_in(
        folder,
        ["dataset", "remove", "members"],
        ["source", "remove", "shop"],
        ["source", "add", "shop", "members.csv"],
        ["dataset", "add", "members", "--source", "shop", "--table", "members", "--least-k", "2"],
    )
    text = write_request(folder / "request.yaml", k=20, end=1).read_text(encoding="utf-8")
    (folder / "request.yaml").write_text(text.replace("city}", "city, to: 0}"), encoding="utf-8")
    return shop


def test_offers_are_a_table_of_what_is_given_up(refused: Program, folder: Path) -> None:
    done = refused("request", "offers", "request.yaml")

    assert done.status == 0
    assert done.out.endswith("\nNext: ordermade request run request.yaml --offer 1\n")
    assert "a k of 2 instead of 20" in done.out
    assert "age in twenty years instead of five years; city in level1 instead of its own values" in done.out
    assert "Nodes measured for the offers: " not in done.out
    assert "Nodes measured for the offers: " in refused("request", "offers", "request.yaml", "--verbose").out
    assert not (folder / "out").exists()


def test_an_offer_is_released_as_promised(refused: Program) -> None:
    document = refused("request", "offers", "request.yaml", "--json").document

    assert (document["status"], document["complete"]) == ("refused", True)
    assert [each["offer"] for each in document["offers"]] == list(range(1, len(document["offers"]) + 1))
    for offer in document["offers"]:
        done = refused("request", "run", "request.yaml", "--offer", offer["offer"], "--json")
        assert done.status == 0
        assert all("lost" in each for each in done.err.splitlines() if each.startswith("Warning"))
        for figure in ("k", "classes", "suppressed_rows", "suppressed_persons", "loss"):
            assert done.document[figure] == offer[figure]
        if offer["levels"]:
            assert done.document["levels"] == offer["levels"]


def test_a_released_offer_says_what_was_given_up(refused: Program, folder: Path) -> None:
    refused("request", "offers", "request.yaml")

    done = refused("request", "run", "request.yaml", "--offer", 1)

    assert done.status == 0
    assert "Offer 1, as promised: " in done.out
    manifest = json.loads((folder / "out" / "members.csv.manifest.json").read_text(encoding="utf-8"))
    assert manifest["k"] >= 2


def test_a_refusal_has_its_offers_beneath_it(refused: Program) -> None:
    screen = refused("request", "run", "request.yaml")
    answer = refused("request", "run", "request.yaml", "--json")

    assert (screen.status, answer.status) == (1, 1)
    assert screen.err.startswith("Refused: ")
    assert screen.out.lstrip().startswith("Passes instead:")
    assert answer.document["nearest"] is not None
    assert answer.document["offers"] == refused("request", "offers", "request.yaml", "--json").document["offers"]
    assert refused("request", "run", "request.yaml", "--offer", 1).status == 0


def test_a_refusal_does_not_wait_for_its_offers(refused: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    def looked_for(*_: object) -> None:
        notify("the offers are looked for")

    monkeypatch.setattr("ordermade.cli.request.under_refusal", looked_for)

    done = refused("request", "run", "request.yaml")

    assert done.err.startswith("Refused: ")
    assert done.err.endswith("the offers are looked for\n")


def test_there_are_no_offers_beneath_other_refusals(refused: Program, folder: Path) -> None:
    write_request(folder / "few.yaml", k=200)
    too_few = refused("request", "run", "few.yaml")
    text = (folder / "request.yaml").read_text(encoding="utf-8")
    (folder / "stopped.yaml").write_text(text + "search: {budget: {questions: 1}}\n", encoding="utf-8")
    (folder / "identifying.yaml").write_text(text.replace("[name, phone]", "[name]").replace("[plan]", "[phone]"))
    identifying = refused("request", "run", "identifying.yaml", "--json")
    mondrian = folder / "mondrian.yaml"
    mondrian.write_text(
        "dataset: members\nk: 200\nmethod: mondrian\nquasi_identifiers: {age: }\nrelease: {to: out/m.csv}\n"
    )
    by_mondrian = refused("request", "run", "mondrian.yaml")

    assert (too_few.status, too_few.out) == (1, "")
    assert identifying.status == 1
    assert "offers" not in identifying.document
    assert (by_mondrian.status, by_mondrian.out) == (1, "")
    offers = refused("request", "offers", "few.yaml")
    assert (offers.status, offers.out) == (1, "")
    assert "fewer than 200 rows remain" in offers.err


def test_an_offer_of_no_such_number_is_a_mistake(refused: Program) -> None:
    refused("request", "offers", "request.yaml")

    done = refused("request", "run", "request.yaml", "--offer", 9)

    assert done.status == 2
    assert "there is no offer 9 of this request" in done.err
    assert refused("request", "run", "request.yaml", "--offer", 0).status == 2


def test_an_offer_that_was_never_made_is_a_mistake(refused: Program) -> None:
    done = refused("request", "run", "request.yaml", "--offer", 1)

    assert done.status == 2
    assert "no offers of this request are on record" in done.err


def test_a_request_that_passes_has_no_offers(shop: Program) -> None:
    done = shop("request", "offers", "request.yaml")

    assert (done.status, done.err) == (0, "")
    assert "request.yaml passes as it is" in done.out
    document = shop("request", "offers", "request.yaml", "--json").document
    assert (document["status"], document["offers"]) == ("passes", [])
    assert shop("request", "list", "--json").document["requests"] == []
    assert shop("request", "run", "request.yaml", "--offer", 1).status == 2


def test_offers_are_made_anew_where_the_data_changed(refused: Program, folder: Path) -> None:
    before = refused("request", "offers", "request.yaml", "--json").document
    members = folder / "members.csv"
    lines = members.read_text(encoding="utf-8").splitlines()
    members.write_text("\n".join([*lines, *lines[1:40]]) + "\n", encoding="utf-8")

    done = refused("request", "run", "request.yaml", "--offer", 1, "--json")

    assert done.status == 1
    assert "the data changed since the offers were made" in done.err
    assert done.document["status"] == "changed"
    assert done.document["offers"] != before["offers"]
    assert not (folder / "out" / "members.csv").exists()
    again = refused("request", "run", "request.yaml", "--offer", 1, "--json")
    assert again.status == 0
    assert again.document["k"] == done.document["offers"][0]["k"]


def test_offers_are_made_anew_where_a_hierarchy_changed(refused: Program, folder: Path) -> None:
    refused("request", "offers", "request.yaml")
    shutil.copy(folder / "age.csv", folder / "other.csv")
    text = (folder / "other.csv").read_text(encoding="utf-8").replace("20s", "young")
    (folder / "other.csv").write_text(text, encoding="utf-8")
    assert refused("hierarchy", "add", "age", "other.csv").status == 0

    done = refused("request", "run", "request.yaml", "--offer", 1)

    assert done.status == 1
    assert "a hierarchy changed since the offers were made" in done.err
    assert "Passes instead:" in done.out


@pytest.mark.parametrize("command", [("offers",), ("run", "--offer", "1")])
def test_other_methods_have_no_offers(refused: Program, folder: Path, command: tuple[str, ...]) -> None:
    text = "dataset: members\nk: 5\nmethod: mondrian\nquasi_identifiers: {age: }\nrelease: {to: out/m.csv}\n"
    (folder / "mondrian.yaml").write_text(text, encoding="utf-8")

    done = refused("request", command[0], "mondrian.yaml", *command[1:])

    assert done.status == 2
    assert "is for requests whose method is generalization, not mondrian" in done.err


def test_what_table_c_knows_is_not_measured_again(refused: Program) -> None:
    first = refused("request", "offers", "request.yaml", "--json").document
    again = refused("request", "offers", "request.yaml", "--json").document

    assert first["nodes_measured"] > 0
    assert again["nodes_measured"] == 0
    assert first["offers"] == again["offers"]


@pytest.mark.slow
def test_offers_without_a_rollup_are_the_same(refused: Program, folder: Path) -> None:
    shutil.copy(folder / ".ordermade" / "state.sqlite", folder / "other.sqlite")

    rolled_up = refused("request", "offers", "request.yaml", "--json").document
    in_source = refused(
        "--state", "other.sqlite", "request", "offers", "request.yaml", "--no-rollup", "--json"
    ).document

    assert in_source["offers"] == rolled_up["offers"]


def test_a_plain_release_makes_no_offers(shop: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ordermade.engine.Engine.offers", lambda *_, **__: pytest.fail("offers were made"))

    assert shop("request", "run", "request.yaml").status == 0
