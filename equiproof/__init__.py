"""Zero-knowledge proofs that a committed model decides fairly around an applicant.

The names below are all that most programs need. Each is imported when it is first used, so `import equiproof` needs no
package beyond Python's own, and verifying needs none of the owner's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from equiproof.circuits.policy_rows import policy_rows
from equiproof.lazy import lazily

if TYPE_CHECKING:
    from equiproof.certify.many.certifier import Certifier as Certifier
    from equiproof.circuits.spec import load_spec as load_spec
    from equiproof.prover.imports import ImportedModel as ImportedModel
    from equiproof.prover.imports import import_model as import_model
    from equiproof.prover.keys import KeyStore as KeyStore
    from equiproof.prover.opening import Opening as Opening
    from equiproof.prover.opening import commit as commit
    from equiproof.prover.opening import load_opening as load_opening
    from equiproof.prover.prove import Prover as Prover
    from equiproof.verifier.documents import load_commitment as load_commitment
    from equiproof.verifier.documents import load_query as load_query
    from equiproof.verifier.link import load_link as load_link
    from equiproof.verifier.policies import *  # noqa: F403
    from equiproof.verifier.presented import verify_bundle as verify_bundle
    from equiproof.verifier.trust import TrustStore as TrustStore
    from equiproof.verifier.verify import Verified as Verified
    from equiproof.verifier.verify import Verifier as Verifier
    from equiproof.verifier.verify_box import BoxVerifier as BoxVerifier
    from equiproof.verifier.verify_gain import GainVerifier as GainVerifier

_MODULES = {
    "BoxVerifier": "verifier.verify_box",
    "Certifier": "certify.many.certifier",
    "GainVerifier": "verifier.verify_gain",
    "ImportedModel": "prover.imports",
    "KeyStore": "prover.keys",
    "Opening": "prover.opening",
    "Prover": "prover.prove",
    "TrustStore": "verifier.trust",
    "Verified": "verifier.verify",
    "Verifier": "verifier.verify",
    "commit": "prover.opening",
    "import_model": "prover.imports",
    "load_commitment": "verifier.documents",
    "load_link": "verifier.link",
    "load_opening": "prover.opening",
    "load_query": "verifier.documents",
    "load_spec": "circuits.spec",
    "verify_bundle": "verifier.presented",
}

_OF_LOGS = ("log", "receipt")
"""What policies are about that stay in `equiproof.verifier`, with the parts of a log that they are made of."""

if not TYPE_CHECKING:  # a type checker takes the imports above, and would otherwise accept any name
    _POLICIES = {row.name for row in policy_rows() if row.fact not in _OF_LOGS} | {"AllOf", "UnsafeNoPolicy"}
    _MODULES |= dict.fromkeys(_POLICIES, "verifier.policies")
    __all__ = sorted(_MODULES)  # noqa: PLE0605 -- a list
    __getattr__, __dir__ = lazily(__name__, _MODULES)
