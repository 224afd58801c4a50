"""Appending over loopback and a Unix socket, from the first try to the last; and finding the log's program."""

import http.server
import json
import socketserver
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from equiproof.register import client, program
from equiproof.register.client import Appended, append, append_all
from equiproof.register.errors import LogError
from equiproof.verifier.entries import parse_entry
from equiproof.verifier.errors import CertificateFormatError
from tests.register.samples import commitment, decision

NAME = parse_entry(decision(1), "entry").name


class Writer(http.server.BaseHTTPRequestHandler):
    """A log's writer that ends the first requests as `server.script` says: a status, or None for no answer at all."""

    def do_POST(self):
        """Answer with the entry's index."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        said = self.server.script.pop(0) if self.server.script else 200
        if said is None:
            self.server.entries.setdefault(body, len(self.server.entries))  # on the disk, and the answer is lost
            return
        data = b"line one\nline \x1b[31mtwo\n"
        if said == 200:
            self.server.requests += 1
            data = b"\n".join(json.dumps(self.answer(entry)).encode() for entry in body.split(b"\n"))
        self.send_response(said)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def answer(self, entry):
        """Say where an entry stands, or that it is not taken."""
        if entry in self.server.refused:
            return {"error": "entry: line \x1b[31mone"}
        index = self.server.entries.setdefault(entry, len(self.server.entries))
        return {"index": index, "name": parse_entry(entry, "entry").name} | self.server.lies

    def address_string(self):
        """A Unix socket has no address."""
        return "here"

    def log_message(self, *args):
        """Say nothing."""


class OverSocket(socketserver.UnixStreamServer):
    """The writer at a Unix socket."""


@pytest.fixture(params=["http", "unix"])
def writer(request, tmp_path, monkeypatch):
    """A writer by URL and by socket."""
    monkeypatch.setattr(client, "_PAUSE", 0.001)
    if request.param == "http":
        server = http.server.HTTPServer(("127.0.0.1", 0), Writer)
        server.url = f"http://127.0.0.1:{server.server_port}"
    else:
        server = OverSocket(str(tmp_path / "s"), Writer)
        server.url = f"unix://{tmp_path / 's'}"
    server.script, server.entries, server.lies, server.refused, server.requests = [], {}, {}, (), 0
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def test_an_entry_gets_its_index(writer):
    """Entries get indexes in their order, the same one the same index."""
    assert append(writer.url, decision(1)) == Appended(0, NAME)
    assert append(writer.url, commitment("North", 1)).index == 1
    assert append(writer.url, decision(1)) == Appended(0, NAME)


def test_an_answer_that_was_lost_is_asked_for_again(writer):
    """The entry was written and the answer lost, then the log is busy: one entry results."""
    writer.script = [None, 503, 429]
    assert append(writer.url, decision(1)) == Appended(0, NAME)
    assert len(writer.entries) == 1


def test_a_refusal_is_not_asked_again(writer):
    """A log that refuses is believed at once, and its words are made safe."""
    writer.script = [400]
    with pytest.raises(LogError, match=r"refuses the entry \(400\): line one line .x1b\[31mtwo"):
        append(writer.url, decision(1))
    assert writer.script == writer.lies or not writer.entries


def test_a_log_that_stays_away_is_given_up(writer):
    """After the last try the last reason is said."""
    writer.script = [None] * client.TRIES
    with pytest.raises(LogError, match="the log is away"):
        append(writer.url, decision(1))
    writer.script = [503] * client.TRIES
    with pytest.raises(LogError, match=r"refuses the entry \(503\)"):
        append(writer.url, decision(1))


@pytest.mark.parametrize("lies", [{"name": "0" * 64}, {"index": -1}, {"index": "1"}, {"more": 1}])
def test_an_answer_about_another_entry_is_none(writer, lies):
    """An index counts only for the entry that was sent."""
    writer.lies = lies
    with pytest.raises(LogError, match="the log"):
        append(writer.url, decision(1))


def test_many_entries_are_answered_in_their_order(writer, monkeypatch):
    """Some are on their way at once; a busy log is asked again, and one that refuses ends it."""
    monkeypatch.setattr(client, "AT_ONCE", 3)
    writer.script = [503] * 3
    entries = [decision(number) for number in range(60)]
    found = list(append_all(writer.url, [*entries, entries[7]]))
    assert [one.name for one in found] == [parse_entry(entry, "entry").name for entry in [*entries, entries[7]]]
    assert [one.index for one in found] == [writer.entries[entry] for entry in [*entries, entries[7]]]
    assert sorted(writer.entries.values()) == list(range(60))
    writer.script = [400] * 500
    with pytest.raises(LogError, match=r"refuses the entry \(400\)"):
        list(append_all(writer.url, entries))


def test_entries_that_go_together(writer, monkeypatch):
    """Each has its own answer in its place, one that the log refuses too; a request has so many entries, and bytes."""
    monkeypatch.setattr(client, "MOST_TOGETHER", 4)
    writer.refused = (decision(2),)
    with client.Writer(writer.url) as opened:
        found = opened.append_together([decision(number) for number in (1, 2, 3, 1, 4, 5)])
        refused = found.pop(1)
        assert [one.index for one in found] == [0, 1, 0, 2, 3]
        assert [one.name for one in found[:2]] == [NAME, parse_entry(decision(3), "entry").name]
        assert str(refused).endswith(r"the log refuses the entry: entry: line \x1b[31mone")
        assert writer.requests == 2
        monkeypatch.setattr(client, "MOST_BYTES", 2 * len(decision(1)) + 1)
        assert len(opened.append_together([decision(number) for number in range(5)])) == 5
        assert writer.requests == 2 + 3
        assert opened.append_together([]) == []


def test_together_a_log_that_is_away_is_asked_no_more(writer, monkeypatch):
    """The answers end with the first entry of the request that failed; those before it are in the log."""
    monkeypatch.setattr(client, "MOST_TOGETHER", 2)
    writer.script = [200, 400]
    with client.Writer(writer.url) as opened:
        *found, error = opened.append_together([decision(number) for number in range(9)])
    assert [one.index for one in found] == [0, 1]
    assert isinstance(error, LogError)
    assert writer.requests == 1


def test_answers_to_other_entries_are_none(writer, monkeypatch):
    """As many answers as entries, each about its own: the name is that of the bytes that were sent."""
    monkeypatch.setattr(Writer, "answer", lambda self, entry: {"index": 0, "name": NAME})
    with client.Writer(writer.url) as opened:
        found = opened.append_together([decision(1), decision(2)])
        assert isinstance(found[0], Appended)
        assert "about another entry" in str(found[1])
        monkeypatch.setattr(client, "_MAX_ANSWER", 100)
        assert isinstance(opened.append_together([decision(1), decision(2)])[0], LogError)


class Staying(Writer):
    """A writer that leaves connections open, and counts them."""

    protocol_version = "HTTP/1.1"
    connections = 0

    def setup(self):
        """Count one more."""
        super().setup()
        type(self).connections += 1


def test_connections_stay_open():
    """Many entries one after the other take one connection; at once, no more than are on their way."""
    Staying.connections = 0
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Staying) as server:
        server.script, server.entries, server.lies, server.refused, server.requests = [], {}, {}, (), 0
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        with client.Writer(f"http://127.0.0.1:{server.server_port}") as writer:
            for number in range(20):
                assert writer.append(decision(number)).index == number
            assert Staying.connections == 1
            with ThreadPoolExecutor(3) as pool:
                found = list(pool.map(writer.append, [decision(number) for number in range(60)]))
        server.shutdown()
    assert Staying.connections <= 3
    assert [one.index for one in found[:20]] == list(range(20))


def test_what_is_no_entry_is_not_sent(writer):
    """Bytes that are no entry do not leave this machine: they may be somebody's data."""
    with pytest.raises(CertificateFormatError):
        append(writer.url, b'{"income":1}')
    assert not writer.entries


def test_the_program_is_found(tmp_path, monkeypatch):
    """By its variable, else beside the library, else on the PATH; else one line says how to get it."""
    monkeypatch.setattr(program, "_PACKAGES", ())
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv(program.VARIABLE, raising=False)
    with pytest.raises(LogError, match="is not installed"):
        program.find()
    found = tmp_path / program.PROGRAM
    found.touch(0o755)
    assert program.find() == found
    monkeypatch.setenv(program.VARIABLE, str(tmp_path))
    with pytest.raises(LogError, match="which is no program"):
        program.find()
    monkeypatch.setenv(program.VARIABLE, str(found))
    with pytest.raises(LogError, match="Exec format error"):
        program.become(["init"])
