"""Many commands, each in a process of its own: starting the command line costs more than what most of them do."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from tests.cli.world import Outcome
from tests.support import ROOT

SERVER = """
import contextlib, io, json, os, runpy, sys, tempfile
given = json.load(sys.stdin)
if given["only"]:
    sys.path[:] = [path for path in sys.path if "site-packages" not in path and "dist-packages" not in path]
    sys.path.insert(0, given["only"])
from equiproof.cli.main import run
with contextlib.redirect_stdout(io.StringIO()):
    assert run(["data", "list"]) == 0
ended = []
for words in given["commands"]:
    out, err = (tempfile.TemporaryFile() for _ in range(2))
    process = os.fork()
    if not process:
        device = os.open(given["out"], os.O_WRONLY) if given["out"] else out.fileno()
        os.dup2(device, 1)
        os.dup2(err.fileno(), 2)
        sys.argv[1:] = words
        runpy.run_module("equiproof", run_name="__main__")
        sys.exit()
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    for stream in (out, err):
        stream.seek(0)
    ended.append([code, out.read().decode(), err.read().decode()])
json.dump(ended, sys.stdout)
"""
"""Forks a process for each command, from an interpreter that has run one, and has one thread."""


def forked(
    commands: Iterable[Iterable[object]],
    *,
    only: Path | None = None,
    out: Path | None = None,
    environment: dict[str, str] | None = None,
) -> list[Outcome]:
    """Run `python -m equiproof` with the words of each command, one after the other, and return how each ended.

    What starts them needs the base packages; what a test says of imports has to hold after `data list`.

    Args:
        commands: the words of each command.
        only: the one folder that the interpreter sees beside its own library, where it is not this environment.
        out: the file that standard output is, where nobody reads it.
        environment: the environment of all of them, if it is not that of this process.
    """
    words = [[str(word) for word in command] for command in commands]
    given = {"commands": words, "only": only and str(only), "out": out and str(out)}
    alone = ["-I", "-S"] if only else []
    done = subprocess.run(
        [sys.executable, *alone, "-c", SERVER],
        input=json.dumps(given),
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [Outcome(*one) for one in json.loads(done.stdout)]
