"""Drafted levels: what is proposed, what each gives away, and which one is chosen."""

import pytest

from equiproof.certify.leak.curve import Point, Target
from equiproof.certify.leak.draft import (
    MOST_GAIN,
    Draft,
    LevelError,
    Proposal,
    _chosen,
    draft_for,
    draft_levels,
)
from equiproof.circuits.levels import squares
from tests.certify.leak.made import drawn, held_out, linear, linear_certificates, spec

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


def test_the_least_leaking_is_chosen():
    """Whole points of agreement count, then what is kept; thresholds that labels would not name count before both."""
    labels = Point(100, 0.9, 0, 0)
    small, large, leaking = proposal(1.2, 0.1), proposal(0.8, 0.5), proposal(2.6, 0.9)
    assert _chosen([small, large, leaking], labels, 4.0) is large
    assert _chosen([small, leaking], labels, 4.0) is small
    assert _chosen([proposal(-2.0, 0.1), large, proposal(-0.4, 0.3)], labels, 4.0).kept == 0.3
    naming = proposal(0, 0.9, known=2)
    assert _chosen([naming, leaking], labels, 4.0) is leaking


def test_half_the_level_is_for_models_that_leak_more_than_the_target():
    """A smaller first level leaks less, and is chosen only where the usual one misses the target."""
    labels = Point(100, 0.9, 0, 0)
    half = proposal(0.2, 0.05, first=1)
    usual, worse = proposal(2.4, 0.1), proposal(3.9, 0.9)
    assert _chosen([half, usual, worse], labels, 3.0) is usual
    assert _chosen([half, proposal(3.2, 0.1), worse], labels, 3.0) is half
    assert _chosen([half, proposal(1, 0.1, known=1)], labels, 3.0) is half
    assert _chosen([proposal(5, 0.05, first=1), proposal(5.1, 0.1), worse], labels, 3.0) is worse


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
    assert steps[0] == (1, 48)
    with pytest.raises(LevelError, match="no row is left to compare copies on"):
        draft_for(linear(COLUMNS, sensitive=1 << 30), spec(COLUMNS), drawn(COLUMNS, 2))
