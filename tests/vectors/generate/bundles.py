"""Bundles: what a verifier takes a file's word for, whose certificate it refuses, and which bytes are no bundle."""

from __future__ import annotations

import json

from equiproof.circuits.canonical import canonical_bytes
from equiproof.verifier.bundle import README
from equiproof.verifier.documents import parse_key
from equiproof.verifier.errors import Reason
from equiproof.verifier.logged import ForReceipt
from equiproof.verifier.policy import ForContext, ForQuery, KeyIs, ModelIs, SetupIs
from equiproof.verifier.transcripts import SignedBy, TranscriptIs
from tests.support import changed
from tests.vectors.generate import bundle_bytes, bundle_recourse
from tests.vectors.generate.bundle_cases import (
    BOTH,
    CEREMONY,
    FORGED,
    OWN,
    PLONK,
    PUBLIC,
    RECOURSE,
    SIGNERS,
    Named,
    bases,
    case,
    with_files,
)
from tests.vectors.generate.cases import LOANS, edited, restated
from tests.vectors.generate.log import RECEIVED
from tests.vectors.generate.transcripts import ceremonys_key
from tests.vectors.vector import (
    CERTIFICATE,
    COMMITMENT,
    CONTEXT,
    KEY,
    QUERY,
    VERIFYING,
    Given,
    Pinned,
    Policy,
    certificate_base,
)

__all__ = ["bases", "vectors"]


def vectors() -> Named:
    """Yield every family."""
    yield from accepted()
    yield from refused()
    yield from bundle_bytes.vectors()
    yield from recourse()


def recourse() -> Named:
    """A refused applicant's bundle with what would have been enough, or that nothing would have been."""
    for verdict, family in (
        ("accept", bundle_recourse.accepted),
        ("reject", bundle_recourse.refused_cases),
        ("malformed", bundle_recourse.malformed),
    ):
        for name, what, why, reason, field, files in family():
            archive = with_files(RECOURSE, **files)
            yield name, case(verdict, what, why, reason, field, base=RECOURSE, archive=archive)


def accepted() -> Named:
    """Certificates that verify, and what of it is pinned."""
    why = "what came with the certificate is used; that it is nobody's word is said first"
    for base in (OWN, PUBLIC, PLONK):
        yield f"published-{base}", case("accept", f"the bundle {base}", why, base=base)
    why = "a key that came along may be anybody's, whatever it says of its set-up, so no transcript would help"
    yield "key-of-a-ceremony", case("accept", "a ceremony's key that came along", why, base=CEREMONY)
    why = "who makes key and proof can forge; only the missing pin says so"
    yield "forged-under-a-key-of-the-forger", case("accept", "a forged certificate, with its key", why, base=FORGED)
    why = "what a relying party has from elsewhere takes the place of what came along"
    given = Given(commitment=LOANS, keys=LOANS)
    yield "given-both", case("accept", "own commitment, own keys", why, given=given, pinned=BOTH)
    other = with_files(OWN, commitment=certificate_base("rates")[COMMITMENT])
    pinned = Pinned(commitment=True, key=False)
    yield (
        "given-commitment-for-a-false-one",
        case("accept", "own commitment", why, given=Given(commitment=LOANS), archive=other, pinned=pinned),
    )
    why = "64 digits from a public place pin as well as the file"
    metadata, commitment = certificate_base(LOANS)[KEY], json.loads(certificate_base(LOANS)[COMMITMENT])
    model, key = commitment["model_commitment"], parse_key(metadata, KEY).fingerprint
    for name, policy, pinned in (
        ("digits-of-the-model", Policy(model=model), Pinned(commitment=True, key=False)),
        ("digits-of-the-key", Policy(key=key), Pinned(commitment=False, key=True)),
        ("digits-of-both", Policy(model=model, key=key, setup="single-party"), BOTH),
    ):
        yield name, case("accept", name.replace("-", " "), why, policy=policy, pinned=pinned)
    why = "a transcript fixes both keys; signers whom one trusts have checked it"
    for name, policy in (
        ("ceremony-by-transcript", Policy(transcript=ceremonys_key().transcript, setup="ceremony")),
        ("ceremony-by-signers", Policy(signed_by=(SIGNERS, 2))),
    ):
        pinned = Pinned(commitment=False, key=True)
        yield name, case("accept", f"a ceremony's key: {name}", why, base=CEREMONY, policy=policy, pinned=pinned)
    why = "a log proof is carried, and not read"
    logged = with_files(PUBLIC, log_proof=b"anything\n")
    yield "log-proof-is-carried", case("accept", "a log proof", why, base=PUBLIC, archive=logged)
    why = "the README is one text in all bundles, for whoever unpacks one: no sender chooses it"
    for base in (OWN, RECOURSE):
        archive = with_files(base, readme=README)
        yield f"readme-{base}", case("accept", f"the bundle {base} with its README", why, base=base, archive=archive)
    why = "a receipt that came with the certificate is of this one; its log proof is carried, where no log is pinned"
    received = with_files(OWN, receipt=canonical_bytes(RECEIVED), receipt_proof=b"anything\n")
    yield "receipt", case("accept", "a receipt", why, archive=received)


def refused() -> Named:
    """Certificates that do not fit what came with them, or what the relying party demands."""
    rates = certificate_base("rates")
    query, context = edited(QUERY, "features.income", 31384), edited(CONTEXT, "date", "2026-02-01")
    radius = 4 * edited(CERTIFICATE, "version", 2)["statement"]["radius_squared"]
    larger, digits = restated(radius_squared=radius), "1" * 64
    key, theirs = ceremonys_key(), changed(RECEIVED, context_digest="0" * 64)
    why = "every file of a bundle must fit the certificate"
    for name, reason, files in (
        ("commitment-of-another-model", Reason.MODEL_DIFFERS, {"commitment": rates[COMMITMENT]}),
        ("key-of-another-circuit", Reason.KEY_NOT_TRUSTED, {"key": rates[KEY], "verifying_key": rates[VERIFYING]}),
        ("query-of-somebody-else", ForQuery.reason, {"query": canonical_bytes(query)}),
        ("context-of-another-day", ForContext.reason, {"context": canonical_bytes(context)}),
        ("receipt-of-another-certificate", ForReceipt.reason, {"receipt": canonical_bytes(theirs)}),
        ("larger-radius", Reason.PAIRINGS_DIFFER, {"certificate": canonical_bytes(larger)}),
    ):
        yield name, case("reject", name.replace("-", " "), why, reason, archive=with_files(OWN, **files))
    why = "what the relying party has from elsewhere decides"
    for name, reason, given, policy in (
        ("given-commitment-of-another-model", Reason.MODEL_DIFFERS, Given(commitment="rates"), Policy()),
        ("given-keys-without-this-one", Reason.KEY_NOT_TRUSTED, Given(keys="rates"), Policy()),
        ("digits-of-another-model", ModelIs.reason, Given(), Policy(model="0" + digits[1:])),
        ("digits-of-another-key", KeyIs.reason, Given(), Policy(key=digits)),
    ):
        yield name, case("reject", name.replace("-", " "), why, reason, given=given, policy=policy)
    why = (
        "the word of a key that came along is nobody's; that of a pinned ceremony's key needs its transcript or signers"
    )
    for name, base, reason, policy in (
        ("kind-of-an-unpinned-key", OWN, SetupIs.reason, Policy(setup="single-party")),
        ("kind-of-an-unpinned-ceremonys-key", CEREMONY, SetupIs.reason, Policy(setup="ceremony")),
        ("kind-of-a-forgers-key", FORGED, SetupIs.reason, Policy(setup="ceremony")),
        ("ceremony-by-fingerprint-alone", CEREMONY, Reason.NO_TRANSCRIPT, Policy(key=key.fingerprint)),
        ("forgers-key-under-an-honest-transcript", FORGED, TranscriptIs.reason, Policy(transcript=key.transcript)),
        ("forgers-key-without-signers", FORGED, SignedBy.reason, Policy(signed_by=(SIGNERS, 1))),
    ):
        yield name, case("reject", name.replace("-", " "), why, reason, base=base, policy=policy)
    why = "a forger's key is not among those that one trusts"
    given = Given(keys=LOANS)
    yield "forged-given-keys", case("reject", "a forged one", why, Reason.KEY_NOT_TRUSTED, base=FORGED, given=given)
