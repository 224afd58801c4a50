"""Workers that are ended from outside, as by kill -9 or for lack of memory, cost no result but their own."""

import itertools
import os
import signal

import pytest

from equiproof.circuits import workers

COUNT = 2


def squared(folder, item):
    """Square an item; a worker that finds a file of the item's name takes one letter from it, and is killed."""
    path = folder / str(item)
    if path.exists() and (left := path.read_text()):
        path.write_text(left[1:])
        os.kill(os.getpid(), signal.SIGKILL)
    return os.getpid(), item * item


def deadly(folder, **times):
    """Have the first workers that get an item be killed, so many times."""
    for name, count in times.items():
        (folder / name.removeprefix("item")).write_text("x" * count)


def test_every_item_is_done_once_where_workers_are_killed(tmp_path, started):
    """Three workers die at an item each: others do these again, and nothing is done twice or lost."""
    deadly(tmp_path, item0=1, item3=1, item9=1)
    ended = []
    found = [square for _, square in workers.each(squared, tmp_path, range(10), COUNT, ended=ended)]
    assert sorted(found) == [n * n for n in range(10)]
    assert (ended, len(started)) == ([-signal.SIGKILL] * 3, COUNT + 3)
    assert all(process.poll() is not None for process in started)


def test_an_item_at_which_two_workers_end_is_left_out(tmp_path):
    """All others are done; without a list to say so in, the run ends in one line."""
    deadly(tmp_path, item4=2)
    ended = []
    found = [square for _, square in workers.each(squared, tmp_path, range(10), COUNT, ended=ended)]
    assert sorted(found) == [n * n for n in range(10) if n != 4]
    assert ended == [-signal.SIGKILL] * 2
    deadly(tmp_path, item4=2)
    with pytest.raises(workers.WorkerError, match=r"exit code -9.*fewer jobs") as caught:
        list(workers.each(squared, tmp_path, range(10), COUNT))
    assert "\n" not in str(caught.value)


def test_where_workers_only_end_the_run_ends(tmp_path, started):
    """Six that end with nothing finished are enough for a crew of two, however many items there are."""
    deadly(tmp_path, **{f"item{n}": 9 for n in range(50)})
    ended = []
    with pytest.raises(workers.WorkerError, match="from outside"):
        list(workers.each(squared, tmp_path, range(50), COUNT, ended=ended))
    assert len(started) == workers._MOST_LOST_CREWS * COUNT - 1 + COUNT
    assert all(process.poll() is not None for process in started)


def test_a_worker_that_is_killed_while_it_waits_is_not_missed(tmp_path, started):
    """Killed between two items or after the last one: nothing is lost and nothing waits for ever."""
    found = workers.each(squared, tmp_path, itertools.chain(range(8), killing(started)), COUNT, ended=[])
    assert sorted(square for _, square in found) == [n * n for n in range(8)]


def killing(started):
    """Yield nothing; when the items are used up, kill the worker that is waiting for one."""
    started[0].kill()
    started[0].wait()
    yield from ()


def threads_of(_setting, _item):
    """Return what the native library of a worker would work on."""
    return os.environ["GOMAXPROCS"]


def test_workers_share_the_processors(monkeypatch):
    """Each one's native library has its part of them, one at least, or what the environment says."""
    monkeypatch.delenv("GOMAXPROCS", raising=False)
    monkeypatch.setattr(workers, "processors", lambda: 7)
    assert set(workers.each(threads_of, None, range(4), COUNT)) == {"3"}
    monkeypatch.setattr(workers, "processors", lambda: 1)
    assert set(workers.each(threads_of, None, range(4), COUNT)) == {"1"}
    monkeypatch.setenv("GOMAXPROCS", "5")
    assert set(workers.each(threads_of, None, range(4), COUNT)) == {"5"}
