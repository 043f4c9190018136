"""Proposed roles of columns: what identifies persons, what others may know of them, what is to be protected.

The proposal errs on the side of the persons: a column that is not clearly harmless is a quasi-identifier, and one that
would make every request hopeless is left out.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from ordermade.drafts import text_formats
from ordermade.drafts.profile import ColumnProfile
from ordermade.hierarchies.column_types import (
    has_no_text,
    is_date,
    is_number,
    is_text,
    is_whole,
    without_labels,
)


@dataclass(frozen=True, slots=True)
class ColumnName:
    """The name of a column in small letters, and its words with blanks around them."""

    folded: str
    spaced: str

    @classmethod
    def of(cls, name: str) -> ColumnName:
        """The words of a name such as `marital-status`, `nativeCountry`, `LIMIT_BAL` or `PAY_AMT1`."""
        plain = unicodedata.normalize("NFKC", name)
        parted = re.sub(r"([a-z])([A-Z])", r"\1 \2", plain)
        parted = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1 \2", parted)
        words = re.findall(r"[a-z]+|[0-9]+|[^\W\d_a-z]+", parted.casefold())
        return cls(plain.casefold(), f" {' '.join(words)} ")


@dataclass(frozen=True, slots=True)
class RoleWords:
    """Words of one meaning, and the strength with which others may know a person by such a column.

    `meaning` follows `its name says`. `phrases`: whole words of a name in small letters, one or several in a row.
    `texts`: anywhere in a name.
    """

    meaning: str
    phrases: tuple[str, ...]
    texts: tuple[str, ...] = ()
    strength: int = 0

    def ends(self, name: ColumnName) -> bool:
        """Whether one of the words is the last of a name."""
        return self.last_in(name) >= len(name.spaced.rstrip()) - 1

    def last_in(self, name: ColumnName) -> int:
        """The place in a name where the last of the words ends; -1 where none is in it."""
        ends = [name.spaced.rfind(f" {each} ") + len(each) for each in self.phrases if f" {each} " in name.spaced]
        ends += [name.spaced.rfind(each) + len(each) - 1 for each in self.texts if each in name.spaced]
        return max(ends, default=-1)


def first_in(name: ColumnName, groups: Sequence[RoleWords]) -> RoleWords | None:
    """The first group of which a name has a word."""
    return next((each for each in groups if each.last_in(name) >= 0), None)


def _words(meaning: str, english: str, japanese: str = "", strength: int = 0) -> RoleWords:
    phrases = tuple(each.strip() for each in english.split(",") if each.strip())
    return RoleWords(meaning, phrases, tuple(japanese.split()), strength)


DIRECT = (
    _words("e-mail address", "email, e mail, mail, mailaddress, emailaddress", "メール"),
    _words("telephone number", "phone, telephone, tel, mobile, cell, cellphone, fax, phonenumber", "電話 携帯 fax番号"),
    _words(
        "a person's name",
        "first name, last name, full name, surname, forename, given name, family name, firstname, lastname, "
        "fullname, fname, lname, person name, patient name, customer name, client name, member name, "
        "employee name, user name, username, maiden name, middle name, nickname, kana, furigana",
        "氏名 名前 姓名 フリガナ ふりがな カナ氏名 患者名 顧客名 会員名 社員名",
    ),
    _words(
        "official or account number",
        "ssn, social security, passport, national id, nino, nhs number, tax id, driving licence, drivers license, "
        "driver license, licence number, license number, license plate, iban, account number, card number, "
        "policy number, my number, insurance number, insurance no, mrn",
        "マイナンバー 個人番号 旅券 パスポート 免許証 口座番号 カード番号 保険者番号 保険証 証券番号",
    ),
    _words(
        "address of person or device",
        "street, street address, address, address line, house number, ip, mac address, url, homepage, device id, "
        "cookie, gps, latitude, longitude, lat, lon, lng",
        "住所 番地 所在地 緯度 経度",
    ),
    _words("picture or signature", "photo, picture, signature, fingerprint, portrait", "写真 署名 指紋"),
)
"""Columns that name persons, however often their values repeat."""

KEYS = (
    _words(
        "number or code of a record",
        "id, ids, uid, uuid, guid, pid, key, no, number, num, code, record, row, rownum, index, idx, serial, seq, "
        "sequence, identifier, customerid, userid, patientid, memberid, personid, recordid, custid, utilityid",
        "番号 コード 識別",
    ),
)
"""Columns that identify where most rows have a value of their own."""

WEALTH = "income or wealth"
"""The meaning of columns of amounts."""

SENSITIVE = (
    _words(
        "health",
        "diagnosis, diagnoses, disease, diseases, illness, icd, icd10, symptom, symptoms, syndrome, treatment, "
        "therapy, medication, medicine, drug, drugs, prescription, hiv, aids, cancer, tumor, tumour, condition, "
        "conditions, disorder, disability, allergy, allergies, injury, iinjury, surgery, procedure, cause of death, "
        "blood pressure, bmi, cholesterol, glucose, hba1c, smoker, smoking, alcohol, pregnant, pregnancy, mental, "
        "depression, health, mortality, prognosis, severity",
        "診断 病名 疾患 疾病 傷病 病気 症状 治療 処方 投薬 薬剤 医薬品 障害 既往 手術 検査 血圧 血糖 健康 "
        "死因 転帰 妊娠 喫煙 飲酒 アレルギー",
    ),
    _words(
        WEALTH,
        "income, salary, salaries, salary class, income class, wage, wages, earnings, pay, payment, compensation, "
        "bonus, pension, revenue, net worth, wealth, assets, savings, deposit, debt, loan, mortgage, credit, balance, "
        "bal, bill, rent, tax, taxes, fedtax, statetax, taxinc, fica, agi, capital gain, capital loss, default, "
        "benefit, benefits, amount, amt, spend, spending, expense, expenses, expenditure, price, cost, costs, sales, "
        "turnover, profit, purchase, purchases, premium, claim, claims, fee, fees, poverty, ernval, pearnval, wsalval, "
        "ptotval, pothval, intval, emcontrb",
        "salary income wages revenue "
        "年収 収入 所得 給与 給料 月収 賃金 賞与 年金 資産 預金 貯蓄 負債 借入 ローン 残高 金額 購入 購買 "
        "支払 支出 売上 保険料 請求 税額 家賃",
    ),
    _words(
        "belief or opinion",
        "religion, religious, faith, belief, church, denomination, politics, political, party, vote, voted, voting, "
        "opinion, ideology",
        "宗教 信仰 宗派 政党 支持 投票 思想 信条",
    ),
    _words("sexual life", "sexuality, sexual, orientation, std", "性的 性自認"),
    _words(
        "offences",
        "crime, criminal, offence, offense, conviction, arrest, arrested, sentence, prison, recidivism",
        "犯罪 前科 逮捕 違反 事故歴",
    ),
    _words("union membership", "trade union, union member, union membership", "労働組合"),
    _words("genes", "gene, genes, genotype, genetic, genome, snp, dna", "遺伝"),
    _words(
        "result or grade",
        "score, scores, grade, grades, gpa, mark, marks, rating, evaluation, assessment, iq, result, results",
        "成績 評価 得点 点数 偏差値 評点",
    ),
)
"""Columns that tell what others would learn of a person, the most delicate first."""

EVENTS = "event date"
"""The meaning of columns that say when something happened."""

QUASI = (
    _words(
        "birth",
        "birth, birthdate, birthday, birthyear, dob, born, yob",
        "生年月日 誕生 生年 出生",
        10,
    ),
    _words("age", "age, iage, ages, agegroup, ageclass", "年齢 年令 年代 年歯", 10),
    _words("sex", "sex, isex, gender", "性別", 9),
    _words(
        "place",
        "zip, zipcode, postcode, postalcode, postal, post code, plz, city, town, village, municipality, county, "
        "district, region, state, istatenum, statenum, province, prefecture, country, area, place, location, "
        "residence, neighbourhood, neighborhood, nuts, lsoa, msoa, tract, ward, suburb, commune",
        "郵便 都道府県 県名 市区 市町村 区名 町名 地域 地方 居住 国名 出身 本籍 在住",
        9,
    ),
    _words(
        "origin",
        "nationality, native, native country, citizenship, race, irace, ethnic, ethnicity, hispanic, ihispanic, "
        "origin, mother tongue, language, tribe, caste, immigrant",
        "国籍 人種 民族 母語 言語",
        8,
    ),
    _words(
        "occupation",
        "occupation, job, job title, profession, work, workclass, work class, employer, employment, company, "
        "industry, sector, position, title, rank, role, department, division, isco, jsoc, career, hours per week",
        "職業 職種 業種 産業 勤務 勤め先 役職 職位 部署 会社 雇用 就業",
        7,
    ),
    _words(
        "education",
        "education, degree, school, schooling, university, college, major, graduate, qualification, literacy",
        "学歴 学校 学部 学科 大学 教育 学年",
        7,
    ),
    _words(
        "family",
        "marital, marital status, marriage, married, relationship, spouse, household, householdsize, family, "
        "familysize, children, child, kids, siblings, dependents, widowed, divorced",
        "婚姻 配偶 結婚 既婚 未婚 世帯 家族 続柄 子供 子ども 扶養",
        7,
    ),
    _words(
        EVENTS,
        "date, day, month, year, time, death, deathday, ideathday, deathmon, ideathmon, admission, discharge, "
        "admitted, hired, hire, joined, registered, registration, enrolment, enrollment, visit, event, entry, exit, "
        "departure, arrival, timestamp",
        "日付 年月日 月日 年月 年度 日時 入院 退院 入会 入社 登録 来院 受診日",
        6,
    ),
    _words(
        "body",
        "height, weight, body weight, hair, eye, eyes, eye colour, eye color, shoe size, blood type, blood group",
        "身長 体重 血液型",
        5,
    ),
    _words(
        "way of life",
        "car, vehicle, house, housing, home, pet, veteran, military, dwelling, tenure",
        "住居 住宅 ペット",
        4,
    ),
)
"""Columns that others may know of a person, with the strength of what they know."""

FREE_TEXTS = (
    _words(
        "free text",
        "comment, comments, note, notes, remark, remarks, description, memo, message, free text, freetext, text, "
        "feedback, review",
        "備考 メモ コメント 自由記述 摘要 所見 感想 意見 内容",
    ),
)
"""Columns that persons wrote something into."""

NAMES = (_words("a person's name", "name, names, contact, author, owner, doctor, physician", "担当者 医師名 保護者"),)
"""Columns that may name persons, where most rows have a value of their own."""


Role = Literal["identifier", "quasi-identifier", "sensitive", "kept"]
"""The role of a column; an identifier is left out of the release."""

MAX_QUASI_IDENTIFIERS = 8
"""More of them leave hardly two rows alike: the weakest are left out."""

MAX_SENSITIVE = 3
"""Each further one asks more of every class: no more are proposed."""

NEAR_UNIQUE = 0.9
"""A column with more different values for a row than this nearly tells the row."""

OFTEN_UNIQUE = 0.5
FEW_ROWS = 20
"""In a table with fewer rows every column is near-unique, and only names tell."""

MANY_VALUES = 100
"""Numbers or names of persons and records that have more values than this are no groups of them."""

FREE_TEXT_WORDS = 4.0
FREE_TEXT_LENGTH = 80
UNEVEN = Decimal("0.05")
"""Numbers given out one after the other are no further from an even spread than this share of their range."""

MOSTLY = 0.8
"""The share of the texts that must be of a form."""


@dataclass(frozen=True, slots=True)
class ProposedRole:
    """The role of a column."""

    column: str
    """Its name."""
    role: Role
    """Its role; an identifier is left out of the release."""
    reason: str
    """The reason for it."""


@dataclass(frozen=True, slots=True)
class _Found:
    role: Role
    reason: str
    strength: int = 0
    is_amount: bool = False


def proposed_roles(
    profiles: Sequence[ColumnProfile], given: Mapping[str, Role] | None = None
) -> tuple[ProposedRole, ...]:
    """The role of each column, in order. `given`: the roles that the user named, which are taken as they are."""
    given = given or {}
    found = {
        each.name: _Found(given[each.name], "as you said") if each.name in given else _found(each) for each in profiles
    }
    if not any(each.role == "quasi-identifier" for each in found.values()):
        _take_amounts(found, given)
    _limit(profiles, found, given, "quasi-identifier", MAX_QUASI_IDENTIFIERS)
    _limit(profiles, found, given, "sensitive", MAX_SENSITIVE)
    return tuple(ProposedRole(each.name, found[each.name].role, found[each.name].reason) for each in profiles)


def _take_amounts(found: dict[str, _Found], given: Mapping[str, Role]) -> None:
    """Takes the sensitive amounts of a table for what others may know, where it has nothing plainer."""
    for name, each in found.items():
        if name not in given and each.role == "sensitive" and each.is_amount:
            reason = "amounts that others may know; none is plainer"
            found[name] = _Found("quasi-identifier", reason, each.strength)


def _limit(
    profiles: Sequence[ColumnProfile], found: dict[str, _Found], given: Mapping[str, Role], role: Role, most: int
) -> None:
    """Leaves out the weakest columns of a role, beyond the most that are sensible; those given count, and stay."""
    asked = [each.name for each in profiles if given.get(each.name) == role]
    proposed = [each.name for each in profiles if each.name not in given and found[each.name].role == role]
    kept = sorted(proposed, key=lambda name: -found[name].strength)[: max(0, most - len(asked))]
    called = "quasi-identifiers" if role == "quasi-identifier" else "sensitive columns"
    for name in proposed:
        if name not in kept:
            found[name] = _Found("identifier", f"left out: {most} {called} are enough")


def _found(profile: ColumnProfile) -> _Found:
    name = ColumnName.of(profile.name)
    values = profile.rows - profile.nulls
    if not values:
        return _Found("identifier", "it has no values")
    if has_no_text(profile.type):
        return _Found("identifier", f"type {_short(profile.type)} cannot be generalised")
    if profile.distinct == 1 and not profile.nulls:
        return _Found("kept", "one value in all rows")
    return (
        _by_form(profile)
        or _by_direct_name(name)
        or _by_text(profile, name)
        or _by_meaning(profile, name)
        or _by_values(profile, name)
    )


def _short(column_type: str) -> str:
    return without_labels(column_type).partition("(")[0]


def _share(profile: ColumnProfile) -> float:
    """The different values for a non-NULL row."""
    values = profile.rows - profile.nulls
    return profile.distinct / values if values else 0.0


def _counted(profile: ColumnProfile) -> str:
    return f"{profile.distinct:,} values in {profile.rows:,} rows"


def _by_form(profile: ColumnProfile) -> _Found | None:
    """The role of texts that are of a form which persons are reached or known by."""
    for form in (
        text_formats.EMAIL_ADDRESSES,
        text_formats.TELEPHONE_NUMBERS,
        text_formats.IP_ADDRESSES,
        text_formats.UUIDS,
    ):
        if is_text(profile.type) and has_form(profile, form) and not _may_be_other(profile, form):
            return _Found("identifier", f"its texts are {form}")
    if is_text(profile.type) and has_form(profile, text_formats.JAPANESE_POSTCODES) and not profile.digits_only:
        return _Found("quasi-identifier", "Japanese postcodes; others may know them", 9)
    return None


def _may_be_other(profile: ColumnProfile, form: str) -> bool:
    """Whether texts of a form may as well be something else: digits that repeat are no telephone numbers."""
    return form == text_formats.TELEPHONE_NUMBERS and profile.digits_only and _share(profile) < OFTEN_UNIQUE


def has_form(profile: ColumnProfile, form: str) -> bool:
    """Whether most texts of a column are of a form, as counted, or else among those listed."""
    if form in profile.forms:
        return profile.forms[form] >= MOSTLY
    pattern = re.compile(text_formats.FORMS[form])
    listed = sum(each.rows for each in profile.values)
    of_form = sum(each.rows for each in profile.values if pattern.fullmatch(each.value))
    return bool(listed) and of_form >= MOSTLY * listed


def _by_direct_name(name: ColumnName) -> _Found | None:
    words = first_in(name, DIRECT)
    if words is None:
        return None
    return _Found("identifier", f"its name says {words.meaning}")


def _by_text(profile: ColumnProfile, name: ColumnName) -> _Found | None:
    """Names of persons, free texts, and texts that nearly every row has one of its own."""
    if not is_text(profile.type):
        return None
    share, few = _share(profile), profile.rows < FEW_ROWS
    words = first_in(name, NAMES)
    if words is not None and (share > OFTEN_UNIQUE or profile.distinct > MANY_VALUES):
        return _Found("identifier", f"names of persons: {_counted(profile)}")
    is_long = (profile.words or 0) > FREE_TEXT_WORDS or (profile.longest or 0) > FREE_TEXT_LENGTH
    is_long = is_long and share > OFTEN_UNIQUE
    if not few and (is_long or (first_in(name, FREE_TEXTS) and profile.distinct > MANY_VALUES)):
        return _Found("identifier", "free texts, which may name persons")
    if share > NEAR_UNIQUE and not few and not first_in(name, QUASI):
        return _Found("identifier", f"{_counted(profile)}: tells the row")
    return None


def _by_meaning(profile: ColumnProfile, name: ColumnName) -> _Found | None:
    """The role of a column whose name says what it tells; of two words in it the last counts."""
    quasi, sensitive = first_in(name, QUASI), first_in(name, SENSITIVE)
    if sensitive is not None and quasi is not None:
        says_when = quasi.meaning == EVENTS
        if is_date(profile.type) if says_when else quasi.last_in(name) > sensitive.last_in(name):
            sensitive = None
    if sensitive is not None:
        is_amount = sensitive.meaning == WEALTH and is_number(profile.type)
        strength = len(SENSITIVE) - SENSITIVE.index(sensitive)
        return _Found("sensitive", f"its name says {sensitive.meaning}; protect it", strength + 1, is_amount)
    if quasi is not None:
        return _Found("quasi-identifier", f"its name says {quasi.meaning}; others may know it", quasi.strength)
    return None


def _by_values(profile: ColumnProfile, name: ColumnName) -> _Found:
    """The role of a column whose name says nothing, by its values."""
    share, few = _share(profile), profile.rows < FEW_ROWS
    key = first_in(name, KEYS)
    if is_date(profile.type):
        return _Found("quasi-identifier", "dates, of which others may know the event", 6)
    if key is not None and (share > OFTEN_UNIQUE or (key.ends(name) and profile.distinct > MANY_VALUES)):
        return _Found("identifier", f"a key by its name and {profile.distinct:,} values")
    if is_whole(profile.type) and share > NEAR_UNIQUE and not few and _is_like_a_key(profile):
        return _Found("identifier", f"{_counted(profile)}: tells the row")
    if is_number(profile.type) and share > NEAR_UNIQUE and not few:
        return _Found(
            "sensitive",
            "nearly one value a row; protect it",
            1,
            is_amount=True,
        )
    return _Found("quasi-identifier", f"{profile.distinct:,} values; not known to be harmless", 3)


def _is_like_a_key(profile: ColumnProfile) -> bool:
    """Whether whole numbers are given out one after the other: positive, all different, evenly spread."""
    numbers = [each for each in profile.quantiles if isinstance(each, Decimal)]
    if profile.distinct < profile.rows - profile.nulls or len(numbers) < 3 or numbers[0] < 0:
        return False
    least, span = numbers[0], numbers[-1] - numbers[0]
    even = (least + span * place / (len(numbers) - 1) for place in range(len(numbers)))
    return all(abs(number - expected) <= span * UNEVEN for number, expected in zip(numbers, even, strict=True))
