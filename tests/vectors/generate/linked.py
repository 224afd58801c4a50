"""Verifications of certificates of kept models with their links: `linked.json`, a case for each that all judge alike.

A case differs from a base by whole files. Proofs are made under set-ups whose secrets are known, so that what a
verifier recomputes decides and not the proof; those of the base `published` are of a real set-up.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec
from msgspec import UNSET

from equiproof.circuits.field import ORDER, to_hex
from equiproof.circuits.link_shape import link_shape
from equiproof.circuits.shape import additive_shape, ensemble_shape, kept_shape, visiting_shape
from equiproof.verifier import CertificateFormatError
from equiproof.verifier.documents import KeyDocument, LinkKeyDocument, parse_key, parse_link_key
from equiproof.verifier.errors import Reason
from equiproof.verifier.policy import KeyIs, LinkKeyIs
from equiproof.verifier.transcripts import SignedBy, TranscriptIs
from tests.linked_cases import (
    BINARY,
    KEPT,
    KEY,
    LINK_FILE,
    LINK_KEY,
    LINK_SIGNATURES,
    LINK_VERIFYING,
    SHOWN,
    SIGNATURES,
    VERIFYING,
    LinkedCase,
    Made,
    edited,
    honest,
    judged,
    made,
    ordinary,
    published,
)
from tests.prover.ceremony.parties import ANNA, BEN, CAROL
from tests.support import changed
from tests.trapdoor import INFINITY_G1, KeptTrapdoor, g1, off_curve
from tests.vectors.generate.cases import KNOWN, spec_of
from tests.vectors.generate.transcripts import ceremonys_key, note_of
from tests.vectors.vector import CERTIFICATE, QUERY, Policy

FILE = "linked.json"
SETUP = "other-setup"
SCORES = {
    "additive": kept_shape(additive_shape(spec_of(), (12, 2), 8, 16)),
    "ensemble": kept_shape(ensemble_shape(spec_of(), (6, 1), (5, 14), 6, 12, 8)),
}
"""Shapes of models with predicates."""
VISITED = visiting_shape(SCORES["ensemble"], 9)
"""That of the ensemble whose certificates visit nodes."""


def written() -> bytes:
    """Return the bytes of the file."""
    listed = [{"name": name, "base": case.base} | told(case) for name, case in cases().items()]
    bases = {name: in_text(dict(case.files)) for name, case in BASES.items()}
    return msgspec.json.format(msgspec.json.encode({"bases": bases, "cases": listed}), indent=1) + b"\n"


def told(case: LinkedCase) -> dict[str, Any]:
    """Return a case as it is written: the files that are not the base's, what is asked, and what Python says."""
    base = BASES[case.base].files
    own = {name: data for name, data in case.files.items() if base.get(name) != data}
    asked = {
        "without": sorted(set(base) - set(case.files)),
        "policy": msgspec.to_builtins(case.policy),
        "pinned": {"commitment": case.pinned[0], "key": case.pinned[1]},
    }
    found = judged(case)
    assert found.get("reason") == case.reason, (found, case)
    if "value" in found:
        said = {"verdict": "accept"} | found["value"]
    else:
        verdict = "malformed" if found["exception"] == CertificateFormatError.__name__ else "reject"
        said = {"verdict": verdict} | {name: found[name] for name in ("exception", "reason", "message")}
    return in_text(own) | asked | said


def in_text(files: dict[str, bytes]) -> dict[str, dict[str, str]]:
    """Return files by name, texts apart from bytes, which are in hexadecimal."""
    return {
        "text": {name: data.decode() for name, data in sorted(files.items()) if name not in BINARY},
        "hex": {name: data.hex() for name, data in sorted(files.items()) if name in BINARY},
    }


BASES = {
    one.base: one
    for one in (honest(), published(), honest("loans"), honest("rates"), honest("logarithms"), honest("gain"))
}
"""The honest certificates, each with its link."""


@cache
def cases() -> dict[str, LinkedCase]:
    """Return every case by its name."""
    found: dict[str, LinkedCase] = {}
    for family in (accepted, other_forms, other_links, other_points, other_keys, policies, malformed):
        for name, case in family():
            assert name not in found, name
            found[name] = case
    return found


Named = Iterator[tuple[str, LinkedCase]]


def accepted() -> Named:
    """Yield certificates that are verified."""
    for name, case in BASES.items():
        yield f"honest-{name}", case
    yield "demanded", honest().but(policy=Policy(query=True, context=True, min_radius="0.25", setup="single-party"))
    yield "demanded-published", published().but(policy=Policy(query=True, context=True))
    second = made(stated={"query_commitment": "7".rjust(64, "0")}, second=15)
    yield "another-certificate-beside-the-link", second
    disclosed = msgspec.json.decode(honest().files[QUERY])
    yield "disclosed", honest().with_files(None, {CERTIFICATE: edited(honest(), CERTIFICATE, query=disclosed)})
    yield "keys-that-came", honest().but(pinned=(True, False))
    yield "all-that-came", published().but(pinned=(False, False))
    for name, shape in SCORES.items():
        yield name, made(golden="loans", shape=shape)
    yield "visited", made(golden="loans", shape=VISITED)
    yield "another-capacity", made(shape=changed(Made().own_shape, capacity=16))


def other_forms() -> Named:
    """Yield certificates of the other form than their key's, and those without a link."""
    one, differs = honest(), Reason.FORM_DIFFERS
    yield "no-link", one.with_files(Reason.NO_LINK, {LINK_FILE: None})
    yield "no-link-of-a-gain", honest("gain").with_files(Reason.NO_LINK, {LINK_FILE: None})
    yield (
        "nothing-of-a-link",
        published().with_files(Reason.NO_LINK, {LINK_FILE: None, LINK_KEY: None, LINK_VERIFYING: None}),
    )
    # An ordinary key: its own kind of proof, and what is shown all the same.
    ordinary = Made().own_shape.self_contained
    key = Made(key={"shape": _plain(ordinary)}, verifying=KNOWN.key())
    yield "kept-certificate-under-an-ordinary-key", LinkedCase(key.files(), key.golden, reason=differs)
    stated = made(differs, shown=None, second=14)
    short = edited(stated, CERTIFICATE, proof=base64.b64encode(KNOWN.forge(1).data()).decode())
    yield "ordinary-certificate-under-a-kept-key", stated.with_files(differs, {CERTIFICATE: short})
    proof = base64.b64encode(KNOWN.forge(1).data()).decode()
    for name, base in (("", one), ("-published", published())):
        whole = {CERTIFICATE: edited(base, CERTIFICATE, proof=proof)}
        yield f"proof-of-196-bytes{name}", base.with_files(Reason.WRONG_LENGTH, whole)
        plain = {CERTIFICATE: edited(base, CERTIFICATE, statement__shown=None)}
        yield f"proof-of-228-bytes-and-nothing-shown{name}", base.with_files(Reason.WRONG_LENGTH, plain)


def other_links() -> Named:
    """Yield links of something else; those that are relabelled fail with their proof."""
    one, five = honest(), f"{5:064x}"
    other = {"key": five, "model_commitment": five, "spec_digest": five, "shown": f"{6:064x}"}
    for name, field, reason in (
        ("key", "key", Reason.LINK_OF_ANOTHER_KEY),
        ("model", "model_commitment", Reason.LINK_OF_ANOTHER_MODEL),
        ("spec", "spec_digest", Reason.LINK_OF_ANOTHER_SPEC),
        ("value", "shown", Reason.SHOWN_DIFFERS),
    ):
        yield f"link-of-another-{name}", made(reason, link={field: other[field]})
        yield (
            f"published-link-of-another-{name}",
            published().with_files(reason, {LINK_FILE: edited(published(), LINK_FILE, **{field: other[field]})}),
        )
    for name, about in (
        ("key", {"key": 5}),
        ("model", {"commitment": 5}),
        ("spec", {"spec_digest": 5}),
        ("value", {"shown": 6}),
        ("place", {"r": 6}),
    ):
        yield f"relabelled-link-of-another-{name}", made(Reason.LINK_FAILS, about=about)
    shape = link_shape(Made().own_shape)
    wider = changed(shape.architecture, hidden=(3, 2))
    yield (
        "link-of-another-architecture",
        made(Reason.LINK_OF_ANOTHER_ARCHITECTURE, link_shape=changed(shape, architecture=wider)),
    )
    weights = changed(shape.architecture, weight_bits=(16, 16, 15))
    yield (
        "link-of-other-widths",
        made(Reason.LINK_OF_ANOTHER_ARCHITECTURE, link_shape=changed(shape, architecture=weights)),
    )
    yield (
        "link-of-other-input-bits",
        made(Reason.LINK_OF_OTHER_INPUT_BITS, link_shape=changed(shape, input_bits=shape.input_bits + 1)),
    )
    for name, sizes in (
        ("trees", {"nodes": (5, 15)}),
        ("predicates", {"predicates": (6, 2)}),
        ("kind", {"nodes": UNSET}),
    ):
        of = link_shape(SCORES["ensemble"])
        lie = changed(of, architecture=changed(of.architecture, **sizes))
        yield (
            f"link-of-an-ensemble-of-other-{name}",
            made(Reason.LINK_OF_ANOTHER_ARCHITECTURE, golden="loans", shape=SCORES["ensemble"], link_shape=lie),
        )
    for name, shape, other in (("nodes", VISITED, SCORES["ensemble"]), ("whole", SCORES["ensemble"], VISITED)):
        words = {"shape": shape, "link_shape": link_shape(other)}
        yield f"link-of-other-words-{name}", made(Reason.LINK_OF_ANOTHER_ARCHITECTURE, golden="loans", **words)
    gain = honest("gain").files
    taken = {LINK_FILE: gain[LINK_FILE]}
    yield "link-of-the-key-of-gains", one.with_files(Reason.LINK_OF_ANOTHER_KEY, taken)
    proof = edited(one, LINK_FILE, proof=msgspec.json.decode(gain[LINK_FILE])["proof"])
    yield "proof-of-another-link", one.with_files(Reason.LINK_FAILS, {LINK_FILE: proof})
    proof = edited(published(), LINK_FILE, proof=msgspec.json.decode(one.files[LINK_FILE])["proof"])
    yield "published-link-with-another-proof", published().with_files(Reason.LINK_FAILS, {LINK_FILE: proof})
    # What both show is one, and what the proof is of is another.
    yield "certificate-of-another-value", made(Reason.PAIRINGS_DIFFER, proves=SHOWN + 1)
    yield "both-show-another-value", made(Reason.LINK_FAILS, shown=6, link_shown=6, about={"shown": SHOWN})
    yield (
        "value-plus-the-order",
        one.with_files(
            Reason.BAD_ELEMENT, {CERTIFICATE: edited(one, CERTIFICATE, statement__shown=f"{SHOWN + ORDER:064x}")}
        ),
    )


def other_points() -> Named:
    """Yield certificates and links with other commitments."""
    one, differs = honest(), Reason.FIRST_COMMITMENT_DIFFERS
    yield "first-commitment-of-another-model", made(differs, first=17)
    yield "points-exchanged", made(differs, first=14, second=13)
    yield "link-of-another-point", made(differs, link_first=17)
    yield "gain-of-another-point", made(differs, golden="gain", first=17)
    yield "first-commitment-negated", made(differs, first=-13)
    moved = edited(one, LINK_FILE, point=g1(17).hex())
    yield "link-with-another-point", one.with_files(Reason.LINK_FAILS, {LINK_FILE: moved})
    moved = edited(published(), LINK_FILE, point=g1(17).hex())
    yield "published-link-with-another-point", published().with_files(Reason.LINK_FAILS, {LINK_FILE: moved})
    for name, point, reason in (
        ("off-the-curve", off_curve().hex(), Reason.OFF_CURVE),
        ("not-compressed", f"{1:064x}", Reason.POINT_NOT_CANONICAL),
        ("infinite-with-a-coordinate", "4" + "0" * 62 + "1", Reason.POINT_NOT_CANONICAL),
        ("coordinate-too-large", "bf" + "f" * 62, Reason.COORDINATE_TOO_LARGE),
    ):
        lie = edited(one, LINK_FILE, point=point)
        yield f"link-with-a-point-{name}", one.with_files(reason, {LINK_FILE: lie})
    lie = edited(one, LINK_FILE, point=INFINITY_G1.hex())
    yield "link-with-the-point-at-infinity", one.with_files(Reason.LINK_FAILS, {LINK_FILE: lie})
    whole = bytearray(KEPT.forge(1))
    whole[131] = 3
    three = edited(one, CERTIFICATE, proof=base64.b64encode(whole).decode())
    yield "count-3", one.with_files(Reason.WRONG_COUNT, {CERTIFICATE: three})
    whole[131] = 1
    single = edited(one, CERTIFICATE, proof=base64.b64encode(whole).decode())
    yield "count-1", one.with_files(Reason.WRONG_COUNT, {CERTIFICATE: single})
    yield (
        "proof-of-another-statement",
        one.with_files(
            Reason.PAIRINGS_DIFFER, {CERTIFICATE: edited(one, CERTIFICATE, statement__query_commitment=f"{5:064x}")}
        ),
    )
    forged = bytearray(base64.b64decode(msgspec.json.decode(one.files[CERTIFICATE])["proof"]))
    forged[196:] = g1(18)
    unopened = edited(one, CERTIFICATE, proof=base64.b64encode(forged).decode())
    yield "commitments-not-opened", one.with_files(Reason.COMMITMENT_NOT_OPENED, {CERTIFICATE: unopened})


def other_keys() -> Named:
    """Yield degenerate keys, keys of the other form, and links under keys that are not trusted."""
    degenerate = Reason.DEGENERATE_KEY
    for name, sigmas in (
        ("shared", (7, 7)),
        ("opposite", (7, -7)),
        ("generator", (7, 1)),
        ("first-generator", (-1, 7)),
    ):
        yield f"sigma-{name}", made(degenerate, kept=KeptTrapdoor(sigmas=sigmas))
    key = KEPT.key()
    for name, at, data, reason in (
        ("count-of-inputs", 291, b"\x03", Reason.WRONG_COUNT),
        ("count-of-commitments", 423, b"\x03", Reason.WRONG_COUNT),
        ("hash-without-the-first", 431, b"\x00", Reason.WRONG_COUNT),
        ("hash-of-the-digest", 439, b"\x01", Reason.WRONG_COUNT),
        ("hash-of-input-3", 439, b"\x03", Reason.WRONG_COUNT),
        ("gamma-is-delta", 128, key[224:288], degenerate),
    ):
        yield f"key-{name}", made(reason, verifying=key[:at] + data + key[at + len(data) :])
    yield "kept-key-of-528-bytes", made(Reason.WRONG_LENGTH, verifying=KNOWN.key())
    yield "link-key-of-700-bytes", made(Reason.WRONG_LENGTH, link_verifying=key)
    weak = KNOWN.key()
    yield "link-key-degenerate", made(degenerate, link_verifying=weak[:464] + weak[400:464])
    one, untrusted = honest(), Reason.KEY_NOT_TRUSTED
    named = edited(one, LINK_FILE, link_key__fingerprint=f"{5:064x}")
    yield "link-key-unknown", one.with_files(untrusted, {LINK_FILE: named})
    yield "link-key-missing", one.with_files(untrusted, {LINK_KEY: None, LINK_VERIFYING: None})
    called = edited(one, LINK_FILE, link_key__setup="ceremony")
    yield "link-key-of-another-set-up", one.with_files(Reason.SETUP_DIFFERS, {LINK_FILE: called})
    plonk = {"proof_system": "plonk-bn254", "proof": base64.b64encode(bytes(584)).decode()}
    yield "link-of-plonk", one.with_files(Reason.TOO_LONG, {LINK_FILE: edited(one, LINK_FILE, **plonk)})
    exchanged = {LINK_VERIFYING: one.files[VERIFYING]}
    yield "link-key-of-other-bytes", one.with_files(Reason.KEY_BYTES_DIFFER, exchanged)


def ceremonies() -> Named:
    """Yield honest certificates under keys that a ceremony might have made: both, or one of them."""
    made_by = {"ceremony": msgspec.to_builtins(ceremonys_key().ceremony), "setup": "ceremony"}
    for name, keys in (
        ("both", {"key": made_by, "link_key": made_by}),
        ("certificates", {"key": made_by}),
        ("links", {"link_key": made_by}),
    ):
        yield name, made(**keys)


def policies() -> Named:
    """Yield what is required of keys: of both, whatever one of them is."""
    signers = tuple(signer.verifier.text for signer in (ANNA, BEN, CAROL))
    transcript, few, none = TranscriptIs.reason, SignedBy.reason, Reason.NO_TRANSCRIPT
    by = dict(ceremonies())
    key = parse_key(by["both"].files[KEY], KEY)
    links = parse_link_key(by["both"].files[LINK_KEY], LINK_KEY)
    own = note_of(key, ANNA, BEN).encode()
    others = note_of(links, BEN, CAROL).encode()  # type: ignore[arg-type]  # it has an attestation, too
    two = Policy(signed_by=(signers, 2))
    signed = by["both"].with_files(None, {SIGNATURES: own, LINK_SIGNATURES: others})
    yield "signed-both", signed.but(policy=two)
    yield "signed-both-ceremonies", signed.but(policy=replace_policy(two, setup="ceremony"))
    yield "signed-key-alone", signed.with_files(few, {LINK_SIGNATURES: None}).but(few, policy=two)
    yield "signed-link-key-alone", signed.with_files(few, {SIGNATURES: None}).but(few, policy=two)
    yield "signatures-of-the-other-key", signed.with_files(few, {LINK_SIGNATURES: own}).but(few, policy=two)
    yield "signed-that-came", signed.but(policy=two, pinned=(False, False))
    of = Policy(transcript=key.transcript)
    yield "transcript-of-one-of-two", by["both"].but(transcript, policy=of)
    yield "transcript-beside-one-partys-link-key", by["certificates"].but(transcript, policy=of)
    yield "ceremonies-by-nothing", by["both"].but(none)
    for name in ("certificates", "links"):
        yield f"ceremony-of-{name}-by-nothing", by[name].but(none)
        yield f"weakest-key-of-{name}", by[name].but(SETUP, policy=replace_policy(of, setup="ceremony"))
        yield f"ceremony-of-{name}-that-came", by[name].but(pinned=(True, False))
    # Nobody pinned the link's key: what is required of its set-up is its maker's own word.
    one = honest()
    pin = Policy(key=parse_key(one.files[KEY], KEY).fingerprint)
    yield "pin-of-one-key", one.but(policy=pin, pinned=(True, False))
    yield (
        "pin-of-one-key-and-set-up",
        one.but(SETUP, policy=replace_policy(pin, setup="single-party"), pinned=(True, False)),
    )
    ceremony = Policy(key=parse_key(by["links"].files[KEY], KEY).fingerprint, setup="ceremony")
    yield "pin-of-one-key-and-a-forged-ceremony", by["links"].but(SETUP, policy=ceremony, pinned=(True, False))
    yield "pinned-keys-and-one-by-name", one.but(policy=replace_policy(pin, setup="single-party"))
    yield from both_named(by)


def both_named(by: dict[str, LinkedCase]) -> Named:
    """Yield policies that name both keys, by fingerprints or by transcripts, and those that name a wrong one."""
    one = honest()
    pin = Policy(key=_certificates_key(one).fingerprint, link_key=_links_key(one).fingerprint)
    came, transcript, none = {"pinned": (True, False)}, TranscriptIs.reason, Reason.NO_TRANSCRIPT
    yield "pin-of-both-keys", one.but(policy=replace_policy(pin, setup="single-party"), **came)
    yield "pin-of-the-links-key-alone", one.but(policy=Policy(link_key=pin.link_key), **came)
    for name, wrong in (
        ("another-links-key", replace_policy(pin, link_key=_links_key(by["links"]).fingerprint)),
        ("the-certificates-key-for-the-links", replace_policy(pin, link_key=pin.key)),
    ):
        yield f"pin-of-{name}", one.but(LinkKeyIs.reason, policy=wrong, **came)
    exchanged = replace_policy(pin, key=pin.link_key, link_key=pin.key)
    yield "pins-exchanged", one.but(KeyIs.reason, policy=exchanged, **came)
    for name, wanted, reason in (
        ("pin", Policy(link_key=pin.link_key), LinkKeyIs.reason),
        ("transcript", Policy(link_transcript="7" * 64), transcript),
    ):
        yield f"{name}-of-a-link-that-there-is-not", ordinary().but(reason, policy=wanted)
    both = by["both"]
    own, links = _certificates_key(both), _links_key(both)
    ceremony = Policy(transcript=own.transcript, link_transcript=links.transcript, setup="ceremony")
    yield "transcripts-of-both", both.but(policy=ceremony)
    yield "transcripts-of-both-that-came", both.but(policy=ceremony, **came)
    signed = both.with_files(
        None, {LINK_SIGNATURES: note_of(links, BEN, CAROL).encode(), SIGNATURES: note_of(own, ANNA, BEN).encode()}
    )
    signers = (tuple(signer.verifier.text for signer in (ANNA, BEN, CAROL)), 2)
    yield "transcript-and-signers-of-both", signed.but(policy=Policy(transcript=own.transcript, signed_by=signers))
    of_link = Policy(link_transcript=links.transcript)
    yield "link-transcript-and-signers-of-both", signed.but(policy=replace_policy(of_link, signed_by=signers))
    for name, wrong in (
        ("of-the-key-twice", replace_policy(ceremony, link_transcript=own.transcript)),
        ("of-the-links-key-twice", replace_policy(ceremony, transcript=links.transcript)),
        ("exchanged", replace_policy(ceremony, transcript=links.transcript, link_transcript=own.transcript)),
        ("of-the-link-by-fingerprint", Policy(transcript=own.transcript, link_key=links.fingerprint)),
    ):
        yield f"transcripts-{name}", both.but(transcript, policy=wrong, **came)
    yield "transcript-of-the-link-alone", both.but(transcript, policy=of_link, **came)
    yield (
        "transcript-of-the-link-and-fingerprint",
        both.but(none, policy=replace_policy(of_link, key=own.fingerprint), **came),
    )
    # One of the two keys is a single party's: so is the proof, and naming the other's transcript does not change that.
    certificates, of_links = by["certificates"], by["links"]
    weakest = Policy(transcript=_certificates_key(certificates).transcript, link_transcript=links.transcript)
    yield "weakest-key-by-transcripts-of-certificates", certificates.but(transcript, policy=weakest)
    weakest = Policy(transcript=own.transcript, link_transcript=_links_key(of_links).transcript)
    yield "weakest-key-by-transcripts-of-links", of_links.but(transcript, policy=weakest)
    alone = Policy(link_transcript=_links_key(of_links).transcript)
    yield "weakest-key-by-the-links-transcript", of_links.but(transcript, policy=alone, **came)
    named = replace_policy(alone, key=_certificates_key(of_links).fingerprint)
    yield "weakest-key-by-fingerprint-and-the-links-transcript", of_links.but(none, policy=named, **came)
    named = Policy(transcript=_certificates_key(certificates).transcript, link_key=_links_key(certificates).fingerprint)
    yield "weakest-key-by-transcript-and-the-links-fingerprint", certificates.but(transcript, policy=named, **came)


def _certificates_key(case: LinkedCase) -> KeyDocument:
    """Return the metadata of the key of a case's certificates."""
    return parse_key(case.files[KEY], KEY)


def _links_key(case: LinkedCase) -> LinkKeyDocument:
    """Return the metadata of the key of its links."""
    return parse_link_key(case.files[LINK_KEY], LINK_KEY)


def replace_policy(policy: Policy, **fields: Any) -> Policy:
    """Return a policy that requires more."""
    return msgspec.structs.replace(policy, **fields)


def malformed() -> Named:
    """Yield files that are no links, no keys of links, and no certificates of kept models."""
    one, wrong = honest(), Reason.WRONG_FIELDS
    link = one.files[LINK_FILE]
    for name, data, reason in (
        ("spaced", link.replace(b'"key"', b'"key" '), Reason.NOT_CANONICAL),
        ("longer", link + b" ", Reason.NOT_CANONICAL),
        ("empty", b"", Reason.NOT_JSON),
        ("of-another-version", edited(one, LINK_FILE, version=2), Reason.OTHER_FORMAT),
        ("of-another-format", edited(one, LINK_FILE, format="equiproof-key"), Reason.OTHER_FORMAT),
        ("with-a-field-more", edited(one, LINK_FILE, note=""), wrong),
        ("without-a-field", edited(one, LINK_FILE, shown=None), wrong),
        ("shown-as-a-number", edited(one, LINK_FILE, shown=5), wrong),
        ("shown-plus-the-order", edited(one, LINK_FILE, shown=f"{SHOWN + ORDER:064x}"), Reason.BAD_ELEMENT),
        ("model-in-capitals", edited(one, LINK_FILE, model_commitment="A" * 64), Reason.BAD_ELEMENT),
        ("spec-too-short", edited(one, LINK_FILE, spec_digest="0" * 62), Reason.BAD_ELEMENT),
        ("key-in-capitals", edited(one, LINK_FILE, key="A" * 64), wrong),
        ("point-too-long", edited(one, LINK_FILE, point="8" * 66), wrong),
        ("link-key-too-short", edited(one, LINK_FILE, link_key__fingerprint="0" * 63), wrong),
        ("set-up-unknown", edited(one, LINK_FILE, link_key__setup="trusted"), wrong),
        ("proof-not-base64", edited(one, LINK_FILE, proof="-" * 8), Reason.NOT_BASE64),
        (
            "proof-of-228-bytes",
            edited(one, LINK_FILE, proof=base64.b64encode(bytes(228)).decode()),
            Reason.WRONG_LENGTH,
        ),
        ("proof-of-1200-bytes", edited(one, LINK_FILE, proof=base64.b64encode(bytes(1200)).decode()), Reason.TOO_LONG),
        ("a-certificate", one.files[CERTIFICATE], wrong),
    ):
        yield f"link-{name}", one.with_files(reason, {LINK_FILE: data})
    bad = Reason.BAD_SHAPE
    for name, changes, reason in (
        ("of-plonk", {"proof_system": "plonk-bn254"}, bad),
        ("of-another-scheme", {"shape__scheme": "branch"}, wrong),
        ("with-slices", {"shape__slices": 2}, wrong),
        ("with-predicates", {"shape__architecture__predicates": [1, 1]}, bad),
        ("with-nodes", {"shape__architecture__nodes": [1, 1]}, bad),
        ("without-layers", {"shape__architecture__hidden": []}, bad),
        ("of-widths-that-lack", {"shape__architecture__bias_bits": [36]}, bad),
        ("of-a-ceremony-without-it", {"setup": "ceremony"}, Reason.NO_TRANSCRIPT),
        ("universal", {"setup": "universal"}, Reason.NO_TRANSCRIPT),
    ):
        yield f"link-key-{name}", one.with_files(reason, {LINK_KEY: edited(one, LINK_KEY, **changes)})
    scores = made(golden="loans", shape=SCORES["ensemble"])
    for name, changes in (
        ("of-no-trees", {"shape__architecture__nodes": [0, 5]}),
        ("of-more-trees-than-nodes", {"shape__architecture__nodes": [6, 5]}),
        ("of-no-predicate", {"shape__architecture__predicates": [0, 1]}),
        ("without-predicates", {"shape__architecture__predicates": None}),
        ("of-two-scores", {"shape__architecture__logits": 2}),
        ("of-wider-jumps", {"shape__architecture__weight_bits": [17]}),
    ):
        yield f"link-key-of-trees-{name}", scores.with_files(bad, {LINK_KEY: edited(scores, LINK_KEY, **changes)})
    for name, changes in (
        ("of-no-words", {"shape__node_words": False}),
        ("of-words-that-are-numbers", {"shape__node_words": 1}),
    ):
        reason = bad if changes["shape__node_words"] is False else wrong
        yield f"link-key-{name}", scores.with_files(reason, {LINK_KEY: edited(scores, LINK_KEY, **changes)})
    yield (
        "link-key-of-nodes-of-networks",
        one.with_files(bad, {LINK_KEY: edited(one, LINK_KEY, shape__node_words=True)}),
    )
    visited = made(golden="loans", shape=VISITED)
    for name, changes in (
        ("none", {"shape__passed": 0}),
        ("fewer-than-none", {"shape__passed": -1}),
        ("more-than-nodes", {"shape__passed": 15}),
        ("of-an-opened-model", {"shape__model": None}),
    ):
        yield f"key-that-passes-{name}", visited.with_files(bad, {KEY: edited(visited, KEY, **changes)})
    yield "key-that-passes-nodes-of-networks", one.with_files(bad, {KEY: edited(one, KEY, shape__passed=1)})
    yield "link-key-of-certificates", one.with_files(wrong, {LINK_KEY: one.files[KEY]})
    yield "key-of-links", one.with_files(wrong, {KEY: one.files[LINK_KEY]})
    yield "kept-key-of-plonk", one.with_files(bad, {KEY: edited(one, KEY, proof_system="plonk-bn254")})
    yield "key-of-another-model-form", one.with_files(wrong, {KEY: edited(one, KEY, shape__model="open")})
    shown = edited(one, CERTIFICATE, statement__shown=to_hex(SHOWN).upper()[:-1] + "A")
    yield "shown-in-capitals", one.with_files(Reason.BAD_ELEMENT, {CERTIFICATE: shown})


def _plain(shape: Any) -> Any:
    """Return a shape as plain values."""
    return msgspec.json.decode(shape.document)
