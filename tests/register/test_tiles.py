"""Reading a log's tiles: every proof against every tree, and files that are not those of the tree."""

import http.server
import socket
import threading
import time
from contextlib import suppress

import pytest

from equiproof.register.errors import AbsentError, LogError
from equiproof.register.frontier import Frontier
from equiproof.register.log import Log
from equiproof.register.source import Folder, source_of
from equiproof.register.tiles import Tiles
from equiproof.register.wire import Wire
from equiproof.verifier.merkle import check_consistency, check_inclusion, leaf_hash
from tests.register.log_folder import LogFolder, leaf, tree_root
from tests.register.samples import LOG, OTHER_LOG, decision, decisions

SIZES = (1, 2, 3, 7, 8, 255, 256, 257, 511, 513, 700)


def written(folder, count):
    """Write a log of so many decisions."""
    log = LogFolder(folder, LOG, decisions(0, count))
    log.publish()
    return log


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """A log that was published at several sizes, as a growing one is."""
    log = LogFolder(tmp_path_factory.mktemp("log") / "log", LOG)
    for size in SIZES:
        log.append(*decisions(len(log.entries), size))
    return log


@pytest.mark.parametrize("size", SIZES)
def test_paths_from_tiles_lead_to_the_root(log, size):
    """At sizes below, at and above a tile's width, inclusion and consistency follow from tiles."""
    tiles = Tiles(Folder(log.root), size)
    leaves = [leaf(entry) for entry in log.entries[:size]]
    root = tree_root(leaves)
    assert tiles.root(0, size) == root
    for index in {0, 1, size // 3, size // 2, size - 2, size - 1, 255, 256} & set(range(size)):
        check_inclusion(leaves[index], index, size, tiles.inclusion(index), root)
    for old in {1, 2, 3, size // 2, size - 1, size, 128, 256, 257} & set(range(size + 1)):
        check_consistency((old, tree_root(leaves[:old])), (size, root), tiles.consistency(old))
        assert tiles.root(0, old) == tree_root(leaves[:old])


def test_entries_come_back_in_order(log):
    """Entries of any range are those that were appended."""
    tiles = Tiles(Folder(log.root), 700)
    for first, last in ((0, 700), (3, 5), (250, 260), (256, 512), (699, 700), (5, 5)):
        assert list(tiles.entries(first, last)) == log.entries[first:last]


def test_an_edge_grows_as_the_tree_does(log):
    """The root of an edge that grew in parts is the tree's."""
    edge, leaves = Frontier(), [leaf_hash(entry) for entry in log.entries]
    assert edge.root == tree_root([])
    for first, last in ((0, 1), (1, 4), (4, 300), (300, 700)):
        edge = edge.grown(leaves[first:last])
        assert (edge.size, edge.root) == (last, tree_root(leaves[:last]))


def test_a_dropped_partial_tile_is_read_from_the_full_one(tmp_path):
    """A log may drop partial tiles once the full ones are there: the smaller tree is read all the same."""
    log = written(tmp_path, 300)
    small = log.text(200)
    assert Tiles(Folder(tmp_path), 200).root(0, 200) == tree_root([leaf(entry) for entry in log.entries[:200]])
    assert list(Tiles(Folder(tmp_path), 200).entries(190, 200)) == log.entries[190:200]
    assert small != log.text()


@pytest.mark.parametrize("path", ["tile/0/001.p/44", "tile/entries/001.p/44", "tile/0/000"])
def test_a_truncated_tile_is_named(tmp_path, path):
    """A tile or a file of entries that is cut off is said to be, with its path."""
    log = written(tmp_path, 300)
    (tmp_path / path).write_bytes((tmp_path / path).read_bytes()[:-1])
    tiles = Tiles(Folder(tmp_path), 300)
    with pytest.raises(LogError, match=f"{path.partition('.p')[0]}.*: cut off"):
        _ = (tiles.inclusion(0), tiles.inclusion(299), list(tiles.entries(0, 300)))
    assert len(log.entries) == 300


def test_a_flipped_byte_of_a_tile_gives_no_proof(tmp_path):
    """A tile that does not hash to the root is damage, said in one line, and no proof is handed out."""
    log = written(tmp_path, 300)
    tile = tmp_path / "tile/0/000"
    tile.write_bytes(tile.read_bytes()[:100] + b"\xff" + tile.read_bytes()[101:])
    read = Log(str(tmp_path), LOG.verifier)
    data, signed = read.newest()
    with pytest.raises(LogError, match="do not hash to the root of the checkpoint of 300 entries"):
        read.proof(data, signed.checkpoint, 0, decision(0))
    with pytest.raises(LogError, match="do not hash to the root"):
        read.start_of(signed.checkpoint, read.tiles(signed.checkpoint), 5)
    assert log.entries[299] == decision(299)


def test_a_missing_tile_is_named(tmp_path):
    """A tile that is not there is named, and is no other error."""
    written(tmp_path, 300)
    (tmp_path / "tile/0/000").unlink()
    with pytest.raises(AbsentError, match="no file tile/0/000"):
        Tiles(Folder(tmp_path), 300).inclusion(0)


def test_entries_are_found_and_proven(tmp_path):
    """An entry is found by its bytes; another one at its place, an unknown one and a number too large are refused."""
    written(tmp_path, 300)
    read = Log(str(tmp_path), LOG.verifier)
    data, signed = read.newest()
    found = signed.checkpoint
    for index in (0, 255, 256, 299):
        assert read.find(found, decision(index)) == index
        proof = read.proof(data, found, index, decision(index))
        check_inclusion(leaf_hash(proof.extra), proof.index, 300, proof.path, found.root)
    with pytest.raises(LogError, match="is not among the 300"):
        read.find(found, decision(300))
    with pytest.raises(LogError, match="entry 7 is another one"):
        read.proof(data, found, 7, decision(8))
    with pytest.raises(LogError, match="no entry 300: the log has 300"):
        read.proof(data, found, 300, decision(8))


def test_a_checkpoint_of_another_key_is_refused(tmp_path):
    """A checkpoint under another key of the same name, or under another name, is not this log's."""
    written(tmp_path, 3)
    with pytest.raises(LogError, match="no signature of this log's key"):
        Log(str(tmp_path), OTHER_LOG.verifier).newest()


def test_other_places_than_logs_are_refused(tmp_path):
    """Only folders and http(s) are read: no other kind of URL, none with a password, and no device."""
    for url in ("file:///etc", "ftp://x/", "http://user:word@x/", "http://x/?a=b", "http://[/"):
        with pytest.raises(LogError):
            source_of(url).read("checkpoint", 10)
    (tmp_path / "checkpoint").mkdir()
    with pytest.raises(LogError, match="not a regular file"):
        Folder(tmp_path).read("checkpoint", 10)


class Strange(http.server.BaseHTTPRequestHandler):
    """Answers as no log does."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        """Answer by the path."""
        status, headers, body = {
            "/long": (200, {"Content-Length": "1000"}, b"x" * 1000),
            "/moved": (302, {"Location": "/short", "Content-Length": "0"}, b""),
            "/short": (200, {"Content-Length": "10"}, b"0123456789"),
            "/packed": (200, {"Content-Length": "2", "Content-Encoding": "gzip"}, b"xx"),
            "/broken": (200, {"Content-Length": "100"}, b"x"),
            "/unmeasured": (200, {"Connection": "close"}, b"0123456789"),
        }[self.path]
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = self.path in ("/broken", "/unmeasured")

    def log_message(self, *args):
        """Say nothing."""


@pytest.fixture(scope="module")
def strange():
    """The URL of a server that answers strangely."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Strange)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("long", "want at most 10 bytes: it is longer"),
        ("moved", "the server answers 302"),
        ("packed", "compressed"),
        ("broken", "the log is away: the answer broke off"),
    ],
)
def test_answers_are_bounded_and_taken_as_they_are(strange, path, said):
    """No redirection is followed, nothing unpacked, no more read than was asked for; then the next answer is right."""
    source = source_of(strange)
    with pytest.raises(LogError, match=said):
        source.read(path, 10)
    assert source.read("short", 10) == source.read("unmeasured", 10) == source.read("short", 10)


@pytest.mark.parametrize("said", [b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 2", b""])
def test_a_server_that_never_comes_to_its_answer_is_given_up(monkeypatch, said):
    """Whatever it sends without an end, one answer has one limit of time, from the request on."""
    monkeypatch.setattr("equiproof.register.wire.READ_SECONDS", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        talking = threading.Thread(target=endless, args=(listener, said))
        talking.start()
        with pytest.raises(LogError, match="the log is away: no answer in time"):
            Wire(f"http://127.0.0.1:{listener.getsockname()[1]}").ask("GET", "x", 10)
        talking.join()


def endless(listener, said):
    """Take one request and send the same again and again, slowly, until the client has gone."""
    connection, _ = listener.accept()
    with connection, suppress(OSError):
        while True:
            connection.sendall(said)
            time.sleep(0.02)
            if not said and not connection.recv(1 << 12):
                return


def test_a_server_that_is_away_is_said(strange):
    """Nobody listens: one line names the URL."""
    with pytest.raises(LogError, match=r"http://127.0.0.1:9: the log is away: .*refused"):
        Wire("http://127.0.0.1:9").ask("GET", "x", 10)
