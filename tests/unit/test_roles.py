"""Proposed roles: by names, forms and values, and on public tables those that a data officer would choose."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from ordermade.catalogue.any_table import AnyTable
from ordermade.counting.profile import column_profiles
from ordermade.drafts import vocabularies
from ordermade.drafts.column_names import meaning
from ordermade.drafts.hierarchies import drafted_hierarchy
from ordermade.drafts.profile import ColumnProfile, ValueCount
from ordermade.drafts.roles import MAX_QUASI_IDENTIFIERS, MAX_SENSITIVE, ProposedRole, proposed_roles
from ordermade.drafts.text_formats import FORMS
from ordermade.sources.limits import Limits
from ordermade.state.authority import SHELL
from ordermade.state.database import StateFile

BY_LETTER = {"i": "identifier", "q": "quasi-identifier", "s": "sensitive", "k": "kept"}


def column(
    name: str, kind: str = "VARCHAR", distinct: int = 10, rows: int = 1000, texts: Sequence[str] = ()
) -> ColumnProfile:
    """A column whose values are known by their number alone, but for some texts."""
    values = tuple(ValueCount(each, max(1, rows // len(texts))) for each in texts)
    return ColumnProfile(name, kind, rows, 0, distinct, 0, values, longest=12, shortest=1, words=1.0)


def role_of(profile: ColumnProfile) -> ProposedRole:
    """The role of a column beside another that is a quasi-identifier."""
    return proposed_roles([profile, column("age", "BIGINT")])[0]


NAMED = {
    "i": "email e-mail phoneNumber 電話番号 氏名 フリガナ first_name SSN マイナンバー "
    "home_address 住所 ip_address 口座番号",
    "q": "age 年齢 sex 性別 birth_date 生年月日 ZipCode 郵便番号 都道府県 native-country occupation 職業 education-num "
    "maritalStatus 婚姻状況 国籍 household_size height colour MONTH",
    "s": "diagnosis 病名 ICD10 income 年収 salary-class religion 宗教 支持政党 HIV_status annualIncome "
    "検査結果 購入金額 blood_pressure default-payment-next-month",
}


@pytest.mark.parametrize("letter", NAMED)
def test_names_say_the_role(letter: str) -> None:
    roles = {name: role_of(column(name)).role for name in NAMED[letter].split()}
    assert set(roles.values()) == {BY_LETTER[letter]}, roles


def test_forms_say_what_names_do_not() -> None:
    assert role_of(column("c1", texts=["a@example.com", "b@example.org"])).role == "identifier"
    assert role_of(column("c1", texts=["090-1234-5678", "03-1234-5678"])).role == "identifier"
    assert role_of(column("c1", texts=["123-4567", "765-4321"])).role == "quasi-identifier"
    assert role_of(replace(column("c1"), forms={"e-mail addresses": 0.99})).role == "identifier"


def test_values_of_nearly_every_row_identify() -> None:
    found = role_of(column("c1", distinct=15_032, rows=15_032))
    assert found == ProposedRole("c1", "identifier", "15,032 values in 15,032 rows: unique in every row")
    assert role_of(column("customer_id", "BIGINT", distinct=400)).role == "identifier"
    assert role_of(column("name", distinct=900)).role == "identifier"
    assert role_of(column("product name", distinct=30)).role == "quasi-identifier"
    assert role_of(replace(column("c1", distinct=800), words=9.5, longest=400)).role == "identifier"
    numbers = tuple(Decimal(1 + 25 * place) for place in range(41))
    assert role_of(replace(column("c1", "BIGINT", distinct=1000), quantiles=numbers)).role == "identifier"


def test_amounts_are_protected_and_dates_known() -> None:
    skewed = tuple(Decimal(place**4) for place in range(41))
    assert role_of(replace(column("c1", "BIGINT", distinct=1000), quantiles=skewed)).role == "sensitive"
    days = tuple(date(1950 + place, 1, 1) for place in range(41))
    assert role_of(replace(column("c1", "DATE", distinct=1000), quantiles=days)).role == "quasi-identifier"
    assert role_of(column("diagnosis date", "DATE")).role == "quasi-identifier"


def test_what_tells_nothing_is_kept_or_left_out() -> None:
    assert role_of(column("c1", distinct=1)).role == "kept"
    assert role_of(replace(column("c1", distinct=0), nulls=1000)).role == "identifier"
    found = role_of(column("c1", "STRUCT(secret VARCHAR)"))
    assert found.role == "identifier"
    assert "secret" not in found.reason


def test_unknown_columns_are_quasi_identifiers() -> None:
    assert role_of(column("c1")).role == "quasi-identifier"
    assert role_of(column("c1", "BOOLEAN", distinct=2)).role == "quasi-identifier"


def test_few_columns_are_proposed_of_many_and_the_strongest_stay() -> None:
    columns = [column(f"c{place}") for place in range(300)] + [column("sex"), column("birthdate", "DATE")]
    roles = proposed_roles(columns)
    quasi = [each.column for each in roles if each.role == "quasi-identifier"]
    assert len(quasi) == MAX_QUASI_IDENTIFIERS
    assert quasi[-2:] == ["sex", "birthdate"]
    left_out = {each.reason for each in roles if each.role == "identifier"}
    assert left_out == {"left out: less identifying than the 8 quasi-identifiers that stay"}
    sensitive = proposed_roles([column("age"), *(column(f"income {place}") for place in range(10))])
    assert sum(each.role == "sensitive" for each in sensitive) == MAX_SENSITIVE


def test_of_columns_equally_known_those_stay_that_part_the_rows_the_most() -> None:
    flags = [column(f"flag {place}", texts=["y", "n"], distinct=2) for place in range(5)]
    many = [column(f"c{place}", texts=[str(each) for each in range(9)], distinct=9) for place in range(6)]
    roles = proposed_roles([*flags, *many])
    stay = [each.column for each in roles if each.role == "quasi-identifier"]
    assert stay == ["flag 0", "flag 1", *(f"c{place}" for place in range(6))]


def test_roles_that_are_given_stay() -> None:
    columns = [column(f"c{place}") for place in range(20)]
    given = proposed_roles(columns, {each.name: "quasi-identifier" for each in columns[5:17]})
    assert [each.column for each in given if each.role == "quasi-identifier"] == [f"c{place}" for place in range(5, 17)]
    assert proposed_roles([column("email")], {"email": "kept"})[0].role == "kept"


PUBLIC = {
    "arx/adult/adult.csv": "qqqqqqqqs",
    "arx/arx_examples/test.csv": "qqq",
    "arx/arx_examples/test2.csv": "qqss",
    "arx/fars_subset/fars_subset.csv": "qqqqqqqs",
    "arx/mach2019_int/mach2019_int.csv": "qqqqqsiiqqiiiiiq",
    "arx/creditcard_int/creditcard_int.csv": "sqqqqss" + "i" * 17,
    "census/japan_census_pref_sex_age5.csv": "qqqqqs",
    "census/japan_census2010_pref_sex_age10.csv": "qqqqs",
    "microdata/census.csv": "iqqqqqqqqiiii",
    "microdata/eia.csv": "iqqkqsssiiiiiii",
    "microdata/tarragona.csv": "qqiqiqqqiqiqi",
    "online_retail/pwscup2018_customers.csv": "qi",
    "online_retail/online_retail.parquet": "iiiqqsiq",
}
"""The roles of the columns of public tables, by their first letters: as a data officer would choose them."""


@pytest.mark.thorough
@pytest.mark.parametrize("table", PUBLIC)
def test_public_tables_have_the_roles_of_a_data_officer(table: str, shared_data: Path, tmp_path: Path) -> None:
    state = StateFile(tmp_path / "none.sqlite", SHELL)
    with AnyTable(str(shared_data / table)).dataset(state, Limits()) as (dataset, _):
        roles = proposed_roles(column_profiles(dataset, forms=FORMS))
    assert [each.role for each in roles] == [BY_LETTER[letter] for letter in PUBLIC[table]]


SHIPPED = [
    (
        "AER Affairs",
        601,
        "isqqqqsqqs",
        """rownames:i601 affairs:i6 gender:t2 age:d9 yearsmarried:d8 children:t2 religiousness:i5 education:i7
occupation:i7 rating:i5""",
    ),
    (
        "AER CPS1985",
        534,
        "isqiqqqqqqsq",
        """rownames:i534 wage:d238 education:i17 experience:i52 age:i47 ethnicity:t3 region:t2 gender:t2 occupation:t6
sector:t3 union:t2 married:t2""",
    ),
    (
        "carData Chile",
        2_700,
        "iqqqqqsqs",
        """rownames:i2700 region:t5 population:i10 sex:t2 age:i53 education:t3 income:i7 statusquo:t2092 vote:t4""",
    ),
    (
        "AER DoctorVisits",
        5_190,
        "iqqqisqsqqqsi",
        """rownames:i5190 visits:i10 gender:t2 age:d12 income:d14 illness:i6 reduced:i15 health:i13 private:t2
freepoor:t2 freerepat:t2 nchronic:t2 lchronic:t2""",
    ),
    (
        "AER GSS7402",
        9_120,
        "iqqqqqiqqsq",
        """rownames:i9120 kids:i9 age:i72 education:i21 year:i8 siblings:i27 agefirstbirth:i33 ethnicity:t2 city16:t2
lowincome16:t2 immigrant:t2""",
    ),
    ("AER BankWages", 474, "iqqqq", """rownames:i474 job:t3 education:i10 gender:t2 minority:t2"""),
    (
        "carData Salaries",
        397,
        "iqqqqqs",
        """rownames:i397 rank:t3 discipline:t2 yrs.since.phd:i53 yrs.service:i52 sex:t2 salary:i371""",
    ),
    ("carData SLID", 7_425, "isqqqq", """rownames:i7425 wages:d1567 education:d135 age:i80 sex:t2 language:t3"""),
    (
        "ISLR Wage",
        3_000,
        "iqqqqqkqssqs",
        """rownames:i3000 year:i7 age:i61 maritl:t5 race:t4 education:t5 region:t1 jobclass:t2 health:t2 health_ins:t2
logwage:t508 wage:t508""",
    ),
    ("seaborn tips", 244, "sqqsqqq", """total_bill:d229 tip:d123 sex:t2 smoker:t2 day:t4 time:t2 size:i6"""),
    (
        "seaborn taxis",
        6_433,
        "qqiqsiiqisqqqq",
        """pickup:m6414 dropoff:m6425 passengers:i7 distance:d1079 fare:d220 tip:d489 tolls:d16 total:d898 color:t2
payment:t2 pickup_zone:t194 dropoff_zone:t203 pickup_borough:t4 dropoff_borough:t5""",
    ),
    (
        "seaborn penguins",
        344,
        "qqqqqqq",
        """species:t3 island:t3 bill_length_mm:d164 bill_depth_mm:d80 flipper_length_mm:i55 body_mass_g:i94 sex:t2""",
    ),
    ("carData TitanicSurvival", 1_309, "isqqq", """rownames:t1309 survived:t2 sex:t2 age:d98 passengerClass:t3"""),
]
"""Tables that packages of R and Python ship: their rows, the roles of the columns by their first letters as a reader
would choose them, and each column with its type (text, integer, double, moment) and how many values it has."""

TYPES = {"t": "VARCHAR", "i": "BIGINT", "d": "DOUBLE", "m": "TIMESTAMP"}


@pytest.mark.parametrize(("table", "rows", "roles", "columns"), SHIPPED, ids=[each[0] for each in SHIPPED])
def test_tables_that_packages_ship_have_the_roles_of_a_reader(table: str, rows: int, roles: str, columns: str) -> None:
    parts = [each.rpartition(":") for each in columns.split()]
    profiles = [column(name, TYPES[figure[0]], int(figure[1:]), rows) for name, _, figure in parts]
    found = {each.column: each.role for each in proposed_roles(profiles)}
    assert found == {name: BY_LETTER[letter] for (name, _, _), letter in zip(parts, roles, strict=True)}


POOL = [
    *re.split(
        " +|\n",
        """123-4567 123-4568 531-0001 1000005 1000004 5300001 10001-1234 10001-1235 94105-0001 100011234 100011235
941050001 10115 10117 80331 00-950 00-951 30-001 01310-100 01310-200 20040-001 01310100 01310200 20040001 1000-001
1000-002
4000-123 1011AB 1011AC 3512JE 15-1252 15-1251 29-1141 2512 2513 9112 A01 B12 C33 I21.4 I21.0 E11.9 C50.1
RSSMRA85T10A562S VRDLGI70A01H501U BNCGNN60B41F205X 123-45-6789 123-45-6780 987-65-4321 123.456.789-09
123.456.780-09 987.654.321-00 12345678Z 87654321X X1234567L DE89370400440532013000 FR1420041010050500013M02606
GB29NWBK60161331926819 03-1234-5678 03-1234-5679 06-1234-5678 a@x.com b@x.com c@y.org 10.0.0.1 10.0.0.2 192.168.1.1
123e4567-e89b-12d3-a456-426614174000 123e4567-e89b-12d3-a456-426614174001 123e4567-e89b-12d3-a456-426614174002""",
    ),
    "1011 AB",
    "1011 AC",
    "3512 JE",
    "0151 23456789",
    "030 1234567",
    "(089) 123456",
]
"""Codes of which every form has three."""

PATTERNS = [
    *((each.pattern, each.meaning, each.is_named) for each in (*vocabularies.FORMS, vocabularies.ICD_10)),
    *((each.pattern, each.meaning, each.is_named) for each in (*vocabularies.OFFICIAL, vocabularies.CALLED)),
    *((re.compile(FORMS[form]), meaning, False) for form, meaning in vocabularies.REACHING),
]
CALLED = {"postcode": "PLZ", "occupation": "job", "telephone number": "Telefon"}
ROLE_OF = {
    "direct": "identifier",
    "key": "identifier",
    "sensitive": "sensitive",
    "quasi-identifier": "quasi-identifier",
}
LISTED = {
    "countries": ["Japan", "France", "Kenya", "Peru", "Germany"],
    "states": ["CA", "OR", "WA", "NY", "NJ", "PA", "TX", "OK", "GA", "FL"],
    "prefectures": ["青森県", "岩手県", "宮城県", "東京都", "大阪府"],
    "addresses": ["東京都新宿区", "東京都八王子市", "京都府京都市", "大阪府大阪市"],
    "subdivisions": ["US-CA", "US-NY", "JP-13", "JP-27", "DE-BY", "DE-BE"],
    "districts": ["SW1A 1AA", "SW1A 2AA", "SW1P 1AA", "M1 1AE"],
}


def agreement(name: str, texts: Sequence[str]) -> None:
    """Whether the role of a column is the one of what its hierarchy is drafted as."""
    profile = replace(column(name, distinct=len(texts), texts=texts), shortest=None, longest=None)
    known = vocabularies.vocabularies([profile, column("age", "BIGINT")])
    found = known[name]
    assert found.meaning is not None
    assert role_of(profile).role == ROLE_OF[meaning(found.meaning).kind], (name, found)
    drafted = drafted_hierarchy(profile, least_rows=5, known=known)
    grouped = bool(found.paths) and not drafted.reason.endswith("or *")
    assert not grouped or drafted.reason.startswith(found.what)


@pytest.mark.parametrize("place", range(len(PATTERNS)))
def test_a_column_has_the_role_of_the_form_that_it_is_drafted_as(place: int) -> None:
    pattern, meant, is_named = PATTERNS[place]
    texts = [each for each in POOL if pattern.fullmatch(each)]
    assert len(texts) >= 3, pattern
    agreement(CALLED[meant] if is_named else "c1", texts)


@pytest.mark.parametrize("listed", LISTED)
def test_a_column_has_the_role_of_the_places_that_it_is_drafted_as(listed: str) -> None:
    agreement("c1", LISTED[listed])


def test_diagnoses_are_sensitive_and_seats_are_not() -> None:
    assert role_of(column("c1", texts=["I21.4", "E11.9", "C50.1", "I10"])).role == "sensitive"
    assert role_of(column("diag", texts=["I214", "E119", "C501", "I10"])).role == "sensitive"
    assert role_of(column("seat", texts=["A12", "B14", "C33", "D01"])).role == "quasi-identifier"
