"""`release report`, and `--html` of `request run` and `anonymize`: a new private page, checked before anything runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Program, leaks, write_members, write_request

pytestmark = pytest.mark.slow

ANONYMIZE = (
    "anonymize", "members.csv", "--k", 5, "--quasi-identifiers", "sex,age,city", "--keep", "plan",
    "--identifiers", "name,phone",
)  # fmt: skip


def text_of(file: Path) -> str:
    """The page; no value of an identifier is in it."""
    assert file.stat().st_mode & 0o777 == 0o600
    text = file.read_text(encoding="utf-8")
    assert not leaks(text)
    return text


def test_request_run_writes_the_report_for_the_provider(shop: Program, folder: Path) -> None:
    done = shop("request", "run", "request.yaml", "--html", "report.html")

    assert done.status == 0
    assert "Report, for the provider: report.html" in done.out
    text = text_of(folder / "report.html")
    assert "For the data provider: do not pass on" in text
    assert "Members by sex, age and city" in text


def test_release_report_for_a_user_in_japanese(shop: Program, folder: Path) -> None:
    shop("request", "run", "request.yaml")
    done = shop("release", "report", 1, "--for", "user", "--lang", "ja", "--html", "report.html")

    assert done.status == 0
    assert done.out == "Report of release 1, for the user: report.html\n"
    text = text_of(folder / "report.html")
    assert '<html lang="ja">' in text
    assert "データ利用者用" in text
    assert "do not pass on" not in text


def test_release_report_without_a_file_is_a_summary(shop: Program) -> None:
    shop("request", "run", "request.yaml")
    done = shop("release", "report", 1)

    assert done.status == 0
    assert "at most 1 in" in done.out
    assert "<" not in done.out
    assert done.out.splitlines()[-1].endswith("ordermade release report 1 --html report-1.html")


def test_release_report_as_json(shop: Program) -> None:
    shop("request", "run", "request.yaml")
    found = shop("release", "report", 1, "--for", "user", "--json").document

    assert (found["command"], found["path"]) == ("release report", None)
    assert [found["report"][each] for each in ("audience", "floor", "release")] == ["user", 5, 1]


def test_anonymize_writes_the_report(ordermade: Program, folder: Path) -> None:
    write_members(folder / "members.csv")
    done = ordermade(*ANONYMIZE, "--html", "report.html", "--lang", "ja")

    assert done.status == 0
    assert "データ提供者用" in text_of(folder / "report.html")
    assert "release report" not in done.out  # the state is gone
    again = ordermade(*ANONYMIZE, "--to", "again.csv", "--html", "again.html", "--json")
    assert again.document["report"] == "again.html"


def test_refusal_writes_no_report_and_says_so(shop: Program, folder: Path) -> None:
    write_request(folder / "request.yaml", k=1_000)
    done = shop("request", "run", "request.yaml", "--html", "report.html")

    assert done.status == 1
    assert "so no report was written to report.html" in done.out
    assert not (folder / "report.html").exists()


@pytest.mark.parametrize("file", ["report.txt", "nowhere/report.html", "there.html"])
def test_a_file_that_cannot_become_a_report_is_refused_before_anything_runs(
    shop: Program, folder: Path, file: str
) -> None:
    (folder / "there.html").write_text("mine", encoding="utf-8")
    done = shop("request", "run", "request.yaml", "--html", file)

    assert done.status == 2
    assert file.rpartition("/")[0] in done.err
    assert not (folder / "out").exists()
    assert "No request was run yet" in shop("request", "list").out
    assert shop("release", "report", 1, "--html", file).status == 2
    assert shop(*ANONYMIZE, "--html", file).status == 2
    assert (folder / "there.html").read_text(encoding="utf-8") == "mine"


def test_the_release_that_is_returned_is_reported(shop: Program, folder: Path) -> None:
    request = folder / "request.yaml"
    request.write_text(request.read_text(encoding="utf-8").replace(", replace: true", ""), encoding="utf-8")
    shop("request", "run", "request.yaml")
    done = shop("request", "run", "request.yaml", "--html", "report.html")

    assert done.status == 0
    assert "release report 1 --for user" in done.out
    assert text_of(folder / "report.html")


def test_unknown_audience_and_language_are_refused(shop: Program) -> None:
    assert shop("release", "report", 1, "--for", "anybody").status == 2
    assert shop("release", "report", 1, "--lang", "fr").status == 2
    assert shop("request", "run", "request.yaml", "--explain", "--html", "report.html").status == 2


def test_unknown_release_is_refused(shop: Program) -> None:
    assert shop("release", "report", 9).status == 2
