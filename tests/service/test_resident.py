"""What a process loads before its work is not looked at again: the collector of cycles stops nobody for it."""

import subprocess
import sys
from contextlib import ExitStack

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")

from equiproof.service import stopping
from equiproof.service.web import __main__ as web

LOOKED_AT = """
import gc
import equiproof.service.web.serving
from equiproof.service.resident import settle
gc.collect()
before = len(gc.get_objects())
settle()
print(before, len(gc.get_objects()), gc.isenabled())
"""


def test_a_full_look_goes_through_little():
    """Of what the web process loads, nothing is left to look at; what comes later is collected as ever."""
    done = subprocess.run([sys.executable, "-c", LOOKED_AT], capture_output=True, text=True, check=True)
    before, after, collects = done.stdout.split()
    assert int(before) > 50_000
    assert int(after) < int(before) // 50
    assert collects == "True"


def test_web_settles_before_it_answers(monkeypatch):
    """The server runs with everything laid aside."""
    seen = []
    monkeypatch.setattr(web.signal, "signal", lambda *_: None)
    monkeypatch.setattr(web.logs, "configure", lambda: None)
    monkeypatch.setattr(web, "load_settings", lambda _: None)
    monkeypatch.setattr(web, "listener_of", lambda _: ExitStack())
    monkeypatch.setattr(web, "configured", lambda *_: seen.append("configured"))
    monkeypatch.setattr(web, "settle", lambda: seen.append("settled"))

    class Server:
        def __init__(self, *_):
            pass

        def run(self, **_):
            seen.append("runs")

    monkeypatch.setattr(web, "Server", Server)
    assert web.main("service.toml") == 0
    assert seen == ["configured", "settled", "runs"]


def test_the_others_settle_before_they_work(monkeypatch):
    """Worker, log and webhooks begin in the same way."""
    seen = []
    monkeypatch.setattr(stopping.signal, "signal", lambda *_: None)
    monkeypatch.setattr(stopping.logs, "configure", lambda: None)
    monkeypatch.setattr(stopping, "load_settings", lambda _: None)
    monkeypatch.setattr(stopping, "settle", lambda: seen.append("settled"))
    assert stopping.run_until_stopped("service.toml", lambda *_: seen.append("works")) == 0
    assert seen == ["settled", "works"]
