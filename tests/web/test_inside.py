"""What the TypeScript verifier computes by itself: hashes, packing, digests and names, against published vectors."""

import hashlib
import json
import random
import re
from fractions import Fraction

import pytest

from equiproof.circuits import names, poseidon2_constants
from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.commitment import pack
from equiproof.circuits.field import ORDER, to_hex
from equiproof.circuits.names import listed
from equiproof.circuits.numbers import NumberError, exact, read_number, rounded_down
from equiproof.circuits.text import LONGEST, LONGEST_VALUE, plain
from equiproof.verifier import CertificateFormatError, ForContext
from equiproof.verifier.facts import ALWAYS_LEFT_TO_YOU
from equiproof.verifier.hashing import hash_to_field
from tests.support import INCOME, ROOT, SEX, changed, spec_of

GOLDEN = ROOT / "tests" / "golden"
POSEIDON2 = json.loads((GOLDEN / "poseidon2.json").read_text())
NAMES = json.loads((ROOT / "tests" / "vectors" / "names.json").read_text(encoding="ascii"))
SHAPES = json.loads((GOLDEN / "shapes.json").read_text())


def reduced(texts):
    """Return integers below the field's order as text."""
    return [str(int(text) % ORDER) for text in texts]


def test_poseidon2_is_gnark_cryptos(package):
    """Hash and permutation are those that gnark-crypto computes."""
    for elements, digest in POSEIDON2["hash"]:
        assert package.call("hash_elements", reduced(elements)) == digest
    for pair, *lanes in POSEIDON2["permutation"]:
        assert package.call("permuted", *reduced(pair)) == lanes


def test_round_keys_are_generated(package):
    """The keys that it makes at load are those of the table of the other verifier."""
    expected = [list(map(to_hex, keys)) for keys in poseidon2_constants.ROUND_KEYS]
    assert package.call("round_keys") == expected


def test_vectors_of_the_page_on_the_relation(package):
    """Tag, packing and the digest of the empty context are those of docs/relation.md."""
    page = (ROOT / "docs" / "relation.md").read_text()
    values = ["-131072", "0", "131071"]
    (packed,) = package.call("packed", values, 18)
    assert f"| packing of {', '.join(values[:2])}, {values[2]} with 18 bits each | `{packed}` |" in page
    tagged = package.call("tagged", "equiproof.query").lstrip("0")
    assert f"| tag of `equiproof.query` | `{tagged}` |" in page
    empty = package.call("context_digest", "{}").lstrip("0")
    assert f"| context digest of the empty object | `{empty}` |" in page


@pytest.mark.parametrize("width", [2, 9, 18, 31, 40])
def test_packing_agrees(package, width):
    """No integer is split over two elements, for any width."""
    rng = random.Random(width)
    for length in (0, 1, 6, 7, 40, 250):
        values = [rng.randrange(-(1 << (width - 1)), 1 << (width - 1)) for _ in range(length)]
        expected = list(map(str, pack((value, width) for value in values)))
        assert package.call("packed", list(map(str, values)), width) == expected
    answer = package.ask("call", name="packed", words=[[str(1 << (width - 1))], width])
    assert answer["exception"] == "RangeError"


def test_hashing_to_the_field_is_that_of_the_standard(package):
    """Two vectors of RFC 9380, appendix K.1, and field elements as the other verifier derives them."""
    domain = "QUUX-V01-CS02-with-expander-SHA256-128"
    expanded = {
        "": "68a985b87eb6b46952128911f2a4412bbc302a9d759667f87f7a21d803f07235",
        "abc": "d8ccab23b5985ccea865c6c97b6e5b8350e794e603b4b97902f53a8a0d605615",
    }
    for message, digits in expanded.items():
        assert package.call("expand_message", message.encode().hex(), domain, 32) == digits
    for number in range(8):
        message = hashlib.sha256(bytes([number])).digest() * 2
        expected = to_hex(hash_to_field(message, b"bsb22-commitment"))
        assert package.call("hash_to_field", message.hex(), "bsb22-commitment") == expected


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_have_their_digests(package, name):
    """A shape's digest is the pinned one."""
    assert package.call("shape_digest", SHAPES[name]["document"]) == SHAPES[name]["digest"]


@pytest.mark.parametrize("case", NAMES["names"], ids=lambda case: case["what"])
def test_names(package, case):
    """A name is accepted, or refused under the first rule that it breaks."""
    assert package.call("name_rule", case["text"]) == case.get("rule")


def test_what_is_wrong_with_names_is_said(package):
    """In the words of Python, but for names of characters and what to write; kinds of letters in their order."""
    mixed = ["\u0430a", "a\u0430", "\u03b1\u0430a", "a\u03b1"]
    for text in (*(case["text"] for case in NAMES["names"]), *mixed):
        wrong = names.complaint(text)
        wanted = wrong and BESIDE.sub("", wrong.message)
        assert package.call("name_message", text) == wanted, ascii(text)


BESIDE = re.compile(r"(?<=[0-9A-F]{4}) \([A-Z0-9 <>-]+\)|; write '.*'$")
"""What Python alone says of a character: its name, and what to write in its place."""


@pytest.mark.parametrize("case", NAMES["units"], ids=lambda case: case.get("what") or ascii(case["text"]))
def test_units(package, case):
    """A unit is a name that cannot be read as part of the number before it."""
    assert package.call("unit_rule", case["text"]) == case.get("rule")


@pytest.mark.parametrize("text", ["lbs", "Oil", "lO", "lOl", "OlObs", "lob"])
def test_units_that_begin_with_what_looks_like_a_digit(package, text):
    """Three such letters are refused, one or two are not, as in Python."""
    wrong = names.complaint(text) or names.unit_complaint(text)
    assert package.call("unit_rule", text) == (wrong and wrong.rule)


@pytest.mark.parametrize("case", NAMES["specs"], ids=lambda case: case["what"])
def test_names_of_one_spec(package, case):
    """Names that are right by themselves can be wrong together."""
    groups = [(kind, case[kind]) for kind in ("features", "labels", "units")] + [("name", [case["name"]])]
    groups += [(f"values {number}", values) for number, values in enumerate(case["values"])]
    assert package.call("spec_rule", groups) == case.get("rule")


@pytest.mark.parametrize("case", NAMES["shown"], ids=lambda case: ascii(case["text"]))
def test_names_as_they_are_shown(package, case):
    """Names and units of several words are quoted, and those written from the right are isolated."""
    assert package.call("quoted", case["text"]) == case["as_name"]
    assert package.call("after_number", case["text"]) == case["after_number"]


@pytest.mark.parametrize("case", NAMES["listed"], ids=lambda case: case["what"])
def test_names_as_they_are_listed(package, case):
    """A list that is too long loses names in its middle and counts them; a long name loses its middle."""
    assert package.call("listed", case["names"]) == case["text"]


def test_a_name_keeps_its_middle_up_to_its_most_characters(package):
    """As in Python, one more is too many."""
    for count in (LONGEST_VALUE - 1, LONGEST_VALUE, LONGEST_VALUE + 1):
        assert package.call("listed", ["a" * count]) == listed(["a" * count])


def test_text_of_others_is_one_bounded_line(package):
    """Blanks become one, as in Python, what nobody sees an escape, and no more than a thousand characters are kept."""
    for text in [piece * count for piece in ("a", "\u00e4", " ", "\x85", "a\u3000\n b") for count in (1, 999, 1001)]:
        assert package.call("plain", text) == plain(text), ascii(text[:8])
    for sign in ("\0", "\u200b", "\U000e0001"):
        assert package.call("plain", sign + "a") == f"\\u{{{ord(sign):x}}}a"
        assert len(package.call("plain", sign * 999)) == LONGEST


def test_every_character_is_judged_alike(package):
    """Each code point of the basic plane, alone and behind a letter, breaks the same rule as in Python."""
    signs = [chr(point) for point in range(0x10000) if not 0xD800 <= point <= 0xDFFF]
    for texts in (signs, [f"a{sign}" for sign in signs]):
        found = package.call("name_rules", texts)
        expected = [wrong and wrong.rule for wrong in map(names.complaint, texts)]
        assert [text for text, mine, theirs in zip(texts, found, expected, strict=True) if mine != theirs] == []


def test_numbers_are_exact(package):
    """Raw numbers are read, and rounded down to three digits, as in Python."""
    texts = ["0", "-0", "0.00", "1e3", "-12.50", "1E-5", "1e60", "1e61", "0e61", "1.", ".5", "x"]
    for value in [*texts, "", "9" * 60, "9" * 61, 0, 1, -3, 2.5, 1e-7, 1e21, 123456789.125, 5e-324, 2**53 - 1]:
        try:
            number = read_number(value)
            expected = f"{number.numerator}/{number.denominator}"
        except NumberError:
            expected = None
        assert package.call("number_of", value) == expected, value
    texts = ["0", "1", "9.999", "1000", "1234567.8", "0.001", "0.00123456", "0.0999999", "99999", "0.1", "12000000"]
    for text in texts:
        assert package.call("rounded_down", text) == rounded_down(exact(text)), text


@pytest.mark.parametrize("below", [-12, -1, 1, 12])
def test_a_quotient_has_its_sign_above(package, below):
    """In lowest terms, so that two are equal where their parts are."""
    for above in (-18, -1, 0, 1, 18):
        wanted = Fraction(above, below)
        assert package.call("quotient", str(above), str(below)) == f"{wanted.numerator}/{wanted.denominator}"


def test_who_made_a_key_and_of_what(package):
    """Powers may come from another project, in a ceremony's first phase or in a universal set-up."""
    for origin in ("imported", "ceremony"):
        powers, imported = {"origin": origin}, origin == "imported"
        ceremony = {"setup": "ceremony", "ceremony": {"powers": powers, "signers": ["a", "b"]}}
        assert package.call("making_of", ceremony) == {"setup": "ceremony", "parties": 2, "imported": imported}
        universal = {"setup": "universal", "powers": powers}
        assert package.call("making_of", universal) == {"setup": "universal", "parties": 0, "imported": imported}
    alone = {"setup": "single-party", "parties": 0, "imported": False}
    assert package.call("making_of", {"setup": "single-party"}) == alone


def test_a_context_that_can_be_guessed_is_no_demand(package):
    """It is refused where the policy is made, in Python's words."""
    assert package.call("for_context", {"nonce": "0" * 16}) == 1
    for context in ({}, {"nonce": "0" * 15}, {"date": "2026-01-31"}):
        with pytest.raises(CertificateFormatError) as wanted:
            ForContext(context)
        answer = package.ask("call", name="for_context", words=[context])
        assert (answer["reason"], answer["message"]) == (wanted.value.reason, str(wanted.value))


def test_what_an_owner_states_of_features_is_left_open(package):
    """A line for each direction names its features, as Python's reports do; what nobody states has no line."""
    ways = {"income": "decreasing", "a b": "decreasing", "wealth": "increasing"}
    features = [changed(INCOME, name=name, monotone=way) for name, way in ways.items()]
    for stated, lines in (
        (features, ["granted never falls as wealth", 'granted never rises as income or "a b"']),
        (features[:1], ["granted never rises as income"]),
        ([INCOME], []),
    ):
        spec = spec_of(*stated, SEX, labels=("refused", "granted"))
        wanted = [f"that the score for {line} grows: the owner states it (monotone in the spec)" for line in lines]
        assert package.call("left_open", canonical_bytes(spec).decode()) == [*wanted, *ALWAYS_LEFT_TO_YOU]
