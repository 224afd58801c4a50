"""A witness: what it signs, every request that it refuses, and what it remembers when it is killed."""

import base64
import hashlib
import http.client
import json
import threading

import pytest

from equiproof.register.errors import LogError
from equiproof.register.kept import Kept
from equiproof.register.serving import address_of, server_of
from equiproof.register.source import Folder
from equiproof.register.tiles import Tiles
from equiproof.register.witness import MAX_REQUEST_BYTES, Witness, parse_witness_state
from equiproof.verifier.checkpoint import cosigned, open_checkpoint
from equiproof.verifier.errors import CertificateFormatError
from equiproof.verifier.notes import Signer
from tests.register.log_folder import LogFolder
from tests.register.samples import LOG, OTHER_LOG, WITNESS, decision, decisions

NOW = 1_772_618_400


def request(log, old, size=None, note=None, path=None):
    """Return the bytes of a request from one size of a log to another."""
    size = len(log.entries) if size is None else size
    path = Tiles(Folder(log.root), size).consistency(old) if path is None else path
    lines = [f"old {old}", *(base64.b64encode(one).decode() for one in path), "", ""]
    return "\n".join(lines).encode() + (log.checkpoint(size) if note is None else note)


@pytest.fixture
def log(tmp_path):
    """A log of nine decisions, with a checkpoint at five."""
    log = LogFolder(tmp_path / "log", LOG)
    log.append(*decisions(0, 5))
    log.append(*decisions(5, 9))
    return log


@pytest.fixture
def kept(tmp_path):
    """The file of a witness's state, held."""
    with Kept(tmp_path / "witness.json") as kept:
        yield kept


@pytest.fixture
def witness(kept):
    """A witness that has signed nothing yet."""
    return Witness(kept, WITNESS, [LOG.verifier], lambda: NOW)


def test_a_growing_log_is_signed(witness, log):
    """The first checkpoint, one that goes on from it, and the same one again are signed, with the time."""
    for old, size in ((0, 5), (5, 9), (9, 9)):
        answer = witness.add_checkpoint(request(log, old, size))
        assert answer.status == 200
        signed = open_checkpoint(log.checkpoint(size) + answer.body, LOG.verifier)
        assert cosigned(signed, [WITNESS.verifier]) == {WITNESS.verifier: NOW}


def test_the_newest_checkpoint_is_shown(witness, log):
    """What was signed can be read, with the log's signature and the witness's, and nothing that others wrote below."""
    assert witness.newest(hashlib.sha256(LOG.name.encode()).hexdigest()).status == 404
    strange = Signer("x", bytes(32)).sign(log.text(9)).rpartition("\n\n")[2].encode()
    assert witness.add_checkpoint(request(log, 0, note=log.checkpoint() + strange)).status == 200
    shown = witness.newest(hashlib.sha256(LOG.name.encode()).hexdigest())
    signed = open_checkpoint(shown.body, LOG.verifier)
    assert list(cosigned(signed, [WITNESS.verifier])) == [WITNESS.verifier]
    assert [line.name for line in signed.note.signatures] == [LOG.name, WITNESS.name]
    assert witness.newest("0" * 64).status == 404


def test_a_log_cannot_break_the_state_of_its_witness(witness, kept, log):
    """A note with as many of the log's signatures as one may have: kept is one, and the state can be read again."""
    note, line = log.checkpoint(), log.checkpoint().rpartition(b"\n\n")[2]
    assert witness.add_checkpoint(request(log, 0, note=note + 63 * line)).status == 200
    again = Witness(kept, WITNESS, [LOG.verifier], lambda: NOW)
    assert again.add_checkpoint(request(log, 9)).status == 200


def test_no_two_roots_of_one_size_are_signed(witness, log, tmp_path):
    """A fork is refused from every size that the log might claim to go on from."""
    assert witness.add_checkpoint(request(log, 0)).status == 200
    for shared in (0, 5, 8):
        fork = log.forked(tmp_path / f"fork{shared}", shared)
        fork.append(*(decision(100 + number) for number in range(12 - shared)))
        assert witness.add_checkpoint(request(fork, 0)).status == 409
        assert witness.add_checkpoint(request(fork, 9)).status == 422
        assert witness.add_checkpoint(request(fork, 9, path=())).status == 422
        assert witness.add_checkpoint(request(fork, 9, 9, path=())).status == 422
        assert witness.add_checkpoint(request(log, 9, 9, fork.checkpoint(9), ())).status == 422
    assert witness.add_checkpoint(request(log, 9)).status == 200


def test_a_log_that_goes_back_is_not_signed(witness, log):
    """An older checkpoint is refused, with the size that was signed."""
    assert witness.add_checkpoint(request(log, 0)).status == 200
    for old in (0, 5):
        answer = witness.add_checkpoint(request(log, old, 5))
        assert (answer.status, answer.body, answer.kind) == (409, b"9\n", "text/x.tlog.size")
    assert witness.add_checkpoint(request(log, 9, 5, path=())).status == 400


def test_a_witness_that_was_offline_catches_up(witness, log):
    """The answer 409 has the size to start from: from there the log's newest checkpoint is signed."""
    assert witness.add_checkpoint(request(log, 0, 5)).status == 200
    log.append(*decisions(9, 600))
    refused = witness.add_checkpoint(request(log, 9))
    assert refused.status == 409
    assert witness.add_checkpoint(request(log, int(refused.body))).status == 200


def wrong_requests(log):
    """Yield requests by what is wrong with them, and the status that they get."""
    good = request(log, 0)
    other = OTHER_LOG.sign(log.text()).encode()
    unknown = Signer("other.example/log", LOG.secret).sign(log.text().replace(LOG.name, "other.example/log")).encode()
    flipped = log.checkpoint()[:-6] + (b"AAAA" if log.checkpoint()[-6:-2] != b"AAAA" else b"BBBB") + b"=\n"
    empty = LOG.sign(f"{LOG.name}\n0\n{base64.b64encode(bytes(32)).decode()}\n").encode()
    yield "unknown log", request(log, 0, note=unknown), 404
    yield "another key", request(log, 0, note=other), 403
    yield "flipped signature", request(log, 0, note=flipped), 403
    yield "unsigned", request(log, 0, note=log.text().encode()), 400
    yield "a path from nothing", request(log, 0, path=(bytes(32),)), 422
    yield "an empty tree of another root", request(log, 0, 0, empty, ()), 422
    yield "more than it has", request(log, 10, 9, path=()), 400
    yield "old 00", good.replace(b"old 0", b"old 00"), 400
    yield "old -1", good.replace(b"old 0", b"old -1"), 400
    yield "Old", good.replace(b"old 0", b"Old 0"), 400
    yield "no old", good.partition(b"\n")[2], 400
    yield "short hash", request(log, 0, path=(bytes(31),)), 400
    yield "64 hashes", request(log, 0, path=(bytes(32),) * 64), 400
    yield "not base64", good.replace(b"old 0\n", b"old 0\n!!!!\n"), 400
    yield "nothing", b"", 400
    yield "no note", b"old 0\n\n", 400
    yield "bytes", bytes(range(256)), 400


def test_wrong_requests_are_answered_as_the_protocol_says(witness, log):
    """Every wrong request has its status, signs nothing and changes nothing: the right one follows."""
    for what, body, status in wrong_requests(log):
        answer = witness.add_checkpoint(body)
        assert (what, answer.status) == (what, status)
        assert "—".encode() not in answer.body
        assert answer.body.count(b"\n") == 1, what
    assert witness.add_checkpoint(request(log, 0)).status == 200


def test_state_is_on_the_disk_before_the_signature_is_out(kept, log, monkeypatch):
    """Where the state cannot be written nothing is signed, then and later: the disk may have either state."""
    witness = Witness(kept, WITNESS, [LOG.verifier])
    with monkeypatch.context() as patched:
        patched.setattr(Kept, "write", lambda self, data: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        assert witness.add_checkpoint(request(log, 0)).status == 500
    assert witness.add_checkpoint(request(log, 0)).status == 500
    assert Witness(kept, WITNESS, [LOG.verifier]).add_checkpoint(request(log, 0)).status == 200


def test_a_state_outlives_its_witness(kept, log, tmp_path):
    """Started again, a witness goes on from what it signed; with a damaged state, or another's, it does not start."""
    assert Witness(kept, WITNESS, [LOG.verifier]).add_checkpoint(request(log, 0)).status == 200
    assert Witness(kept, WITNESS, [LOG.verifier]).add_checkpoint(request(log, 0, 5)).status == 409
    with pytest.raises(LogError, match="the state of another witness"):
        Witness(kept, LOG, [LOG.verifier])
    with pytest.raises(LogError, match="signature"):
        Witness(kept, WITNESS, [OTHER_LOG.verifier])
    good = kept.path.read_bytes()
    for wrong in (b"", good[:-1], good.replace(b"log.example", b"lag.example", 1)):
        kept.path.write_bytes(wrong)
        with pytest.raises(LogError, match="could sign two histories"):
            Witness(kept, WITNESS, [LOG.verifier])
    document = json.loads(good)
    document["logs"][LOG.name] = document["logs"][LOG.name].replace("\n9\n", "\n09\n")
    with pytest.raises(CertificateFormatError):
        parse_witness_state(json.dumps(document, separators=(",", ":"), sort_keys=True).encode(), "state")


def test_requests_at_once_are_signed_one_after_the_other(witness, log, tmp_path):
    """Of two histories that arrive at the same moment, over and over, one is signed."""
    fork = log.forked(tmp_path / "fork", 5)
    fork.append(*(decision(200 + number) for number in range(4)))
    answers = []
    threads = [
        threading.Thread(target=lambda body=body: answers.append(witness.add_checkpoint(body).status))
        for body in [request(log, 0), request(fork, 0)] * 8
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [200] + [409] * 15


@pytest.fixture
def port(witness):
    """The port of a witness that is served."""
    server = server_of(witness, ("127.0.0.1", 0))
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()


def ask(port, method, path, body=None, headers=()):
    """Ask a server; return status, kind and body."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request(method, path, body, dict(headers))
    answer = connection.getresponse()
    found = answer.status, answer.getheader("Content-Type"), answer.read()
    connection.close()
    return found


def test_requests_over_http(port, log):
    """Status, kind and body go out as they are; too long a request and other paths are refused unread."""
    assert ask(port, "POST", "/add-checkpoint", request(log, 0))[0] == 200
    assert ask(port, "POST", "/add-checkpoint", request(log, 0)) == (409, "text/x.tlog.size", b"9\n")
    path = f"/{hashlib.sha256(LOG.name.encode()).hexdigest()}/checkpoint"
    assert ask(port, "GET", path)[:2] == (200, "text/plain; charset=utf-8")
    assert ask(port, "GET", "/")[0] == 404
    assert ask(port, "POST", "/", b"x")[0] == 404
    assert ask(port, "POST", "/add-checkpoint", b"x" * (MAX_REQUEST_BYTES + 1))[0] == 413
    assert ask(port, "POST", "/add-checkpoint", iter([b"x"]), {"Transfer-Encoding": "chunked"})[0] == 411


@pytest.mark.parametrize("text", ["0.0.0.0:80", "example.com:80", "127.0.0.1", "127.0.0.1:x", "127.0.0.1:70000", ":80"])
def test_only_this_machine_is_listened_to(text):
    """An address that others reach is refused."""
    with pytest.raises(LogError, match="an address of this machine"):
        address_of(text)
    assert address_of("127.0.0.1:0") == ("127.0.0.1", 0)
