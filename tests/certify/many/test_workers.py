"""Workers of a run: an error in one is reported where the run waits, and no process is left running."""

import pickle

import pytest

from equiproof.certify.errors import EvidenceError, RunError
from equiproof.certify.many.point import Limits
from equiproof.certify.many.portfolio import _certified, _each
from equiproof.circuits import workers
from tests.certify.many.test_resume import short_run


def setting_of(certifier):
    """Return the setting of a certifier's workers."""
    return certifier._network(), certifier.spec, Limits(scheme="traversal", max_regions=600, max_seconds=None)


def test_workers_that_are_killed_again_and_again_end_the_run_in_one_line(started, monkeypatch):
    """Where the system kills every worker, the run says so with the signal's number; none is left."""
    start = workers._start

    def killed(count):
        link, process = start(count)
        process.kill()
        return link, process

    monkeypatch.setattr(workers, "_start", killed)
    certifier, rows = short_run()
    network, spec, limits = setting_of(certifier)
    with pytest.raises(RunError, match=r"exit code -9.*fewer jobs") as caught:
        list(_each(network, spec, [spec.encode(row) for row in rows], limits, jobs=2))
    assert "\n" not in str(caught.value)
    assert {process.poll() for process in started} == {-9}


def test_an_error_of_a_search_is_raised_by_the_run(started):
    """A query that no search takes raises the search's own error, not one about processes."""
    certifier, _ = short_run()
    with pytest.raises(ValueError, match="inputs, not") as caught:
        list(workers.each(_certified, setting_of(certifier), [(1,), (2,)], 2))
    assert not isinstance(caught.value, (RunError, EOFError, OSError))
    assert len(started) == 2
    assert all(process.poll() is not None for process in started)


def test_an_evidence_error_travels_whole():
    """The error of the plaintext checker arrives with its rule and place: pickled, it is the same."""
    again = pickle.loads(pickle.dumps(EvidenceError("R-FACET", "slice 1", "no")))  # noqa: S301  # our own bytes
    assert (again.rule, again.where, str(again)) == ("R-FACET", "slice 1", "R-FACET: slice 1: no")
