"""Batches side by side."""

from __future__ import annotations

import multiprocessing
import threading
import time

import numpy as np
import pytest

from nli_faith.backends.batching import make_batches
from nli_faith.backends.lanes import Lanes
from nli_faith.backends.ort import OrtBackend
from nli_faith.model_hub import bundled_dir


def test_every_item_is_worked_on_once():
    done: list[int] = []
    Lanes(3).run(done.append, range(50))
    assert sorted(done) == list(range(50))


def test_items_run_at_once():
    meeting = threading.Barrier(2, timeout=10)
    Lanes(2).run(lambda _: meeting.wait() and None, [1, 2])


def test_one_lane_works_in_the_callers_thread():
    seen: set[int] = set()
    Lanes(1).run(lambda _: seen.add(threading.get_ident()), range(4))
    assert seen == {threading.get_ident()}


def test_an_error_comes_out_and_the_rest_is_not_begun():
    done: list[int] = []

    def work(item: int) -> None:
        if item == 0:
            raise ValueError("no")
        time.sleep(0.01)
        done.append(item)

    with pytest.raises(ValueError, match="no"):
        Lanes(2).run(work, range(200))
    assert len(done) < 100


def test_many_callers_share_the_lanes():
    lanes, now, most = Lanes(2), 0, 0
    lock = threading.Lock()

    def work(_: int) -> None:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.002)
        with lock:
            now -= 1

    callers = [threading.Thread(target=lanes.run, args=(work, range(10))) for _ in range(5)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(20)
    assert most == 2


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork")
def test_a_forked_child_has_lanes_of_its_own():
    lanes = Lanes(2)
    lanes.run(lambda _: None, range(4))
    context = multiprocessing.get_context("fork")
    result = context.Queue()
    child = context.Process(
        target=lambda: (lanes.run(lambda _: None, range(4)), result.put("done"))
    )
    child.start()
    assert result.get(timeout=20) == "done"
    child.join(20)


def test_a_few_pairs_are_spread_over_all_lanes():
    assert [len(b) for b in make_batches([30] * 8, 2048, lanes=2)] == [4, 4]
    assert [len(b) for b in make_batches([30] * 3, 2048, lanes=4)] == [1, 1, 1]
    assert [len(b) for b in make_batches([30] * 300, 2048, lanes=2)] == [68, 68, 68, 68, 28]


def test_wide_calls_give_the_same():
    pairs = [("整机保修两年。", "保修两年。"), ("门店周日休息。", "门店周日营业。")] * 3
    narrow = OrtBackend(bundled_dir(), threads=2)
    wide = OrtBackend(bundled_dir(), threads=2, wide=True)
    assert (narrow.lanes.count, wide.lanes.count) == (2, 1)
    np.testing.assert_allclose(wide.predict_texts(pairs), narrow.predict_texts(pairs), atol=1e-5)
