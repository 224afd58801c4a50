"""Nothing leaves that contradicts a certificate, or that a person must decide first."""

import pytest

from equiproof.service.policy import HeldError, may_leave, refuse_early
from equiproof.service.settings import PolicySettings
from equiproof.service.states import State
from equiproof.service.store.tables import Decision
from equiproof.verifier.certificate import parse_certificate
from tests.service import made

HELD = PolicySettings()
FREE = PolicySettings(hold_letter_until_certified=False)
RADIUS = "0.5"


def asked(state, certificate=None, policy=HELD, *, label=0, overridden=False):
    may_leave(Decision(id="a" * 32, state=state, label=label), certificate, policy, overridden)


@pytest.mark.parametrize("state", [State.DECIDED, State.CERTIFYING])
def test_a_letter_waits_for_its_certificate(state):
    """Unless the policy lets it leave at once; a least radius cannot be known before the certificate."""
    with pytest.raises(HeldError, match="not there yet"):
        asked(state)
    asked(state, policy=FREE)
    with pytest.raises(HeldError, match="not there yet"):
        asked(state, policy=PolicySettings(hold_letter_until_certified=False, min_radius=RADIUS))


@pytest.mark.parametrize("policy", [PolicySettings(), FREE])
def test_a_review_leaves_when_a_person_has_decided(policy):
    """Whatever the policy, and whatever label stands in the row."""
    for label in (None, 0):
        with pytest.raises(HeldError, match="a person decides"):
            asked(State.REVIEW, policy=policy, label=label)
        asked(State.REVIEW, policy=policy, label=label, overridden=True)


@pytest.mark.parametrize("state", [State.UNDECIDED, State.FAILED])
def test_what_has_no_certificate_is_a_persons(state):
    """Where the policy waits for one that will not come; a decision that the policy lets go free leaves."""
    with pytest.raises(HeldError, match="a person decides"):
        asked(state)
    asked(state, overridden=True)
    asked(state, policy=FREE)


def test_a_certificate_must_state_the_decision():
    """Another label, another state, a person beside it: nothing leaves, however free the policy is."""
    asked(State.CERTIFIED, made.row("a" * 32))
    for policy in (PolicySettings(), FREE):
        with pytest.raises(HeldError, match="does not state this decision"):
            asked(State.CERTIFIED, made.row("a" * 32, label=1), policy)
        with pytest.raises(HeldError, match="does not state this decision"):
            asked(State.REVIEW, made.row("a" * 32), policy)
        with pytest.raises(HeldError, match="settle which one stands"):
            asked(State.CERTIFIED, made.row("a" * 32), policy, overridden=True)
        with pytest.raises(HeldError, match="no longer kept"):
            asked(State.CERTIFIED, None, policy)


def test_a_radius_below_the_least_is_held():
    """The radius in words is compared, which is rounded down: equal to the least it leaves, one step above it not."""
    certificate = made.row("a" * 32, radius=1 << 20)
    shown = parse_certificate(certificate.body, "").reading.radius_any
    asked(State.CERTIFIED, certificate, PolicySettings(min_radius=shown))
    above = f"{float(shown) + 0.000001:.6f}"
    with pytest.raises(HeldError, match=f"below {above}"):
        asked(State.CERTIFIED, certificate, PolicySettings(min_radius=above))
    with pytest.raises(HeldError, match="below"):
        asked(State.CERTIFIED, made.row("a" * 32, radius=0), PolicySettings(min_radius="0.000001"))


def test_beside_a_certificate_that_is_held_a_person_decides():
    """One that may leave is contradicted by no person."""
    held, free = (PolicySettings(min_radius=least) for least in ("1000000", "0.000001"))
    asked(State.CERTIFIED, made.row("a" * 32), held, overridden=True)
    with pytest.raises(HeldError, match="settle which one stands"):
        asked(State.CERTIFIED, made.row("a" * 32), free, overridden=True)


def test_papers_leave_at_multiples_of_the_delay():
    """The first after the certificate was made, counted from the decision; without one nothing waits."""
    decision, row = Decision(id="a" * 32, state=State.CERTIFIED, label=0, received=5_000_000), made.row("a" * 32)
    policy = PolicySettings(release_every_seconds=60)
    for finished, released in ((6_000_000, 65_000_000), (65_000_000, 65_000_000), (65_000_001, 125_000_000)):
        row.made = finished
        for now in (finished, released - 1):
            if now < released:
                with pytest.raises(HeldError, match="next multiple of release_every_seconds"):
                    refuse_early(decision, row, policy, now)
        refuse_early(decision, row, policy, released)
        refuse_early(decision, row, HELD, finished)
    refuse_early(decision, None, policy, 6_000_000)
