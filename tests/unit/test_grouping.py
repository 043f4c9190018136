"""The entry to every method: blocks, classes, what is chosen, what a Ctrl-C leaves, and that threads change nothing."""

from __future__ import annotations

import sys
import threading
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest

from ordermade.errors import InputError
from ordermade.machine import parallel
from ordermade.machine.parallel import WorkerPool
from ordermade.methods.microaggregation.algorithm import grouping
from ordermade.methods.microaggregation.algorithm.grouping import ONE_GROUP, blocks_of, grouped, sides_of
from ordermade.methods.microaggregation.algorithm.improving import improve
from ordermade.methods.microaggregation.algorithm.loss import information_loss
from ordermade.methods.microaggregation.algorithm.methods import METHODS, Options
from ordermade.methods.microaggregation.algorithm.one_dimension import optimal_1d

pytestmark = pytest.mark.slow  # the first tests compile the method

X = np.random.default_rng(7).normal(size=(240, 3))
BY_ROUNDS = Options(seconds=None, rounds=2)
AS_THEY_ARE = Options(seconds=None, improve=False)


def test_one_numeric_attribute_has_its_optimum():
    found = grouped(X[:, :1].copy(), 3, Options())
    np.testing.assert_array_equal(found.labels, optimal_1d(X[:, 0], 3)[0])
    assert (found.algorithm, found.rounds) == ("optimal", 0)


def test_one_column_of_a_hierarchy_is_no_numeric_attribute():
    column = (X[:, :1] > 0).astype(float)
    assert grouped(column, 3, BY_ROUNDS).algorithm == "optimal"
    found = grouped(column, 3, BY_ROUNDS, numeric=False)
    assert [each.algorithm for each in found.tried] == ["mdav", "vmdav", "npn", "fdh"]
    assert found.algorithm == "mdav", "two values, 3 of each or more: no method loses anything, and the first is taken"
    assert information_loss(column, found.labels).sse == 0
    np.testing.assert_array_equal(found.labels, grouped(column, 3, replace(BY_ROUNDS, algorithm="mdav")).labels)


def test_what_was_tried_is_told_and_its_best_is_taken():
    found = grouped(X, 3, BY_ROUNDS)
    assert {each.algorithm for each in found.tried} == {"mdav", "vmdav", "npn", "fdh"}
    assert [each.algorithm for each in found.tried if each.records] == [found.algorithm]
    assert (found.blocks, found.rounds) == (1, 2)


def test_auto_is_no_worse_than_any_method_descended_from():
    best = information_loss(X, grouped(X, 3, Options(seconds=None)).labels).sse
    for name in ("mdav", "vmdav", "npn", "fdh"):
        other = grouped(X, 3, Options(name, seconds=None))
        assert other.algorithm == name
        assert best <= information_loss(X, other.labels).sse * (1 + 1e-12)


def test_threads_do_not_change_what_rounds_find():
    first, second = (grouped(X, 3, BY_ROUNDS, threads=threads, classes=(100, 140)) for threads in (1, 3))
    np.testing.assert_array_equal(first.labels, second.labels)


def test_a_class_of_fewer_than_2k_records_is_one_group():
    found = grouped(X, 100, BY_ROUNDS, classes=(100, 140))
    np.testing.assert_array_equal(found.labels, np.repeat([0, 1], [100, 140]))
    assert (found.algorithm, found.tried, found.blocks) == (ONE_GROUP, (), 2)


def test_a_class_of_fewer_than_k_records_is_refused():
    with pytest.raises(InputError, match="greater than the 2 record"):
        grouped(X, 3, BY_ROUNDS, classes=(2, 238))


def test_classes_improved_together_are_as_good_as_alone_and_never_mixed():
    sizes = [7] * 20 + [100]
    found = grouped(X, 3, BY_ROUNDS, classes=sizes)
    number = np.repeat(np.arange(len(sizes)), sizes)
    assert len(set(zip(number, found.labels, strict=True))) == found.report.groups
    start = grouped(X, 3, Options(found.algorithm, seconds=None, improve=False), classes=sizes)
    assert information_loss(X, found.labels).sse < information_loss(X, start.labels).sse


def test_what_is_cut_in_blocks_is_improved_across_their_borders(monkeypatch):
    of_paths = {name: replace(METHODS[name], largest_block=60) for name in ("auto", "npn", "fdh")}
    monkeypatch.setattr(grouping, "METHODS", {**METHODS, **of_paths})
    monkeypatch.setattr(grouping, "SIDE", 100)
    left: list[int] = []
    cut = grouped(X, 3, BY_ROUNDS, progress=left.append)
    assert cut.blocks == 4
    assert left == [180, 120, 60, 0]
    assert cut.report.smallest >= 3
    own = np.empty(240, dtype=int)
    for number, rows in enumerate(blocks_of(X, np.arange(240), 3, 60)):
        own[rows] = number
    assert any(len(set(own[cut.labels == group])) > 1 for group in range(cut.report.groups))


def test_equal_records_are_cut_in_blocks_of_k_or_more():
    found = blocks_of(np.ones((1000, 2)), np.arange(1000), 7, 10)
    assert min(block.size for block in found) >= 7
    np.testing.assert_array_equal(np.sort(np.concatenate(found)), np.arange(1000))


def test_no_group_is_in_two_sides():
    labels = np.repeat(np.arange(80, dtype=np.int32), 3)
    sides = sides_of(X, labels, 3)
    assert sum(side.size for side in sides) == 240
    assert sum(np.unique(labels[side]).size for side in sides) == 80


def test_of_no_time_the_start_is_made_and_one_search_of_each_thread_is_the_best_of_them():
    start = grouped(X, 3, Options("mdav", seconds=None, improve=False))
    none = grouped(X, 3, Options("mdav", seconds=0.0))
    np.testing.assert_array_equal(start.labels, none.labels)
    found = grouped(X, 3, Options("mdav", rounds=1), threads=2)
    assert found.rounds == 1
    assert information_loss(X, found.labels).sse < information_loss(X, start.labels).sse


def test_a_stop_ends_an_improvement_without_an_end():
    stop = threading.Event()
    stop.set()
    labels = grouped(X, 3, Options("mdav", seconds=None, improve=False)).labels
    _, report = improve(X, labels, 3, seconds=3600.0, stop=stop)
    assert report.figures["rounds"] == 0


def test_an_interrupt_stops_what_runs_and_begins_nothing_more():
    pool = WorkerPool(2)
    begun: list[int] = []

    def work(task: int) -> int:
        begun.append(task)
        if task == 0:
            raise KeyboardInterrupt
        assert pool.stop.wait(60)
        return task

    with pytest.raises(KeyboardInterrupt):
        list(pool.each(work, range(10)))
    assert pool.stop.is_set()
    assert len(begun) <= 3


def test_time_is_shared_so_that_all_are_done_in_it():
    assert WorkerPool(2).shares([3, 3, 3], 10.0) == [5.0, 5.0, 5.0]
    assert WorkerPool(4).shares([1], 10.0) == [10.0]


@pytest.mark.skipif(sys.platform != "linux", reason="no other system tells which cores are for a process")
def test_the_cores_for_the_process_are_the_threads_if_not_told(monkeypatch):
    monkeypatch.setattr(parallel.os, "sched_getaffinity", lambda _: {4, 7})
    with patch.object(grouping, "WorkerPool", wraps=WorkerPool) as pool:
        grouped(X, 3, AS_THEY_ARE)
    pool.assert_called_once_with(2)


@pytest.mark.parametrize("name", ["mdav-mil", "vmdav-mil"])
def test_equal_values_that_lie_in_groups_beyond_others_are_no_obstacle_to_mil(name):
    X = np.array([[0.0], [1], [1], [1], [1], [2], [3], [3]])

    found = grouped(X, 2, Options(name, improve=False))

    assert found.report.smallest >= 2


def test_paths_are_cut_in_smaller_blocks_than_the_rest():
    smaller = {name for name, each in METHODS.items() if each.largest_block < METHODS["mdav"].largest_block}
    assert smaller == {"auto", "npn", "fdh"}
