"""Prefectures of Japan by JIS X 0401: their names in kanji and romaji, their codes, their regions."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from types import MappingProxyType

from ordermade.drafts.territories import normal

TABLE = """
北海道 Hokkaido 東日本: 01 北海道 Hokkaido
東北 Tohoku 東日本: 02 青森県 Aomori, 03 岩手県 Iwate, 04 宮城県 Miyagi, 05 秋田県 Akita, 06 山形県 Yamagata
東北 Tohoku 東日本: 07 福島県 Fukushima
関東 Kanto 東日本: 08 茨城県 Ibaraki, 09 栃木県 Tochigi, 10 群馬県 Gunma, 11 埼玉県 Saitama, 12 千葉県 Chiba
関東 Kanto 東日本: 13 東京都 Tokyo, 14 神奈川県 Kanagawa
中部 Chubu 東日本: 15 新潟県 Niigata, 16 富山県 Toyama, 17 石川県 Ishikawa, 18 福井県 Fukui, 19 山梨県 Yamanashi
中部 Chubu 東日本: 20 長野県 Nagano, 21 岐阜県 Gifu, 22 静岡県 Shizuoka, 23 愛知県 Aichi
近畿 Kinki 西日本: 24 三重県 Mie, 25 滋賀県 Shiga, 26 京都府 Kyoto, 27 大阪府 Osaka, 28 兵庫県 Hyogo
近畿 Kinki 西日本: 29 奈良県 Nara, 30 和歌山県 Wakayama
中国 Chugoku 西日本: 31 鳥取県 Tottori, 32 島根県 Shimane, 33 岡山県 Okayama, 34 広島県 Hiroshima, 35 山口県 Yamaguchi
四国 Shikoku 西日本: 36 徳島県 Tokushima, 37 香川県 Kagawa, 38 愛媛県 Ehime, 39 高知県 Kochi
九州・沖縄 Kyushu-Okinawa 西日本: 40 福岡県 Fukuoka, 41 佐賀県 Saga, 42 長崎県 Nagasaki, 43 熊本県 Kumamoto
九州・沖縄 Kyushu-Okinawa 西日本: 44 大分県 Oita, 45 宮崎県 Miyazaki, 46 鹿児島県 Kagoshima, 47 沖縄県 Okinawa
"""
"""Regions in kanji and romaji, the half of Japan that each is in, and their prefectures with their codes."""

HALVES = MappingProxyType({"東日本": "East Japan", "西日本": "West Japan"})

_ALSO = MappingProxyType(
    {"gumma": "10", "ooita": "44", "hyougo": "28", "toukyou": "13", "oosaka": "27", "kyouto": "26", "kouchi": "39"}
)
_SUFFIX = re.compile(r"(?<=\S)(?:[ ](?:to|do|fu|ken|prefecture|pref|metropolis))$")
_CODE = re.compile(r"(?:jp ?)?0?([1-9]|[1-4][0-9])")


def _rows() -> Iterator[tuple[str, str, str, str]]:
    """The code, the name in kanji and in romaji, and the region of each prefecture."""
    for line in TABLE.strip().splitlines():
        region, _, listed = line.partition(": ")
        for each in listed.split(", "):
            code, kanji, romaji = each.split(" ")
            yield code, kanji, romaji, region


@cache
def prefectures() -> Mapping[str, str]:
    """The code of each name: `東京都`, `東京`, `tokyo`."""
    found = dict(_ALSO)
    for code, kanji, romaji, _ in _rows():
        short = kanji if kanji == "北海道" else kanji[:-1]
        found |= dict.fromkeys((kanji, short, romaji.casefold()), code)
    return MappingProxyType(found)


def prefecture_of(value: str, *, digits: bool) -> str | None:
    """The code of the prefecture that a value names; `digits`: numbers alone are codes, too."""
    name = normal(value)
    known = prefectures()
    found = known.get(name) or known.get(_SUFFIX.sub("", name))
    if found is None and (digits or name.startswith("jp")):
        code = _CODE.fullmatch(name)
        found = f"{int(code[1]):02d}" if code and int(code[1]) <= 47 else None
    return found


@cache
def _address() -> re.Pattern[str]:
    """An address that begins with the full name of a prefecture, a postcode before it or not, and goes on after it."""
    names = "|".join(kanji for _, kanji, _, _ in _rows())
    return re.compile(rf"(?:〒? ?[0-9]{{3}}-?[0-9]{{4}} ?)?({names}) ?[^ ].*")


def groups_of_address(value: str) -> tuple[str, str, str] | None:
    """The prefecture of an address in kanji, its region and half of Japan; None for other texts, a prefecture alone."""
    found = _address().fullmatch(unicodedata.normalize("NFKC", value).strip())
    return None if found is None else (found[1], *regions_of(prefectures()[found[1]], kanji=True))


@cache
def _regions() -> Mapping[str, tuple[str, str, str]]:
    return MappingProxyType({code: _region(region) for code, _, _, region in _rows()})


def _region(written: str) -> tuple[str, str, str]:
    kanji, romaji, half = written.split(" ")
    return kanji, romaji, half


def regions_of(code: str, *, kanji: bool) -> tuple[str, str]:
    """The region and the half of Japan of a prefecture, in kanji or in Latin letters."""
    region, latin, half = _regions()[code]
    return (f"{region}地方", half) if kanji else (latin, HALVES[half])


def in_kanji(values: Iterable[str]) -> bool:
    """Whether values are written in kanji."""
    return any("\u4e00" <= each <= "\u9fff" for value in values for each in value)


MAX_PLACE = 48
"""A place after every prefecture."""


@cache
def _places() -> Mapping[str, int]:
    """The place of each prefecture, region and half of Japan by JIS X 0401: that of its first prefecture."""
    found: dict[str, int] = {}
    for code, kanji, romaji, region in _rows():
        region_in_kanji, latin, half = _region(region)
        names = (kanji, kanji if kanji == "北海道" else kanji[:-1], romaji)
        wider = (region_in_kanji, f"{region_in_kanji}地方", latin, half, HALVES[half])
        for name in (*names, *wider):
            found.setdefault(name.casefold(), int(code))
    return MappingProxyType(found)


def place_of(label: str) -> int | None:
    """The place of a prefecture, a region or a half of Japan in JIS X 0401, by its name; None for any other text."""
    return _places().get(unicodedata.normalize("NFKC", label).strip().casefold())
