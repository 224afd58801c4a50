"""Drafted levels: what is proposed, what each gives away, and which one is chosen."""

from dataclasses import replace
from importlib.util import find_spec

import pytest

from equiproof.certify.digits import percent
from equiproof.certify.leak import draft as drafts
from equiproof.certify.leak.certificates import Certificate
from equiproof.certify.leak.curve import Point, Target
from equiproof.certify.leak.draft import (
    MOST_GAIN,
    Draft,
    LevelError,
    Proposal,
    _leaking,
    draft_for,
    draft_levels,
)
from equiproof.circuits.levels import squares
from tests.certify.leak.made import UNIT, drawn, held_out, linear, linear_certificates, spec

COLUMNS = 8


def target():
    return Target(linear(COLUMNS), spec(COLUMNS), *held_out(linear(COLUMNS), COLUMNS))


def proposal(gain, kept, known=None, first=2):
    return Proposal((f"{kept}",), (first,), 1.0, kept, Point(100, 0.9 + gain / 100, known, known))


def test_every_proposal_is_reached_by_nine_in_ten():
    """The first level of each proposal is at or below the tenth percentile; exact radii stand last and leak most."""
    pool = linear_certificates(COLUMNS, 60)
    draft = draft_levels(target(), pool)
    *levels, exact = draft.proposals
    assert len(levels) >= 3
    for one in levels:
        assert one.reached >= 0.9
        assert one.squares == squares(one.levels, 10)
        assert one.copy.agreement < exact.copy.agreement
        assert one.kept < 1
    assert exact.squares is None
    assert exact.gain(draft.labels) > MOST_GAIN["linear"]
    assert draft.chosen in levels


def test_lines_say_what_is_given_away_and_kept():
    """Each proposal is a line with how far a number may move and both agreements; the last line names the draft."""
    draft = draft_levels(target(), linear_certificates(COLUMNS, 60), draws=1)
    *lines, last = draft.lines(spec(COLUMNS))
    assert len(lines) == len(draft.proposals)
    assert all(
        "a copy after 60 certificates agrees with" in line and "labels alone would give" in line for line in lines
    )
    assert all("p0 +- " in line and "of fair applicants have it" in line for line in lines[:-1])
    assert last.startswith(f"drafted levels: {', '.join(draft.chosen.levels)}; keeps ")


def least(proposals, labels):
    return min(proposals, key=lambda one: _leaking(one, labels))


def test_the_least_leaking_is_chosen():
    """Whole points of agreement count, then what is kept; thresholds that labels would not name count before both."""
    labels = Point(100, 0.9, 0, 0)
    small, large, leaking = proposal(1.2, 0.1), proposal(0.8, 0.5), proposal(2.6, 0.9)
    assert least([small, large, leaking], labels) is large
    assert least([small, leaking], labels) is small
    assert least([proposal(-2.0, 0.1), large, proposal(-0.4, 0.3)], labels).kept == 0.3
    naming = proposal(0, 0.9, known=2)
    assert least([naming, leaking], labels) is leaking


def telling(told):
    """Return a target whose copies agree more by what is told of the first level; those at exact radii by a tenth."""

    class Telling(Target):
        def attacked(self, certificates, levels, seed=0):
            """Return the point that is told."""
            gain = 0.1 if levels is None else told.get(levels[0], 0.0) if levels else 0.0
            return Point(len(certificates), 0.9 + gain)

    return Telling(linear(COLUMNS), spec(COLUMNS), *held_out(linear(COLUMNS), COLUMNS))


def test_the_first_level_is_halved_until_the_target_is_met():
    """A smaller first level leaks less, and is tried only while all others miss the target, three times at most."""
    pool = linear_certificates(COLUMNS, 60)
    usual = draft_levels(telling({}), pool)
    (first,) = {one.squares[0] for one in usual.proposals[:-1]}
    assert usual.chosen.squares[0] == first
    halved = draft_levels(telling({first: 0.05}), pool)
    assert halved.chosen is halved.proposals[0]
    assert halved.chosen.squares[0] <= first / 4
    assert len(halved.proposals) == len(usual.proposals) + 1
    missed = draft_levels(telling(dict.fromkeys(range(first + 1), 0.05)), pool)
    assert len(missed.proposals) == len(usual.proposals) + 3


def test_without_time_there_is_one_proposal():
    """When the seconds are over, labels alone and the first level are copied all the same, once; nothing else is."""
    pool = linear_certificates(COLUMNS, 60)
    made = []
    draft = draft_levels(target(), pool, seconds=0.0, progress=lambda: made.append(1))
    (only,) = draft.proposals
    assert draft.chosen is only
    assert only.reached >= 0.9
    assert len(made) == 2
    whole = draft_levels(target(), pool, draws=1)
    assert (whole.labels, next(one for one in whole.proposals if one.levels == only.levels)) == (draft.labels, only)


def test_a_draft_without_time_for_searches_is_refused():
    """No search, no certificate: the remedy is more time or levels of one's own."""
    with pytest.raises(LevelError, match="levels: 0 fair applicants, and a draft needs 20"):
        draft_for(linear(COLUMNS), spec(COLUMNS), drawn(COLUMNS, 60), seconds=0.0)


def test_too_few_applicants_or_no_radius_are_refused():
    """A draft needs twenty fair applicants, and more than half of them with a radius."""
    pool = linear_certificates(COLUMNS, 60)
    with pytest.raises(LevelError, match=r"levels: 19 fair applicants, and a draft needs 20"):
        draft_levels(target(), pool[:19])
    flat = [type(one)(one.query, one.label, 0) for one in pool[:20]]
    with pytest.raises(LevelError, match="half of the fair applicants have no radius above 0"):
        draft_levels(target(), flat)


def test_applicants_at_a_threshold_itself_are_left_out_of_the_tenth():
    """Where one in five has radius 0, nine in ten of the others reach the first level, and the share is said."""
    pool = list(linear_certificates(COLUMNS, 60))
    count = len(pool) // 5
    pool[:count] = [type(one)(one.query, one.label, 0) for one in pool[:count]]
    chosen = draft_levels(target(), pool, draws=1).chosen
    assert 0.7 < chosen.reached <= 0.8


def test_thresholds_that_are_known_are_said():
    """A proposal that names thresholds says how many."""
    draft = Draft((proposal(1, 0.5, known=3),), Point(100, 0.9, 0, 0), proposal(1, 0.5))
    assert draft.lines(spec(2))[0].endswith(", and knows 3 thresholds exactly")


def test_a_draft_from_rows_has_applicants_and_others():
    """Half of the rows apply; steps count up to the end, and a row that is alone is too few."""
    steps = []
    draft = draft_for(
        linear(COLUMNS), spec(COLUMNS), drawn(COLUMNS, 60), progress=lambda done, total: steps.append((done, total))
    )
    assert draft.labels.count <= 30
    assert draft.chosen.reached >= 0.9
    assert [done for done, _ in steps] == sorted(done for done, _ in steps)
    assert steps[0] == (1, 38)
    with pytest.raises(LevelError, match="no row is left to compare copies on"):
        draft_for(linear(COLUMNS, sensitive=1 << 30), spec(COLUMNS), drawn(COLUMNS, 2))


def test_certificates_of_one_label_have_no_copies_to_compare():
    """Every copy would decide as the model does: the first level alone is drafted, and its line says why."""
    first, last = linear(COLUMNS).layers
    far = replace(linear(COLUMNS), layers=(replace(first, biases=(8 * UNIT * UNIT, -8 * UNIT * UNIT)), last))
    draft = draft_for(far, spec(COLUMNS), drawn(COLUMNS, 50))
    proposal, last = draft.lines(spec(COLUMNS))
    (level,) = draft.levels
    assert proposal.startswith(f"{level}: the first level means p0 +- ")
    assert draft.reached >= 0.9
    said = "; how well copies agree was not measured: all certificates of the rows have one label"
    assert proposal.endswith(said)
    assert last == f"drafted levels: {level}; keeps {percent(draft.kept)} of the median radius"


@pytest.mark.parametrize(("module", "name"), [("scipy", "scipy"), ("sklearn", "scikit-learn")])
def test_without_the_libraries_of_copies_there_is_one_level(monkeypatch, module, name):
    """It is the first level of every draft; what copies come to is not said, but why it is not."""
    monkeypatch.setattr(drafts, "find_spec", lambda wanted: None if wanted == module else find_spec(wanted))
    draft = draft_for(linear(COLUMNS), spec(COLUMNS), drawn(COLUMNS, 60))
    proposal, _ = draft.lines(spec(COLUMNS))
    assert proposal.endswith(f"; how well copies agree was not measured: {name} is not installed")
    assert "labels alone" not in proposal


def test_a_median_of_zero_is_kept():
    """Where half of the applicants have no radius, levels take nothing from the median."""
    pool = [Certificate((0,), 0, radius) for radius in (0, 0, 0, 9)]
    assert drafts.kept((4,), pool) == (0.25, 1.0)
    assert drafts.kept((4,), pool[3:]) == (1.0, 2 / 3)
