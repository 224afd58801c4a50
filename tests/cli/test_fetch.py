"""Fetching from a real server on this machine: the known edition arrives whole, everything else leaves no file."""

import dataclasses
import hashlib
import io
import json
import socket
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pytest

from equiproof.certify.data import fetching
from equiproof.certify.data.catalogue import TABLES
from equiproof.certify.data.delimited import edition
from equiproof.certify.data.fetching import FetchError, fetch
from equiproof.cli.main import run
from tests.certify.data.raw_files import encode, make_records


class Server:
    """Serves the bodies of `files` by path and counts the requests.

    `status` is what every answer says, `promise` what it adds to the true length, None for no length at all.
    """

    def __init__(self):
        """Bind a free port of the loopback interface."""
        self.files, self.requests, self.status, self.promise = {}, [], 200, 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                outer.requests.append(self.path)
                body = outer.files.get(self.path)
                if body is None:
                    return self.send_error(404)
                self.send_response(outer.status)
                if outer.promise is not None:
                    self.send_header("Content-Length", str(len(body) + outer.promise))
                self.end_headers()
                return self.wfile.write(body)

            def log_message(self, *arguments):
                """Keep the test's output clean."""

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"


@pytest.fixture
def server(monkeypatch):
    """Run a server for one test, past any proxy."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    serving = Server()
    thread = threading.Thread(target=serving.http.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield serving
    serving.http.shutdown()
    serving.http.server_close()
    thread.join()


def archive(members, compression=zipfile.ZIP_DEFLATED):
    """Return the bytes of a zip file."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", compression) as zipped:
        for name, data in members.items():
            zipped.writestr(name, data)
    return written.getvalue()


def nested(leaves):
    """Return the archive in which each path of members leads to its bytes."""
    members, inner = {}, {}
    for path, data in leaves.items():
        if len(path) == 1:
            members[path[0]] = data
        else:
            inner.setdefault(path[0], {})[path[1:]] = data
    return archive(members | {name: nested(more) for name, more in inner.items()})


@pytest.fixture
def offer(server, monkeypatch):
    """Return a function that makes made-up files the known edition of a table and puts them on the server."""

    def put(name):
        plain = TABLES[name]
        bodies = {file: encode(plain, make_records(plain, file)) for file in plain.files}
        files = tuple(dataclasses.replace(file, sha256=edition(plain, body, "t")) for file, body in bodies.items())
        table = dataclasses.replace(plain, files=files)
        for url in {file.url for file in files}:
            leaves = {file.members: bodies[file] for file in bodies if file.url == url}
            server.files[urlsplit(url).path] = leaves[()] if () in leaves else nested(leaves)
        monkeypatch.setitem(TABLES, name, table)
        return table

    return put


def files_in(folder):
    """Return the names of all files below a folder."""
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("name", TABLES)
def test_every_data_set_arrives_in_its_place(server, offer, tmp_path, name):
    """Plain files, members of archives and archives inside archives end where the loaders look for them."""
    table = offer(name)
    fetched = fetch(table, tmp_path, base_url=server.url)
    assert [one.path for one in fetched] == [tmp_path / table.folder / file.name for file in table.files]
    assert all(one.fresh and one.size == one.path.stat().st_size for one in fetched)
    assert files_in(tmp_path) == sorted(file.name for file in table.files)
    assert len(server.requests) == len({file.url for file in table.files})
    assert run(["data", "describe", name, "--data-dir", str(tmp_path)]) == 0


def test_identities_never_reach_the_disk(server, offer, tmp_path):
    """The names on the server are not in the file that is written, which is the known edition all the same."""
    table = offer("compas")
    (body,) = server.files.values()
    (fetched,) = fetch(table, tmp_path, base_url=server.url)
    assert b"secret" in body
    assert b"secret" not in fetched.path.read_bytes()


def test_what_is_there_is_not_fetched_again(server, offer, tmp_path):
    """A second call asks for nothing; where one of two files is gone, it alone comes back."""
    table = offer("adult")
    first = fetch(table, tmp_path, base_url=server.url)
    assert not any(one.fresh for one in fetch(table, tmp_path, base_url=server.url))
    assert len(server.requests) == 1
    first[1].path.unlink()
    assert [one.fresh for one in fetch(table, tmp_path, base_url=server.url)] == [False, True]


def test_another_file_in_the_way_stays_unless_forced(server, offer, tmp_path):
    """Somebody's own file is overwritten only where that was asked for."""
    table = offer("hmda")
    path = tmp_path / "hmda" / "HMDA.csv"
    path.parent.mkdir()
    path.write_bytes(b"mine")
    with pytest.raises(FetchError, match=r"force=True: [^\n]*HMDA\.csv exists and is not the known edition"):
        fetch(table, tmp_path, base_url=server.url)
    assert (path.read_bytes(), server.requests) == (b"mine", [])
    assert fetch(table, tmp_path, base_url=server.url, force=True)[0].fresh
    assert hashlib.sha256(path.read_bytes()).hexdigest() == table.files[0].sha256


def spoil_content(server):
    """Serve other bytes."""
    server.files = {path: body.replace(b"no", b"No") for path, body in server.files.items()}


def cut_short(server):
    """Promise more than comes."""
    server.promise = 5


def cut_unnoticed(server):
    """Send less, without saying how much there is."""
    server.files, server.promise = {path: body[:-5] for path, body in server.files.items()}, None


def lose(server):
    """Serve nothing."""
    server.files = {}


def fail(server):
    """Answer with an error."""
    server.status = 503


def promise_too_much(server):
    """Announce more than is fetched."""
    server.promise = fetching.MAX_BYTES


def send_too_much(server):
    """Send more than is fetched, without saying so."""
    server.files, server.promise = dict.fromkeys(server.files, bytes(fetching.MAX_BYTES + 1)), None


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (spoil_content, "is not the known edition of Boston HMDA"),
        (cut_short, "try again: cut short, [0-9]+ of [0-9]+ bytes"),
        (cut_unnoticed, "is not the known edition of Boston HMDA"),
        (lose, "the server answers 404 Not Found"),
        (fail, "the server answers 503 Service Unavailable"),
        (promise_too_much, "[0-9]+ bytes; at most 1048576 are fetched"),
        (send_too_much, "more than 1048576 bytes"),
    ],
)
def test_a_bad_answer_leaves_no_file(server, offer, tmp_path, monkeypatch, spoil, message):
    """One line names the address and what is wrong with the answer; nothing is written, not even in part."""
    monkeypatch.setattr(fetching, "MAX_BYTES", 1 << 20)
    table = offer("hmda")
    spoil(server)
    with pytest.raises(FetchError, match=rf"^{server.url}/[^\n]*HMDA\.csv: [^\n]*{message}[^\n]*$"):
        fetch(table, tmp_path, base_url=server.url)
    assert files_in(tmp_path) == []


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"no zip", "the archive cannot be read"),
        (archive({"other": b""}), "the archive has no member bank.zip"),
        (archive({"bank.zip": b"no zip"}), "bank.zip: the archive cannot be read"),
        (archive({"bank.zip": archive({"bank-full.csv": bytes(1 << 21)})}), "bank-full.csv: more than 1048576 bytes"),
        (archive({"bank.zip": archive({"bank-full.csv": b"x"})}), "is not the known edition of Bank marketing"),
        (
            archive({"bank.zip": b"x" * 99}, zipfile.ZIP_STORED).replace(b"x" * 99, b"y" * 99),
            "the archive cannot be read",
        ),
    ],
)
def test_a_bad_archive_leaves_no_file(server, tmp_path, monkeypatch, body, message):
    """Bytes that are no archive, a missing member, a bomb, a wrong checksum and another edition give one line each."""
    monkeypatch.setattr(fetching, "MAX_BYTES", 1 << 20)
    table = TABLES["bank_full"]
    server.files[urlsplit(table.files[0].url).path] = body
    with pytest.raises(FetchError, match=rf"^{server.url}/[^\n]*{message}[^\n]*$"):
        fetch(table, tmp_path, base_url=server.url)
    assert files_in(tmp_path) == []


def test_one_bad_file_of_two_leaves_neither(server, offer, tmp_path):
    """Adult's files are written together or not at all."""
    table = offer("adult")
    (path,) = server.files
    with zipfile.ZipFile(io.BytesIO(server.files[path])) as zipped:
        server.files[path] = archive({"adult.data": zipped.read("adult.data"), "adult.test": b"other"})
    with pytest.raises(FetchError, match=r"the file sent for adult\.test is not the known edition"):
        fetch(table, tmp_path, base_url=server.url)
    assert files_in(tmp_path) == []


@pytest.mark.parametrize("base_url", ["file:///etc", "ftp://127.0.0.1", "127.0.0.1:80", ""])
def test_only_web_addresses_are_bases(tmp_path, base_url):
    """Nothing but http and https is opened."""
    with pytest.raises(FetchError, match="is not an address; want http:// or https:// and a host"):
        fetch(TABLES["hmda"], tmp_path, base_url=base_url)


def test_a_server_that_is_not_there_is_one_line(tmp_path, monkeypatch):
    """A refused connection names the address."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    # Bound and not listening: nobody else can answer on this port.
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(FetchError, match=rf"^{url}/[^\n]*: cannot be reached \([^\n]*$"):
            fetch(TABLES["hmda"], tmp_path, base_url=url)


def test_sources_are_public_and_pinned():
    """Every source is an https address, and one on GitHub names a commit, so that it cannot drift."""
    for table in TABLES.values():
        for file in table.files:
            parts = urlsplit(file.url)
            assert parts.scheme == "https"
            assert len(file.sha256) == 64
            if parts.hostname != "archive.ics.uci.edu":
                assert parts.hostname == "raw.githubusercontent.com"
                assert len(parts.path.split("/")[3]) == 40


def test_the_command_fetches_by_option_and_environment(server, offer, tmp_path, monkeypatch, capsys):
    """The mirror is named by option or environment; the answer is text or one JSON object."""
    offer("german")
    arguments = ["data", "fetch", "german", "--to", str(tmp_path)]
    assert run([*arguments, "--base-url", server.url]) == 0
    assert capsys.readouterr().out.startswith(f"FETCHED {tmp_path / 'german' / 'german.data'} (")
    monkeypatch.setenv("EQUIPROOF_DATA_URL", server.url)
    assert run([*arguments, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [one["fresh"] for one in document["files"]] == [False]
    assert document["files"][0]["url"].startswith(server.url)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("lending", "lending is generated; it has no file"),
        ("lendng", "no data set is called 'lendng'; there are adult"),
    ],
)
def test_the_command_refuses_names_without_files(tmp_path, capsys, name, message):
    """What cannot be fetched ends with exit code 2 and one line."""
    assert run(["data", "fetch", name, "--to", str(tmp_path)]) == 2
    assert message in capsys.readouterr().err


def test_the_command_reports_a_bad_answer(server, tmp_path, capsys):
    """A failed fetch ends with exit code 2 and one line on standard error."""
    assert run(["data", "fetch", "hmda", "--to", str(tmp_path), "--base-url", server.url]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert "404" in captured.err
