"""Workers of a run: an error in one is reported where the run waits, and no process is left running."""

import pickle

import pytest

from equiproof.certify.errors import EvidenceError, RunError
from equiproof.certify.many import workers
from equiproof.certify.many.point import Limits
from tests.certify.many.test_resume import long_run, short_run


@pytest.fixture
def started(monkeypatch):
    """Return the list of the processes that a run starts."""
    processes, start = [], workers._start

    def noted():
        link, process = start()
        processes.append(process)
        return link, process

    monkeypatch.setattr(workers, "_start", noted)
    return processes


def setting_of(certifier):
    """Return the first message to the workers of a certifier."""
    return certifier._network(), certifier.spec, Limits(scheme="traversal", max_regions=600, max_seconds=None)


def test_a_worker_that_is_killed_ends_the_run_in_one_line(started):
    """Where the system kills a worker, the run says so with the signal's number, and ends the other worker."""
    certifier, rows = long_run(jobs=2)
    found = workers.each(setting_of(certifier), [certifier.spec.encode(row) for row in rows], 2)
    next(found)
    for process in started:
        process.kill()
    with pytest.raises(RunError, match=r"exit code -9.*fewer jobs") as caught:
        list(found)
    assert "\n" not in str(caught.value)
    assert [process.poll() for process in started] == [-9, -9]


def test_an_error_of_a_search_is_raised_by_the_run(started):
    """A query that no search takes raises the search's own error, not one about processes."""
    certifier, _ = short_run()
    with pytest.raises(ValueError, match="argument") as caught:
        list(workers.each(setting_of(certifier), [(1,), (2,)], 2))
    assert not isinstance(caught.value, (RunError, EOFError, OSError))
    assert len(started) == 2
    assert all(process.poll() is not None for process in started)


def test_an_evidence_error_travels_whole():
    """The error of the plaintext checker arrives with its rule and place: pickled, it is the same."""
    again = pickle.loads(pickle.dumps(EvidenceError("R-FACET", "slice 1", "no")))  # noqa: S301  # our own bytes
    assert (again.rule, again.where, str(again)) == ("R-FACET", "slice 1", "R-FACET: slice 1: no")
