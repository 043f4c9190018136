"""Readings of bytes in each candidate encoding, and their likelihood in any language.

`charset-normalizer` proposes encodings, beside those that tables are most often written in. Each reading is weighed by
the letters of languages; readings of the same text are one. A reading not 1,000 times likelier than the next is open.
"""

from __future__ import annotations

import codecs
import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from types import MappingProxyType

from charset_normalizer import from_bytes

FOREIGN = 1e-7
"""The chance of a character that a language does not write."""
_ACCENTED = 0.06
_ALPHABET = 0.8
_SIGNS = "’–—“”„«»…•°§€№‘‚·²³½º"
_SIGN = 2e-4

_LATIN: Mapping[str, str] = MappingProxyType(
    {
        "French": "éàèêçîôûâùïëœ",
        "German": "üäöß",
        "Spanish": "óáíéñúü",
        "Portuguese": "ãçáéíóêâõúàô",
        "Italian": "àèòùìé",
        "Swedish": "äåöé",
        "Danish": "åøæé",
        "Polish": "łąęóżśćńź",
        "Czech": "íáěéřčžýšůúňťďó",
        "Slovak": "áíéčýšžúľťňôďäóŕĺ",
        "Hungarian": "áéöóőüíúű",
        "Romanian": "ăîâșțşţ",
        "Croatian": "čšžćđ",
        "Turkish": "ıüşğöçİâ",
        "Lithuanian": "ėšžįųąūčę",
        "Latvian": "āīēšūņļžčķģ",
    }
)
_OTHER: Mapping[str, str] = MappingProxyType(
    {
        "Russian": "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё",
        "Ukrainian": "оанитівреслкудмпзяьбгчйхцжїєшюфщґ",
        "Greek": "αοιετσνηυρπκμλςωδγθχφβξζψάίόέήύώϊϋ",
    }
)
_JAPANESE = (
    "東京都大阪府北海道県市区町村郡字番地号丁目神奈川埼玉千葉兵庫福岡愛知静茨城広島宮新潟長野岐阜群馬栃木岡山熊本鹿児滋賀"
    "三重沖縄奈良石富鳥取根徳香媛高佐分崎秋田青森岩手形福井梨和歌口名古屋横浜札幌仙台堺戸"
    "藤鈴橋伊渡辺小林加吉松上中村木清水斎斉前池坂内太後近遠原本間武村西南谷久保金沢平今河野菊増杉安丸柴酒工関早"
    "氏姓年齢性別生月日男女男子美恵子一二四五六七八九十百万円雄夫郎介樹翔健誠隆浩明正和幸博秀洋花優真由紀直香陽裕智彦司哲也"
    "住所電話職業会社員公務学校教師主婦無自営医療看護販売製造運輸建設農漁商店員課部長備考特記事項希望連絡先"
    "人大出入来行見言時分年上下左右外前後以最新旧高低多少全毎週何方法問題用使作成変更登録済未要不可有無可能確認"
    "定休金土火曜午朝夕夜回数量品番商価格税込注文受付配送届購入買売利予約利用者客様紹介申込退入会解約継続再度直接説明"
)
_CHINESE = (
    "的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可里后小么心多天而能好都然没日于起还"
    "北京上海市省广州深圳南东西江苏浙湖河山四川重庆天津安徽福建辽宁黑龙吉林云贵陕甘青"
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘蒋蔡余杜叶程姓名性别男女年龄地址电话职业公司"
    "這個們為說時來後對學過會還沒與國東廣灣臺縣區號張劉陳楊黃趙吳孫馬鄭羅許韓馮鄧葉蔣"
)
_KOREAN = (
    "이다는의가에을하고지한로사기도은리어를서나인자아대시그해있수일전보부정과제스만상여장주구라들게중면원경동관조국우소신선공산성유적무안"
    "김박최강윤임오황송권홍문양손배백허남심노곽진차울광천세충북포용창화명영민준현미희숙혜연석철호재태훈별름소직업의학생회사원"
)


@dataclass(frozen=True, slots=True)
class TextLanguage:
    """A language as the chance of each character beyond ASCII; letters are looked up in lower case."""

    name: str
    chances: Mapping[str, float]

    def log_chance(self, character: str) -> float:
        """The logarithm of the chance of a character beyond ASCII."""
        return math.log(self.chances.get(character.lower(), FOREIGN))

    def writes(self, character: str) -> bool:
        """True if the language has the character, rare ones of its script included."""
        return character.lower() in self.chances


@cache
def languages() -> tuple[TextLanguage, ...]:
    """Every language that readings are weighed by."""
    alphabets = [
        *(TextLanguage(name, _ranked(letters, _ACCENTED)) for name, letters in _LATIN.items()),
        *(TextLanguage(name, _ranked(letters, _ALPHABET)) for name, letters in _OTHER.items()),
    ]
    return (*alphabets, _japanese(), _half_width(), _chinese(), _korean())


def _ranked(letters: str, mass: float) -> Mapping[str, float]:
    """A chance for each letter: falling slowly by its place, as letters of a language do."""
    weights = {letter: 1 / (place + 2) for place, letter in enumerate(letters)}
    whole = sum(weights.values())
    return {**dict.fromkeys(_SIGNS, _SIGN), **{each: mass * weight / whole for each, weight in weights.items()}}


def _spread(chances: dict[str, float], characters: str, mass: float) -> None:
    """Adds a mass, spread evenly, to characters that have no chance yet."""
    new = [each for each in dict.fromkeys(characters) if each.lower() not in chances]
    chances.update({each.lower(): mass / max(1, len(new)) for each in new})


def _japanese() -> TextLanguage:
    chances: dict[str, float] = {}
    _spread(chances, _JAPANESE, 0.35)
    _spread(chances, _range(0x3041, 0x3094), 0.25)
    _spread(chances, _range(0x30A1, 0x30FD), 0.15)
    _spread(chances, "、。「」・ー～〜（）　：／－『』【】〒々〇＊※○●◎△×→①②③④⑤⑥⑦⑧⑨㈱℡№", 0.05)
    _spread(chances, _range(0xFF10, 0xFF5B), 0.05)
    _spread(chances, _range(0xFF61, 0xFFA0), 0.05)
    _spread(chances, _pairs("euc_jp", 0xB0, 0xD0), 0.1)
    _spread(chances, _pairs("euc_jp", 0xD0, 0xF5), 0.005)
    _spread(chances, _extensions(), 0.001)
    return TextLanguage("Japanese", chances)


def _half_width() -> TextLanguage:
    """Japanese in half-width kana alone, as banks write it."""
    chances: dict[str, float] = {}
    _spread(chances, _range(0xFF61, 0xFFA0), _ALPHABET)
    return TextLanguage("Japanese in half-width kana", chances)


def _chinese() -> TextLanguage:
    chances: dict[str, float] = {}
    _spread(chances, _CHINESE, 0.6)
    _spread(chances, "，。、；：？！（）《》“”‘’　—…", 0.08)
    _spread(chances, _pairs("gb2312", 0xB0, 0xD8), 0.15)
    _spread(chances, _pairs("big5", 0xA4, 0xC7, least=0x40), 0.15)
    _spread(chances, _pairs("gb2312", 0xD8, 0xF8), 0.005)
    return TextLanguage("Chinese", chances)


def _korean() -> TextLanguage:
    chances: dict[str, float] = {}
    _spread(chances, _KOREAN, 0.6)
    _spread(chances, _pairs("euc_kr", 0xB0, 0xC9), 0.2)
    _spread(chances, "·　（）", 0.01)
    _spread(chances, _pairs("euc_kr", 0xCA, 0xFE), 0.003)
    return TextLanguage("Korean", chances)


def _range(start: int, stop: int) -> str:
    return "".join(map(chr, range(start, stop)))


def _pairs(codec: str, start: int, stop: int, least: int = 0xA1) -> str:
    """The characters of a codec whose first byte lies in a range: its rows of frequent, or of rare ones."""
    return "".join(
        bytes((first, second)).decode(codec, "ignore") for first in range(start, stop) for second in range(least, 0xFF)
    )


def _extensions() -> str:
    """The characters that CP932 has beyond JIS: variants of kanji in names, signs."""
    return "".join(
        bytes((first, second)).decode("cp932", "ignore")
        for first in (0x87, 0xFA, 0xFB, 0xFC)
        for second in range(0x40, 0xFD)
    )


FAMILIAR = (
    "cp932", "cp1252", "euc_jp", "cp1250", "iso8859-2", "cp1251", "koi8-r", "iso8859-1", "iso8859-15", "cp1253",
    "iso8859-7", "cp1254", "cp1257", "iso8859-5", "cp866", "mac-roman", "mac-cyrillic", "cp852", "cp850", "cp437",
    "cp1255", "cp1256", "cp874", "euc_jis_2004", "gb18030", "big5", "cp949",
)  # fmt: skip
"""The encodings that are always considered; of those that read the same the first is named."""
_RARE = frozenset({"cp866", "mac-roman", "mac-cyrillic", "cp852", "cp850", "cp437", "euc_jis_2004"})

_CLEARLY = math.log(1000)
_RARELY = math.log(1 / 50)
_PROPOSED = math.log(1 / 1000)
_ASCII = math.log(1 / 30)
_CAPITAL_INSIDE = math.log(1 / 1000)
_MIXED_SCRIPTS = math.log(1 / 10_000)
_MAX_STRANGE = 0.15
"""The share of characters beyond ASCII that a language may not write for a reading to be one in it."""
_PROPOSED_CHAOS = 0.1


@dataclass(frozen=True, slots=True)
class TextReading:
    """A text that encodings read from the same bytes, the one that is named first, and how likely it is (a log)."""

    encodings: tuple[str, ...]
    text: str
    likelihood: float
    strange: float

    @property
    def encoding(self) -> str:
        """The encoding that it is named by."""
        return self.encodings[0]


def readings(sample: bytes) -> tuple[TextReading, ...]:
    """Every way to read the bytes, the likeliest first."""
    texts: dict[str, list[str]] = {}
    for encoding in dict.fromkeys((*FAMILIAR, *_proposed(sample))):
        text = _text(sample, encoding)
        if text is not None:
            texts.setdefault(text, []).append(encoding)
    return tuple(sorted((_weighed(text, found) for text, found in texts.items()), key=lambda each: -each.likelihood))


def likeliest(found: Sequence[TextReading]) -> TextReading | None:
    """The reading that is clearly likelier than every other, and of a language; None where there is none."""
    if not found or found[0].strange > _MAX_STRANGE:
        return None
    clear = len(found) == 1 or found[0].likelihood - found[1].likelihood >= _CLEARLY
    return found[0] if clear else None


def near(found: Sequence[TextReading], most: int = 4) -> tuple[str, ...]:
    """The encodings to choose from where no reading is clearly the likeliest."""
    return tuple(each.encoding for each in found[:most])


def _proposed(sample: bytes) -> Iterable[str]:
    """The encodings that charset-normalizer finds little disorder in."""
    for match in from_bytes(sample):
        if match.chaos <= _PROPOSED_CHAOS:
            yield codecs.lookup(match.encoding).name


def _text(sample: bytes, encoding: str) -> str | None:
    """Decode by an encoding; None where it does not decode them, or gives a text that no table has."""
    try:
        text = sample.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None
    return None if any(_is_no_text(each) for each in set(text)) else text


def _is_no_text(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cn", "Cs") and character not in "\t\n\r\x0b\x0c\x1a"


def _weighed(text: str, encodings: list[str]) -> TextReading:
    counted = Counter(each for each in text if not each.isascii())
    beyond = max(1, counted.total())
    capitals, mixed = _oddities(text)
    likelihood, strange = max(_in(language, counted) for language in languages())
    weight = (len(text) - counted.total()) * _ASCII + capitals * _CAPITAL_INSIDE + mixed * _MIXED_SCRIPTS
    strangeness = 1.0 if _half_width_alone(counted) else (strange + capitals + mixed) / beyond
    return TextReading(tuple(encodings), text, weight + _custom(encodings[0]) + likelihood, strangeness)


def _half_width_alone(counted: Counter[str]) -> bool:
    """True if all characters beyond ASCII are half-width kana: almost any byte reads as one in CP932."""
    return bool(counted) and all("\uff61" <= each <= "\uff9f" for each in counted)


def _custom(encoding: str) -> float:
    """The rarity of an encoding among tables (a log)."""
    if encoding not in FAMILIAR:
        return _PROPOSED
    return _RARELY if encoding in _RARE else 0.0


def _in(language: TextLanguage, counted: Counter[str]) -> tuple[float, int]:
    """The likelihood of characters in a language (a log), and how many of them it does not write."""
    strange = sum(count for each, count in counted.items() if not language.writes(each))
    return sum(count * language.log_chance(each) for each, count in counted.items()), strange


def _oddities(text: str) -> tuple[int, int]:
    """Count capitals that follow a small letter, and meetings of letters of two scripts that no word mixes."""
    capitals = mixed = 0
    for before, after in pairwise(text):
        if before.isascii() and after.isascii():
            continue
        capitals += before.islower() and after.isupper()
        first, second = _script(before), _script(after)
        mixed += bool(first and second and first != second and not {first, second} <= _JAPANESE_SCRIPTS)
    return capitals, mixed


_JAPANESE_SCRIPTS = frozenset({"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "FULLWIDTH"})


def _script(character: str) -> str:
    """The first word of the name of a letter, which is its script; empty for what is no letter."""
    return unicodedata.name(character, "").split(" ", 1)[0] if character.isalpha() else ""
