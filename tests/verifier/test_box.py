"""Box certificates: each step refuses by its reason, and words promise no more than the statement."""

import base64
import json

import pytest

from equiproof.certify.people import Box
from equiproof.certify.trees.box import worst
from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.categories import Choice
from equiproof.circuits.commitment import box_commitment, table_digest
from equiproof.circuits.shape import box_shape
from equiproof.circuits.statement import BoxStatement
from equiproof.circuits.tables import speaking
from equiproof.prover.proving import Proving
from equiproof.prover.witness.box import Secrets, generate
from equiproof.verifier import (
    AllOf,
    BoxVerifier,
    CertificateFormatError,
    ForContext,
    GainOf,
    KeyIs,
    MinRadius,
    NoRanges,
    Pins,
    PolicyError,
    ProofError,
    TrustStore,
    UntrustedKeyError,
    VerificationError,
    Verifier,
    parse_box,
    parse_commitment,
    parse_opened_box,
)
from equiproof.verifier.box import make_box
from equiproof.verifier.facts import ABOUT_BOX, ABOUT_BOX_LABEL
from equiproof.verifier.logged import ForReceipt
from equiproof.verifier.opened_box import OPENED_BOX, OpenedBox, parse_ends
from tests import boxes
from tests.boxes import CONTEXT, ENDS
from tests.kept import kept_keys
from tests.support import HOUSING, INCOME, LOANS, SAVINGS, SEX, changed, key_of, no_policy, spec_of, trusting
from tests.vectors.generate.log import RECEIVED

OTHER = "0" * 63 + "1"


@pytest.fixture(scope="module")
def verifier():
    """The verifier of the honest commitment and key."""
    return BoxVerifier(boxes.commitment(), trusting(boxes.key()))


def edited(**fields):
    """Return the honest certificate with other fields of its statement."""
    document = json.loads(boxes.granted().certificate.to_bytes())
    document["statement"] |= fields
    return canonical_bytes(document)


@pytest.mark.parametrize("checker", ["native", "python"])
def test_what_is_not_given_is_left_open(checker):
    """Without the opened box and the label, a verification says that both are left to the reader."""
    verifier = BoxVerifier(boxes.commitment(), trusting(boxes.key()), checker)
    verified = verifier.verify(boxes.granted().certificate.to_bytes(), no_policy())
    assert verified.not_made[:2] == (ABOUT_BOX, ABOUT_BOX_LABEL)
    assert verified.ends is None
    assert verified.document()["box"] is None
    assert verified.reading.sentence() == (
        "Everybody in the box of this certificate is decided granted by this model, "
        "whatever the listed value of sex is."
    )
    with speaking("de"):
        assert verified.reading.sentence().startswith("Wer in der Box dieses Zertifikats liegt")


def test_a_disclosed_box_is_shown_and_compared(verifier):
    """It is public, and says what the certificate is about; that it is yours, your own file says."""
    certificate = boxes.granted(True).certificate
    verified = verifier.verify(certificate, no_policy())
    assert verified.ends is not None
    assert "it is about the box in the certificate itself" in verified.made
    assert ABOUT_BOX in verified.not_made
    wrong = changed(certificate, box=changed(certificate.box, ends={**certificate.box.ends, "income": (1, 2)}))
    with pytest.raises(ProofError) as refused:
        verifier.verify(wrong, no_policy())
    assert refused.value.reason == "other-box"


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"label": 1 << 14}, "out-of-range"),
        ({"label": -1}, "out-of-range"),
        ({"label": 7}, "unknown-label"),
        ({"label": 0}, "words-differ"),
        ({"model_commitment": OTHER}, "model-differs"),
        ({"spec_digest": OTHER}, "spec-differs"),
        ({"domain_digest": OTHER}, "domain-differs"),
        ({"box_commitment": OTHER}, "pairings-differ"),
        ({"context_digest": OTHER}, "pairings-differ"),
        ({"box_commitment": "f" * 64}, "bad-element"),
        ({"radius_squared": 5}, "wrong-fields"),
        ({"query_commitment": OTHER}, "wrong-fields"),
    ],
)
def test_changed_statements_are_refused_by_their_reason(verifier, fields, reason):
    """Each part is recomputed, or in the digest that the proof is of."""
    with pytest.raises((CertificateFormatError, VerificationError)) as refused:
        verifier.verify(edited(**fields), no_policy())
    assert refused.value.reason == reason


def test_other_boxes_labels_and_contexts_are_refused(verifier):
    """What is given is compared, whatever else the certificate is."""
    proven = boxes.granted()
    other = changed(proven.opened, ends={**proven.opened.ends, "income": (29800, 30500)})
    with pytest.raises(ProofError, match="another box than that in your file"):
        verifier.verify(proven.certificate, no_policy(), opened=other)
    blinded = changed(proven.opened, blinding=OTHER)
    with pytest.raises(ProofError, match="another box"):
        verifier.verify(proven.certificate, no_policy(), opened=blinded)
    with pytest.raises(ProofError, match="says granted, you asked for 'declined'"):
        verifier.verify(proven.certificate, no_policy(), label="declined")
    with pytest.raises(PolicyError):
        verifier.verify(proven.certificate, AllOf(ForContext({**CONTEXT, "date": "2026-12-01"})))
    with pytest.raises(CertificateFormatError, match="leave out 'age'"):
        verifier.verify(proven.certificate, no_policy(), opened=changed(proven.opened, ends={"age": (1, 2)}))


def test_a_proof_of_another_statement_is_refused(verifier):
    """So is one with a changed byte, and one of the wrong length."""
    certificate = boxes.granted().certificate
    data = bytearray(certificate.proof_bytes)
    data[40] ^= 1
    for proof in (bytes(data), certificate.proof_bytes[:-1]):
        with pytest.raises((CertificateFormatError, ProofError)):
            verifier.verify(changed(certificate, proof=base64.b64encode(proof).decode()).to_bytes(), no_policy())


@pytest.mark.parametrize(
    "policy", [MinRadius("0.1"), NoRanges(), GainOf("granted", {"sex": "f"}, {"sex": "m"}), ForReceipt(RECEIVED)]
)
def test_policies_about_other_things_are_refused(verifier, policy):
    """No radius, no query and no gain is in a box certificate: to require one is a mistake, alone or among others."""
    for one in (policy, AllOf(KeyIs(boxes.key().document.fingerprint), policy)):
        with pytest.raises(TypeError, match="is not about box certificates"):
            verifier.verify(boxes.granted().certificate, one)


def test_keys_that_are_not_trusted_or_not_of_boxes_are_refused():
    """The key is among the trusted ones, of this relation, and of this spec."""
    certificate = boxes.granted().certificate
    with pytest.raises(UntrustedKeyError):
        BoxVerifier(boxes.commitment(), TrustStore([])).verify(certificate, no_policy())
    elsewhere = changed(boxes.commitment(), spec=LOANS)
    with pytest.raises(ProofError) as refused:
        BoxVerifier(elsewhere, trusting(boxes.key())).verify(certificate, no_policy())
    assert refused.value.reason == "spec-differs"


def test_files_of_other_kinds_are_refused_by_name(verifier):
    """A box certificate is no certificate, and an opened box is none either."""
    data = boxes.granted().certificate.to_bytes()
    with pytest.raises(CertificateFormatError, match="this is a box certificate, want a certificate"):
        Verifier(boxes.commitment(), trusting(boxes.key())).verify(data, no_policy())
    with pytest.raises(CertificateFormatError, match="an opened box"):
        parse_box(boxes.data(boxes.granted()), "file")
    with pytest.raises(CertificateFormatError, match="a box certificate"):
        parse_opened_box(data, "file")


def test_words_about_a_box_go_no_further_than_the_ends():
    """What an owner writes into a spec, a unit or a value, stands in quotes where it could be read on."""
    spec = spec_of(
        changed(INCOME, unit="EUR and any larger amount"),
        changed(SAVINGS, domain=("low", "low to high", "high")),
        changed(HOUSING, domain=("own", "rent / with parents", "rent")),
        SEX,
    )
    opened = parse_opened_box(boxes.data(boxes.granted()), "file")
    ends = {
        "income": (29800, 30400), "savings": ("low", "low to high"), "housing": ("own", "rent / with parents"),
    }  # fmt: skip
    assert changed(opened, ends=ends).sentences(spec) == {
        "income": '29800 to 30400 "EUR and any larger amount"',
        "savings": 'low / "low to high"',
        "housing": 'own / "rent / with parents"',
    }


def test_ordered_values_are_listed_and_days_are_dates():
    """A reader knows neither the spec's order, nor on which day it begins to count."""
    spec = spec_of(changed(INCOME, unit="days", whole=True, start="2000-01-31"), SAVINGS, SEX)
    opened = parse_opened_box(boxes.data(boxes.granted()), "file")
    for income, says in (((0, 366), "2000-01-31 to 2001-01-31"), ((1, 1), "2000-02-01"), ((0.5, 2), "0.5 to 2 days")):
        shown = changed(opened, ends={"income": income, "savings": ("none", "high")}).sentences(spec)
        assert shown == {"income": says, "savings": " / ".join(SAVINGS.domain)}


def test_ends_that_are_reversed_within_a_step_are_refused():
    """Rounded, both are one integer; in words they are no box."""
    opened = parse_opened_box(boxes.data(boxes.granted()), "file")
    with pytest.raises(CertificateFormatError, match="give income the smaller value first"):
        changed(opened, ends={**opened.ends, "income": (30000.001, 30000)}).integers(boxes.commitment().spec)


def test_an_opened_box_has_one_spelling():
    """Of ends that stand there twice, a reader could see others than those that are verified."""
    data = boxes.data(boxes.granted())
    twice = data.replace(b'"ends":', b'"ends":{"income":[1,2]},"ends":', 1)
    with pytest.raises(CertificateFormatError) as refused:
        parse_opened_box(twice, "file")
    assert refused.value.reason == "not-canonical"


def test_a_key_with_another_idea_of_persons_is_refused():
    """Two numbers as the values of a category: its people have one end or the other, and nobody what lies between."""
    opening, spec = boxes.opening(bias=-60), boxes.commitment().spec
    shape = box_shape(spec, opening.model.predicates)
    ends = OpenedBox(*OPENED_BOX, {**ENDS, "housing": ("own",)}, OTHER)
    integers = ends.integers(spec)
    low, high = (0, 0, *integers.low[2:]), (60, 60, *integers.high[2:])
    numbers = changed(shape, one_hot=(Choice(0, 2, 0, 60), *shape.choices))
    box = Box(low, high, numbers.choices)
    label = next(label for label in (0, 1) if worst(opening.model, box, spec.domain_table, label).decided)
    assert not worst(opening.model, Box(low, high, shape.choices), spec.domain_table, label).decided
    key = key_of(kept_keys(), numbers)
    statement = BoxStatement(
        opening.commitment, spec.digest, table_digest(spec), box_commitment(spec.input_bits, 1, low, high), label, 3
    )
    secrets = Secrets(opening.model, opening.blinding, box, 1, spec.domain_table)
    witness = generate(numbers, statement, secrets)
    honest = boxes.granted().certificate
    with Proving(opening, key) as forger:
        proof = forger._prove(witness)
        forged = make_box(statement, spec, forger._reference, key.document.proof_system, proof, honest.tools, None)
        forger._doubt(forged, statement)  # the proof itself holds under this key
    with pytest.raises(ProofError) as refused:
        BoxVerifier(parse_commitment(opening.public(), "commitment"), trusting(key)).verify(forged, no_policy())
    assert refused.value.reason == "shape-differs"


def test_an_opened_box_hides_its_values():
    """Its repr, and that of what was proven, show names only."""
    proven = boxes.granted()
    assert "29800" not in repr(proven.opened)
    assert "opened" not in repr(proven)
    assert "income" in repr(proven.opened)


def test_a_name_that_stands_twice_among_the_ends_is_refused():
    """The decoder keeps the last values; whoever wrote the first means these."""
    with pytest.raises(CertificateFormatError, match="once: it stands there twice"):
        parse_ends(b'{"income": [1, 2], "savings": [], "income": [1, 3]}', "box.json")


def test_ends_alone_are_no_opened_box():
    """The file of --box-out is named to whoever gives the one before it."""
    with pytest.raises(CertificateFormatError, match="give the file of --box-out: this has no blinding"):
        parse_opened_box(b'{"income": [1, 2], "savings": []}', "box.json")
    with pytest.raises(CertificateFormatError, match="blinding") as refused:
        parse_opened_box(b'{"format": "equiproof-opened-box", "version": 2, "ends": {}}', "box.json")
    assert "--box-out" not in str(refused.value)


def test_a_document_is_no_ends_of_a_box():
    """Nor is it a list of features that the spec lacks: it is named as what it is."""
    with pytest.raises(CertificateFormatError, match=r"ends\.json: .*certificate") as refused:
        parse_ends(boxes.granted().certificate.to_bytes(), "ends.json")
    assert refused.value.reason == "other-format"


def test_forty_characters_of_a_name_are_shown():
    """Of a name that a file of ends has twice, of one whose ends are malformed, and of one that the spec lacks."""
    name = "\u00e9" * 41
    opened = parse_opened_box(boxes.data(boxes.granted()), "file")
    for refuse in (
        lambda: parse_ends(f'{{"{name}": [1, 2], "{name}": [1, 3]}}'.encode(), "ends"),
        lambda: parse_ends(f'{{"{name}": [null]}}'.encode(), "ends"),
        lambda: changed(opened, ends={**opened.ends, name: (1, 2)}).integers(boxes.commitment().spec),
    ):
        with pytest.raises(CertificateFormatError) as refused:
            refuse()
        assert str(refused.value).count("\u00e9") == 40


def test_logs_show_nothing_of_a_box():
    """Neither the integers of its ends nor its values are in what a traceback prints."""
    opened = parse_opened_box(boxes.data(boxes.granted()), "file")
    assert repr(opened.integers(boxes.commitment().spec)) == "Ends()"
    assert repr(opened) == "OpenedBox(ends=['housing', 'income', 'savings'])"


@pytest.mark.parametrize("pinned", [True, False])
def test_what_was_verified_is_a_document(pinned):
    """Programs read these names; the kind of set-up is the key's own word where the key is not pinned."""
    proven = boxes.granted()
    verifier = BoxVerifier(boxes.commitment(), trusting(boxes.key()), pins=Pins(pinned, pinned))
    found = verifier.verify(proven.certificate, no_policy(), opened=proven.opened)
    document = found.document()
    assert list(document) == [
        "verdict", "certificate", "statement", "label", "sensitive", "box", "answer", "dated", "model_commitment",
        "key_fingerprint", "setup", "proof_system", "checks_made", "checks_not_made", "checker",
    ]  # fmt: skip
    assert document["statement"] == found.reading.sentence()
    assert document["label"] == "granted"
    assert document["sensitive"] == list(found.reading.sensitive)
    assert document["box"] == proven.opened.sentences(boxes.commitment().spec)
    assert document["setup"] == ("single-party" if pinned else None)
    assert document["key_fingerprint"] == boxes.key().document.fingerprint
