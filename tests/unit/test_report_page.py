"""The page of a report: every method and language, values inert, the catalogue complete, numbers by language."""

from __future__ import annotations

import gettext
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from checks.catalogue import ROOMS, findings
from ordermade.drafts.label_order import by_value
from ordermade.errors import InputError, UnknownName
from ordermade.loss.metrics import METRICS
from ordermade.privacy.models import MODELS
from ordermade.records.inert import cut, fitted, inert
from ordermade.reports import charts, language, wording
from ordermade.reports.cautions import CODES, CODES_OF_TABLES
from ordermade.reports.figures import (
    Association,
    Bar,
    CodebookColumn,
    Count,
    LevelShown,
    ReportedDistribution,
    ReportedHierarchy,
)
from ordermade.reports.file import write_page
from ordermade.reports.language import LANGUAGES, Language
from ordermade.reports.page import page
from ordermade.reports.sentences import bibtex, plain_summary
from tests.reports_made import HOSTILE, METHODS, bare, hostile, made


class Read(HTMLParser):
    """The elements of a page, and its text."""

    def __init__(self, document: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(document)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("report", [*map(made, METHODS), bare(), hostile()], ids=lambda each: each.method[:12])
def test_page_is_self_contained(report: Any, code: str) -> None:
    found = Read(page(report, code))

    names = {tag for tag, _ in found.tags}
    assert not names & {"script", "link", "img", "iframe", "object", "base", "form", "b"}
    policy = next(attributes for tag, attributes in found.tags if "http-equiv" in attributes)
    assert policy["content"] == "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    assert not [name for _, attributes in found.tags for name in attributes if name.startswith("on")]
    assert all(attributes["href"].startswith("#") for tag, attributes in found.tags if attributes.get("href"))
    assert found.tags[0] == ("html", {"lang": code})


def test_page_is_the_same_each_time() -> None:
    assert page(made(), "ja") == page(made(), "ja")


def test_unknown_language_is_an_error() -> None:
    with pytest.raises(UnknownName, match="language"):
        page(made(), "fr")


@pytest.mark.parametrize("text", HOSTILE)
def test_values_are_inert(text: str) -> None:
    shown = Language.of("en").value(text)

    assert re.fullmatch(
        r'<bdi class="value( short)?" dir="auto">[^<>]+</bdi>( <span class="length">\([^<>]+\)</span>)?', shown
    )
    assert len(cut(text)[0]) <= 80
    assert all(character.isprintable() or character == "\u3000" for character in inert(text))
    assert charts.width(fitted(text, 16)) <= 16


def test_long_values_show_how_long_they_are() -> None:
    assert "(10,000 characters)" in Language.of("en").value("x" * 10_000)
    assert "全10,000文字" in Language.of("ja").value("x" * 10_000)
    assert "characters" not in Language.of("en").value("x" * 80)


def test_an_escaped_control_is_no_markup() -> None:
    assert inert("a\u202eb\nc\u200bd") == r"a\u202eb\nc\u200bd"
    assert inert("東京都　千代田区 é") == "東京都　千代田区 é"


@pytest.mark.slow
@pytest.mark.parametrize("code", [each for each in LANGUAGES if each != "en"])
def test_catalogue_is_complete(code: str) -> None:
    assert [each for room in ROOMS for each in findings(room, code)] == []


@pytest.mark.slow
@pytest.mark.parametrize("code", [each for each in LANGUAGES if each != "en"])
def test_every_text_of_a_page_is_in_the_catalogue(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault: a text that the extraction overlooks, such as one within an f-string, stays English."""
    missing = []

    class Noting(gettext.NullTranslations):
        def gettext(self, message: str) -> str:
            missing.append(message)
            return message

        def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
            missing.append(msgid1)
            return msgid1

    translations = language._translations(code, language.REPORT)
    monkeypatch.setattr(translations, "_fallback", Noting())
    for method in METHODS:
        for audience in ("provider", "user"):
            page(made(method, audience), code)  # type: ignore[arg-type]
            plain_summary(made(method, audience), code)  # type: ignore[arg-type]
    page(bare(), code)
    page(hostile(), code)

    assert missing == []


def test_every_metric_model_and_caution_has_words() -> None:
    assert set(METRICS) <= set(wording.METRICS)
    assert set(MODELS) == set(wording.MODELS)
    assert {*CODES, *CODES_OF_TABLES, *wording.ALWAYS} == set(wording.CAUTIONS)
    text = Read(page(made(), "en")).text
    assert all(heading in text for heading, _ in wording.CAUTIONS.values())


@pytest.mark.parametrize(
    ("probability", "en", "ja"),
    [
        (1 / 50, "1 in 50", "1/50"),
        (0.0197, "1 in 50", "1/50"),
        (1.0, "1 in 1 (certain)", "1/1（確実）"),
        (0.7, "70%", "70%"),
        (0.0, "none", "なし"),
        (1 / 1_234, "1 in 1,234", "1/1,234"),
    ],
)
def test_chances_in_words_never_look_smaller(probability: float, en: str, ja: str) -> None:
    assert Language.of("en").chance(probability) == en
    assert Language.of("ja").chance(probability) == ja


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0.0, "0%"), (1.0, "100%"), (0.00001, "less than 0.1%"), (0.9999, "99.9%"), (0.019, "1.9%"), (0.334, "33%")],
)
def test_percentages_are_none_and_all_only_where_they_are(share: float, shown: str) -> None:
    assert Language.of("en").percent(share) == shown


def test_days_are_of_utc_and_in_japanese_of_japan_without_the_time_of_day() -> None:
    when = datetime(2026, 1, 1, 3, 0, tzinfo=timezone(timedelta(hours=9)))

    assert Language.of("en").day(when) == "31 December 2025"
    assert Language.of("ja").day(when) == "2026年1月1日"
    assert Language.of("ja").day(datetime(2026, 5, 4, tzinfo=UTC)) == "2026年5月4日"


@pytest.mark.parametrize("code", LANGUAGES)
def test_small_counts_are_only_fewer_than_k(code: str) -> None:
    found = Language.of(code)

    assert found.count(Count.of(3, 5)) == {"en": "fewer than 5", "ja": "5未満"}[code]
    assert found.count(Count.of(0, 5)) == "0"


def test_axes_of_rows_have_no_tick_below_the_floor() -> None:
    bars = tuple(Bar("", float(low), low + 1.0, None, Count(6 + low % 2)) for low in range(4))
    shown = str(
        charts.distribution_chart(ReportedDistribution("age", "numbers", bars), "d", "rows", 5, Language.of("en"))
    )

    ticks = re.findall(r'<text class="tick" x="42"[^>]*>([^<]+)<', shown)
    assert ticks
    assert not {"1", "2", "3", "4"} & set(ticks)


def test_open_ends_are_drawn_as_such() -> None:
    found = ReportedDistribution(
        "age", "numbers",
        (Bar("", None, 20.0, None, Count(9)), Bar("", 20.0, 30.0, None, Count(9)), Bar("", 30.0, None, None, Count(9))),
    )  # fmt: skip
    shown = str(charts.distribution_chart(found, "d", "rows", 5, Language.of("en")))

    assert "&lt; 20<" in shown
    assert "≥ 30<" in shown


def test_days_are_dates() -> None:
    assert charts.interval(19_723.0, 19_754.0, "days", Language.of("en")) == "[2024-01-01, 2024-02-01)"


def test_matrix_has_every_pair_twice() -> None:
    found = [Association("a", "b", "eta", None, 0.5), Association("a", "c", "eta", None, 0.25)]
    shown = str(charts.association_matrix(found, "m", after=True, say=Language.of("en")))

    assert shown.count(">0.50<") == 2
    assert shown.count(">–<") == 2  # b and c: not known
    assert str(charts.association_matrix(found, "m", after=False, say=Language.of("en"))).count(">–<") == 6


def test_bibtex_escapes_what_tex_reads() -> None:
    english = Language.of("en")
    entry = bibtex(hostile(), english)

    assert r"\textbackslash{}" not in bibtex(made(), english)
    assert entry.count("{") == entry.count("}")
    assert "year = {2026}" in entry
    assert "month = nov," in entry
    assert "k-匿名化済み" in bibtex(made(), Language.of("ja"))


def test_page_of_a_user_has_no_folder_of_the_provider() -> None:
    assert "/data/releases/" in page(made(audience="provider"), "en")
    assert "/data/releases/" not in page(made(audience="user"), "en")


def test_page_file_is_new_and_private(tmp_path: Path) -> None:
    file = tmp_path / "report.html"

    assert made().to_html(file, "ja") == file
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.read_text(encoding="utf-8") == page(made(), "ja")
    for refused in (file, tmp_path / "report.txt", tmp_path / "nowhere" / "report.html"):
        with pytest.raises(InputError):
            write_page(made(), refused)
    with pytest.raises(UnknownName):
        write_page(made(), tmp_path / "other.html", "fr")
    assert [each.name for each in tmp_path.iterdir()] == ["report.html"]


def test_head_of_a_page_names_office_contact_and_the_given_title(tmp_path: Path) -> None:
    """The fault: the file's name as the title of an office's report."""
    shown = made().to_html(
        tmp_path / "r.html", "ja", office="統計局", contact="toukei@example.jp", title="<b>住民調査</b>"
    )
    text = shown.read_text(encoding="utf-8")

    assert "<title>&lt;b&gt;住民調査&lt;/b&gt; · 提供番号" in text
    assert re.search(r"<h1><bdi[^>]*>&lt;b&gt;住民調査&lt;/b&gt;</bdi></h1>", text)
    assert "統計局" in text
    assert "問合せ先：" in text
    assert "統計局" not in page(made(), "ja")


def test_one_loss_stands_first_and_the_others_are_folded() -> None:
    text = page(made(), "en")
    loss = text[text.index('id="loss"') : text.index('id="distributions"')]
    before, _, folded = loss.partition("<details>")
    objective = METRICS[made().asked.objective or ""].words[0]

    assert objective in before
    assert objective not in folded
    assert before.count('<svg class="bar"') == 1 + sum(each.loss is not None for each in made().columns)
    for each in made().losses[1:]:
        assert str(Language.of("en").text(wording.METRICS[each.metric][0])) in folded


def test_levels_without_a_name_are_in_the_words_of_the_language() -> None:
    """The fault: `value（水準0）` and `level1` in a Japanese report."""
    first, *others = made().columns
    shown = replace(made(), columns=(replace(first, level=0, level_name="value"), *others))
    shown = replace(shown, hierarchies=(ReportedHierarchy("a", "a", "explicit", (LevelShown("level1", 2, True),)),))
    text = page(shown, "ja")

    assert "元の値" in text
    assert "段階1" in text
    assert not re.search(r">(value|level\d)<", text)


def test_count_of_a_statistical_table_is_in_words() -> None:
    counted = CodebookColumn("count", "count", "numbers", None, None, None, 3, (), Count(0))
    shown = replace(made(), columns=(*made().columns, counted), shape="table")

    assert ">件数</th>" in page(shown, "ja")
    assert ">人数</th>" in page(replace(shown, counts="persons"), "ja")
    assert ">count<" not in page(shown, "ja")


def test_others_are_spoken_of_only_where_some_are_left() -> None:
    proof = replace(made().proof, certified=True, nodes=12, measured=5)
    some, none = (replace(made(), proof=replace(proof, measured=each)) for each in (5, 12))

    assert "その他は計算上の限界値" in page(some, "ja")
    assert "その他は計算上の限界値" not in page(none, "ja")


@pytest.mark.parametrize(
    ("labels", "ordered"),
    [
        (["75+", "*", "[15, 65)", "< 15", "[65, 75)"], ["< 15", "[15, 65)", "[65, 75)", "75+", "*"]),
        (["100", "20", "3"], ["3", "20", "100"]),
        (["沖縄県", "東京", "北海道", "other", "大阪府"], ["北海道", "東京", "大阪府", "沖縄県", "other"]),
        (["九州・沖縄地方", "関東地方", "東北地方"], ["東北地方", "関東地方", "九州・沖縄地方"]),
        (["90代", "100代", "20代"], ["20代", "90代", "100代"]),
        (["pear", "apple"], ["pear", "apple"]),
    ],
)
def test_labels_are_listed_by_their_values(labels: list[str], ordered: list[str]) -> None:
    """The fault: `75+` before `< 15`, and prefectures by the codes of their characters."""
    assert [labels[place] for place in by_value(labels)] == ordered


def test_bars_of_numbers_stand_to_scale() -> None:
    """The fault: 0 to 100 as wide as 100 to 1,000, or an area that is not the count."""
    bars = tuple(Bar("", low, high, None, Count(n)) for low, high, n in ((0.0, 10.0, 40), (10.0, 40.0, 120)))
    shown = str(
        charts.distribution_chart(ReportedDistribution("a", "numbers", bars), "d", "rows", 5, Language.of("en"))
    )
    (one, other) = re.findall(r'<rect class="after" x="[\d.]+" y="[\d.]+" width="([\d.]+)" height="([\d.]+)"', shown)

    assert float(other[0]) > 2.5 * float(one[0])
    assert float(one[1]) == pytest.approx(float(other[1]), abs=0.1)  # as many a unit
    assert "area: rows" in shown


def test_numbers_over_powers_of_ten_stand_on_an_axis_of_logarithms() -> None:
    ends = [1.0, 10.0, 100.0, 1_000.0]
    bars = tuple(Bar("", low, high, None, Count(9)) for low, high in pairwise(ends))
    shown = str(
        charts.distribution_chart(ReportedDistribution("a", "numbers", bars), "d", "rows", 5, Language.of("en"))
    )

    assert "logarithmic scale" in shown
    assert len(set(re.findall(r'class="after" x="[\d.]+" y="[\d.]+" width="([\d.]+)"', shown))) == 1


def test_persons_are_counted_beside_rows_and_their_total_is_the_provider_s() -> None:
    given = replace(made().given, persons=1_030, persons_of_dataset=1_040)

    assert "of 1,040 persons" in page(replace(made(), given=given), "en")
    assert "1,040人中" in page(replace(made(), given=given), "ja")
    assert "persons released" not in page(replace(made(), given=replace(given, persons=None)), "en")
