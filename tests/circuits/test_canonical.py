"""JSON documents have one spelling that counts, and the parser names what is wrong with any other."""

import hashlib
import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equiproof.circuits.canonical import (
    MAX_DOCUMENT_BYTES,
    DocumentError,
    canonical_bytes,
    digest,
    document_digest,
    parse,
)


class Point(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A document of two fields."""

    x: int
    name: str


class Path(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A document with a list of documents."""

    points: tuple[Point, ...]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(document=JSON)
def test_canonical_form_keeps_the_document(document):
    """The canonical form of plain JSON data reads back as that data."""
    assert json.loads(canonical_bytes(document)) == document


def test_canonical_form_is_sorted_and_dense():
    """Keys are sorted, spaces are left out, text is UTF-8."""
    assert canonical_bytes({"b": 1.0, "a": "é", "A": [True, None]}) == '{"A":[true,null],"a":"é","b":1}'.encode()


@pytest.mark.parametrize("value", [2**53, -(2**53), 10**40, float("nan"), float("inf")], ids=str)
def test_numbers_that_no_two_readers_share_have_no_canonical_form(value):
    """Integers past 2^53 and numbers that are not finite are refused with DocumentError."""
    with pytest.raises(DocumentError, match="canonical"):
        canonical_bytes({"value": value})


def test_lone_surrogates_have_no_canonical_form():
    """Text that UTF-8 cannot carry is refused with DocumentError."""
    with pytest.raises(DocumentError, match="canonical"):
        canonical_bytes({"value": "\ud800"})


def test_digest_is_sha256_cut_to_31_bytes_behind_its_domain():
    """A digest is SHA-256 over domain, a zero byte and the data, without its last byte."""
    assert digest("domain", b"data") == int(hashlib.sha256(b"domain\x00data").hexdigest()[:62], 16)
    assert digest("domain", b"data") < 1 << 248


def test_digest_separates_domains():
    """The same document under another domain has another digest."""
    assert document_digest("a", {"x": 1}) != document_digest("b", {"x": 1})


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"x":1}', "where: want a field 'name': it is missing"),
        (b'{"x":"1","name":""}', "where: field x: want an integer, not text"),
        (b'{"x":1.5,"name":""}', "where: field x: want an integer"),
        (b'{"x":true,"name":""}', "where: field x: want an integer, not true or false"),
        (b'{"x":null,"name":""}', "where: field x: want an integer, not null"),
        (b'{"x":1,"name":"","y":2}', "where: want no field 'y': it is unknown here"),
        (b"[1,2]", "where: want an object, not a list"),
        (b"", "where: not valid JSON"),
        (b"{", "where: not valid JSON"),
        (b'{"x":1,"name":""} {}', "where: not valid JSON"),
        (b'{"x":1,"name":"\xff"}', "where: not valid JSON"),
        (b'{"x":1,"name":"\\ud800"}', "where: not valid JSON"),
        (b'{"x":01,"name":""}', "where: not valid JSON"),
        (b"[" * 100_000, "where: "),
        (b'{"x":' + b"[" * 100_000, "where: "),
    ],
    ids=lambda part: part[:30] if isinstance(part, bytes) else "",
)
def test_parser_names_document_and_field(data, message):
    """Bytes that are no such document raise DocumentError naming the document and, where there is one, the field."""
    with pytest.raises(DocumentError) as caught:
        parse(data, Point, "where")
    assert str(caught.value).startswith(message)


def test_parser_names_fields_inside_lists():
    """The path to a field inside a list stands in the error."""
    with pytest.raises(DocumentError, match=r"^where: field points\[0\]\.x: want an integer, not text$"):
        parse(b'{"points":[{"x":"1","name":"n"}]}', Path, "where")


def test_parser_refuses_large_documents_unread():
    """A document larger than the limit is refused by its length."""
    with pytest.raises(DocumentError, match="at most"):
        parse(b" " * (MAX_DOCUMENT_BYTES + 1), Point, "where")


@pytest.mark.parametrize(
    "data",
    [
        b'{"x":1,"name":"n"}',
        b'{"name":"n","x":1.0}',
        b'{"name":"n", "x":1}',
        b'{"name":"n","x":1}\n',
        b'{"name":"n","x":2,"x":1}',
        b'{"name":"\\u006e","x":1}',
        b'{"name":"n","x":-0}',
        b'{"name":"n","x":1e0}',
        b'\xef\xbb\xbf{"name":"n","x":1}',
    ],
)
def test_only_canonical_refuses_every_other_spelling(data):
    """Where only the canonical form is read, the same document in another spelling is refused."""
    assert parse(b'{"name":"n","x":1}', Point, "where", only_canonical=True) == Point(1, "n")
    with pytest.raises(DocumentError):
        parse(data, Point, "where", only_canonical=True)


@given(data=st.binary(max_size=60))
def test_parser_raises_nothing_else(data):
    """Whatever the bytes are, the parser raises DocumentError for what is no document."""
    with pytest.raises(DocumentError, match=r"^where: "):
        parse(data, Point, "where", only_canonical=True)
