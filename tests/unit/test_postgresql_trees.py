"""The node trees of PostgreSQL, read as its own functions write them."""

from __future__ import annotations

import pytest

from ordermade.sources.postgresql_trees import ParseNode, read_tree

TREE = (
    '({QUERY :rtable ({RTE :alias <> :relid 5} {RTE :alias {ALIAS :aliasname a\\ \\{b :colnames ("x" "y\\)")}})'
    " :targetList ({TARGETENTRY :expr {CONST :constbyval false :constvalue 6 [ 36 0 -61 101 ]} :resname [ :resno 1})"
    " :types (o 25 26) :limitCount <>})"
)


def test_a_tree_has_its_nodes_lists_tokens_and_bytes() -> None:
    root = read_tree(TREE)
    assert isinstance(root, tuple)
    (query,) = root
    assert isinstance(query, ParseNode)
    assert [each.token("relid") for each in query.nodes("rtable")] == ["5", ""]
    assert (query.has("limitCount"), query.has("rtable")) == (False, True)
    assert query.fields["types"] == ("o", "25", "26")
    assert [each.name for each in query.walk()] == ["QUERY", "TARGETENTRY", "CONST", "RTE", "ALIAS", "RTE"]
    (entry,) = query.nodes("targetList")
    assert (entry.token("resname"), entry.token("resno")) == ("[", "1")
    (constant,) = entry.children()
    assert constant.fields["constvalue"] == bytes([36, 0, 195, 101])


@pytest.mark.parametrize("text", ["", "(", "{QUERY :a", "{QUERY a b}", ")", "{A :x [ 1 } ]}", "{A} {B}", "(" * 100_000])
def test_what_is_no_tree_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"tree|list|literal"):
        read_tree(text)
