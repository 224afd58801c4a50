"""What answers are made from: the largest radius that is demanded, and whether the log has the receipt."""

from types import SimpleNamespace

import pytest

from equiproof.verifier import AllOf, ForQuery, MinRadius, parse_commitment
from equiproof.verifier.answer import KeyMaking, Pinned
from equiproof.verifier.documents import QueryDocument, parse_key
from equiproof.verifier.facts import Pins
from equiproof.verifier.findings import findings
from equiproof.verifier.logged import ForReceipt
from equiproof.verifier.presented import Presented
from tests.support import changed, no_policy
from tests.vectors.generate.log import RECEIVED
from tests.verifier.test_logged import GOOD, LOANS, terms
from tests.verifier.test_transcripts import CEREMONY

VERIFIED = SimpleNamespace(
    spec=parse_commitment((LOANS / "commitment.json").read_bytes(), "commitment").spec,
    statement=SimpleNamespace(label=0, radius_squared=1),
    key=parse_key((LOANS / "keys" / "key" / "key.json").read_bytes(), "key"),
    pins=SimpleNamespace(commitment=False, key=False),
    link_key=None,
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


@pytest.mark.parametrize(
    ("own", "receipt", "wanted"),
    [(True, RECEIVED, "given"), (False, RECEIVED, "found"), (False, None, None)],
)
def test_a_receipt_is_the_readers_own_or_came_with_it(own, receipt, wanted):
    """A reader's own receipt is one that is given, or that the policy requires."""
    assert findings(VERIFIED, no_policy(), Presented(CERTIFICATE, receipt=receipt, own_receipt=own)).receipt == wanted
    required = AllOf(no_policy(), ForReceipt(RECEIVED))
    assert findings(VERIFIED, required, Presented(CERTIFICATE, receipt=receipt)).receipt == "given"


def test_who_made_a_key_and_of_what():
    """Powers may come from another project, in a ceremony's first phase or in a universal set-up."""
    for origin in ("imported", "ceremony"):
        imported = origin == "imported"
        powers = changed(CEREMONY.powers, origin=origin)
        ceremony = changed(VERIFIED.key, setup="ceremony", ceremony=changed(CEREMONY, powers=powers))
        assert KeyMaking.of(ceremony) == KeyMaking("ceremony", 2, imported)
        universal = changed(VERIFIED.key, setup="universal", powers=powers)
        assert KeyMaking.of(universal) == KeyMaking("universal", 0, imported)
    assert KeyMaking.of(VERIFIED.key) == KeyMaking("single-party")


def test_the_owner_in_a_log_is_the_entrys():
    """Named as the entry of the commitment has it, whether or not the reader pins the name."""
    for owner in (None, "Example Bank"):
        policy = terms(GOOD["pins"] | {"owner": owner}).policy(GOOD["proof"].encode(), GOOD["now"])
        policy.judge(GOOD["digest"])
        found = findings(VERIFIED, policy, Presented(CERTIFICATE)).logged
        assert found is not None
        assert (found.owner, found.owner_pinned) == ("Example Bank", owner is not None)


@pytest.mark.parametrize("key", [True, False])
def test_a_commitment_that_came_can_be_pinned_by_its_fingerprint_only(key):
    """Where the reader names no commitment, one that came with the certificate is the one that is meant."""
    came = parse_commitment((LOANS / "commitment.json").read_bytes(), "commitment")
    for commitment, pinned, wanted in (
        (None, True, "given"), (came, True, "fingerprint"), (None, False, None), (came, False, None),
    ):  # fmt: skip
        verified = SimpleNamespace(**vars(VERIFIED) | {"pins": Pins(pinned, key)})
        found = findings(verified, no_policy(), Presented(CERTIFICATE, commitment=commitment))
        assert found.pins == Pinned(wanted, key)


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("came", [True, False])
@pytest.mark.parametrize("found", [True, False])
@pytest.mark.parametrize("disclosed", [True, False])
def test_the_readers_own_details_come_first(own, came, found, disclosed):
    """Then those that came beside the certificate, then those in it; only others than the reader's are found."""
    mine, beside, inside = (QueryDocument("equiproof-query", 2, {"income": n}, "0") for n in (1, 2, 3))
    policies = [ForQuery(mine)] * own + [ForQuery(beside, found=True)] * found
    presented = Presented(SimpleNamespace(query=inside if disclosed else None), query=beside if came else None)
    said = findings(VERIFIED, AllOf(no_policy(), *policies), presented)
    wanted = mine if own else beside if came else inside if disclosed else None
    assert said.query == (None if wanted is None else wanted.features)
    assert said.query_found == (wanted is not None and not own)
