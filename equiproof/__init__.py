"""Zero-knowledge proofs that a committed model decides fairly around an applicant.

The names below are all that most programs need. Each is imported when it is first used, so `import equiproof` needs no
package beyond Python's own, and verifying needs none of the owner's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from equiproof.lazy import lazily

if TYPE_CHECKING:
    from equiproof.certify.many.certifier import Certifier
    from equiproof.certify.models.importing import from_sklearn, import_model
    from equiproof.circuits.spec import load_spec
    from equiproof.prover.keys import KeyStore
    from equiproof.prover.opening import Opening, commit, load_opening
    from equiproof.prover.prove import Prover
    from equiproof.verifier.combined import AllOf, AnyOf, UnsafeNoPolicy
    from equiproof.verifier.documents import load_commitment, load_query
    from equiproof.verifier.gain_policy import GainOf, MinGain
    from equiproof.verifier.policy import (
        ContextHas,
        ForContext,
        ForQuery,
        KeyIs,
        MinRadius,
        ModelIs,
        NoRanges,
        NotOlderThan,
        ProofSystemIs,
        RangesWithin,
        SetupIs,
    )
    from equiproof.verifier.presented import verify_bundle
    from equiproof.verifier.transcripts import SignedBy, TranscriptIs
    from equiproof.verifier.trust import TrustStore
    from equiproof.verifier.verify import Verified, Verifier
    from equiproof.verifier.verify_gain import GainVerifier

__all__ = [
    "AllOf",
    "AnyOf",
    "Certifier",
    "ContextHas",
    "ForContext",
    "ForQuery",
    "GainOf",
    "GainVerifier",
    "KeyIs",
    "KeyStore",
    "MinGain",
    "MinRadius",
    "ModelIs",
    "NoRanges",
    "NotOlderThan",
    "Opening",
    "ProofSystemIs",
    "Prover",
    "RangesWithin",
    "SetupIs",
    "SignedBy",
    "TranscriptIs",
    "TrustStore",
    "UnsafeNoPolicy",
    "Verified",
    "Verifier",
    "commit",
    "from_sklearn",
    "import_model",
    "load_commitment",
    "load_opening",
    "load_query",
    "load_spec",
    "verify_bundle",
]

_MODULES = dict.fromkeys(__all__, "verifier.policy") | {
    "AllOf": "verifier.combined",
    "AnyOf": "verifier.combined",
    "Certifier": "certify.many.certifier",
    "GainOf": "verifier.gain_policy",
    "GainVerifier": "verifier.verify_gain",
    "KeyStore": "prover.keys",
    "MinGain": "verifier.gain_policy",
    "Opening": "prover.opening",
    "Prover": "prover.prove",
    "SignedBy": "verifier.transcripts",
    "TranscriptIs": "verifier.transcripts",
    "TrustStore": "verifier.trust",
    "UnsafeNoPolicy": "verifier.combined",
    "Verified": "verifier.verify",
    "Verifier": "verifier.verify",
    "commit": "prover.opening",
    "from_sklearn": "certify.models.importing",
    "import_model": "certify.models.importing",
    "load_commitment": "verifier.documents",
    "load_opening": "prover.opening",
    "load_query": "verifier.documents",
    "load_spec": "circuits.spec",
    "verify_bundle": "verifier.presented",
}

if not TYPE_CHECKING:  # a type checker would otherwise accept any name
    __getattr__, __dir__ = lazily(__name__, _MODULES)
