"""A log, its owners, a witness and monitors, all of them processes: what they see in good times and bad."""

import base64
import http.client
import json
import random
import signal
import subprocess
import threading
import time

import pytest

from equiproof.circuits.exit_codes import FORKED
from equiproof.register.log import Log
from equiproof.register.source import Folder
from equiproof.register.tiles import Tiles
from equiproof.register.witness import parse_witness_state
from equiproof.verifier.checkpoint import cosigned, open_checkpoint, parse_checkpoint
from equiproof.verifier.merkle import check_inclusion, leaf_hash
from equiproof.verifier.tlog_proof import parse_tlog_proof
from tests.register.log_folder import LogFolder
from tests.register.parties import command, documents, entry, identity, program, running, until, url_of  # noqa: F401
from tests.register.samples import commitment, decision, decisions, key, retire

pytestmark = pytest.mark.slow

NAME = "log.example/loans"


@pytest.fixture
def keys(tmp_path):
    """The log's key and a witness's: signer, secret file and public file of each."""
    return identity(tmp_path, NAME), identity(tmp_path, "witness.example/w1")


def post(url, body):
    """Ask a witness; return status and body, None while it is away."""
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=10)
    try:
        connection.request("POST", "/add-checkpoint", body)
        answer = connection.getresponse()
        return answer.status, answer.read()
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def request(log, old, size):
    """Return a request to sign, from one size of a log to another."""
    path = Tiles(Folder(log.root), size).consistency(old)
    lines = [f"old {old}", *(base64.b64encode(one).decode() for one in path), "", ""]
    return "\n".join(lines).encode() + log.checkpoint(size)


def test_three_owners_a_witness_and_a_monitor(tmp_path, keys, program):  # noqa: F811
    """Owners append at once; all stands in the log, is signed by the witness, told by the monitor, and proven."""
    (log, secret, public), (witness, witness_secret, witness_public) = keys
    place, told = tmp_path / "log", []
    assert command("log", "init", place, "--origin", NAME, "--key", secret).code == 0
    watch = ("log", "witness", "--state", tmp_path / "w", "--key", witness_secret, "--logs", public)
    with running(*watch, "--listen", "127.0.0.1:0") as (_, listening):
        option = ("--witness", f"{url_of(listening)}:{witness_public.read_text().strip()}")
        with running("log", "serve", place, "--listen", "127.0.0.1:0", *option) as (_, serving):
            url = url_of(serving)
            owners = {name: [commitment(name, at), key(name, at)] for at, name in enumerate(("North", "South", "West"))}
            follow = ("log", "monitor", url, "--state", tmp_path / "m", "--log-key", public, "--interval", 1, "--json")
            appended = [
                threading.Thread(target=command, args=("log", "append", url, *(entry(tmp_path, one) for one in made)))
                for made in owners.values()
            ]
            for thread in appended:
                thread.start()
            for thread in appended:
                thread.join()
            with running(*follow) as (monitor, first):
                told.append(json.loads(first))
                owner = entry(tmp_path, retire("South", 1, successor=7))
                assert command("log", "append", url, owner, entry(tmp_path, commitment("South", 7))).code == 0
                while told[-1]["read"] < 8:
                    told.append(json.loads(monitor.stdout.readline()))
            events = [event for part in told for event in part["events"]]
            for name in owners:
                assert {event["event"] for event in events if event["owner"] == name} >= {"commitment", "key"}
            (retired,) = [event for event in events if event["event"] == "retired"]
            assert (retired["owner"], retired["was_valid"]) == ("South", True)
            assert not [event for event in events if event["event"] == "several"]
            until(lambda: cosigned(Log(url, log.verifier).newest()[1], [witness.verifier]))
            out = tmp_path / "owner.tlog-proof"
            assert command("log", "proof", url, owner, "--log-key", public, "--out", out).code == 0
            proof = parse_tlog_proof(out.read_bytes())
            signed = open_checkpoint(proof.checkpoint, log.verifier)
            found = signed.checkpoint
            check_inclusion(leaf_hash(proof.extra), proof.index, found.size, proof.path, found.root)
            assert list(cosigned(signed, [witness.verifier])) == [witness.verifier]


def test_a_log_goes_on_without_its_witness(tmp_path, keys, program):  # noqa: F811
    """Entries are taken while the witness is away; once it is there, it signs what it missed."""
    (log, secret, public), (witness, witness_secret, witness_public) = keys
    place = tmp_path / "log"
    assert command("log", "init", place, "--origin", NAME, "--key", secret).code == 0
    watch = ("log", "witness", "--state", tmp_path / "w", "--key", witness_secret, "--logs", public)
    with running(*watch, "--listen", "127.0.0.1:0") as (_, line):
        port = url_of(line).rpartition(":")[2]
    option = ("--witness", f"http://127.0.0.1:{port}:{witness_public.read_text().strip()}")
    with running("log", "serve", place, "--listen", "127.0.0.1:0", *option, errors=subprocess.DEVNULL) as (_, line):
        url = url_of(line)
        entries = [entry(tmp_path, decision(number)) for number in range(3)]
        assert command("log", "append", url, *entries).code == 0
        read = Log(url, log.verifier)
        until(lambda: read.newest()[1].checkpoint.size == 3)
        assert not cosigned(read.newest()[1], [witness.verifier])
        with running(*watch, "--listen", f"127.0.0.1:{port}"):
            until(lambda: cosigned(read.newest()[1], [witness.verifier]))


def test_a_forking_log(tmp_path, keys):
    """Two monitors, each shown a history of its own, compare checkpoints; the witness signs one history alone."""
    (signer, _, public), (_, witness_secret, _) = keys
    log = LogFolder(tmp_path / "log", signer)
    log.append(*decisions(0, 300))
    fork = log.forked(tmp_path / "fork", 299)
    log.append(commitment("North", 1))
    fork.append(commitment("North", 2), decision(900))
    look = ("log", "monitor", "--once", "--log-key", public)
    assert command(*look, log.root, "--state", tmp_path / "one").code == 0
    assert command(*look, fork.root, "--state", tmp_path / "two").code == 0
    compared = command(*look, log.root, "--state", tmp_path / "one", "--compare", fork.root / "checkpoint")
    assert compared.code == FORKED
    assert "signed two histories of its first 301 entries" in compared.err
    (evidence,) = tmp_path.glob("one.evidence-*")
    assert str(evidence) in compared.err
    assert {path.name for path in evidence.iterdir()} == {"kept.checkpoint", "shown.checkpoint", "start.txt"}
    same = command(*look, log.root, "--state", tmp_path / "one", "--compare", log.root / "checkpoint", "--json")
    assert documents(same)[-1]["same"] is True
    watch = ("log", "witness", "--state", tmp_path / "w", "--key", witness_secret, "--logs", public)
    with running(*watch, "--listen", "127.0.0.1:0") as (_, line):
        url = url_of(line)
        assert post(url, request(log, 0, 301))[0] == 200
        assert post(url, request(fork, 0, 301)) == (409, b"301\n")
        assert post(url, request(fork, 301, 301))[0] == 422


def test_a_rollback_is_found_by_the_next_look(tmp_path, keys):
    """A smaller tree than before ends a later process with its own exit code, again and again."""
    (signer, _, public), _ = keys
    log = LogFolder(tmp_path / "log", signer)
    log.append(*decisions(0, 5))
    small = (log.root / "checkpoint").read_bytes()
    log.append(*decisions(5, 9))
    look = ("log", "monitor", log.root, "--state", tmp_path / "state", "--once")
    assert command(*look, "--log-key", public, "--json").document["read"] == 9
    (log.root / "checkpoint").write_bytes(small)
    for _ in range(2):
        said = command(*look)
        assert (said.code, said.out) == (FORKED, "")
        assert "went back: it showed 9 entries, and now 5" in said.err


def test_a_witness_that_is_killed_forgets_nothing(tmp_path, keys):
    """Killed at any moment and started again, a witness has at least every checkpoint that it signed."""
    (signer, _, public), (_, witness_secret, _) = keys
    log, state = LogFolder(tmp_path / "log", signer), tmp_path / "w"
    watch = ("log", "witness", "--state", state, "--key", witness_secret, "--logs", public, "--listen", "127.0.0.1:0")
    signed, chance = 0, random.Random(5)
    for _ in range(4):
        with running(*watch) as (process, line):
            url = url_of(line)
            killer = threading.Timer(chance.uniform(0.02, 0.2), process.send_signal, (signal.SIGKILL,))
            if state.exists():
                kept = parse_witness_state(state.read_bytes(), "state").logs.get(NAME)
                size = parse_checkpoint(kept.partition("\n\n")[0] + "\n").size if kept else 0
                assert size in (signed, signed + 1)
                signed = size
            log.append(*decisions(0, signed + 1))
            killer.start()
            while (answer := post(url, request(log, signed, signed + 1))) is not None:
                assert answer[0] == 200
                signed += 1
                log.append(decision(signed))
            killer.join()
            time.sleep(0.01)
    assert signed > 0
    fork = log.forked(tmp_path / "fork", 0)
    fork.append(*decisions(10_000, 10_002 + signed))
    with running(*watch) as (_, line):
        for size in range(max(1, signed - 1), signed + 2):
            assert post(url_of(line), request(fork, 0, size))[0] == 409
