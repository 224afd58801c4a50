"""A foreign file of whatever content is refused or read within 512 MiB of memory, and docs/limits.md says how much."""

import functools
import io
import itertools
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from equiproof.certify import limits
from equiproof.certify.archive import ArchiveError, refuse_many_members
from equiproof.certify.data.rows import RowsError, read_row, read_rows
from equiproof.certify.models.network import Network, NetworkError
from equiproof.circuits.canonical import canonical_bytes
from tests.support import LOANS, ROOT

MOST_MEBIBYTES = 512

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system tells no peak of memory")
"""The peak that `resource` tells of a child begins with that of its parent, on Linux; this one does not."""

READERS = {
    "row": "from equiproof.certify.data.rows import read_row as read",
    "rows": "from equiproof.certify.data.rows import read_rows as read",
    "import": "from equiproof.certify.models.importing import read_model as read",
    "ensemble": "from equiproof.certify.models.ensembles.reading import read_ensemble as read",
    "model": "from equiproof.prover.model_folder import load_model as read",
    "chain": (
        "from equiproof.certify.models.importing import read_model\n"
        "from equiproof.certify.models.importing.chain import layers_of\n"
        "def read(path):\n"
        "    source = read_model(path)\n"
        "    layers_of(source.steps, source.inputs)"
    ),
}

PROGRAM = """
import json, os, pathlib, signal, sys
import onnx  # which the product loads when it needs it
READERS = json.loads(sys.argv[1])
for reader in READERS.values():
    exec(reader)
def answered(reader, path):
    signal.alarm(180)
    own = {}
    exec(READERS[reader], own)
    try:
        own["read"](pathlib.Path(path))
        said = "read"
    except ValueError as error:
        said = f"{type(error).__name__} {error}"
    with open("/proc/self/status") as status:
        peak = int(next(line.split()[1] for line in status if line.startswith("VmHWM:"))) >> 10
    print(json.dumps([said, peak]), flush=True)
for line in sys.stdin:
    child = os.fork()
    if not child:
        try:
            answered(*json.loads(line))
        except BaseException as error:
            print(json.dumps([f"not answered: {error!r}", 0]), flush=True)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if status:
        print(json.dumps([f"ended with status {status}", 0]), flush=True)
"""
"""Loads all readers once, and reads each file in a child: its peak begins with what loading took."""


@pytest.fixture(scope="module")
def answer():
    """Return what reads a file in a process of its own, holds it to the memory, and returns what was answered."""
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, json.dumps(READERS)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:

        def asked(reader, path):
            server.stdin.write(json.dumps([reader, str(path)]) + "\n")
            server.stdin.flush()
            said, peak = json.loads(server.stdout.readline())
            assert 0 < peak < MOST_MEBIBYTES, (said, peak)
            return said

        yield asked


def json_rows(row, count):
    """Return a JSON list of equal rows."""
    return b"[" + b",".join([row] * count) + b"]"


EMOJI = "\U0001f600".encode()
"""One character that makes four bytes of each other character of its text."""

DECIMALS = b"{" + b",".join(b'"a%d":1.%d' % (index, index) for index in range(6)) + b"}"
TABLE = b",".join(b"c%d" % index for index in range(7))

ROWS = {
    "empty rows": ("json", lambda: b"[" + b"{}," * 12_000_000 + b"{}]", "larger than 32 MiB; split"),
    "fewer empty rows": ("json", lambda: json_rows(b"{}", 1_000_000), "1000000 rows; at most 250000"),
    "no rows": ("json", lambda: json_rows(b"[]", 10_000_000), "values; at most 2000000"),
    "a list in a row": ("json", lambda: b'{"a":[' + b"[]," * 1_390_000 + b"[]]}", "want a text or a number"),
    "a deep list": ("json", lambda: b"[" * 4_000_000, "not valid JSON"),
    "names": ("json", lambda: b"{" + b",".join(b'"%x":1' % i for i in range(300_000)) + b"}", "more than 10000 names"),
    "other names": ("json", lambda: b"[" + b",".join(b'{"%x":1}' % i for i in range(240_000)) + b"]", "10000 names"),
    "decimals": ("json", lambda: json_rows(DECIMALS, 240_000), "read"),
    "long texts": ("json", lambda: json_rows(b'{"a":"' + EMOJI + b"x" * ((4 << 20) - 12) + b'"}', 7), "read"),
    "short cells": ("csv", lambda: b"a\n" + b"1\n" * 1_000_000, "1000000 rows; at most 250000"),
    "one row too many": ("csv", lambda: b"a\n" + b"1\n" * 250_000 + b"1", "250001 rows; at most 250000"),
    "as many rows as are read": ("csv", lambda: b"a\r\n" + b"1\r\n" * 250_000, "read"),
    "columns": ("csv", lambda: b"," * 3_000_000, "values; at most 2000000"),
    "cells": ("csv", lambda: TABLE + b"\n" + (b",".join([EMOJI + b"x" * 14] * 7) + b"\n") * 235_000, "read"),
}


@pytest.mark.parametrize("kind", ROWS)
def test_rows_take_bounded_memory(answer, tmp_path, kind):
    """However its rows are made up, a file of rows is refused in one line or read within the limit."""
    suffix, data, said = ROWS[kind]
    path = tmp_path / f"rows.{suffix}"
    path.write_bytes(data())
    assert said in answer("rows", path)


def test_one_row_is_one_row(answer, tmp_path):
    """Where one row is wanted, a file of millions is refused by its size."""
    path = tmp_path / "row.json"
    path.write_bytes(b"[" + b"{}," * 12_000_000 + b"{}]")
    assert "row.json: larger than 4 MiB; want one row" in answer("row", path)
    path.write_bytes(b'[{"a":1},{"a":2}]')
    with pytest.raises(RowsError, match="2 rows, want one"):
        read_row(path)


def varint(value):
    """Return a number as protobuf writes it."""
    data = b""
    while value > 127:
        data, value = data + bytes([value & 127 | 128]), value >> 7
    return data + bytes([value])


def nested(data, *fields):
    """Return bytes wrapped as a field in a field of protobuf messages, the innermost first."""
    for number in fields:
        data = varint(number << 3 | 2) + varint(len(data)) + data
    return data


GRAPH, NODE, INITIALIZER, INT64_DATA, RAW_DATA = 7, 1, 5, 7, 9

GRAPHS = {
    "empty operators": (lambda: nested(b"", NODE) * 15_000_000, (GRAPH,), "more than 262144 fields"),
    "as many as are counted": (lambda: nested(b"", NODE) * 262_000, (GRAPH,), "262000 operators; at most 1024"),
    "dimensions": (lambda: b"\x08\x01" * 15_000_000, (INITIALIZER, GRAPH), "2097152 numbers"),
    "integers": (lambda: b"\x01" * (31 << 20), (INT64_DATA, INITIALIZER, GRAPH), "16 MiB of integers"),
    "as many integers as are counted": (
        lambda: b"\x01" * (16 << 20),
        (INT64_DATA, INITIALIZER, GRAPH),
        "the inputs are none",
    ),
    "raw data": (lambda: bytes(60 << 20), (RAW_DATA, INITIALIZER, GRAPH), "the inputs are none"),
}


@pytest.mark.parametrize("kind", GRAPHS)
def test_graphs_take_bounded_memory(answer, tmp_path, kind):
    """What an ONNX file consists of is counted before it is parsed: messages take far more memory than bytes."""
    data, fields, said = GRAPHS[kind]
    (tmp_path / "model.onnx").write_bytes(nested(data(), *fields))
    assert said in answer("import", tmp_path / "model.onnx")


CATBOOST = b'{"features_info":{"float_features":[%s]},"scale_and_bias":[1,[0]],%s}'
NUMBER = b'{"flat_feature_index":0,"feature_index":0}'

BOOSTED = {
    "trees of one leaf": (
        (b"", b'"trees":[' + b'{"value":0.5},' * 2_090_000 + b"{}]"),
        "train fewer trees: 2090001, at most 262144",
    ),
    "leaves": ((NUMBER, b'"oblivious_trees":[{"leaf_values":[' + b"0.5," * 4_190_000 + b"0]}]"), "leaves for 0 splits"),
    "more than is counted": ((b"", b'"trees":[' + b"{}," * 2_100_000 + b"{}]"), "values and lists, at most 4194304"),
}


@pytest.mark.parametrize("kind", BOOSTED)
def test_models_of_catboost_take_bounded_memory(answer, tmp_path, kind):
    """Values of a JSON file are counted before they are decoded: each takes dozens of bytes."""
    parts, said = BOOSTED[kind]
    (tmp_path / "model.json").write_bytes(CATBOOST % parts)
    assert said in answer("ensemble", tmp_path / "model.json")


def spread(*shape, exponents=(-1000, -900)):
    """Return doubles with all their bits, and powers of two that their products do not share."""
    rng = np.random.default_rng(3)
    return np.ldexp(rng.uniform(0.5, 1, shape), rng.integers(*exponents, shape))


def chained(kind, width, constants):
    """Return a model of operators of one kind behind each other, each with its constant."""
    graphs = pytest.importorskip("tests.certify.models.importing.graphs")
    named = {f"c{index}": constant for index, constant in enumerate(constants)}
    outputs = [*(f"t{index}" for index in range(len(named) - 1)), "y"]
    nodes = [
        graphs.node(kind, (before, name), after)
        for before, name, after in zip(("x", *outputs), named, outputs, strict=False)
    ]
    return graphs.model(nodes, named, shape=("rows", width), kind=11)


TOO_MUCH = "too large to be multiplied exactly; multiply them before the export"
CHAINS = {
    "a thousand scalings": (lambda: chained("Mul", 4096, [spread(1)] * 1000), "'the t64': the operators up to this"),
    "a thousand divisions": (lambda: chained("Div", 8, [spread(1)] * 1000), "more than 4096 bits"),
    "a column times a row": (lambda: chained("MatMul", 2000, [spread(2000, 1), spread(1, 2000)]), TOO_MUCH),
    "small numbers": (lambda: chained("MatMul", 1023, [spread(1023, 1024), spread(1024, 1)]), TOO_MUCH),
    "a layer of small numbers": (lambda: chained("MatMul", 1000, [spread(1000, 500)]), "read"),
    "many small layers": (lambda: chained("MatMul", 32, [spread(32, 32, exponents=(0, 1))] * 1000), TOO_MUCH),
    "few large layers": (lambda: chained("MatMul", 161, [spread(161, 161, exponents=(0, 1))] * 40), TOO_MUCH),
}
SLOW_CHAINS = ("small numbers", "many small layers", "few large layers")


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.slow) if kind in SLOW_CHAINS else kind for kind in CHAINS]
)
def test_chains_take_bounded_work_and_memory(answer, tmp_path, kind):
    """However many steps a chain has, and whatever their numbers: composed, or refused naming a step, within bounds."""
    data, said = CHAINS[kind]
    (tmp_path / "model.onnx").write_bytes(data())
    answered = answer("chain", tmp_path / "model.onnx")
    assert said in answered
    assert "\n" not in answered
    assert answered == "read" or "the " in answered


def packed(members, compression=zipfile.ZIP_DEFLATED):
    """Return the bytes of an archive."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return stream.getvalue()


def bomb():
    """Return an archive of a few megabytes that unpacks to an array of one gigabyte."""
    stream = io.BytesIO()
    packing = zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1)
    with packing as archive, archive.open("W0.npy", "w") as member:
        np.lib.format.write_array_header_1_0(
            member, {"descr": "|i1", "fortran_order": False, "shape": (1 << 10, 1 << 20)}
        )
        for _ in range(64):
            member.write(bytes(16 << 20))
    return stream.getvalue()


ARCHIVES = {
    "a bomb": (bomb, "its arrays have 1073741952 bytes; at most"),
    "twenty thousand members": (lambda: packed([(str(n), b"") for n in range(20_000)]), "a list of members"),
    "no array": (lambda: packed([(name, b"text") for name in ("W0", "b0", "W1", "b1")]), "not an .npz file of arrays"),
    "zeros of one byte": (lambda: packed(bytes_of(0)), "weights"),
    "ones of one byte": (lambda: packed(bytes_of(1)), "weights"),
}


def array_bytes(array):
    """Return an array as a file of numpy."""
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def bytes_of(number):
    """Yield the files of a network whose weights are all one number, a byte each: floats take eight times as much."""
    for index, kind in itertools.product(range(2), "Wb"):
        yield f"{kind}{index}.npy", array_bytes(np.full((2800, 2800) if kind == "W" else 2800, number, np.int8))


@functools.cache
def archive(kind):
    """Return the bytes of an archive, packed once for all readers."""
    return ARCHIVES[kind][0]()


@pytest.mark.parametrize("kind", ARCHIVES)
@pytest.mark.parametrize("reader", ["import", "model"])
def test_archives_take_bounded_memory(answer, tmp_path, kind, reader):
    """Archives are measured before they are unpacked, in a model folder as well as in an import."""
    _, said = ARCHIVES[kind]
    (tmp_path / "network.npz").write_bytes(archive(kind))
    (tmp_path / "spec.json").write_bytes(canonical_bytes(LOANS))
    answered = answer(reader, tmp_path if reader == "model" else tmp_path / "network.npz")
    assert answered == "read" if (reader, kind) == ("import", "zeros of one byte") else said in answered


@pytest.mark.parametrize("comment", [b"", b"a comment", b"PK\x05\x06" * 3])
def test_whichever_end_of_an_archive_is_read_its_list_is_short(comment):
    """An archive's comment may hold what looks like another end: each of them has to claim a short list."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for number in range(3000):
            archive.writestr(str(number), b"")
        archive.comment = comment
    with pytest.raises(ArchiveError, match="list of members"):
        refuse_many_members(stream.getvalue())
    refuse_many_members(b"no archive" + comment[:9])
    refuse_many_members(packed([("a", b"1")]))


def test_the_largest_network_is_read_back_and_a_larger_one_never_written(tmp_path):
    """What a model folder holds can be read again: a network past the limit is refused where it is written."""

    def of(columns):
        return Network((np.zeros((1024, columns)), np.zeros((1, 1024))), (np.zeros(1024), np.zeros(1)))

    path = tmp_path / "network.npz"
    path.write_bytes(of(2045).to_bytes())
    assert Network.load(path).inputs == 2045
    with pytest.raises(NetworkError, match="at most 2097152"):
        of(2046).to_bytes()


def test_a_byte_past_the_first_megabyte_that_is_no_text_is_named(tmp_path):
    """Bytes are checked piece by piece, and the place of a wrong one is that in the file."""
    path = tmp_path / "rows.json"
    before = b'{"a":"' + b"x" * ((1 << 20) - 7) + "ä".encode()
    path.write_bytes(before + b'\xff"}')
    with pytest.raises(RowsError, match=f"not UTF-8 at byte {len(before)}$"):
        read_rows(path)
    path.write_bytes(before + b'"}')
    assert len(read_rows(path)) == 1


def test_the_page_states_the_limits():
    """docs/limits.md states each limit of the code, under the name that the code has for it."""
    page = (ROOT / "docs" / "limits.md").read_text(encoding="utf-8")
    stated = {name: int(value.replace(",", "")) for value, name in re.findall(r"\| ([\d,]+) \| `(\w+)` \|", page)}
    assert stated == {name: value for name, value in vars(limits).items() if name.isupper()}
