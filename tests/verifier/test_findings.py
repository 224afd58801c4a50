"""What answers are made from: the largest radius that is demanded, and whether the log has the receipt."""

from types import SimpleNamespace

import pytest

from equiproof.verifier import AllOf, MinRadius, parse_commitment
from equiproof.verifier.documents import parse_key
from equiproof.verifier.findings import findings
from equiproof.verifier.presented import Presented
from tests.support import no_policy
from tests.verifier.test_logged import GOOD, LOANS, terms

VERIFIED = SimpleNamespace(
    spec=parse_commitment((LOANS / "commitment.json").read_bytes(), "commitment").spec,
    statement=SimpleNamespace(label=0, radius_squared=1),
    key=parse_key((LOANS / "keys" / "key" / "key.json").read_bytes(), "key"),
    pins=SimpleNamespace(commitment=False, key=False),
)
CERTIFICATE = SimpleNamespace(query=None)


@pytest.mark.parametrize(
    ("radii", "largest"),
    [([], None), (["0"], None), (["0.5"], "0.5"), (["0.5", "10", "9"], "10"), (["10.0", "9"], "10.0")],
)
def test_the_largest_radius_is_named(radii, largest):
    """As it was written, by its number and not by its text; a radius of 0 demands nothing."""
    policy = AllOf(no_policy(), *map(MinRadius, radii))
    assert findings(VERIFIED, policy, Presented(CERTIFICATE)).minimum == largest


@pytest.mark.parametrize("logged", [True, False])
@pytest.mark.parametrize("proof", [None, b"", b"a proof"])
def test_a_receipt_is_logged_where_both_are_there(logged, proof):
    """A log that was pinned, and a proof that the receipt is in it."""
    policy = terms(GOOD["pins"]).policy(GOOD["proof"].encode(), GOOD["now"]) if logged else no_policy()
    assert findings(VERIFIED, policy, Presented(CERTIFICATE, receipt_proof=proof)).receipt_logged == bool(
        logged and proof
    )
