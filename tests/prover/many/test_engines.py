"""Processes of this machine that are killed: each costs its own rows only, and what is not proven is named."""

import os
import signal

import pytest

from equiproof.certify.errors import RunError
from equiproof.circuits import workers
from equiproof.prover.many import engines
from equiproof.prover.many.engines import crew
from tests.prover.many.test_run import comparable
from tests.prover.many.world import deadly_row, go, lines, told


@pytest.mark.slow
def test_a_process_that_is_killed_costs_only_its_own_rows(many, made, tmp_path, monkeypatch):
    """Both of two, killed with -9 in the middle, are replaced; the manifest is that of an undisturbed run."""
    processes, start = [], workers._start

    def noted(count):
        link, process = start(count)
        processes.append(process)
        return link, process

    monkeypatch.setattr(workers, "_start", noted)
    with crew("local", many.setting(), 2) as ready:

        def dying(tasks):
            for number, one in enumerate(ready.engine(tasks)):
                if number in {0, 1}:
                    os.kill(processes[number].pid, signal.SIGKILL)
                yield one

        go(many.run(tmp_path / "killed"), dying)
        assert set(ready.ended) == {-signal.SIGKILL}
    go(many.run(tmp_path / "local"), told(made))
    assert comparable(tmp_path / "killed") == comparable(tmp_path / "local")


@pytest.mark.slow
def test_a_row_at_which_processes_end_is_named_and_the_others_are_kept(many, made, tmp_path, monkeypatch):
    """It is tried twice, and again by --resume; the run neither ends at it nor goes on for ever."""
    monkeypatch.setattr(engines, "prove_row", deadly_row)
    with crew("local", many.setting(), 2) as ready:
        with pytest.raises(RunError, match=r"^no worker finished 1 row \(4\): .*memory; try again with --resume"):
            go(many.run(tmp_path / "out"), ready.engine)
        assert ready.ended == [-signal.SIGKILL] * 2
    assert len(lines(tmp_path / "out")) == 1 + 4
    asked = []
    go(many.run(tmp_path / "out"), told(made, asked), resume=True)
    assert asked == [4]
