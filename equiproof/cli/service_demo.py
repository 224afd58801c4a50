"""The service demo: log, witness, service and a front end on this machine, and three applicants who ask for a loan."""

from __future__ import annotations

import json
import os
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from equiproof.certify.data import load as load_data_set
from equiproof.circuits.files import write_file
from equiproof.circuits.schemes import DEFAULT_SCHEME
from equiproof.cli.commands.identity import read_signer
from equiproof.cli.commands.setup import capacity_for
from equiproof.cli.console import remark, show
from equiproof.cli.demo import Command, DemoError, Runner, choose_applicants, clear, take_shipped
from equiproof.prover.opening import load_opening
from equiproof.register.program import find
from equiproof.service.asking import FrontEnd
from equiproof.service.clients import DAY, Scope, add_client
from equiproof.service.clock import now
from equiproof.service.processes import Program, Tree, answers, programs, stopping
from equiproof.service.settings import load_settings
from equiproof.service.store.database import Database
from equiproof.service.store.queries import without_log_proof
from equiproof.service.web.built import UnbuiltError, refuse_unbuilt

MODEL = "lending"
CLIENT = "front-end"
OFFICER = "grace"
LOGS = "processes.log"
PAUSE_LOOKS = 5
"""How many looks at the processes lie between two questions for a decision."""

LOG_NAME = "lender.example/log"
WITNESS_NAME = "witness.example/w1"

INTRODUCTION = """\
A lender's service on this machine: its public log with a witness, the service with its console, and a loan form that
calls it. Lines that begin with $ are commands that you can type yourself."""

_STORIES = {
    "fair": "Applicant 1, far from the other decision.",
    "barely": "Applicant 2, very close to the other decision.",
    "unfair": "Applicant 3, whose decision depends on a sensitive feature: a person decides.",
}
_ENDS = frozenset({"certified", "review", "undecided", "failed"})


@dataclass(frozen=True)
class Ports:
    """Addresses of this machine, HOST:PORT, that nothing used a moment ago."""

    witness: str
    log: str
    web: str
    form: str


def run_service_demo(command: Command, out: Path, form: Path | None, *, once: bool) -> int:
    """Set everything up in the folder `out`, and run it until Ctrl-C, or with `once` until the applicants are served.

    `form` is the program of a front end. Returns an exit code; raises DemoError for a step that ends unexpectedly.
    """
    log_program = find()
    clear(out)
    ports = Ports(*free_addresses(4))
    run = Runner(command, [])
    os.environ["EQUIPROOF_OWNER_SECRET"] = str((out / "owner" / "owner.secret").resolve())
    show(INTRODUCTION)
    secret = shlex.quote(os.environ["EQUIPROOF_OWNER_SECRET"])
    show(f"\n# This file tells your own keys from others'.\n$ export EQUIPROOF_OWNER_SECRET={secret}")
    _model(run, out)
    outside = _log(run, out, ports, log_program)
    _service(run, out, ports)
    settings = load_settings(out / "service" / "service.toml")
    parts = [*outside, *programs(settings, out / "service" / "service.toml")]
    if form is not None:
        words = (sys.executable, str(form), "--service", f"http://{ports.web}", "--listen", ports.form)
        parts.append(_held("form", *words, "--key-file", str(out / "client.key")))
    stop = Event()
    with stopping(stop), (out / LOGS).open("ab") as output:
        tree = Tree(parts, remark, stop, output)
        return tree.run(_story(out, ports, stop, form=form is not None, once=once))


def free_addresses(count: int) -> list[str]:
    """Return addresses of this machine with ports that are free now."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    try:
        return [f"127.0.0.1:{one.getsockname()[1]}" for one in sockets]
    finally:
        for one in sockets:
            one.close()


def _model(run: Runner, out: Path) -> None:
    """Commit to the model that comes with the package, and make its key."""
    take_shipped(["train", "--dataset", "lending", "--hidden", "4,2", "--out", str(out / "model")], out / "model")
    run("The lender commits to the model.", "commit", out / "model", "--out", out / "owner")
    owned = load_opening(out / "owner" / "opening.json")
    capacity = capacity_for(DEFAULT_SCHEME, len(owned.spec.domain_table), None)
    run("The keys that make and check proofs.", "setup", "--opening", out / "owner" / "opening.json", "--capacity",
        capacity, "--keys", out / "keys", "--owner-secret", out / "owner" / "owner.secret")  # fmt: skip


def _log(run: Runner, out: Path, ports: Ports, program: Path) -> list[Program]:
    """Make an empty log and a witness; return their processes."""
    for name, file in ((LOG_NAME, "log"), (WITNESS_NAME, "witness")):
        run(f"The {file}'s signing key.", "identity", "new", name, "--out", out / f"{file}.key")
        write_file(out / f"{file}.pub", f"{read_signer(out / f'{file}.key').verifier.text}\n".encode())
    words = ["init", str(out / "log"), "--origin", LOG_NAME, "--key", str(out / "log.key")]
    show(f"\n# The log itself.\n$ equiproof log {shlex.join(words)}")
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)  # noqa: S603 -- words of ours
    if done.returncode:
        raise DemoError(f"equiproof log init: {done.stderr.strip()}")
    secret = out / "witness.key"
    logs = out / "log.pub"
    witness = ("log", "witness", "--state", out / "witness.state", "--key", secret, "--logs", logs)
    signed = f"http://{ports.witness}:{(out / 'witness.pub').read_text(encoding='utf-8').strip()}"
    serve = ("serve", out / "log", "--listen", ports.log, "--witness", signed)
    return [
        _held("witness", sys.executable, "-m", "equiproof", *witness, "--listen", ports.witness),
        _held("public log", program, *serve),
    ]


def _service(run: Runner, out: Path, ports: Ports) -> None:
    """Make the service, with a model, a client whose key lies in a file, and an officer of the console."""
    folder = out / "service"
    known = ("--settings", folder / "service.toml")
    run("The service: settings, a vault key, a database.", "service", "init", folder, "--lender", "Example Lending",
        "--owner", "Example Lending", "--listen", ports.web, "--log-url", f"http://{ports.log}",
        "--log-key", out / "log.pub", "--witness", out / "witness.pub", "--prover-priority", "normal")  # fmt: skip
    run("The model that decides.", "service", "model", "add", MODEL, "--opening", out / "owner" / "opening.json",
        "--keys", out / "keys", *known)  # fmt: skip
    run("An account for the console.", "service", "officer", "add", OFFICER, "--role", "officer", *known)
    show(f"\n# The key of the loan form, as `equiproof service client add {CLIENT}` prints it: {out / 'client.key'}")
    with Database(load_settings(known[1]).database) as database, database.transaction() as session:
        at = now()
        made = add_client(session, CLIENT, [Scope.SUBMIT, Scope.READ], at, at + 365 * DAY)
        write_file(out / "client.key", f"{made.text}\n".encode(), secret=True)


def _story(out: Path, ports: Ports, stop: Event, *, form: bool, once: bool) -> Iterator[None]:
    """Wait for the service, send the applicants, and tell what becomes of each."""
    while not answers(ports.web):
        yield
    show(f"\nSERVING http://{ports.web}, console http://{ports.web}/console, log http://{ports.log}")
    if form:
        show(f"  a loan form to try: http://{ports.form}")
    show(f"  what the processes say: {out / LOGS}")
    front_end = FrontEnd(ports.web, (out / "client.key").read_text(encoding="utf-8").strip())
    owned = load_opening(out / "owner" / "opening.json")
    applicants = choose_applicants(owned, load_data_set("lending", None), out)
    sent = {name: front_end.decide(MODEL, json.loads(path.read_bytes())) for name, path in applicants.items()}
    for name, decision in sent.items():
        while (state := front_end.decision(decision["id"]))["state"] not in _ENDS:
            yield from (None,) * PAUSE_LOOKS
        history = ", ".join(step["state"] for step in state["history"])
        show(f"\n# {_STORIES[name]}\n  decision {state['id']}: {state['outcome'] or 'a person decides'} ({history})")
        show(f"  the applicant's page: {front_end.link(state['id'])}")
    yield from _proven(out)
    _warn_unbuilt()
    if once:
        stop.set()
        return
    ask = f"ask for a loan yourself at http://{ports.form}; " if form else ""
    show(f"\nAll of it runs until Ctrl-C: {ask}sign in to the console as {OFFICER} with the password above.")


def _proven(out: Path) -> Iterator[None]:
    """Wait until the log proves all of it under a checkpoint that the witness has signed."""
    with Database(load_settings(out / "service" / "service.toml").database) as database:
        while True:
            with database.reading() as session:
                if not without_log_proof(session):
                    break
            yield from (None,) * PAUSE_LOOKS
    show("\n# The public log shows the model, its key, all receipts and certificates, and its witness has signed that.")


def _warn_unbuilt() -> None:
    """Say so where the links open nothing, since their page was not built."""
    try:
        refuse_unbuilt()
    except UnbuiltError as error:
        remark(f"WARNING: applicants' links open nothing yet: {error}")


def _held(name: str, *words: object) -> Program:
    """Return a process that knows of no lifeline, held by one that does."""
    return Program(name, (sys.executable, "-m", "equiproof.service.held", *map(str, words)))
