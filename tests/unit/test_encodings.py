"""The encodings of text files: named by any codec of Python, or found by what is in the file, or asked for."""

from __future__ import annotations

import gzip
import io
import random
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ordermade.errors import InputError, SourceFault
from ordermade.files.encodings import BLOCK, SAMPLED, Detected, decoded, detected, named_encoding
from ordermade.files.file_reading import FileReading
from ordermade.hierarchies.read_csv import read_text
from ordermade.sources.executor import Purpose
from ordermade.sources.limits import Limits
from ordermade.sources.open import open_source
from tests.conformance.backends import dataset
from tests.encoded_tables import FRENCH, JAPANESE, LANGUAGES, table
from tests.long import rounds
from tests.made import new_engine

SHORT = {
    "Japanese": ("cp932", "euc_jp", "iso2022_jp"),
    "French": ("latin-1", "cp1252"),
    "Polish": ("cp1250", "iso8859_2"),
    "Russian": ("cp1251", "koi8_r"),
}


def found(content: bytes) -> Detected:
    return detected(partial(io.BytesIO, content))


def read(path: Path, encoding: str = "auto") -> list[list[str]]:
    """The header and rows of a CSV file, as texts, by the engine."""
    backend = open_source(
        str(path), "csv", writable=False, reading=FileReading(encoding, header=True), limits=Limits("256MB", 1)
    )
    try:
        asked = dataset(backend)
        rows = [[str(cell) for cell in row] for row in backend.executor.rows(Purpose.CATALOG, asked.relation)]
        return [[each.name for each in asked.columns], *rows]
    finally:
        backend.close()


def as_written(text: str) -> list[list[str]]:
    return [line.split(",") for line in text.splitlines()]


@pytest.mark.slow
def test_thirty_files_in_ten_encodings_are_read_right_or_asked_about(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    files = [(language, each, 40) for language, words in LANGUAGES.items() for each in words.encodings]
    files += [(language, each, 3) for language, encodings in SHORT.items() for each in encodings]
    read_right, asked = 0, []
    for number, (language, encoding, rows) in enumerate(files):
        text = table(LANGUAGES[language], rows, rng, plain_header=number % 2 == 0)
        ending = "csv.gz" if number % 5 == 0 else "csv"
        path = tmp_path / f"{number}.{ending}"
        content = text.replace("齋", "斎").encode(encoding) if encoding == "iso2022_jp" else text.encode(encoding)
        path.write_bytes(gzip.compress(content) if ending == "csv.gz" else content)
        try:
            got = read(path)
        except SourceFault as fault:
            asked.append((language, encoding, rows, "--encoding" in fault.message))
            continue
        expected = text.replace("齋", "斎") if encoding == "iso2022_jp" else text
        assert got == as_written(expected), (language, encoding)
        read_right += 1
    encodings = {each for _, each, _ in files}
    print(
        f"{len(files)} files in {len(encodings)} encodings: {read_right} read right, {len(asked)} asked about {asked}"
    )
    assert (len(files), read_right + len(asked)) == (30, 30)
    assert len(encodings) >= 10
    assert read_right >= 25
    assert all(names_the_option for *_, names_the_option in asked)


@pytest.mark.long
def test_no_table_is_read_wrong_without_a_word(seed: int) -> None:
    rng = random.Random(seed)
    asked = tried = 0
    for _ in range(rounds(200, 20_000)):
        words = LANGUAGES[rng.choice(list(LANGUAGES))]
        encoding = rng.choice(words.encodings)
        text = table(
            words, rng.choice((1, 2, 3, 5, 20)), rng, plain_header=rng.random() < 0.8, fields=rng.randint(1, 4)
        )
        text = rng.choice((text, text, text.lower(), text.upper()))
        content = text.encode(encoding, "ignore")
        readable = content.decode(encoding)
        answer = found(content)
        tried += 1
        if answer.encoding is None:
            asked += 1
            continue
        got = "".join(decoded(partial(io.BytesIO, content), answer.encoding)).removeprefix("\ufeff")
        assert got == readable, (encoding, answer.encoding, text[:80])
    assert asked < tried / 4


def test_one_word_over_and_over_is_no_more_evidence_than_once() -> None:
    assert found(b"town\n" + b"Gda\xf1sk\n" * 1000).encoding is None
    assert {"cp1252", "cp1250"} <= set(found(b"town\n" + b"Gda\xf1sk\n" * 1000).candidates)


def test_a_name_far_down_the_file_is_seen_and_one_at_its_end(seed: int) -> None:
    plain = b"name,n\n" + b"somebody,1\n" * (3 * BLOCK // 11)
    names = "André\nHélène\nJérôme\nZoë\n".encode("latin-1")
    assert found(plain + names).encoding == "cp1252"
    assert found(plain + names + plain + b"Cl\xe9ment").encoding == "cp1252"
    assert found(plain + "山田\n".encode()).encoding == "utf-8"


@pytest.mark.slow
def test_a_byte_seen_late_counts_though_the_sample_is_full() -> None:
    words = "\n".join(f"préf{number}é" for number in range(SAMPLED // 4)).encode("cp1252")
    assert found(words).encoding == "cp1252"
    late = found(words + b"\n" + b"x" * BLOCK + b"\nBo\x81k\n")
    assert late.encoding != "cp1252"


def test_french_is_not_read_as_japanese(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_bytes("prénom,ville\nAndré,Orléans\nHélène,Nîmes\n".encode("latin-1"))
    assert read(path)[0] == ["prénom", "ville"]


def test_utf_16_without_a_mark_is_asked_about() -> None:
    answer = found("name,town\nAndré,Orléans\n".encode("utf-16-le"))
    assert (answer.encoding, "utf-16-le" in answer.candidates) == (None, True)


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("latin-1", "iso8859-1"),
        ("windows-1252", "cp1252"),
        ("Shift_JIS", "shift_jis"),
        ("UTF-16", "utf-16"),
        ("cp037", "cp037"),
        ("AUTO", "auto"),
        ("ms932", "cp932"),
    ],
)
def test_any_codec_of_python_can_be_named(name: str, canonical: str) -> None:
    assert named_encoding(name) == canonical


NO_TEXT = "rot13 zip bz2 hex base64 uu quopri idna punycode unicode_escape raw_unicode_escape undefined charmap"


@pytest.mark.parametrize("name", [*NO_TEXT.split(), "aliases", "nothing", "../x", "ü", "", "a\0b"])
def test_what_is_no_encoding_of_text_is_refused_by_name(name: str) -> None:
    with pytest.raises(InputError, match="--encoding") as error:
        named_encoding(name)
    assert "utf-16" in error.value.next_step


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-16-be", "cp037", "euc_jp", "gb18030", "utf-8-sig"])
def test_a_file_in_a_named_encoding_is_read(tmp_path: Path, encoding: str) -> None:
    text = table(JAPANESE if encoding in ("euc_jp", "gb18030") else FRENCH, 5, random.Random(1))
    path = tmp_path / "named.csv"
    path.write_bytes(text.encode(encoding))
    assert read(path, named_encoding(encoding)) == as_written(text)


def test_a_recoded_copy_is_its_owners_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ordermade.sources import csv_format

    seen: list[int] = []
    recoded = csv_format._recoded

    def noted(*arguments: Any) -> Path:
        copy = recoded(*arguments)
        seen.extend((copy.stat().st_mode & 0o777, copy.parent.stat().st_mode & 0o777))
        return copy

    monkeypatch.setattr(csv_format, "_recoded", noted)
    path = tmp_path / "f.csv"
    path.write_bytes(table(FRENCH, 20, random.Random(1)).encode("latin-1"))
    read(path)
    assert seen == [0o600, 0o700]


@pytest.mark.parametrize("encoding", ["cp932", "euc_jp", "utf-16", "utf-8-sig"])
def test_a_hierarchy_is_read_as_a_source_is(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "h.csv"
    text = "県;地方;*\n東京;関東;*\n大阪;関西;*\n"
    path.write_bytes(text.encode(encoding))
    assert read_text(path, most_bytes=1000) == text


@pytest.mark.slow
def test_the_encoding_that_was_found_is_said(tmp_path: Path) -> None:
    engine = new_engine(tmp_path)
    path = tmp_path / "f.csv"
    path.write_bytes(table(FRENCH, 20, random.Random(1)).encode("latin-1"))
    assert engine.sources.add("s", str(path)).read_in == ("cp1252",)
    shown = engine.sources.show("s").source
    assert (shown.encoding, shown.read_in) == ("auto", ("cp1252",))
    assert engine.sources.add("named", str(path), encoding="Latin-1").encoding == "iso8859-1"
