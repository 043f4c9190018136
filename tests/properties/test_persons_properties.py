"""Counting persons equals counting them one by one, whatever rows they have."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordermade.counting.counts import Counting, ground_sensitive, units
from ordermade.counting.coverage import encode_counted
from ordermade.counting.dataset import Dataset
from ordermade.counting.oracle import InSource, RolledUp
from ordermade.hierarchies.read import parse_yaml
from ordermade.lattice.lattice import Axis, Lattice
from ordermade.privacy.models import DistinctL
from tests.conformance.backends import BACKENDS, Table, dataset, opened
from tests.conformance.units import Table as Counted
from tests.conformance.units import distinct_l
from tests.long import rounds
from tests.stored_sets import whole_set

COLUMNS = {"person": "BIGINT", "a": "BIGINT", "b": "BIGINT", "s": "VARCHAR"}
HIERARCHY, _ = parse_yaml("intervals:\n  levels:\n    - {width: 2}\n    - {width: 4}\n", "h", where="h")
LATTICE = Lattice(tuple(Axis(column, HIERARCHY.order, (0, 1, 2, 3)) for column in ("a", "b")))
ROWS = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 7), st.integers(0, 7), st.sampled_from(["x", "y", None])),
    min_size=1,
    max_size=60,
)


@pytest.mark.slow
@pytest.mark.long
@settings(max_examples=rounds(8, 12))
@given(rows=ROWS, with_models=st.booleans(), least=st.booleans())
def test_persons_of_every_node_are_those_counted_one_by_one(
    rows: Sequence[tuple[int, int, int, str | None]], with_models: bool, least: bool
) -> None:
    widths = (1, 2, 4, 100)
    models = [(0, distinct_l(2))] if with_models else []
    nodes = [node for node in LATTICE.nodes() if with_models or node != LATTICE.top]
    by_hand = {
        node: Counted(
            [((a // widths[node[0]], b // widths[node[1]]), person, [s]) for person, a, b, s in rows]
        ).observed(models, least=least)
        for node in nodes
    }
    with tempfile.TemporaryDirectory() as folder:
        made = BACKENDS["duckdb"](Path(folder), Table("visits", COLUMNS, rows))
        with opened(made) as backend:
            found = dataset(backend)
            asked = Dataset(found.name, backend, found.relation, found.columns, "person")
            attributes = tuple(
                encode_counted(asked, at, column, HIERARCHY, 0) for at, column in enumerate(("a", "b"), start=1)
            )
            sensitive = (ground_sensitive(asked, 3, "s", [DistinctL(2)]),) if with_models else ()
            counting = Counting(sensitive, "person", units(asked).persons, least)
            rolled = RolledUp(
                asked,
                attributes,
                LATTICE,
                partial(whole_set, asked, attributes, counting),
                counting,
            )
            assert rolled.measure(nodes) == by_hand
            assert InSource(asked, attributes, LATTICE, counting).measure(nodes[::5]) == {
                node: by_hand[node] for node in nodes[::5]
            }
