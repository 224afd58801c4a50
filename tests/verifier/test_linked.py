"""Certificates under kept keys: verified beside their link, and refused for every link and key that is not theirs."""

from __future__ import annotations

import base64
from dataclasses import dataclass, replace

import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.shape import additive_shape, ensemble_shape, gain_shape, shape_of
from equiproof.circuits.tables import speaking
from equiproof.prover import Opening, Prover
from equiproof.prover.gain import GainProver, Sought
from equiproof.verifier import (
    AllOf,
    AnyOf,
    GainVerifier,
    KeyIs,
    LinkKeyIs,
    LinkTranscriptIs,
    Pins,
    PolicyError,
    SetupIs,
    SignedBy,
    TranscriptIs,
    TrustStore,
    UntrustedKeyError,
    Verifier,
)
from equiproof.verifier.certificate import Certificate, KeyReference
from equiproof.verifier.documents import parse_commitment
from equiproof.verifier.errors import CertificateFormatError, ProofError, Reason
from equiproof.verifier.facts import ABOUT_KEY, ABOUT_LINK_KEY, ABOUT_SETUP
from equiproof.verifier.link import LinkDocument, parse_link
from equiproof.verifier.linked import Linked, opened
from equiproof.verifier.trust import TrustedKey, TrustedLinkKey
from tests.linked_case import KeptSetting, store_of
from tests.prover.additive_case import drawn
from tests.prover.test_ensembles import scaled
from tests.support import KEPT, LOANS, changed, network, no_policy, spec_of
from tests.verifier.test_transcripts import ANNA, CEREMONY

HIDDEN = (2, 2)
SCORES = changed(LOANS, logits=1)
PROGRAMS = ("native", "python")
FIRST = slice(132, 164)
"""Where a proof has its first commitment."""


@dataclass(frozen=True)
class Case:
    """What a relying party has: a link, certificates, keys and a commitment; `second` is another key's of the model."""

    setting: KeptSetting
    link: LinkDocument
    certificates: tuple[Certificate, ...]
    second_link: LinkDocument
    second: Certificate

    def verifier(self, link=None, *, keys=None, commitment=None, checker="native", pins=None):
        """Return a verifier, with something else in the place of what is given."""
        return Verifier(
            commitment or self.setting.commitment,
            keys or self.setting.trusted,
            checker,
            pins or Pins(),
            self.link if link is None else link,
        )

    def why(self, kind, certificate=None, **other):
        """Return the reason of the refusal of a certificate, which both programs must give."""
        reasons = set()
        for checker in PROGRAMS:
            with pytest.raises(kind) as refused:
                self.verifier(checker=checker, **other).verify(certificate or self.certificates[0], no_policy())
            assert type(refused.value) is kind
            reasons.add(refused.value.reason)
        (reason,) = reasons
        return reason

    def key(self, place=0):
        """Return a trusted key for certificates."""
        return TrustedKey.read(self.setting.keys[place].folder)

    @property
    def link_key(self):
        """The trusted key for links."""
        return self.setting.trusted.find_link_key(self.link.link_key.fingerprint)


@pytest.fixture(scope="module")
def case(tmp_path_factory):
    """A network of two hidden layers under two kept keys, with its links and certificates."""
    store = store_of(*(shape_of("branch", LOANS, HIDDEN, capacity) for capacity in (8, 4)))
    opening = Opening.of(network(LOANS, HIDDEN, 14), LOANS, blinding=5)
    setting = KeptSetting(opening, store, tmp_path_factory.mktemp("published"))
    link, proven = setting.prove(count=3)
    second_link, (second,) = setting.prove(place=1)
    return Case(setting, link, tuple(one.certificate for one in proven), second_link, second.certificate)


@pytest.mark.parametrize("checker", PROGRAMS)
def test_a_kept_certificate_holds_beside_its_link(case, checker):
    """It is verified from its own bytes, and both keys are named."""
    verified = case.verifier(checker=checker).verify(case.certificates[0].to_bytes(), no_policy())
    document = verified.document()
    assert document["link"] == {"key_fingerprint": case.link.link_key.fingerprint, "setup": "single-party"}
    assert document["key_fingerprint"] == case.link.key
    assert case.link.link_key.fingerprint[:16] in verified.made[1]
    assert len(case.certificates[0].proof_bytes) == 228


@pytest.mark.parametrize(("scheme", "spec"), [("traversal", LOANS), ("branch", KEPT)], ids=["traversal", "ranges"])
def test_other_relations(scheme, spec, tmp_path):
    """Certificates of regions, and of neighbors inside ranges, hold beside links, which know nothing of either."""
    opening = Opening.of(network(spec, HIDDEN, 14), spec, blinding=5)
    setting = KeptSetting(opening, store_of(shape_of(scheme, spec, HIDDEN, 8)), tmp_path)
    link, (proven,) = setting.prove()
    for checker in PROGRAMS:
        verifier = Verifier(setting.commitment, setting.trusted, checker, link=link)
        assert verifier.verify(proven.certificate.to_bytes(), no_policy()).link_key is not None
    with pytest.raises(ProofError) as refused:
        Verifier(setting.commitment, setting.trusted).verify(proven.certificate, no_policy())
    assert refused.value.reason == Reason.NO_LINK


def scores():
    """Yield an additive model and an ensemble, each with the shape of its certificates."""
    model = drawn(SCORES, 5, plain=3, sensitive=1)
    yield model, additive_shape(SCORES, model.predicates, 3, 4)
    trees = scaled(3)
    yield (
        trees,
        ensemble_shape(SCORES, trees.predicates, trees.nodes.sizes, trees.predicates[0], trees.nodes.sizes[1], 4),
    )


@pytest.mark.parametrize("place", [0, 1], ids=["additive", "trees"])
def test_scores(place, tmp_path):
    """Additive models and ensembles have links, too: the forest is checked once, and certificates show their words."""
    model, shape = [*scores()][place]
    setting = KeptSetting(Opening.of(model, SCORES, blinding=5), store_of(shape), tmp_path)
    link, (proven,) = setting.prove()
    for checker in PROGRAMS:
        verifier = Verifier(setting.commitment, setting.trusted, checker, link=link)
        assert verifier.verify(proven.certificate.to_bytes(), no_policy()).link_key is not None
    with pytest.raises(ProofError) as refused:
        Verifier(setting.commitment, setting.trusted).verify(proven.certificate, no_policy())
    assert refused.value.reason == Reason.NO_LINK


def test_gains(tmp_path):
    """A gain certificate shows its model to a link, too; its digest has what is shown last."""
    opening = Opening.of(network(LOANS, HIDDEN, 14, sensitivity=2), LOANS, blinding=5)
    setting = KeptSetting(opening, store_of(gain_shape(LOANS, HIDDEN, 4)), tmp_path)
    sought = Sought("granted", {"sex": "f"}, {"sex": "m"}, radius="0")
    with GainProver(opening, setting.keys[0], tmp_path) as prover:
        proven = prover.prove({"income": "30000", "housing": "own"}, sought)
        link = prover.link.document
    data = proven.certificate.to_bytes()
    for checker in PROGRAMS:
        verified = GainVerifier(setting.commitment, setting.trusted, checker, link).verify(data, no_policy())
        assert link.link_key.fingerprint[:16] in verified.made[1]
        assert verified.document()["link"] == {"key_fingerprint": link.link_key.fingerprint, "setup": "single-party"}
        assert ABOUT_SETUP in verified.not_made
        with pytest.raises(ProofError) as refused:
            GainVerifier(setting.commitment, setting.trusted, checker).verify(data, no_policy())
        assert refused.value.reason == Reason.NO_LINK
        other = changed(proven.certificate, statement=changed(proven.certificate.statement, shown=f"{3:064x}"))
        with pytest.raises(ProofError) as refused:
            GainVerifier(setting.commitment, setting.trusted, checker, link).verify(other, no_policy())
        assert refused.value.reason == Reason.SHOWN_DIFFERS


def test_many_beside_one_link(case):
    """One bad proof among good ones is found, and the link is checked once for the process."""
    broken = changed(case.certificates[1], proof=case.certificates[0].proof)
    before = opened.cache_info()
    verdicts = case.verifier().verify_many([case.certificates[0], broken, case.certificates[2]], no_policy())
    assert [getattr(one, "reason", None) for one in verdicts] == [None, Reason.PAIRINGS_DIFFER, None]
    case.verifier().verify_many(case.certificates, no_policy())
    after = opened.cache_info()
    assert after.misses <= before.misses + 1
    assert after.hits > before.hits


def test_no_link(case):
    """Without its link a certificate of a kept key is refused, never verified with a remark."""
    for checker in PROGRAMS:
        verifier = Verifier(case.setting.commitment, case.setting.trusted, checker)
        with pytest.raises(ProofError, match=r"link\.json.*--link") as refused:
            verifier.verify(case.certificates[0], no_policy())
        assert refused.value.reason == Reason.NO_LINK


def test_link_of_another_key(case):
    """The link of another key of the same model does not do, also if its field says otherwise."""
    assert case.why(ProofError, link=case.second_link) == Reason.LINK_OF_ANOTHER_KEY
    assert case.why(ProofError, case.second) == Reason.LINK_OF_ANOTHER_KEY
    relabelled = changed(case.second_link, key=case.link.key)
    assert case.why(ProofError, link=relabelled) == Reason.SHOWN_DIFFERS
    stated = changed(case.certificates[0].statement, shown=relabelled.shown)
    certificate = changed(case.certificates[0], statement=stated)
    assert case.why(ProofError, certificate, link=relabelled) == Reason.LINK_FAILS


def test_another_model(case, tmp_path):
    """A link of the same network under another commitment is refused, and so is one that states this one's."""
    opening = Opening.of(case.setting.opening.network, LOANS, blinding=6)
    other = replace(case.setting, opening=opening, published=tmp_path)
    link, (proven,) = other.prove()
    assert case.why(ProofError, link=link) == Reason.LINK_OF_ANOTHER_MODEL
    stated = changed(link, model_commitment=case.link.model_commitment)
    forged = changed(case.certificates[0], statement=changed(case.certificates[0].statement, shown=link.shown))
    assert case.why(ProofError, forged, link=stated) == Reason.LINK_FAILS
    assert case.why(ProofError, proven.certificate) == Reason.MODEL_DIFFERS
    lie = changed(proven.certificate, statement=changed(proven.certificate.statement, **of_model(case)))
    assert case.why(ProofError, lie) == Reason.FIRST_COMMITMENT_DIFFERS


def of_model(case):
    """Return what a statement of the honest model says of it."""
    return {"model_commitment": case.link.model_commitment, "shown": case.link.shown}


def test_another_spec(case):
    """A link that names another spec is refused, and so is one that was proven for another."""
    other = spec_of(*LOANS.features, name="other")
    assert case.why(ProofError, link=changed(case.link, spec_digest=f"{other.digest:064x}")) == (
        Reason.LINK_OF_ANOTHER_SPEC
    )
    claim = Linked(case.link, case.link_key, case.key()).claim
    assert opened("native", claim)
    for checker in PROGRAMS:
        with pytest.raises(ProofError) as refused:
            opened(checker, replace(claim, spec_digest=other.digest))
        assert refused.value.reason == Reason.LINK_FAILS


def with_link_key(case, **shape):
    """Return keys with another shape of links, and the link that names that key; no proof is looked at before."""
    document = case.link_key.document
    changed_document = changed(document, shape=changed(document.shape, **shape))
    key = TrustedLinkKey(changed_document, case.link_key.verifying)
    reference = KeyReference(changed_document.fingerprint, "single-party")
    return {"keys": TrustStore([case.key()], [key]), "link": changed(case.link, link_key=reference)}


def test_another_architecture(case):
    """A key of links for other sizes or widths shows nothing of this model's words."""
    own = case.link_key.document.shape
    wider = changed(own.architecture, weight_bits=(17, 17, 17))
    longer = changed(own.architecture, hidden=(2, 3))
    for architecture in (wider, longer):
        assert case.why(ProofError, **with_link_key(case, architecture=architecture)) == (
            Reason.LINK_OF_ANOTHER_ARCHITECTURE
        )
    found = with_link_key(case, input_bits=own.input_bits + 1)
    assert case.why(ProofError, **found) == Reason.LINK_OF_OTHER_INPUT_BITS


def test_link_key(case):
    """The key of links must be trusted by itself, and made as the link says."""
    assert case.why(UntrustedKeyError, keys=TrustStore([case.key()])) == Reason.KEY_NOT_TRUSTED
    ceremony = changed(case.link, link_key=KeyReference(case.link.link_key.fingerprint, "ceremony"))
    assert case.why(UntrustedKeyError, link=ceremony) == Reason.SETUP_DIFFERS
    # A key for certificates is none for links.
    swapped = changed(case.link, link_key=KeyReference(case.link.key, "single-party"))
    assert case.why(UntrustedKeyError, link=swapped) == Reason.KEY_NOT_TRUSTED


def test_keys_of_the_wrong_form(case):
    """Bytes of an ordinary key are no kept key, and the other way round: they are refused by their length."""
    ordinary, kept = case.link_key.verifying, case.key().verifying
    assert (len(ordinary), len(kept)) == (528, 700)
    document = case.key().document
    keys = TrustStore([TrustedKey(document, ordinary)], [case.link_key])
    assert case.why(UntrustedKeyError, keys=keys) == Reason.WRONG_LENGTH
    keys = TrustStore([case.key()], [TrustedLinkKey(case.link_key.document, kept)])
    assert case.why(UntrustedKeyError, keys=keys) == Reason.WRONG_LENGTH


def test_shown(case):
    """What a certificate shows is compared with the link's; the digest takes the link's."""
    other = changed(case.certificates[0].statement, shown=f"{3:064x}")
    assert case.why(ProofError, changed(case.certificates[0], statement=other)) == Reason.SHOWN_DIFFERS
    link = changed(case.link, shown=f"{3:064x}")
    assert case.why(ProofError, link=link) == Reason.SHOWN_DIFFERS
    assert case.why(ProofError, changed(case.certificates[0], statement=other), link=link) == Reason.LINK_FAILS


def test_another_first_commitment(case):
    """A proof whose first commitment is not the link's point, byte for byte, is refused for that."""
    proof = bytearray(case.certificates[0].proof_bytes)
    proof[FIRST] = bytes.fromhex(case.second_link.point)
    certificate = changed(case.certificates[0], proof=base64.b64encode(proof).decode())
    assert case.why(ProofError, certificate) == Reason.FIRST_COMMITMENT_DIFFERS
    proof[FIRST], proof[164:196] = case.certificates[0].proof_bytes[164:196], case.link.point_bytes
    exchanged = changed(case.certificates[0], proof=base64.b64encode(proof).decode())
    assert case.why(ProofError, exchanged) == Reason.FIRST_COMMITMENT_DIFFERS
    link = changed(case.link, point=case.second_link.point)
    assert case.why(ProofError, link=link) == Reason.LINK_FAILS


def test_malformed_points_and_proofs(case):
    """A link whose point is none, or whose proof has a wrong form, is malformed, not refused."""
    assert case.why(CertificateFormatError, link=changed(case.link, point="f" * 64)) in (
        Reason.POINT_NOT_CANONICAL,
        Reason.COORDINATE_TOO_LARGE,
    )
    proof = bytearray(case.link.proof_bytes)
    proof[:32] = b"\xbf" + b"\xff" * 31
    link = changed(case.link, proof=base64.b64encode(proof).decode())
    assert case.why(CertificateFormatError, link=link) == Reason.COORDINATE_TOO_LARGE


def test_forms(case, loans_tree):
    """A kept certificate under an ordinary key is refused, and so is an ordinary one under a kept key."""
    with Prover(loans_tree.opening, loans_tree.key) as prover:
        ordinary = prover.prove({"income": "30000", "housing": "own"}).certificate
    both = TrustStore([case.key(), TrustedKey.read(loans_tree.key.folder)], [case.link_key])
    reference = KeyReference(loans_tree.key.document.fingerprint, "single-party")
    kept = changed(case.certificates[0], key=reference)
    assert case.why(ProofError, kept, keys=both) == Reason.FORM_DIFFERS
    relabelled = changed(ordinary, key=case.certificates[0].key)
    assert case.why(ProofError, relabelled, keys=both) == Reason.FORM_DIFFERS
    # An ordinary certificate needs no link, and one that is there changes nothing.
    verified = case.verifier(keys=both).verify(ordinary, no_policy())
    assert "link" not in verified.document()
    # By their bytes, such certificates have proofs of another length than their form.
    for one in (changed(kept, proof=ordinary.proof), changed(relabelled, proof=kept.proof)):
        with pytest.raises(CertificateFormatError) as malformed:
            case.verifier(keys=both).verify(one.to_bytes(), no_policy())
        assert malformed.value.reason == Reason.WRONG_LENGTH


def by_ceremony(case, *, certificates=False, links=False):
    """Return keys that say they are from a ceremony, with a link and a certificate that name them."""
    key, link_key = case.key(), case.link_key
    making = {"setup": "ceremony", "ceremony": CEREMONY}
    key = TrustedKey(changed(key.document, **making), key.verifying) if certificates else key
    link_key = TrustedLinkKey(changed(link_key.document, **making), link_key.verifying) if links else link_key
    of_link = KeyReference(link_key.document.fingerprint, link_key.document.setup)
    certificate = changed(case.certificates[0], key=KeyReference(key.document.fingerprint, key.document.setup))
    link = changed(case.link, key=key.document.fingerprint, link_key=of_link)
    transcripts = key.document.transcript, link_key.document.transcript
    return case.verifier(link=link, keys=TrustStore([key], [link_key])), certificate, transcripts


def test_weakest_key(case):
    """A policy about set-ups asks both keys: a ceremony's beside a single party's is a single party's."""
    signers = SignedBy((ANNA.verifier.text,), 1)
    for made in ({"certificates": True}, {"links": True}):
        verifier, certificate, (own, links) = by_ceremony(case, **made)
        both = AllOf(TranscriptIs(own or "0" * 64), LinkTranscriptIs(links or "0" * 64))
        for policy, reason in (
            (AllOf(SetupIs("ceremony"), signers), "other-setup"),
            (TranscriptIs(own or "0" * 64), "other-transcript"),
            (both, "other-transcript"),
            (AllOf(TranscriptIs(own), LinkTranscriptIs(links)), "other-transcript"),
            (signers, "too-few-signers"),
        ):
            with pytest.raises(PolicyError) as refused:
                verifier.verify(certificate, policy)
            assert refused.value.reason == reason, made
        with pytest.raises(UntrustedKeyError) as untrusted:
            verifier.verify(certificate, no_policy())
        assert untrusted.value.reason == Reason.NO_TRANSCRIPT
    assert ABOUT_SETUP in case.verifier().verify(case.certificates[0], no_policy()).not_made


def test_transcripts_of_both(case):
    """One digest names one of two keys: a policy names that of the other, too, or signers who checked it."""
    verifier, certificate, (own, links) = by_ceremony(case, certificates=True, links=True)
    both = AllOf(TranscriptIs(own), LinkTranscriptIs(links))
    # The link is of another key than these, so that its proof does not hold: it is checked after the policy.
    claim = verifier.before_proof(certificate, both)
    assert {*both.covers, ABOUT_SETUP}.isdisjoint(claim.not_made)
    assert sum(digest[:16] in line for line in claim.made for digest in (own, links)) == 2
    either = AnyOf(SignedBy((ANNA.verifier.text,), 1), both)
    for policy in (
        either,
        AllOf(AnyOf(TranscriptIs("0" * 64), TranscriptIs(own)), LinkTranscriptIs(links)),
        AllOf(TranscriptIs(own), AnyOf(LinkTranscriptIs("0" * 64), LinkTranscriptIs(links))),
    ):
        verifier.before_proof(certificate, policy)
    for policy, reason in (
        (TranscriptIs(own), "other-transcript"),
        (AllOf(TranscriptIs(own), LinkKeyIs(claim.facts.link_key.document.fingerprint)), "other-transcript"),
        (AllOf(TranscriptIs(own), LinkTranscriptIs(own)), "other-transcript"),
        (AllOf(TranscriptIs(links), LinkTranscriptIs(links)), "other-transcript"),
        (AllOf(TranscriptIs(links), LinkTranscriptIs(own)), "other-transcript"),
        # What one alternative names does not stand for the other.
        (AnyOf(TranscriptIs(own), AllOf(TranscriptIs("0" * 64), LinkTranscriptIs(links))), "no-policy-met"),
    ):
        with pytest.raises(PolicyError) as refused:
            verifier.verify(certificate, policy)
        assert refused.value.reason == reason, policy
    for policy in (LinkTranscriptIs(links), AnyOf(both, KeyIs(certificate.key.fingerprint))):
        with pytest.raises(UntrustedKeyError) as untrusted:
            verifier.verify(certificate, policy)
        assert untrusted.value.reason == Reason.NO_TRANSCRIPT


def test_pin_of_one_key(case):
    """The certificate key's fingerprint does not pin the link's key, of which the same sender may be the maker."""
    verifier = case.verifier(pins=Pins(commitment=True, key=False))
    unpinned = verifier.verify(case.certificates[0], no_policy())
    assert unpinned.not_made[:2] == (ABOUT_KEY, ABOUT_LINK_KEY)
    one = verifier.verify(case.certificates[0], KeyIs(case.link.key))
    assert one.not_made[0] == ABOUT_LINK_KEY
    assert not one.pins.key
    assert one.document()["link"]["setup"] is None
    key, setup = KeyIs(case.link.key), SetupIs("single-party")
    link_key = LinkKeyIs(case.link.link_key.fingerprint)
    both = verifier.verify(case.certificates[0], AllOf(key, link_key, setup))
    assert both.pins.key
    assert {ABOUT_KEY, ABOUT_LINK_KEY}.isdisjoint(both.not_made)
    assert both.document()["link"]["setup"] == "single-party"
    alone = verifier.verify(case.certificates[0], link_key)
    assert alone.not_made[0] == ABOUT_KEY
    assert not alone.pins.key
    for policy, reason in (
        (AllOf(key, setup), "other-setup"),
        (AllOf(link_key, setup), "other-setup"),
        (AllOf(key, LinkKeyIs(case.link.key)), "other-link-key"),
        (AnyOf(AllOf(key, setup), TranscriptIs("0" * 64)), "no-policy-met"),
        (AllOf(key, AnyOf(setup, SignedBy((ANNA.verifier.text,), 1))), "no-policy-met"),
    ):
        with pytest.raises(PolicyError) as refused:
            verifier.verify(case.certificates[0], policy)
        assert refused.value.reason == reason


def test_german(case):
    """Refusals of links are said in German, too."""
    with speaking("de"), pytest.raises(ProofError, match="Verknüpfung"):
        case.verifier(link=case.second_link).verify(case.certificates[0], no_policy())


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"version": 2}, Reason.OTHER_FORMAT),
        ({"point": "0" * 63}, Reason.WRONG_FIELDS),
        ({"point": "G" * 64}, Reason.WRONG_FIELDS),
        ({"key": "A" * 64}, Reason.WRONG_FIELDS),
        ({"shown": "f" * 64}, Reason.BAD_ELEMENT),
        ({"spec_digest": "f" * 64}, Reason.BAD_ELEMENT),
        ({"model_commitment": ""}, Reason.BAD_ELEMENT),
        ({"proof": "A"}, Reason.NOT_BASE64),
        ({"proof": "AAAA"}, Reason.WRONG_LENGTH),
        ({"proof_system": "plonk-bn254"}, Reason.WRONG_LENGTH),
        ({"link_key": KeyReference("0", "single-party")}, Reason.WRONG_FIELDS),
    ],
)
def test_malformed_links(case, change, reason):
    """Each field of a link has one form, and the file no room for more."""
    with pytest.raises(CertificateFormatError, match=r"^link\.json: ") as malformed:
        parse_link(changed(case.link, **change).to_bytes(), "link.json")
    assert malformed.value.reason == reason


def test_links_are_strict(case):
    """Other fields, other spellings and longer files are refused."""
    data = case.link.to_bytes()
    assert parse_link(data, "link.json") == case.link
    for bad, reason in (
        (data.replace(b'{"format"', b'{"extra":1,"format"'), Reason.WRONG_FIELDS),
        (data.replace(b'":', b'": '), Reason.NOT_CANONICAL),
        (b"{", Reason.NOT_JSON),
        (canonical_bytes(case.certificates[0]), Reason.WRONG_FIELDS),
    ):
        with pytest.raises(CertificateFormatError) as malformed:
            parse_link(bad, "link.json")
        assert malformed.value.reason == reason, bad[:60]


def test_a_commitment_names_no_other(case):
    """The link is compared with the reader's own commitment, not with one that came along."""
    other = parse_commitment(Opening.of(network(LOANS, HIDDEN, 15), LOANS, blinding=5).public(), "other")
    assert case.why(ProofError, commitment=other) == Reason.MODEL_DIFFERS
