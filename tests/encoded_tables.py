"""Tables of names, towns and sentences in four languages, as people keep them."""

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """What the tables of one language are made of."""

    header: tuple[str, ...]
    names: tuple[str, ...]
    towns: tuple[str, ...]
    sentences: tuple[str, ...]
    encodings: tuple[str, ...]


JAPANESE = Words(
    ("氏名", "住所", "年齢", "備考"),
    (
        "山田太郎",
        "佐藤花子",
        "鈴木一郎",
        "高橋恵",
        "田中誠",
        "渡辺直美",
        "齋藤翔",
        "中村さくら",
        "小林ケンジ",
        "加藤葵",
    ),
    ("東京都新宿区", "大阪府堺市", "北海道札幌市", "神奈川県横浜市", "愛知県豊田市", "沖縄県那覇市", "岐阜県高山市"),
    ("毎週水曜日に来店します。", "電話での連絡を希望", "特になし", "住所変更の届け出あり", "ポイントカードを紛失した"),
    ("utf-8", "utf-8-sig", "utf-16", "cp932", "euc_jp", "iso2022_jp"),
)
FRENCH = Words(
    ("prénom", "ville", "âge", "remarque"),
    ("André", "Hélène", "Jérôme", "Zoé", "François", "Benoît", "Noël", "Agnès", "Geneviève", "Marie", "Cécile"),
    ("Orléans", "Besançon", "Nîmes", "Béziers", "Paris", "Saint-Étienne", "Angoulême", "Sète", "Lyon"),
    (
        "déjà client depuis l'été dernier",
        "préfère être appelée le soir",
        "à rappeler",
        "où est la clé ?",
        "rien à dire",
    ),
    ("utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252"),
)
POLISH = Words(
    ("imię", "miejscowość", "wiek", "uwagi"),
    ("Łukasz", "Małgorzata", "Grażyna", "Świętosława", "Paweł", "Michał", "Jan", "Żaneta", "Wójcik", "Dąbrowski"),
    ("Gdańsk", "Łódź", "Wrocław", "Kraków", "Białystok", "Rzeszów", "Poznań", "Częstochowa", "Warszawa"),
    ("dzwonić po południu", "stała klientka", "proszę o kontakt", "źle się czuła", "będzie później", "już zapłacił"),
    ("utf-8", "utf-8-sig", "utf-16", "cp1250", "iso8859_2"),
)
RUSSIAN = Words(
    ("имя", "город", "возраст", "примечание"),
    ("Иван", "Анна", "Сергей", "Ольга", "Дмитрий", "Екатерина", "Фёдор", "Юлия", "Наталья", "Эдуард"),
    ("Москва", "Санкт-Петербург", "Казань", "Тверь", "Новосибирск", "Екатеринбург", "Омск", "Пермь"),
    ("звонить после обеда", "постоянный клиент", "просит перезвонить", "ещё не заплатил", "переехал в другой город"),
    ("utf-8", "utf-8-sig", "utf-16", "cp1251", "koi8_r"),
)
LANGUAGES = {"Japanese": JAPANESE, "French": FRENCH, "Polish": POLISH, "Russian": RUSSIAN}


def table(words: Words, rows: int, rng: random.Random, *, plain_header: bool = False, fields: int = 4) -> str:
    """A table as CSV text, some `rows` long."""
    header = ("name", "town", "age", "note") if plain_header else words.header
    lines = [",".join(header[:fields])]
    for _ in range(rows):
        row = (rng.choice(words.names), rng.choice(words.towns), str(rng.randint(18, 90)), rng.choice(words.sentences))
        lines.append(",".join(row[:fields]))
    return "\n".join(lines) + "\n"
