"""The limits of every check on documents, one step inside and one outside: both verifiers come to the same."""

import base64
import json
import re

import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.verifier import CertificateFormatError
from tests.support import ROOT
from tests.web.test_agreement import PARSERS

GOLDEN = ROOT / "tests" / "golden" / "rates"
TEXTS = {
    "parseCertificate": "certificate.json",
    "parseCommitment": "commitment.json",
    "parseQuery": "query.json",
    "parseKey": "keys/key/key.json",
}
NUMBER = {"kind": "numeric", "encoding": "scaled", "mean": "0", "scale": "1", "unit": "", "domain": [], "range": None}
LIST = NUMBER | {"kind": "categorical", "encoding": "one-hot", "domain": ["a", "b"]}


def plain(name, **fields):
    """Return a non-sensitive number."""
    return NUMBER | {"name": name, "sensitive": False} | fields


def sensitive(name, values, **fields):
    """Return a sensitive category with so many values."""
    return LIST | {"name": name, "sensitive": True, "domain": [f"v{one}" for one in range(values)]} | fields


BITS = {"input_fraction_bits": 8, "input_bits": 16}
SPECS = [
    {"format": "equiproof-shape"}, {"version": 3}, {"name": ""}, {"name": "a" * 200}, {"name": "a" * 201},
    {"input_fraction_bits": 0}, {"input_fraction_bits": 1}, {"input_fraction_bits": 22, "input_bits": 40},
    {"input_fraction_bits": 23, "input_bits": 40}, {"input_bits": 8}, {"input_bits": 40}, {"input_bits": 41},
    {"weight_bits": [8, 32]}, {"weight_bits": [7, 16]}, {"weight_bits": [16, 33]}, {"weight_bits": [16]},
    {"logits": 0}, {"logits": 1}, {"logits": 2, "labels": ["a", "b"]}, {"logits": 1, "labels": ["a", "b"]},
    {"logits": 1, "labels": ["a"]}, {"labels": ["a", "b", "a"]}, {"labels": ["1", "2", "l"]}, {"labels": []},
    {"threshold": "0.5"}, {"logits": 1, "labels": ["a", "b"], "threshold": "0.5"}, {"threshold": "-0.0"},
    {"threshold": "1e1"}, {"threshold": "00"}, {"threshold": "1" * 18}, {"threshold": "1" * 19},
    {"threshold": "0." + "0" * 40}, {"threshold": "0." + "0" * 41}, {"features": []},
]  # fmt: skip
FEATURES = [
    [plain("x")], [sensitive("s", 2)], [plain("x"), sensitive("s", 2)], [plain("x"), sensitive("s", 1)],
    [plain("x"), sensitive("x", 2)], [plain("x"), sensitive("s", 0)],
    [plain("x"), LIST | {"name": "c", "sensitive": False, "domain": []}, sensitive("s", 2)],
    [plain("x", domain=["1"]), sensitive("s", 2)],
    [plain("x", encoding="rank"), sensitive("s", 2)], [plain("x", kind="categorical"), sensitive("s", 2)],
    [plain("x", scale="0"), sensitive("s", 2)], [plain("x", scale="-1"), sensitive("s", 2)],
    [plain("x", scale="0.0001"), sensitive("s", 2)], [plain("x", mean="a"), sensitive("s", 2)],
    [plain("x", range=["1", "1"]), sensitive("s", 2)], [plain("x", range=["2", "1"]), sensitive("s", 2)],
    [plain("x", range=["1", "x"]), sensitive("s", 2)], [plain("x"), sensitive("s", 2, range=["0", "1"])],
    [LIST | {"name": "x", "sensitive": False, "range": ["0", "1"]}, sensitive("s", 2)],
    [plain("x"), plain("s", sensitive=True, domain=["1", "2"])], [plain("x"), plain("s", sensitive=True)],
    [plain("x"), plain("s", sensitive=True, domain=["1", "1.0"])],
    [plain("x"), plain("s", sensitive=True, domain=["1", "1.001"])],
    [plain("x"), plain("s", sensitive=True, domain=["1", "1.002"])],
    [plain("x"), plain("s", sensitive=True, domain=["1", "a"])],
    [plain("x"), plain("s", sensitive=True, domain=["1", "128"])],
    [plain("x"), plain("s", sensitive=True, domain=["1", "127.9"])],
    [plain("x"), plain("s", sensitive=True, domain=["1", "2"], range=["1", "2"])],
    [plain("x"), *(sensitive(f"s{one}", 64, encoding="rank") for one in range(2))],
    [plain("x"), *(sensitive(f"s{one}", 64, encoding="rank") for one in range(2)), sensitive("t", 2)],
    [plain("x"), sensitive("s", 65, encoding="rank"), sensitive("t", 64, encoding="rank")],
    [plain("x"), sensitive("s", 128)], [plain("x"), sensitive("s", 129)],
    [plain("x", unit="EUR"), sensitive("s", 2)], [plain("x", unit="OOO"), sensitive("s", 2)],
    [plain("x", unit="1"), sensitive("s", 2)], [plain("x", unit=" "), sensitive("s", 2)],
    [*(plain(f"x{one}") for one in range(4095)), sensitive("s", 2)],
    [*(plain(f"x{one}") for one in range(4096)), sensitive("s", 2)],
    [plain("I"), sensitive("s", 2, domain=["1", "2"])], [plain("x"), sensitive("s", 2, domain=["1", "l"])],
]  # fmt: skip
COARSE = {"features": [plain("x"), sensitive("s", 2, encoding="rank", scale="100")], "input_fraction_bits": 8}
RANGES = [["0", "127.996"], ["0", "127.999"], ["-128", "0"], ["-128.01", "0"]]
DOCUMENTS = [
    *(("parseCommitment", {"spec": spec}) for spec in SPECS),
    *(("parseCommitment", {"spec": BITS | {"features": features}}) for features in FEATURES),
    *(
        (
            "parseCommitment",
            {"spec": BITS | {"features": [plain("x", range=ends), sensitive("s", 2)], "use_ranges": used}},
        )
        for ends in RANGES
        for used in (False, True)
    ),
    *(("parseCommitment", {"spec": COARSE | {"input_bits": bits}}) for bits in (7, 8, 9)),
    *(
        ("parseCommitment", {"spec": {"levels": ["0.5", "1"], name: ["1", largest]}})
        for name in ("levels", "gain_levels")
        for largest in ("15.5", "16", "16.0", "16.001", "17")
    ),
    *(("parseCommitment", {"model_commitment": text}) for text in ("0" * 64, "0" * 63, "f" * 64, "0" * 63 + "A")),
    *(("parseQuery", {"blinding": text}) for text in ("0" * 64, "0" * 63, "f" * 64, "0" * 63 + "A", "")),
    *(("parseQuery", {"features": row}) for row in ({}, {"": ""}, {"__proto__": 1}, {"constructor": "x", "a": -0.5})),
    *(("parseCertificate", {"statement": {"label": label}}) for label in (-1, 0, (1 << 14) - 1, 1 << 14)),
    *(("parseCertificate", {"statement": {"radius_squared": radius}}) for radius in (-1, 0, (1 << 53) - 1)),
    *(("parseCertificate", {"statement": {"query_commitment": text}}) for text in ("f" * 64, "0" * 64, "")),
    *(("parseCertificate", {"proof": base64.b64encode(bytes(length)).decode()}) for length in (0, 195, 196, 197)),
    *(("parseCertificate", {"tools": dict.fromkeys(map(str, range(count)), "")}) for count in (0, 16, 17)),
    *(("parseCertificate", {"tools": {name: ""}}) for name in ("", "a", "\U0001f600" * 64, "a" * 65, "__proto__")),
    *(("parseCertificate", {"tools": {"a": text}}) for text in ("b" * 128, "\U0001f600" * 128, "b" * 129)),
    *(("parseCertificate", {"reading": {"ranges": ranges}}) for ranges in ({}, {"a": "b"}, None)),
    *(("parseCertificate", {"proof_system": text}) for text in ("groth16-bn254", "groth17-bn254", "")),
    *(("parseKey", {"setup": text}) for text in ("single-party", "ceremony", "universal", "Ceremony")),
    *(("parseKey", {"shape": {"scheme": text}}) for text in ("traversal", "branch", "branch-ranges", "tree")),
    *(
        (
            "parseKey",
            {"shape": {"scheme": scheme, "architecture": {"hidden": hidden, "bias_bits": [9] * (len(hidden) + 1)}}},
        )
        for scheme in ("traversal", "branch")
        for hidden in ([], [0], [1], [-1, 2], [1] * 64, [1] * 65, [240], [120, 120], [120, 121], [4096], [4097])
    ),
    *(("parseKey", {"shape": {"architecture": {"bias_bits": widths}}}) for widths in ([], [1], [1, 2], [1, 2, 3])),
]


def merged(document, changes):
    """Return a document with some fields replaced, those of its parts too; lists and dictionaries of names whole."""
    whole = ("features", "tools", "ranges")
    return document | {
        name: merged(document[name], value) if isinstance(value, dict) and name not in whole else value
        for name, value in changes.items()
    }


OTHERWISE = re.compile(r"\[\.\.\.\]|: want 64 |below the field's order| looks like |scales from the mean")
"""What the other verifier says in words of its own: names in a document, a value's form, numbers that are compared."""


@pytest.mark.parametrize("kind", TEXTS)
def test_edges(package, kind):
    """Each document is read, or refused for the same reason and in the same words, by both verifiers."""
    parse, base = PARSERS[kind][0], json.loads((GOLDEN / TEXTS[kind]).read_bytes())
    outcomes = []
    for changes in (changes for name, changes in DOCUMENTS if name == kind):
        data = canonical_bytes(merged(base, changes))
        try:
            parse(data, kind)
            outcomes.append(None)
        except CertificateFormatError as error:
            outcomes.append(str(error.reason))
            said = str(error)
        answer = package.ask("read", kind=kind, data=data.hex())
        assert answer.get("reason") == outcomes[-1], (changes, answer)
        if outcomes[-1] is not None and not OTHERWISE.search(said):
            assert answer["message"] == said, changes
    assert outcomes.count(None) >= 2
    assert len(set(outcomes)) >= 2


@pytest.mark.parametrize("text", ["", " ", "x", "+1", "'a'", "\u0660", '{"nonce":x}', '{"nonce":,}'])
def test_what_begins_no_value(package, text):
    """A sign with which no value of JSON begins is refused as such, wherever a value must stand."""
    answer = package.ask("read", kind="parseContext", data=text.encode().hex())
    assert answer["reason"] == "not-json"
    assert "want a value" in answer["message"], answer


@pytest.mark.parametrize("text", ["{1:2}", "{true:2}", "{[]:2}", "{null:2}"])
def test_what_begins_no_name(package, text):
    """Where the name of a field must stand, its quotation mark was expected."""
    answer = package.ask("read", kind="parseContext", data=text.encode().hex())
    assert answer["reason"] == "not-json"
    assert 'want "' in answer["message"], answer


@pytest.mark.parametrize("number", [(1 << 53) - 1, 1 << 53, (1 << 53) + 1, -(1 << 53), 1 << 64])
def test_integers_that_json_does_not_hold(package, number):
    """Integers from 2^53 on have no canonical form, wherever they stand and however they are rounded."""
    for kind, name in (("parseCertificate", "radius_squared"), ("parseKey", "constraints")):
        base = (GOLDEN / TEXTS[kind]).read_text()
        at, end = base.index(f'"{name}":') + len(name) + 3, base.index(",", base.index(f'"{name}":'))
        data = (base[:at] + str(number) + base[end:]).encode()
        try:
            PARSERS[kind][0](data, kind)
            expected = None
        except CertificateFormatError as error:
            expected = str(error.reason)
        assert package.ask("read", kind=kind, data=data.hex()).get("reason") == expected
        assert expected == (None if abs(number) < 1 << 53 else "not-canonical")


@pytest.mark.parametrize(("more", "reason"), [(0, "not-json"), (1, "too-long")])
def test_no_document_is_longer_than_four_mebibytes(package, more, reason):
    """Of a document that is too long, nothing is read."""
    data = b" " * ((4 << 20) + more)
    with pytest.raises(CertificateFormatError) as caught:
        PARSERS["parseContext"][0](data, "context")
    assert caught.value.reason == reason
    assert package.ask("read", kind="parseContext", data=data.hex())["reason"] == reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (rb"\ud83d\ude00", None),
        (rb"\uD83D\uDE00", None),
        (rb"\ud800\udc00", None),
        (rb"\udbff\udfff", None),
        (rb"\ue000", None),
        (rb"\ud83d", "not-json"),
        (rb"\ude00", "not-json"),
        (rb"\ude00\ude00", "not-json"),
        (rb"\ud83d\ud83d", "not-json"),
        (rb"\ud83d\ue000", "not-json"),
        (rb"\ud83dxxde00", "not-json"),
        (rb"\ude00\ud83d", "not-json"),
        (rb"\ud83d\u0041", "not-json"),
        (rb"\ud83d\n", "not-json"),
        (rb"\ud83", "not-json"),
        (rb"\u00 1", "not-json"),
        (rb"\x41", "not-json"),
        (b"\xf0\x9f\x98\x80", None),
        (b"\xed\xa0\xbd", "not-json"),
        (b"\xc0\x80", "not-json"),
        (b"\xef\xbb\xbf", None),
        (b"\x00", "not-json"),
        (b"\x1f", "not-json"),
        (b"\x7f", None),
        (rb"\"\\\/\b\f\n\r\t", None),
    ],
)
def test_texts(package, text, reason):
    """Escapes and bytes of a text: whole characters are read, halves of surrogate pairs and control signs are not."""
    for data in (b'{"nonce":"0123456789abcdef","a":"%s"}' % text, b'{"nonce":"0123456789abcdef","%s":"a"}' % text):
        try:
            PARSERS["parseContext"][0](data, "context")
            expected = None
        except CertificateFormatError as error:
            expected = str(error.reason)
        assert expected == reason
        answer = package.ask("read", kind="parseContext", data=data.hex())
        assert answer.get("reason") == reason
        if reason is None:
            assert answer["value"] == json.loads(data)


def test_outer_blanks_of_a_nonce(package):
    """The same characters do not count at the ends of a nonce as in Python."""
    seen = set()
    for sign in "\t\r\x1c\x1f \x7f\x85\xa0\u1680\u180e\u2000\u200a\u200b\u2028\u2029\u202f\u205f\u2060\u3000\ufeff":
        data = json.dumps({"nonce": sign + "0123456789abcde" + sign}).encode()
        try:
            PARSERS["parseContext"][0](data, "context")
            expected = None
        except CertificateFormatError as error:
            expected = str(error.reason)
        assert package.ask("read", kind="parseContext", data=data.hex()).get("reason") == expected, sign
        seen.add(expected)
    assert seen == {None, "weak-nonce"}
