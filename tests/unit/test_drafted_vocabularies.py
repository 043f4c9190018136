"""Known vocabularies in drafts: countries, subdivisions, prefectures, codes, postcodes, telephone numbers, e-mail."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from ordermade.drafts.hierarchies import Undrafted, drafted_hierarchy
from ordermade.drafts.prefectures import prefectures
from ordermade.drafts.subdivisions import subdivisions
from ordermade.drafts.territories import PARTS, containing, normal, territories
from ordermade.hierarchies.explicit import ExplicitHierarchy
from tests.drafted import assert_worth_keeping, labels_by_level, profile_of


def paths_of(values, *, name="column", type="VARCHAR", rows=20):
    """The labels of each value above level 0, of a column in which each value has about as many rows."""
    counts = {value: rows + at for at, value in enumerate(values)}
    found = drafted_hierarchy(profile_of(counts, type, name=name), least_rows=5)
    hierarchy = assert_worth_keeping(found, counts, 5)
    levels = labels_by_level(hierarchy, counts)
    return {value: [level[value] for level in levels] for value in counts}, found.reason


ADULT = re.split(
    " +|\n",
    """United-States Cambodia England Puerto-Rico Canada Germany India Japan Greece South China
Cuba Iran Honduras Philippines Italy Poland Jamaica Vietnam Mexico Portugal Ireland France Dominican-Republic Laos
Ecuador Taiwan Haiti Columbia Hungary Guatemala Nicaragua Scotland Thailand Yugoslavia El-Salvador Peru Hong
Trinadad&Tobago Holand-Netherlands Outlying-US(Guam-USVI-etc)""",
)


def test_the_countries_of_adult_are_known_but_one():
    known, language = territories(ADULT)
    assert language == "en"
    assert [each for each in ADULT if each not in known] == ["South"]
    paths, reason = paths_of(ADULT, name="native-country")
    assert reason == "countries, by sub-region and continent"
    assert paths["Hong"] == ["Eastern Asia", "Asia"]
    assert paths["Holand-Netherlands"][-1] == "Europe"
    assert paths["South"] == ["other", "other"]


def test_a_country_of_most_rows_stays_itself():
    counts = {"United-States": 9_000, **dict.fromkeys(ADULT[1:], 20)}
    hierarchy = assert_worth_keeping(drafted_hierarchy(profile_of(counts), least_rows=5), counts, 5)
    assert isinstance(hierarchy, ExplicitHierarchy)
    levels = labels_by_level(hierarchy, counts)
    assert {level["United-States"] for level in levels} == {"United-States"}
    assert levels[-1]["Mexico"] == "other than United-States"
    assert levels[-2]["Canada"] == "Americas, other than United-States"


def test_rare_countries_go_with_their_kin():
    counts = {"Japan": 500, "China": 400, "Mongolia": 3, "Macao": 4, "France": 450, "Fiji": 1, "Kenya": 2, "Peru": 3}
    hierarchy = assert_worth_keeping(drafted_hierarchy(profile_of(counts), least_rows=5), counts, 5)
    first = labels_by_level(hierarchy, counts)[0]
    assert first["Japan"] == "Japan"
    assert first["Mongolia"] == first["Macao"] == "Eastern Asia, other"
    assert first["Fiji"] == first["Kenya"] == first["Peru"] == "other"


@pytest.mark.parametrize(
    ("values", "first", "continent"),
    [
        (["日本", "アメリカ合衆国", "フランス", "中国", "インド", "ドイツ"], "東アジア", "アジア"),
        (["Japon", "Côte-d’Ivoire", "Allemagne", "Chine", "Maroc", "Algérie"], "Asie de l’Est", "Asie"),
        (["Japan", "Deutschland", "Frankreich", "China", "Spanien", "Italien"], "Ostasien", "Asien"),
        (["JP", "US", "DE", "FR", "GB", "KR"], "Eastern Asia", "Asia"),
        (["JPN", "USA", "DEU", "FRA", "GBR", "KOR"], "Eastern Asia", "Asia"),
        (["JAPAN", "u.s.a.", "germany", "FRANCE", "United Kingdom", "south korea"], "Eastern Asia", "Asia"),
        (["Япония", "Россия", "Франция", "Китай", "Германия"], "Восточная Азия", "Азия"),
    ],
)
def test_countries_in_their_languages(values, first, continent):
    paths, _ = paths_of(values)
    assert paths[values[0]] == [first, continent]


def test_every_territory_lies_in_one_part_that_has_a_name():
    listed = [each for parts in PARTS.values() for codes in parts.values() for each in codes.split()]
    assert len(listed) == len(set(listed))
    import pycountry

    assert {each.alpha_2 for each in pycountry.countries} <= set(containing())


KANJI = ["青森県", "岩手県", "宮城県", "東京都", "神奈川県", "大阪府", "京都府", "兵庫県", "福岡県", "沖縄県"]
KANJI_BY_CODE = ["青森県", "岩手県", "宮城県", "東京都", "神奈川県", "京都府", "大阪府", "兵庫県", "福岡県", "沖縄県"]
SUFFIXED = ["Aomori-ken", "Iwate-ken", "Miyagi-ken", "Tokyo-to", "Osaka-fu", "Hyōgo-ken"]


@pytest.mark.parametrize(
    ("name", "type", "values", "tokyo"),
    [
        ("住所", "VARCHAR", KANJI, ["関東地方", "東日本"]),
        ("住所", "VARCHAR", [each[:-1] for each in KANJI], ["関東地方", "東日本"]),
        ("home", "VARCHAR", ["Aomori", "Iwate", "Miyagi", "TOKYO", "Chiba", "Mie"], ["Kanto", "East Japan"]),
        ("home", "VARCHAR", SUFFIXED, ["Kanto", "East Japan"]),
        ("home", "VARCHAR", ["JP-02", "JP-03", "JP-04", "JP-13", "JP-27", "JP-28"], ["Kanto", "East Japan"]),
        ("pref_code", "VARCHAR", ["02", "03", "04", "13", "27", "28"], ["Kanto", "East Japan"]),
        ("pref_code", "INTEGER", ["2", "3", "4", "13", "27", "28"], ["Kanto", "East Japan"]),
    ],
)
def test_prefectures(name, type, values, tokyo):
    paths, reason = paths_of(values, name=name, type=type)
    assert reason == "prefectures of Japan, by region"
    assert paths[values[3]] == tokyo


TOWNS = ["東京都新宿区", "東京都八王子市", "京都府京都市", "大阪府大阪市", "大阪府堺市", "北海道札幌市"]


@pytest.mark.parametrize("written", ["{}", " {}西1丁目", "〒100-0001 {}", "１０００００１{}"])
def test_addresses_go_by_prefecture(written):
    towns = [written.format(each) for each in TOWNS]
    paths, reason = paths_of(towns, name="住所")
    assert reason == "addresses in Japan, by prefecture and region"
    assert paths[towns[1]] == ["東京都", "関東地方", "東日本"]
    assert paths[towns[4]] == ["大阪府", "近畿地方", "西日本"]


def test_a_prefecture_beside_addresses_would_be_a_value_and_a_label():
    _, reason = paths_of([*TOWNS, "東京都"], name="住所")
    assert "prefecture" not in reason


def test_all_47_prefectures_are_there():
    assert len(set(prefectures().values())) == 47
    assert {prefectures()[each] for each in ("北海道", "hokkaido", "京都", "東京都")} == {"01", "26", "13"}


def test_numbers_are_no_prefectures_without_a_name_that_says_so():
    _, reason = paths_of([str(n) for n in range(1, 40)], type="INTEGER")
    assert "intervals" in reason


def test_states():
    codes, reason = paths_of(["CA", "OR", "WA", "NY", "NJ", "PA", "TX", "OK", "GA", "FL"], name="state")
    assert reason == "states, by census division and region"
    assert codes["CA"] == ["Pacific", "West"]
    names, _ = paths_of(["California", "Oregon", "New York", "New Jersey", "Texas", "Oklahoma", "Utah", "Nevada"])
    assert names["Utah"] == ["Mountain", "West"]


def test_subdivisions():
    counties, reason = paths_of(["Cambridgeshire", "Isle of Wight", "Caerphilly", "East Lothian", "Islington"])
    assert reason == "subdivisions of ISO 3166-2, by parent"
    assert counties["Caerphilly"] == ["Wales"]
    codes, _ = paths_of(["US-CA", "US-NY", "JP-13", "JP-27", "DE-BY", "DE-BE", "CN-BJ"])
    assert codes["JP-13"] == ["Japan", "Eastern Asia"]
    assert subdivisions(["nowhere at all"]) == {}


CODES = (
    ("diag", ["I21.4", "I21.0", "I10", "I11", "E11.9", "E11", "E10", "C50.1"], "ICD-10", ["I21*", "I2*", "I*"]),
    ("job", ["15-1252", "15-1251", "15-2011", "15-2012", "29-1141", "29-1142"], "SOC", ["15-125*", "15*"]),
    ("isco08", ["2512", "2513", "2521", "2522", "1111", "1112", "9112", "9111"], "ISCO", ["251*", "25*"]),
    ("zip", ["10001", "10002", "10101", "10102", "94105", "94103"], "postcodes", ["100*", "10*"]),
    ("address", ["100-0005", "100-0004", "100-1234", "530-0001", "531-0001"], "Japan", ["100-00*", "100*", "1*"]),
    ("郵便番号", ["1000005", "1000004", "1001234", "5300001", "5310001"], "Japan", ["10000*", "100*", "1*"]),
    ("where", ["SW1A 1AA", "SW1A 2AA", "SW1P 1AA", "M1 1AE", "M1 2AB"], "Kingdom", ["SW1A *", "SW*"]),
    ("call", ["03-1234-5678", "03-1234-5679", "06-1234-5678", "06-1234-5679"], "telephone", ["03-1*"]),
    ("who", ["a@x.com", "b@x.com", "c@z.com", "a@y.co.jp", "b@y.co.jp"], "e-mail", ["@x.com", "@*.com"]),
)


@pytest.mark.parametrize(("name", "values", "reason", "path"), CODES)
def test_codes_and_addresses(name, values, reason, path):
    paths, found = paths_of(values, name=name)
    assert reason in found
    assert paths[values[0]] == path


@pytest.mark.parametrize(("name", "values", "reason", "path"), [CODES[2], CODES[3], CODES[5]])
def test_codes_that_are_whole_numbers(name, values, reason, path):
    paths, found = paths_of(values, name=name, type="INTEGER")
    assert reason in found
    assert paths[values[0]] == path


def test_whole_prefixes_are_a_rule_that_takes_later_values():
    counts = {f"{area}{n:04d}": 10 for area in ("100", "101", "530") for n in range(0, 400, 10)}
    found = drafted_hierarchy(profile_of(counts, name="postcode"), least_rows=5)
    assert assert_worth_keeping(found, counts, 5).kind == "prefix"


def test_addresses_of_nearly_every_row_are_not_drafted():
    found = drafted_hierarchy(profile_of({f"u{n}@x{n % 5}.org": 1 for n in range(900)}), least_rows=5)
    assert isinstance(found, Undrafted)
    assert found.reason.startswith("e-mail addresses")
    assert "@" not in found.reason


@pytest.mark.parametrize("values", ["Japan France Kenya Peru", "apple pear plum fig"])
def test_a_look_up_makes_no_name_ready_but_its_own(values: str, monkeypatch: pytest.MonkeyPatch):
    """The names of all countries in every language, some 16,000, are made ready once: a third of a second."""
    profile = profile_of({value: 20 + at for at, value in enumerate(values.split())})
    drafted_hierarchy(profile, least_rows=5)
    normalised: list[str] = []

    def noted(name: str) -> str:
        normalised.append(name)
        return normal(name)

    for module in ("territories", "subdivisions"):
        monkeypatch.setattr(f"ordermade.drafts.{module}.normal", noted)

    drafted_hierarchy(profile, least_rows=5)

    assert set(normalised) <= set(values.split())
    assert len(normalised) <= 2 * len(values.split())


def test_nothing_is_imported_before_a_draft():
    names = "('babel', 'pycountry', 'ordermade.drafts')"
    asked = f"import sys, ordermade.cli.main; print([each for each in {names} if each in sys.modules])"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_prefectures_are_listed_by_jis_code():
    """The fault: 富山県 before 新潟県, as their characters have it, in a file that an office edits."""
    counts = dict.fromkeys(sorted(KANJI, reverse=True), 20)
    text = drafted_hierarchy(profile_of(counts, name="都道府県"), least_rows=5).text
    assert re.findall('"(.*?)": ', text) == KANJI_BY_CODE


def test_a_column_of_ages_in_japanese_has_japanese_labels():
    counts = {str(age): 20 for age in range(20, 80)}
    drafts = [drafted_hierarchy(profile_of(counts, "BIGINT", name=name), least_rows=5).text for name in ("年齢", "age")]
    assert ["unit: 歳" in each for each in drafts] == [True, False]
