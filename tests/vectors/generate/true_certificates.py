"""Certificates that convince: what a verifier must not refuse."""

from __future__ import annotations

import json

from equiproof.circuits.canonical import canonical_bytes
from tests.vectors.generate.cases import (
    EVERYTHING,
    LOANS,
    Named,
    certificate_vector,
    document,
    edited,
    with_proof,
)
from tests.vectors.generate.true_proofs import rerandomised
from tests.vectors.vector import CERTIFICATE, CONTEXT, KEY, QUERY, VERIFYING, Policy, certificate_base


def vectors() -> Named:
    """Yield every family."""
    yield from published()
    yield from policies()
    yield from what_no_proof_covers()


def published() -> Named:
    """Certificates of earlier days, under every policy that they meet."""
    for base in (LOANS, "rates", "logarithms"):
        why = "a certificate that was published verifies for ever"
        yield f"published-{base}", certificate_vector("accept", f"the certificate {base}", why, base=base)
        yield (
            f"published-{base}-under-every-policy",
            certificate_vector("accept", "with query, context and radius", why, policy=EVERYTHING, base=base),
        )


def policies() -> Named:
    """Demands that are met, at their edges."""
    why = "the demand is met exactly"
    radius = document(CERTIFICATE)["reading"]["radius_any"]
    for name, policy in (
        ("radius-zero", Policy(min_radius="0")),
        ("radius-as-shown", Policy(min_radius=radius)),
        ("set-up", Policy(setup="single-party")),
        ("query", Policy(query=True)),
        ("context", Policy(context=True)),
    ):
        yield f"policy-{name}", certificate_vector("accept", f"policy: {name}", why, policy=policy)
    respelled = json.dumps(dict(reversed(document(CONTEXT).items())), indent=3)
    yield (
        "context-in-another-spelling",
        certificate_vector(
            "accept",
            "the context in another order, with spaces",
            "a context is hashed by its content: people write it by hand",
            policy=Policy(context=True),
            files={CONTEXT: respelled},
        ),
    )


def what_no_proof_covers() -> Named:
    """Parts of a certificate that anybody may change without changing what it says."""
    disclosed = edited(CERTIFICATE, "query", document(QUERY))
    yield (
        "query-disclosed",
        certificate_vector(
            "accept", "the query shown", "it opens the query commitment", files={CERTIFICATE: disclosed}
        ),
    )
    nearby = edited(QUERY, "features.income", 58059)
    yield (
        "query-of-the-same-grid-point",
        certificate_vector(
            "accept",
            "a query with one euro more",
            "the statement is about rounded features, and both round to the same integer",
            policy=Policy(query=True),
            files={QUERY: nearby},
        ),
    )
    tools = edited(CERTIFICATE, "tools", {"another": "1"})
    why = "versions of software are a record that nothing trusts"
    yield "other-tools", certificate_vector("accept", "other tools", why, files={CERTIFICATE: tools})
    proof = with_proof(rerandomised())
    why = "proofs can be re-randomised by anybody; the statement is the same"
    yield "proof-drawn-anew", certificate_vector("accept", "a proof drawn anew", why, files={CERTIFICATE: proof})
    other = certificate_base("rates")
    second = {f"keys/other/{name}": other[path] for name, path in (("key.json", KEY), ("verifying.key", VERIFYING))}
    why = "a store may hold many keys; the certificate names one"
    files = {name: data if name.endswith(".key") else data.decode() for name, data in second.items()}
    yield "two-trusted-keys", certificate_vector("accept", "another key in the store", why, files=files)
    assert canonical_bytes(document(KEY)) == certificate_base(LOANS)[KEY]
