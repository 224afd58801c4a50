"""The certificate file has one form: everything else is refused, naming the field, before any cryptography runs."""

import base64
import json
import random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equiproof.circuits.canonical import MAX_DOCUMENT_BYTES, canonical_bytes
from equiproof.circuits.field import ORDER
from equiproof.verifier import (
    CertificateFormatError,
    VerificationError,
    parse_certificate,
    parse_commitment,
    parse_context,
    parse_query,
)
from equiproof.verifier.documents import QUERY, QueryDocument, parse_key
from tests.support import changed, no_policy

HEX_FIELDS = (
    "statement.model_commitment",
    "statement.spec_digest",
    "statement.domain_digest",
    "statement.query_commitment",
    "statement.context_digest",
)


@pytest.fixture(scope="session")
def document(proven):
    """The honest certificate as plain data, with the applicant's data disclosed."""
    certificate = changed(proven.certificate, query=proven.query)
    return msgspec.to_builtins(certificate)


def copied(document):
    """Return a deep copy of plain data."""
    return json.loads(json.dumps(document))


def replaced(document, path, value):
    """Return the canonical bytes of the document with one field replaced."""
    edited = copied(document)
    *way, last = path.split(".")
    place = edited
    for step in way:
        place = place[step]
    place[last] = value
    return canonical_bytes(edited)


def without(document, path):
    """Return the canonical bytes of the document without one field."""
    edited = copied(document)
    *way, last = path.split(".")
    place = edited
    for step in way:
        place = place[step]
    del place[last]
    return canonical_bytes(edited)


def paths(document, prefix=""):
    """Return the path of every field whose names are fixed."""
    found = []
    for name, value in document.items():
        found.append(prefix + name)
        if isinstance(value, dict) and name in ("statement", "reading", "key", "query"):
            found += paths(value, f"{prefix}{name}.")
    return found


def refused(data, *names):
    """Hold the parser to refusing these bytes with an error that names the file and these parts."""
    with pytest.raises(CertificateFormatError) as caught:
        parse_certificate(data, "c.json")
    message = str(caught.value)
    assert message.startswith("c.json: ")
    assert all(name in message for name in names), message
    assert message.isprintable()


def test_certificates_read_back(proven, document):
    """A certificate reads back from its bytes, which are the canonical form of its fields."""
    assert parse_certificate(proven.certificate.to_bytes(), "c") == proven.certificate
    assert parse_certificate(canonical_bytes(document), "c").query == proven.query


def test_every_field_is_needed(document):
    """A certificate without one of its fields is refused, naming the field."""
    found = paths(document)
    assert len(found) == 10 + 7 + 6 + 2 + 4 - 1, "fields of the file, statement, reading, key and query"
    for path in found:
        refused(without(document, path), f"want a field '{path.rpartition('.')[2]}': it is missing")


@pytest.mark.parametrize("where", ["", "statement", "reading", "key", "query"])
@pytest.mark.parametrize("name", ["tolerance", "", "Version", "schema", "__class__"])
def test_no_other_field_is_allowed(document, where, name):
    """An unknown field anywhere is refused by name."""
    refused(replaced(document, f"{where}.{name}".lstrip(".") if where else name, 1), "want no field", name)


WRONG = (None, True, 0, -1, 1.5, "", "text", [], ["a"], {}, {"a": 1}, 1 << 52)


def test_every_field_has_one_type(document):
    """A value of another type in any field is refused, naming the field."""
    for path in paths(document):
        value = copied(document)
        for step in path.split("."):
            value = value[step]
        for wrong in WRONG:
            if type(wrong) is not type(value) and not (path == "query" and wrong is None):
                refused(replaced(document, path, wrong), path.split(".")[0])


@pytest.mark.parametrize("path", [*HEX_FIELDS, "query.blinding"])
@pytest.mark.parametrize(
    "value",
    [
        "",
        "0",
        "0" * 63,
        "0" * 65,
        "A" * 64,
        "g" * 64,
        "0x" + "0" * 62,
        " " + "0" * 63,
        "٠" * 64,
        f"{ORDER:064x}",
        f"{ORDER + 1:064x}",
        "f" * 64,
    ],
)
def test_field_elements_have_one_encoding(document, path, value):
    """Wrong lengths, upper case, other digits and values from the order up are refused, naming the field."""
    refused(replaced(document, path, value), path.replace("query.", "query: field "), "")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("statement.label", -1),
        ("statement.label", 1 << 14),
        ("statement.radius_squared", -1),
        ("statement.radius_squared", -(1 << 40)),
    ],
)
def test_numbers_have_a_range(document, path, value):
    """Labels and radii outside of every spec's range are refused."""
    refused(replaced(document, path, value), "field statement", "out of range")


@pytest.mark.parametrize("text", ["1e2", "1.0", "01", "+1", "-0", "1E0", "1e400", "0x1", "NaN", "1_0"])
def test_numbers_are_canonical(document, text):
    """A number in any spelling but the shortest is refused."""
    data = replaced(document, "statement.label", 7).replace(b'"label":7', f'"label":{text}'.encode())
    refused(data)


@pytest.mark.parametrize("digits", [16, 400, 5000, 100_000])
def test_huge_integers_are_refused_by_file(document, digits):
    """An integer that JSON readers do not share is refused in one short line that names the file."""
    data = replaced(document, "statement.label", 7).replace(b'"label":7', b'"label":' + b"9" * digits)
    with pytest.raises(CertificateFormatError) as caught:
        parse_certificate(data, "c.json")
    assert str(caught.value).startswith("c.json: ")
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("version", [0, 1, 3, -1, 1 << 40])
def test_other_versions_are_refused(document, version):
    """A certificate of another version or format is refused as such."""
    refused(replaced(document, "version", version), f"version {version}, not 'equiproof-certificate' version 2")
    refused(replaced(document, "format", "equiproof-query"), "this is 'equiproof-query'")
    refused(replaced(document, "query.format", "other"), "field query", "'other'")
    refused(replaced(document, "query.version", 1), "field query", "version 1")


@pytest.mark.parametrize(("path", "value"), [("proof_system", "plonk-bls12-381"), ("key.setup", "trust-me")])
def test_closed_lists_are_closed(document, path, value):
    """An unknown proof system or kind of set-up is refused."""
    refused(replaced(document, path, value), path)


def test_proofs_are_196_bytes_in_canonical_base64(document):
    """Proofs of another length, in other alphabets, or with loose trailing bits are refused."""
    proof = base64.b64decode(document["proof"])
    for length in (0, 1, 195, 197, 4096):
        text = base64.b64encode((proof * 30)[:length]).decode()
        refused(replaced(document, "proof", text), "field proof", f"{length} bytes, want 196")
    text = document["proof"]
    assert text.endswith("=")
    loose = text[:-2] + chr(ord(text[-2]) + 1) + "="
    for lie in (
        text.rstrip("="),
        text + "=",
        text[:-1],
        loose,
        text[:4] + "\n" + text[4:],
        "-_" + text[2:],
        " " + text,
    ):
        refused(replaced(document, "proof", lie), "field proof")
    refused(replaced(document, "proof", "é" * 264), "field proof")


def spellings(data, document):
    """Yield other spellings of the same document."""
    yield "space", data.replace(b":", b": ", 1)
    yield "newline", data + b"\n"
    yield "byte order mark", b"\xef\xbb\xbf" + data
    yield "indented", json.dumps(document, indent=1, sort_keys=True).encode()
    yield "unsorted", json.dumps(document, separators=(",", ":")).encode()
    yield "doubled key", data.replace(b'"version":2}', b'"version":2,"version":2}')
    yield "doubled key before", data.replace(b'{"format"', b'{"format":"x","format"', 1)
    yield "escaped", data.replace(b"equiproof-certificate", b"\\u0065quiproof-certificate")
    yield "float", data.replace(b'"version":2}', b'"version":2.0}')
    yield "exponent", data.replace(b'"version":2}', b'"version":2e0}')
    yield "two documents", data + data
    yield "utf-16", data.decode().encode("utf-16")
    yield "comment", data + b"/**/"


def test_only_the_canonical_spelling_is_read(document):
    """Any other spelling of the very same certificate is refused."""
    data = canonical_bytes(document)
    parse_certificate(data, "c.json")
    for name, other in spellings(data, document):
        assert other != data, name
        refused(other)


def test_truncated_certificates_are_refused(document):
    """No proper beginning and no proper end of a certificate is one."""
    data = canonical_bytes(document)
    for cut in [*range(0, len(data), 7), len(data) - 1]:
        refused(data[:cut])
        refused(data[cut + 1 :])


@pytest.mark.parametrize(
    "data",
    [
        b"\xff" * 100,
        b"\x00",
        b'{"format":"\xff"}',
        b'{"format":"\\ud800"}',
        b"[" * 1_000_000,
        b'{"a":' * 1_000_000,
        b'{"query":' + b"[" * 100_000,
        b'"' + b"a" * 1_000_000,
        b"9" * 1_000_000,
        b"null",
        b"true",
        b" " * (MAX_DOCUMENT_BYTES + 1),
    ],
    ids=lambda data: data[:12].decode("latin-1").encode("ascii", "backslashreplace").decode(),
)
def test_hostile_bytes_are_refused(data):
    """Bytes that are no text, nested without end, or huge are refused."""
    refused(data)


def test_hostile_text_is_shown_escaped(document):
    """Text out of the file appears in an error shortened and escaped."""
    refused(replaced(document, "format", "\x1b[2J" * 1000))
    refused(replaced(document, "tools", {"\x1b": 1}))


def test_tools_have_little_room(document):
    """Nothing checks what stands in tools, so a certificate carries only a few short texts there."""
    most = {f"{number:064}": "v" * 128 for number in range(16)}
    assert parse_certificate(replaced(document, "tools", most), "c.json").tools == most
    for tools, said in (
        (most | {"one more": "1"}, "want at most 16 entries"),
        ({"n" * 65: "1"}, "a name in it: want 1 to 64 characters"),
        ({"": "1"}, "a name in it: want 1 to 64 characters"),
        ({"n": "v" * 129}, "want 0 to 128 characters"),
        ({"n": "v" * 4_000_000}, "want 0 to 128 characters"),
    ):
        refused(replaced(document, "tools", tools), "field tools", said)


KINDS = (CertificateFormatError, VerificationError)


def verdict(sceptic, data):
    """Return what the verifier says: the statement's identity, or the kind of refusal; any other error escapes."""
    try:
        return sceptic.verify(data, no_policy()).identity
    except KINDS as error:
        return type(error)


def test_mutated_bytes_raise_nothing_else(sceptic, document):
    """Whatever bytes change, the verifier refuses in one of its two ways, or the statement is the same."""
    rng = random.Random(5)
    data = canonical_bytes(document)
    identity = verdict(sceptic, data)
    tokens = (
        b"0",
        b"-1",
        b"1e5",
        b'"',
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b":",
        b"\\",
        b"null",
        b"true",
        b"\xff",
        b"",
        b"\\u0000",
    )
    for _ in range(3000):
        lied = data
        for _ in range(rng.choice((1, 1, 2, 5))):
            place = rng.randrange(len(lied))
            lied = lied[:place] + rng.choice(tokens) + lied[place + rng.choice((0, 1, 1, 5)) :]
        assert verdict(sceptic, lied) in (*KINDS, *VerificationError.__subclasses__(), identity)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(1 << 53) + 1, (1 << 53) - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["", "0" * 64, "1" * 64, "f" * 64, "own", "rent", "1e999", "-5", "\x00", "ceremony"])
    | st.text(st.characters(codec="utf-8"), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3),
    max_leaves=4,
)


@pytest.mark.parametrize("examples", [120, pytest.param(400, marks=pytest.mark.slow)])
def test_mutated_fields_raise_nothing_else(sceptic, document, examples):
    """Whatever fields change, the verifier refuses in one of its two ways, or the statement is the same."""
    identity = verdict(sceptic, canonical_bytes(document))

    @settings(max_examples=examples)
    @given(data=st.data())
    def refused_or_the_same(data):
        edited = copied(document)
        for _ in range(data.draw(st.integers(1, 2))):
            place = edited
            while True:
                name = data.draw(st.sampled_from(sorted(place)))
                if not isinstance(place[name], dict) or not place[name] or data.draw(st.booleans()):
                    break
                place = place[name]
            place[name] = data.draw(VALUES)
        found = verdict(sceptic, canonical_bytes(edited))
        assert found in (*KINDS, *VerificationError.__subclasses__(), identity)

    refused_or_the_same()


@given(data=st.binary(max_size=80))
def test_random_bytes_are_no_document(data):
    """Random bytes are none of the public documents; each parser says so in its one way."""
    for parser in (parse_certificate, parse_commitment, parse_query, parse_key):
        with pytest.raises(CertificateFormatError, match=r"^file: "):
            parser(data, "file")


# -- the companion files


def query_of(**fields):
    """Return a query file."""
    document = {"format": QUERY[0], "version": QUERY[1], "features": {"income": 1}, "blinding": "0" * 64}
    return canonical_bytes(document | fields)


def test_query_files_read_back():
    """A query file holds raw features and a blinding."""
    assert parse_query(query_of(), "q") == QueryDocument(QUERY[0], QUERY[1], {"income": 1}, "0" * 64)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (query_of(format="x"), "'x'"),
        (query_of(version=9), "version 9"),
        (query_of(blinding="F" * 64), "blinding"),
        (query_of(blinding=f"{ORDER:064x}"), "blinding"),
        (query_of(features=[]), "field features"),
        (query_of(features={"a": None}), "field features"),
        (query_of(features={"a": [1]}), "field features"),
        (query_of(more=1), "want no field 'more': it is unknown here"),
        (b'{"features":{"a":1e999}}', "want a smaller number"),
    ],
)
def test_bad_query_files_are_refused(data, message):
    """A query file of another form is refused, naming file and field."""
    with pytest.raises(CertificateFormatError, match=rf"^q.json: .*{message}"):
        parse_query(data, "q.json")


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ({}, "feature 'income' is missing"),
        ({"income": 1, "housing": "x"}, "feature 'housing'"),
        ({"income": "x", "housing": "own"}, "feature 'income'"),
        ({"income": True, "housing": "own"}, "feature 'income'"),
        ({"income": 1e300, "housing": "own"}, "feature 'income'"),
        ({"income": 10**400, "housing": "own"}, "feature 'income'"),
        ({"income": 1, "housing": "own", "sex": "f"}, "'sex' is not a non-sensitive feature"),
    ],
)
def test_queries_of_another_spec_open_nothing(loans, features, message):
    """Features that do not fit the spec, and names that nothing binds, are refused as such."""
    query = QueryDocument(QUERY[0], QUERY[1], features, "0" * 64)
    with pytest.raises(CertificateFormatError, match=f"^query: .*{message}"):
        query.commitment(loans.spec)


NONCE = b'{"nonce": "0123456789abcdef"'


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"[]", "want an object, not a list"),
        (NONCE + b',"a":1}', "field 'a': texts only, write \"1\""),
        (NONCE + b',"a":{"b":"c"}}', "field 'a': texts only"),
        (NONCE + b',"a":"1","a":"2"}', "twice"),
        (NONCE + b',"a":1,"a":"2"}', "want text, not number"),
        (b'{"nonce":"0123456789abcde"}', "nonce: want at least 16 characters"),
        (b'{"nonce":"                "}', "nonce: want at least 16 characters"),
        (b'{"date":"2026-01-31"}', "nonce: want at least 16 characters"),
        (b"", "JSON"),
    ],
)
def test_contexts_are_flat_texts_with_a_nonce(data, message):
    """A context is one flat object of names and texts, each once, with a nonce that nobody guesses."""
    assert parse_context(NONCE + b', "date": "2"}', "x") == {"nonce": "0123456789abcdef", "date": "2"}
    with pytest.raises(CertificateFormatError, match=rf"^x.json: .*{message}"):
        parse_context(data, "x.json")


def test_commitments_are_strict(loans):
    """A commitment file with another field, commitment or spec is refused, naming file and field."""
    document = json.loads(loans.opening.public())
    for change, message in (
        ({"more": 1}, "want no field 'more'"),
        ({"model_commitment": "0"}, "model_commitment"),
        ({"model_commitment": f"{ORDER:064x}"}, "model_commitment"),
        ({"format": "x"}, "'x'"),
        ({"spec": document["spec"] | {"labels": ["a"]}}, "spec"),
        ({"spec": document["spec"] | {"threshold": "x"}}, "spec"),
    ):
        with pytest.raises(CertificateFormatError, match=rf"^c.json: .*{message}"):
            parse_commitment(canonical_bytes(document | change), "c.json")


@pytest.mark.parametrize(
    ("label", "radius_squared", "within"),
    [
        (0, 0, True), (-1, 0, False), (0, -1, False), (0, (1 << 53) - 1, True), (0, 1 << 53, False),
        ((1 << 14) - 1, 1, True), (1 << 14, 1, False),
    ],
)  # fmt: skip
def test_numbers_of_a_statement_have_their_bounds(proven, label, radius_squared, within):
    """Both ends are numbers that a statement may have, and one beyond is none."""
    stated = changed(proven.certificate.statement, label=label, radius_squared=radius_squared)
    assert stated.in_range is within
