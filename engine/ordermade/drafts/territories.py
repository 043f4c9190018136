"""Countries and territories by their names and codes, in many languages, with the parts of the world they lie in.

Names are CLDR's, through Babel, and those of ISO 3166-1, through pycountry. The parts of the world are those of the
United Nations' M49, which CLDR takes over; Babel has their names, but not which territory lies in which.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType

import pycountry
from babel import Locale

PARTS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "002": {
            "015": "DZ EA EG EH IC LY MA SD TN",
            "011": "BF BJ CI CV GH GM GN GW LR ML MR NE NG SH SL SN TG",
            "017": "AO CD CF CG CM GA GQ ST TD",
            "014": "BI DJ ER ET IO KE KM MG MU MW MZ RE RW SC SO SS TF TZ UG YT ZM ZW",
            "018": "BW LS NA SZ ZA",
        },
        "019": {
            "021": "BM CA GL PM US",
            "013": "BZ CR GT HN MX NI PA SV",
            "029": "AG AI AW BB BL BQ BS CU CW DM DO GD GP HT JM KN KY LC MF MQ MS PR SX TC TT VC VG VI",
            "005": "AR BO BR BV CL CO EC FK GF GS GY PE PY SR UY VE",
        },
        "142": {
            "143": "KG KZ TJ TM UZ",
            "030": "CN HK JP KP KR MN MO TW",
            "035": "BN ID KH LA MM MY PH SG TH TL VN",
            "034": "AF BD BT IN IR LK MV NP PK",
            "145": "AE AM AZ BH CY GE IL IQ JO KW LB OM PS QA SA SY TR YE",
        },
        "150": {
            "151": "BG BY CZ HU MD PL RO RU SK SU UA",
            "154": "AX DK EE FI FO GB GG IE IM IS JE LT LV NO SE SJ",
            "155": "AT BE CH DD DE FR LI LU MC NL",
            "039": "AD AL BA CS ES GI GR HR IT ME MK MT PT RS SI SM VA XK YU",
        },
        "009": {
            "053": "AU CC CX HM NF NZ",
            "054": "FJ NC PG SB VU",
            "057": "FM GU KI MH MP NR PW UM",
            "061": "AS CK NU PF PN TK TO TV WF WS",
            "QO": "AQ",
        },
    }
)
"""The territories of each sub-region of each continent, by M49 and ISO 3166-1; four that are no more among them."""

ALSO: Mapping[str, str] = MappingProxyType(
    {
        "america": "US", "u s": "US", "u s a": "US", "united states of america": "US", "u k": "GB", "uk": "GB",
        "great britain": "GB", "britain": "GB", "england": "GB", "scotland": "GB", "wales": "GB",
        "northern ireland": "GB", "holland": "NL", "holand netherlands": "NL", "hong": "HK", "hong kong": "HK",
        "macau": "MO", "columbia": "CO", "trinadad tobago": "TT", "yugoslavia": "YU", "soviet union": "SU",
        "ussr": "SU", "czechoslovakia": "CZ", "czech republic": "CZ", "east germany": "DD", "west germany": "DE",
        "burma": "MM", "myanmar": "MM", "ivory coast": "CI", "swaziland": "SZ", "cape verde": "CV", "korea": "KR",
        "south korea": "KR", "north korea": "KP", "macedonia": "MK", "turkey": "TR", "vatican": "VA",
        "palestine": "PS", "congo": "CG", "dr congo": "CD", "zaire": "CD", "east timor": "TL", "persia": "IR",
        "outlying us guam usvi etc": "UM", "米国": "US", "英国": "GB", "豪州": "AU", "独国": "DE", "仏国": "FR",
        "大韓民国": "KR", "中華人民共和国": "CN", "中国": "CN",
    }
)  # fmt: skip
"""Further names and old ones, as `normal` writes them; England and the like stand for the whole."""

LANGUAGES: tuple[str, ...] = (
    "en", "ja", "zh", "zh_Hant", "ko", "de", "fr", "es", "it", "pt",
    "nl", "sv", "pl", "tr", "vi", "id", "ru", "uk", "ar", "th",
)  # fmt: skip
"""The languages whose names are looked up; of several that know as many values, the first."""

_SMALL_WORDS = frozenset({"the", "and"})


def normal(name: str) -> str:
    """A name without case, accents, hyphens and the like: `Côte-d’Ivoire` as `cote d ivoire`."""
    return _without_marks(name) if not name.isascii() else _words(name.casefold())


def _without_marks(name: str) -> str:
    parted = unicodedata.normalize("NFKD", name)
    kept = unicodedata.normalize("NFC", "".join(each for each in parted if not "\u0300" <= each <= "\u036f"))
    return _words(kept.casefold())


def _words(text: str) -> str:
    spaced = "".join(each if each.isalnum() or unicodedata.category(each)[0] == "M" else " " for each in text)
    return " ".join(word for word in spaced.split() if word not in _SMALL_WORDS)


@cache
def containing() -> Mapping[str, tuple[str, str]]:
    """The sub-region and the continent of each territory, all by code."""
    return MappingProxyType(
        {
            territory: (part, continent)
            for continent, parts in PARTS.items()
            for part, territories in parts.items()
            for territory in territories.split()
        }
    )


@cache
def names_of(language: str) -> Mapping[str, str]:
    """The territory of each name in a language of CLDR."""
    known = containing()
    names = Locale.parse(language).territories
    return MappingProxyType({normal(name): code for code, name in names.items() if code in known})


@cache
def codes_and_official_names() -> Mapping[str, str]:
    """The territory of each code of two or three letters or three digits, and of each name of ISO 3166-1."""
    found: dict[str, str] = {}
    for each in pycountry.countries:
        code = each.alpha_2
        if code in containing():
            names = [getattr(each, name, None) for name in ("name", "official_name", "common_name")]
            written = [each.alpha_2, each.alpha_3, each.numeric, *names]
            found |= {normal(name): code for name in written if name}
    return MappingProxyType(found)


def territories(values: Iterable[str]) -> tuple[Mapping[str, str], str]:
    """The territory of each value that is one, and the language that knows the most of them."""
    wanted = {value: normal(value) for value in values}
    official = codes_and_official_names()
    best: tuple[dict[str, str], str] = ({}, "en")
    for language in LANGUAGES:
        names = names_of(language)
        found = {
            value: code
            for value, name in wanted.items()
            if (code := names.get(name) or official.get(name) or ALSO.get(name)) is not None
        }
        if len(found) > len(best[0]):
            best = found, language
        if len(found) == len(wanted):
            break
    return best


def parts_named(code: str, language: str) -> tuple[str, str]:
    """The names of the sub-region and the continent of a territory, in a language."""
    names = Locale.parse(language).territories
    part, continent = containing()[code]
    return names[part], names[continent]


def name_of(code: str, language: str) -> str:
    """The name of a territory in a language; its code where CLDR has none."""
    return str(Locale.parse(language).territories.get(code, code))
