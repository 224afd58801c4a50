"""Under a spec with levels certificates show the largest level that holds, and nothing else of the radius."""

import json
import random
from dataclasses import replace
from fractions import Fraction

import pytest

from equiproof.certify.gain import GainError
from equiproof.certify.traversal.search import Search
from equiproof.circuits.levels import gains as levels_of_gains
from equiproof.circuits.levels import shown, squares
from equiproof.circuits.spec import SpecError
from equiproof.ffi.errors import UnsatisfiedError
from equiproof.prover import Opening, Prover, prove
from equiproof.prover.evidence import Found, find_evidence
from equiproof.prover.gain import GainProver, Sought
from equiproof.verifier import ForQuery, GainVerifier, Verifier, parse_commitment
from equiproof.verifier.errors import ProofError, Reason
from equiproof.verifier.exports import make_export
from tests.conftest import CONTEXT
from tests.kept import kept_keys
from tests.prover.test_additive import CAPACITY, ROW, SLOTS, case_of
from tests.support import LOANS, applicant, changed, key_of, trusting
from tests.verifier.exported import BANK, FORMS

TEXTS = ("0.02", "0.05", "0.1", "0.2", "0.4", "0.8", "1.6")
LEVELLED = changed(LOANS, levels=TEXTS, gain_levels=("0.05", "0.2", "1"))


def levelled(opening, spec=LEVELLED, model=None):
    """Return the opening under a spec with levels, or of another model."""
    return Opening.of(opening.network if model is None else model, spec, opening.blinding)


def verified(opening, key, proven):
    """Return what a stranger verifies about a certificate, from its bytes."""
    commitment = parse_commitment(opening.public(), "commitment.json")
    return Verifier(commitment, trusting(key)).verify(proven.certificate.to_bytes(), ForQuery(proven.query))


@pytest.mark.parametrize("scheme", ["loans", "loans_tree"])
def test_the_largest_level_below_the_exact_radius_is_shown(request, scheme):
    """The exact proof of the same key has a larger radius, the words say "at least", and strangers accept both."""
    setting = request.getfixturevalue(scheme)
    opening = levelled(setting.opening)
    below = set()
    with Prover(setting.opening, setting.key) as exact, Prover(opening, setting.key) as owner:
        for row, found in setting.applicants(seed=5):
            if not isinstance(found, Search):
                continue
            most = exact.prove(row).evidence.radius_squared
            proven = owner.prove(row, CONTEXT)
            radius = proven.certificate.statement.radius_squared
            assert radius == shown(LEVELLED, most)
            assert proven.evidence.radius_squared == radius
            assert verified(opening, setting.key, proven).reading.at_least
            assert not radius or "at least" in proven.document()["statement"]
            below.add((radius < most, radius > 0))
            if {(True, True)} <= below:
                return


def test_an_additive_model_shows_levels():
    """Its evidence is searched for at the level, and verifies."""
    case = case_of(1)
    key = key_of(kept_keys(), case.shape(SLOTS, CAPACITY))
    exact = case.exact()
    text = f"{float(Fraction(exact) ** Fraction(1, 2) / LOANS.scale_unit) * 0.9:.4f}"
    opening = Opening.of(case.model, changed(LOANS, levels=(text, "16")), 11)
    with Prover(opening, key) as owner:
        proven = owner.prove(ROW)
    assert 0 < proven.certificate.statement.radius_squared == squares((text,), LOANS.input_fraction_bits)[0] < exact
    assert verified(opening, key, proven).reading.at_least


def cheat(monkeypatch, radius):
    """Have the prover state another radius than that of its evidence."""
    honest = prove.state
    monkeypatch.setattr(prove, "state", lambda *parts: replace(honest(*parts), radius_squared=radius))


def test_a_level_that_is_not_proven_has_no_proof(loans, monkeypatch):
    """An owner who states the next level has no witness for it."""
    row, evidence = loans.fair(3)
    level = next(square for square in squares(TEXTS, LOANS.input_fraction_bits) if square > evidence.radius_squared)
    cheat(monkeypatch, level)
    with Prover(levelled(loans.opening), loans.key) as owner, pytest.raises(UnsatisfiedError):
        owner.prove(row)


def test_a_proven_radius_that_is_no_level_is_refused(loans, monkeypatch):
    """An owner who searches as if the spec had no levels has a true proof of the exact radius: verifiers refuse it."""
    row, evidence = loans.fair(3)
    opening = levelled(loans.opening)
    assert shown(LEVELLED, evidence.radius_squared) != evidence.radius_squared
    monkeypatch.setattr(prove, "find_evidence", lambda _opening, *others: find_evidence(loans.opening, *others))
    with Prover(opening, loans.key) as owner:
        proven = owner.prove(row)
    assert proven.certificate.statement.radius_squared == evidence.radius_squared
    with pytest.raises(ProofError, match="not one of the levels") as caught:
        verified(opening, loans.key, proven)
    assert caught.value.reason == Reason.NOT_A_LEVEL


def moved(network):
    """Return the network with a slightly larger last bias: most radii differ a little."""
    last = network.layers[-1]
    more = 1 << network.logit_fraction_bits >> 6
    return replace(network, layers=(*network.layers[:-1], replace(last, biases=tuple(b + more for b in last.biases))))


def of_equal_level(loans, spec, model, other, rng):
    """Return an applicant for whom two models decide alike, with other radii and one level above 0."""
    for _ in range(200):
        row = applicant(LOANS, rng)
        query = LOANS.encode(row)
        pair = [find_evidence(Opening.of(one, LOANS, 5), loans.shape, query, None, None) for one in (model, other)]
        if not all(isinstance(one, Found) for one in pair) or len({one.evidence.label for one in pair}) == 2:
            continue
        radii = {one.evidence.radius_squared for one in pair}
        levels = {shown(spec, radius) for radius in radii}
        if len(radii) == 2 and len(levels) == 1 and levels != {0}:
            return row
    raise AssertionError("no such applicant")


def test_equal_levels_make_equal_files(loans):
    """Two models of other radii and one level: commitment and proof differ, nothing else does, and no length.

    Exports have one length too; what they sign is the certificate.
    """
    network = loans.opening.network
    spec = changed(LOANS, levels=("0.02",))
    row = of_equal_level(loans, spec, network, moved(network), random.Random(2))
    made = []
    for model in (network, moved(network)):
        with Prover(levelled(loans.opening, spec, model), loans.key) as owner:
            proven = owner.prove(row, CONTEXT, blinding=7)
        told = {name: value for name, value in proven.document().items() if name != "seconds"}
        assert told["regions"] is None
        data = proven.certificate.to_bytes()
        whole = json.loads(data)
        commitment = whole["statement"].pop("model_commitment")
        exports = [len(make_export(form, proven.certificate, "ab" * 32, BANK)) for form in FORMS]
        made.append((whole, len(data), proven.query, told, exports))
        assert whole.pop("proof") != commitment
    assert made[0] == made[1]


def raised(network, shift):
    """Return the network with weights of the last layer that are larger by one part in 2^shift: gains grow as much."""
    last = network.layers[-1]
    weights = tuple(tuple(weight + (weight >> shift) for weight in row) for row in last.weights)
    return replace(network, layers=(*network.layers[:-1], replace(last, weights=weights)))


def of_equal_gain(gains, opening, other, sought):
    """Return an applicant with one level of gain above 0 under two models, and with other exact gains."""
    rng = random.Random(2)
    room = gains.shape.capacity
    for _ in range(200):
        row = applicant(LOANS, rng)
        both = (opening, other)
        exact, at_levels = (
            [sought.search(sought.case(levelled(one, spec), one.encode(row)), room, None).evidence for one in both]
            for spec in (LOANS, LEVELLED)
        )
        levels = {one.least_gain for one in at_levels}
        if len({one.least_gain for one in exact}) == 2 and len(levels) == 1 and min(levels) > 0:
            return row
    raise AssertionError("no such applicant")


def test_equal_levels_of_gain_make_equal_files(gains):
    """Two models of other gains and one level: commitment and proof of gain certificates differ, nothing else does."""
    sought = Sought("declined", {"sex": "m"}, {"sex": "f"}, radius="0.05")
    models = (gains.opening.network, raised(gains.opening.network, 6))
    row = of_equal_gain(gains, *(levelled(gains.opening, LOANS, model) for model in models), sought)
    made = []
    for model in models:
        opening = levelled(gains.opening, model=model)
        with GainProver(opening, gains.key) as owner:
            proven = owner.prove(row, sought, CONTEXT, blinding=7)
        data = proven.certificate.to_bytes()
        whole = json.loads(data)
        commitment = whole["statement"].pop("model_commitment")
        made.append((whole, len(data), proven.query))
        assert whole.pop("proof") != commitment
    assert made[0] == made[1]


SIDES = ("declined", {"sex": "m"}, {"sex": "f"})


def test_gain_certificates_show_levels_of_both_numbers(gains):
    """The largest gain up to a radius is a level, as the radius is; so is the largest radius of a gain."""
    opening = levelled(gains.opening)
    unit = opening.network.logit_fraction_bits
    commitment = parse_commitment(opening.public(), "commitment.json")
    row = applicant(LOANS, random.Random(3))
    with GainProver(gains.opening, gains.key) as exact, GainProver(opening, gains.key) as owner:
        free = exact.prove(row, Sought(*SIDES, radius="0.3"))
        for sought in (Sought(*SIDES, radius="0.3"), Sought(*SIDES, least_gain="0.2")):
            proven = owner.prove(row, sought)
            fields = proven.certificate.statement
            assert fields.gain in levels_of_gains(LEVELLED, unit)
            assert fields.radius_squared in (0, *squares(TEXTS, LOANS.input_fraction_bits))
            assert proven.search.evidence.radius_squared == fields.radius_squared
            GainVerifier(commitment, trusting(gains.key)).verify(proven.certificate.to_bytes(), ForQuery(proven.query))
        assert fields.radius_squared > 0
        assert free.certificate.statement.gain not in levels_of_gains(LEVELLED, unit)
        with pytest.raises(SpecError, match=r"least gain: want one of the spec's levels 0, 0.05, 0.2, 1"):
            owner.prove(row, Sought(*SIDES, least_gain="0.3"))


def test_a_gain_below_every_level_is_an_error(gains):
    """No certificate says less than the largest loss of the list."""
    opening = levelled(gains.opening, changed(LOANS, levels=("0.1",), gain_levels=("0.00001",)))
    row = applicant(LOANS, random.Random(3))
    with GainProver(opening, gains.key) as owner, pytest.raises(GainError, match="none of the spec's levels of gains"):
        owner.prove(row, Sought("declined", {"sex": "f"}, {"sex": "m"}, radius="0.1"))
