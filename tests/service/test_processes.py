"""A tree of processes: what ends is started again, and nothing is left when the first one ends, however it ends."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="the extra `service` is not installed")

from equiproof.service import processes
from equiproof.service.lifeline import VARIABLE
from equiproof.service.processes import ProcessError, Program, Tree, programs
from equiproof.service.settings import LenderSettings, LogSettings, Settings, WebhookSettings
from tests.support import ROOT

LIVE = """
import os, pathlib, signal, sys, time
from equiproof.service.lifeline import hold
hold({grace})
{first}
with open({note!r}, "a") as note:
    note.write(f"{{os.getpid()}}\\n")
while True:
    time.sleep(0.05)
"""

OBSTINATE = """
import subprocess
signal.signal(signal.SIGTERM, signal.SIG_IGN)
with open({note!r}, "a") as note:
    note.write(f"{{subprocess.Popen(['sleep', '60']).pid}}\\n")
"""
"""Does not heed SIGTERM, and has started another program, whose id comes first."""


@pytest.fixture(autouse=True)
def hurried(monkeypatch):
    """Pauses that a test can wait for."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setattr(processes, "MIN_PAUSE", 0.05)
    monkeypatch.setattr(processes, "LOOK_SECONDS", 0.02)


def program(note: Path, first: str = "", grace: float = 60.0) -> Program:
    """Return a program that notes its id and lives."""
    code = LIVE.format(first=first.format(note=str(note)), note=str(note), grace=grace)
    return Program(note.name, (sys.executable, "-c", code))


def ids(note: Path, count: int) -> list[int]:
    """Wait until so many processes have noted their ids."""
    wait(lambda: note.exists() and len(note.read_text().split()) >= count)
    return [int(one) for one in note.read_text().split()]


def wait(true, seconds=30):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


def lives(pid: int) -> bool:
    """Return whether a process is there and no zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not (stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z")


def in_thread(tree):
    """Run a tree; return the thread, and where its code will be."""
    codes = []
    thread = threading.Thread(target=lambda: codes.append(tree.run()))
    thread.start()
    return thread, codes


def test_what_ends_is_started_again_and_all_end_together(tmp_path):
    """One that is killed comes back and is told of, with a longer pause each time; SIGTERM reaches all."""
    said = []
    tree = Tree([program(tmp_path / "one"), program(tmp_path / "two")], said.append)
    thread, codes = in_thread(tree)
    (first,), (other,) = ids(tmp_path / "one", 1), ids(tmp_path / "two", 1)
    os.kill(first, signal.SIGKILL)
    _, second = ids(tmp_path / "one", 2)
    os.kill(second, signal.SIGTERM)
    third = ids(tmp_path / "one", 3)[2]
    assert ids(tmp_path / "two", 1) == [other]
    tree.stop.set()
    thread.join(30)
    assert codes == [0]
    assert said == ["one was ended by SIGKILL; it is started again", "one was ended by SIGTERM; it is started again"]
    assert not any(map(lives, (first, second, third, other)))


def test_pauses_grow_and_a_steady_process_begins_anew(monkeypatch):
    """Twice as long each time up to a bound; after a long life the shortest one."""
    now = [0.0]
    monkeypatch.setattr(processes.time, "monotonic", lambda: now[0])
    one = processes.Running(Program("x", ("x",)), processes.lifeline())
    pauses = []
    for life in (1.0,) * 12 + (100.0,):
        one._begun, now[0] = now[0], now[0] + life
        one.process = type("Ended", (), {"poll": lambda self: 1, "pid": 2**30})()
        assert one.ended() == 1
        pauses.append(round(one.due - now[0], 6))
    assert pauses[:4] == [0.05, 0.1, 0.2, 0.4]
    assert pauses[-3:] == [processes.MAX_PAUSE, processes.MAX_PAUSE, 0.05]


def test_a_program_that_cannot_run_ends_the_tree(tmp_path):
    """Exit code 2 says that starting again is of no use; a program that is not there is named."""
    never = Program("web", (sys.executable, "-c", "raise SystemExit(2)"))
    said = []
    tree = Tree([program(tmp_path / "one"), never], said.append)
    assert tree.run() == 2
    assert not said
    with pytest.raises(ProcessError, match="log: /nowhere/x: No such file"):
        Tree([program(tmp_path / "two"), Program("log", ("/nowhere/x",))], said.append).run()
    for name in ("one", "two"):
        assert not (tmp_path / name).exists() or not any(map(lives, ids(tmp_path / name, 0)))


def test_a_program_that_could_run_once_ends_nothing_later(tmp_path):
    """Exit code 2 of one that was started again, as with settings that somebody is changing, is waited out."""
    often = tmp_path / "often"
    code = (
        f"from pathlib import Path; p = Path({str(often)!r}); p.open('a').write('x'); exit(1 + (p.stat().st_size > 1))"
    )
    tree = Tree([program(tmp_path / "one"), Program("web", (sys.executable, "-c", code))], lambda line: None)
    thread, codes = in_thread(tree)
    wait(lambda: often.exists() and len(often.read_text()) >= 3)
    tree.stop.set()
    thread.join(30)
    assert codes == [0]


def test_what_does_not_end_is_killed(tmp_path, monkeypatch):
    """With everything that it has started."""
    monkeypatch.setattr(processes, "DRAIN_SECONDS", 0.2)
    tree = Tree([program(tmp_path / "one", OBSTINATE)], print)
    thread, _ = in_thread(tree)
    found = ids(tmp_path / "one", 2)
    tree.stop.set()
    thread.join(30)
    wait(lambda: not any(map(lives, found)))


def test_a_killed_parent_leaves_nothing(tmp_path):
    """kill -9 of the parent ends its children, also one that does not heed SIGTERM, with what that one has started."""
    children = [program(tmp_path / "mild"), program(tmp_path / "obstinate", OBSTINATE, grace=0.3)]
    code = f"""
from equiproof.service.processes import Program, Tree
Tree([Program(*one) for one in {[(child.name, tuple(child.words)) for child in children]!r}], print).run()
"""
    parent = subprocess.Popen([sys.executable, "-c", code])
    found = [*ids(tmp_path / "mild", 1), *ids(tmp_path / "obstinate", 2)]
    parent.kill()
    parent.wait()
    wait(lambda: not any(map(lives, found)))


def test_a_process_of_its_own_needs_no_parent(monkeypatch):
    """Without a lifeline `hold` does nothing."""
    from equiproof.service.lifeline import hold

    monkeypatch.delenv(VARIABLE, raising=False)
    before = threading.active_count()
    hold()
    assert threading.active_count() == before


def test_the_programs_are_those_that_the_settings_need(tmp_path):
    """What speaks to log and webhooks runs where there are any; web comes last, so that it ends first."""
    lender, log = LenderSettings("Bank"), LogSettings("http://127.0.0.1:1", "key")
    plain = programs(Settings(vault="v", lender=lender), tmp_path / "s.toml")
    assert [one.name for one in plain] == ["worker", "web"]
    assert plain[1].words == (sys.executable, "-m", "equiproof.service.web", str(tmp_path / "s.toml"))
    hooks = {"bank": WebhookSettings("https://bank.example/", "secret")}
    whole = programs(Settings(vault="v", lender=lender, log=log, webhooks=hooks), tmp_path / "s.toml")
    assert [one.name for one in whole] == ["worker", "log", "webhooks", "web"]
    three = programs(Settings(vault="v", lender=lender, web_processes=3), tmp_path / "s.toml")
    assert [one.name for one in three] == ["worker", "web", "web 2", "web 3"]
    assert {one.words for one in three[1:]} == {plain[1].words}
