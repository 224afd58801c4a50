"""Nothing leaves that contradicts a certificate, or that a person must decide first."""

import sqlite3

import pytest
from msgspec import UNSET
from sqlalchemy import literal_column

from equiproof.circuits.levels import squares
from equiproof.service.policy import HeldError, has_left, may_leave, refuse_unreachable, released_at
from equiproof.service.settings import PolicySettings, SettingsError
from equiproof.service.states import State
from equiproof.verifier.certificate import parse_certificate
from equiproof.verifier.reading import Reading
from tests.service import made
from tests.support import LOANS, changed

HELD = PolicySettings()
FREE = PolicySettings(hold_letter_until_certified=False)
RADIUS = "0.5"
LITERAL = {"literal_binds": True}


def asked(state, certificate=None, policy=HELD, *, label=0, overridden=False):
    may_leave(state, label, certificate, policy, overridden)


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


@pytest.mark.parametrize("levels", [UNSET, ("0.02", "0.05")])
def test_a_least_radius_that_no_certificate_has_is_refused(levels):
    """The largest one that a certificate shows in words may leave; a policy that asks for a step more is refused."""
    spec = changed(LOANS, levels=levels)
    shown = Reading.of(
        spec, 0, spec.max_radius_squared if levels is UNSET else squares(levels, spec.input_fraction_bits)[-1]
    ).radius_any
    above = f"{float(shown) + 0.000001:.6f}"
    for least in (None, "0", shown):
        refuse_unreachable("loans", spec, PolicySettings(min_radius=least))
    with pytest.raises(SettingsError) as caught:
        refuse_unreachable("loans", spec, PolicySettings(min_radius=above))
    said = f"want at most {shown}, the largest radius that certificates of this model show, not {above}"
    assert str(caught.value) == f"policy.min_radius: {said}: the model loans"


def test_beside_a_certificate_that_is_held_a_person_decides():
    """One that may leave is contradicted by no person."""
    held, free = (PolicySettings(min_radius=least) for least in ("1000000", "0.000001"))
    asked(State.CERTIFIED, made.row("a" * 32), held, overridden=True)
    with pytest.raises(HeldError, match="settle which one stands"):
        asked(State.CERTIFIED, made.row("a" * 32), free, overridden=True)


@pytest.mark.parametrize(
    ("ended", "released"), [(6, 65), (65, 65), (66, 125), (125, 125), (126, 185), (5, 65), (4, 65), (-100, 65)]
)
def test_a_change_leaves_at_a_multiple_of_the_delay(ended, released):
    """The first one after the receipt, or a later one; never at once, even by a clock that is behind. So says SQL."""
    assert released_at(5, ended, 60) == released
    assert released_at(5, ended, 0) == ended
    query = sqlite3.connect(":memory:").execute
    for now in (0, 4, 5, 64, 65, 66, 124, 125, 184, 185):
        said = str(has_left(literal_column("5"), literal_column(str(ended)), 60, now).compile(compile_kwargs=LITERAL))
        assert query(f"select {said}").fetchone() == (now >= released,)
