"""Reading hierarchies from CSV: styles, encodings, mistakes, and real ARX files."""

from __future__ import annotations

from pathlib import Path

import pytest

from ordermade.errors import HierarchyError
from ordermade.hierarchies.read import read_hierarchy
from ordermade.hierarchies.read_csv import read_csv

ARX = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "arx"
needs_arx = pytest.mark.skipif(not ARX.is_dir(), reason="the shared ARX data sets are not beside the repository")


def read(tmp_path, content, *, style="auto", name="h.csv", encoding="utf-8"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
    return read_hierarchy(path, "h", style)


def names(read_one):
    return [level.name for level in read_one.hierarchy.levels]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp932"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_arx_style(tmp_path, encoding, line_end):
    found = read(tmp_path, line_end.join(["東京;関東;*", "大阪;近畿;*", ";不詳;*"]), encoding=encoding)
    assert found.hierarchy.leaves == ("東京", "大阪", None)
    assert found.hierarchy.labels[0] == ("関東", "近畿", "不詳")
    assert names(found) == ["value", "level1", "*"]
    assert found.notes == ()


def test_header_style(tmp_path):
    found = read(tmp_path, 'age,decade,all\n1,"0, or so",*\n11,10s,*\n\n\n')
    assert names(found) == ["age", "decade", "all"]
    assert found.hierarchy.labels[0] == ("0, or so", "10s")


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_header_style_with_another_delimiter(tmp_path, delimiter):
    found = read(tmp_path, "age;decade\n1;0s\n11;10s".replace(";", delimiter), style="header")
    assert names(found) == ["age", "decade", "*"]


@pytest.mark.parametrize(
    ("content", "style", "told"),
    [
        ("", "auto", "neither ';' nor ','"),
        ("", "arx", "lists no values"),
        ("a,b\n", "header", "lists no values"),
        ("a;x;*\nb;y\n", "auto", "h.csv:2: the line has 2 fields where the first has 3"),
        ("a;x;*\n\nb;y;*\n", "auto", "h.csv:2: the line is empty"),
        ('"a\nb";x;*\n\nc;y;*\n', "arx", "h.csv:3: the line is empty"),
        ("".join(f"v{n};x;*\n" for n in range(500)) + "w;y\n", "auto", "h.csv:501: the line has 2 fields"),
        ('a;x;*\n"b\nc";y;*\na;x;*\n\n\n', "auto", "one 2 times (lines 1, 4)"),
        ("a;x;*\nb;;*\n", "auto", "h.csv:2: the label of the value at level 1 is empty"),
        ('a;x;*\n"b;y;*\n', "auto", "h.csv:2: the line is not CSV"),
        ("a;x;*\nb;y;*\na;x;*", "auto", "one 2 times (lines 1, 3)"),
        ("value,Group,group\na,x,y\nb,y,z", "auto", "the same name"),
        ("value,1\na,x\nb,y", "auto", "is a number"),
        (b"a;\xff\xfe\x81;*", "auto", "Save it as UTF-8"),
    ],
)
def test_mistakes(tmp_path, content, style, told):
    with pytest.raises(HierarchyError) as raised:
        read(tmp_path, content, style=style)
    assert told in str(raised.value)
    assert raised.value.next_step


def test_a_table_of_persons_given_by_mistake_is_refused_without_its_values(tmp_path):
    for content in ("who,day\n4711,1\n4711,2\n", "4711,1\n4711,2\n4711,3\n", "4711,4711\n4712,1\n"):
        with pytest.raises(HierarchyError) as raised:
            read(tmp_path, content)
        assert "471" not in raised.value.what


def test_a_quoted_line_feed_keeps_line_numbers_right(tmp_path):
    with pytest.raises(HierarchyError, match=r"h\.csv:3"):
        read(tmp_path, '"a\nb";x;*\nb;y\n', style="arx")


def test_no_file(tmp_path):
    with pytest.raises(HierarchyError, match="no such file"):
        read_hierarchy(tmp_path / "none.csv", "h")
    with pytest.raises(HierarchyError, match="cannot be read: is a directory"):
        read_hierarchy(tmp_path, "h")


@needs_arx
@pytest.mark.parametrize(
    ("path", "levels", "leaves"),
    [
        ("adult/adult_hierarchy_age.csv", 5, 100),
        ("adult/adult_hierarchy_native-country.csv", 3, 41),
        ("fars_subset/fars_hierarchy_iage.csv", 6, 100),
        ("creditcard_int/creditcard_int_hierarchy_BILL_AMT1.csv", 4, 22_723),
        ("arx_examples/test2_hierarchy_ZIPCode.csv", 6, 9),
    ],
)
def test_arx_files(path, levels, leaves):
    hierarchy = read_hierarchy(ARX / path, "h").hierarchy
    assert len(hierarchy.levels) == levels
    assert len(hierarchy.leaves) == leaves
    assert hierarchy.order.is_chain()
    assert sum(hierarchy.ground(1, []).leaves) == leaves


@needs_arx
def test_integer_roots_become_the_star():
    found = read_hierarchy(ARX / "creditcard_int" / "creditcard_int_hierarchy_SEX.csv", "sex")
    assert found.hierarchy.labels == (("*", "*"),) or set(found.hierarchy.labels[-1]) == {"*"}
    assert found.notes == ("the level given as number 1 has one label, '2': it is now '*'",)


@needs_arx
def test_every_arx_file_reads():
    for path in sorted(ARX.glob("*/*hierarchy*.csv")):
        if path.stat().st_size < 100_000:
            assert read_hierarchy(path, "h").hierarchy.order.is_chain(), path.name


def test_a_label_of_many_values_is_one_text_in_memory(tmp_path: Path) -> None:
    file = tmp_path / "h.csv"
    file.write_text("value,group\n" + "".join(f"v{number},a group\n" for number in range(100)), encoding="utf-8")
    hierarchy, _ = read_csv(file, "h")
    assert len({id(label) for label in hierarchy.labels[0]}) == 1
