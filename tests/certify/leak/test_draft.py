"""Drafted levels: what is proposed, what each gives away, and which one is chosen."""

import time
from dataclasses import replace
from decimal import Decimal
from importlib.util import find_spec
from types import SimpleNamespace

import pytest

from equiproof.certify.digits import percent
from equiproof.certify.leak import copies
from equiproof.certify.leak import draft as drafts
from equiproof.certify.leak.candidates import LevelError
from equiproof.certify.leak.certificates import Certificate, invented, simulated
from equiproof.certify.leak.curve import Point, Target
from equiproof.certify.leak.draft import draft_for, draft_levels
from equiproof.certify.leak.proposals import MOST_GAIN, Copied, Draft, Proposal, kept, leaking
from equiproof.circuits.levels import squares
from tests.certify.leak.made import UNIT, drawn, held_out, linear, linear_certificates, spec

COLUMNS = 8


def target():
    return Target(linear(COLUMNS), spec(COLUMNS), *held_out(linear(COLUMNS), COLUMNS))


MOST = MOST_GAIN["linear"]


def proposal(gain, share, known=None, most=0.0, chosen=None):
    copy = Point(100, 0.9 + gain / 100, known, known)
    other = None if chosen is None else Point(100, 0.8 + chosen / 100, 0, 0)
    return Proposal((f"{share}",), (2,), 1.0, share, Copied(copy, other, most))


def test_every_proposal_is_reached_by_nine_in_ten():
    """The first level of each proposal is at or below the tenth percentile; exact radii stand last and leak most."""
    pool = linear_certificates(COLUMNS, 60)
    draft = draft_levels(target(), pool)
    *levels, exact = draft.proposals
    assert len(levels) >= 3
    for one in levels:
        assert one.reached >= 0.9
        assert one.squares == squares(one.levels, 10)
        assert one.copies.rows.agreement < exact.copies.rows.agreement
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
    return min(proposals, key=lambda one: leaking(one, labels, MOST))


def test_the_least_leaking_is_chosen():
    """Whole points of agreement count, then what is kept; thresholds that labels would not name count before both."""
    labels = Copied(Point(100, 0.9, 0, 0))
    small, large, wasteful = proposal(1.2, 0.1), proposal(0.8, 0.5), proposal(1.6, 0.9)
    assert least([small, large, wasteful], labels) is large
    assert least([small, wasteful], labels) is small
    assert least([proposal(-2.0, 0.1), large, proposal(-0.4, 0.3)], labels).kept == 0.3
    naming = proposal(0, 0.9, known=2)
    assert least([naming, wasteful], labels) is wasteful
    assert least([proposal(0, 0.9, most=2.1), wasteful], labels) is wasteful


def test_the_stronger_copy_of_rows_and_chosen_applications_decides():
    """What chosen applications tell counts as much as what rows do: gains, and thresholds."""
    labels = Copied(Point(100, 0.9, 0, 0), Point(100, 0.8, 0, 0))
    both = [proposal(2, 0.9, chosen=5), proposal(3, 0.1, chosen=1), proposal(-1, 0.1, chosen=-2)]
    assert [round(one.gain(labels)) for one in both] == [5, 3, -1]
    assert least(both[:2], labels) is both[1]
    naming = replace(both[2], copies=replace(both[2].copies, chosen=Point(100, 0.8, 4, 4)))
    assert naming.known(labels) == 4
    assert least([naming, both[0]], labels) is both[0]


def test_a_draft_compares_chosen_applications_too():
    """Lines tell both kinds of copies; too few certificates of chosen applications are left out."""
    chosen = simulated(linear(COLUMNS), spec(COLUMNS), invented(spec(COLUMNS), drawn(COLUMNS, 60), 40, seed=1))
    draft = draft_levels(target(), linear_certificates(COLUMNS, 60), chosen, draws=1)
    assert draft.labels.chosen.count == len(chosen)
    for line, one in zip(draft.lines(spec(COLUMNS)), draft.proposals, strict=False):
        told = f"; after {len(chosen)} of chosen applications with {percent(one.copies.chosen.agreement)}, and "
        assert line.endswith(told + percent(draft.labels.chosen.agreement))
    few = draft_levels(target(), linear_certificates(COLUMNS, 60), chosen[:19], draws=1)
    assert few.labels.chosen is None
    assert "chosen" not in few.lines(spec(COLUMNS))[0]


def telling(told, count=60):
    """Return a target whose copies agree more by what is told of the first level; those at exact radii by a tenth.

    It holds for copies from `count` certificates; others gain nothing.
    """

    class Telling(Target):
        def attacked(self, certificates, levels, seed=0):
            """Return the point that is told."""
            gain = 0.1 if levels is None else told.get(levels[0], 0.0) if levels else 0.0
            return Point(len(certificates), 0.9 + (gain if len(certificates) == count else 0.0))

    return Telling(linear(COLUMNS), spec(COLUMNS), *held_out(linear(COLUMNS), COLUMNS))


@pytest.mark.parametrize("count", [60, 40], ids=["rows", "chosen applications"])
def test_the_first_level_is_divided_until_the_target_is_held(count):
    """A half of the first level is tried while all others give away more than half of the target, six times at most.

    Where time is over, it is a quarter.
    """
    # Radii are 64 times as large as the model's, so that the grid has levels below the sixth half.
    pool = [replace(one, radius_squared=4096 * one.radius_squared) for one in linear_certificates(COLUMNS, 60)]
    usual = draft_levels(telling({}), pool, pool[:40])
    (first,) = {one.squares[0] for one in usual.proposals[:-1]}
    assert usual.chosen.squares[0] == first
    divided = draft_levels(telling({first: 0.021}, count), pool, pool[:40])
    assert divided.chosen is divided.proposals[0]
    assert first / 7 < divided.chosen.squares[0] <= first / 4
    assert Decimal(divided.chosen.levels[0]) == Decimal(usual.chosen.levels[0]) / 2, "a half that has few digits is one"
    assert len(divided.proposals) == len(usual.proposals) + 1
    assert len(divided.lines(spec(COLUMNS))) == len(divided.proposals) + 1
    late = draft_levels(telling({first: 0.021}, count), pool, pool[:40], seconds=0.0)
    assert first / 28 < late.chosen.squares[0] <= first / 16
    missed = draft_levels(telling(dict.fromkeys(range(first + 1), 0.05), count), pool, pool[:40])
    assert len(missed.proposals) == len(usual.proposals) + 6
    assert first / 7000 < missed.proposals[0].squares[0] <= first / 4096
    *_, missing, last = missed.lines(spec(COLUMNS))
    assert missing.startswith("no proposal stays within half of the target of 4 points above labels alone: the least ")
    assert last.startswith("drafted levels: ")


@pytest.mark.parametrize(("most", "divided"), [(0.019, False), (0.021, True)])
def test_one_draw_that_copies_more_is_enough_to_miss_the_target(most, divided):
    """The middle of the draws is what a line tells; a level is small enough where the strongest draw is."""

    class Lucky(Target):
        def attacked(self, certificates, levels, seed=0):
            """Return a point that gains in the last draw only, at levels that are not small."""
            lucky = seed == 2 and levels and levels[0] >= first
            return Point(len(certificates), 0.9 + most if lucky else 0.9)

    pool, first = linear_certificates(COLUMNS, 60), 1
    lucky = Lucky(linear(COLUMNS), spec(COLUMNS), *held_out(linear(COLUMNS), COLUMNS))
    first = draft_levels(telling({}), pool).chosen.squares[0]
    draft = draft_levels(lucky, pool)
    assert (draft.chosen.squares[0] < first) == divided
    assert all(round(one.gain(draft.labels)) == 0 for one in draft.proposals)


def test_without_time_there_is_one_proposal():
    """When the seconds are over, labels alone and the first level are copied all the same, once; nothing else is."""
    pool = linear_certificates(COLUMNS, 60)
    made = []
    draft = draft_levels(telling({}), pool, seconds=0.0, progress=lambda: made.append(1))
    (only,) = draft.proposals
    assert draft.chosen is only
    assert only.reached >= 0.9
    assert len(made) == 2
    whole = draft_levels(telling({}), pool, draws=1)
    assert (whole.labels, next(one for one in whole.proposals if one.levels == only.levels)) == (draft.labels, only)


@pytest.mark.parametrize(("seconds", "draws", "several"), [(3, 3, False), (3, 1, True), (9, 3, True)])
def test_several_levels_are_proposed_after_all_draws_only(monkeypatch, seconds, draws, several):
    """A second level gives away more in some draws than in others: what one draw says of it is not enough."""
    clock = [0]

    class Slow(Target):
        def attacked(self, certificates, levels, seed=0):
            """Return a point after a second."""
            clock[0] += 1
            return Point(len(certificates), 0.9)

    monkeypatch.setattr(copies, "time", SimpleNamespace(process_time=lambda: clock[0], monotonic=lambda: clock[0]))
    pool = linear_certificates(COLUMNS, 60)
    slow = Slow(linear(COLUMNS), spec(COLUMNS), *held_out(linear(COLUMNS), COLUMNS))
    draft = draft_levels(slow, pool, draws=draws, seconds=seconds)
    assert any(len(one.levels) > 1 for one in draft.proposals) == several


def test_past_the_deadline_no_level_is_divided():
    """Where none holds the target and the moment is over, the first level stays, and a line says that it leaks."""
    pool = [replace(one, radius_squared=64 * one.radius_squared) for one in linear_certificates(COLUMNS, 60)]
    first = draft_levels(telling({}), pool).chosen.squares[0]
    leaking = telling(dict.fromkeys(range(first + 1), 0.05))
    late = draft_levels(leaking, pool, deadline=time.monotonic())
    assert [one.squares[0] for one in late.proposals] == [first]
    assert late.lines(spec(COLUMNS))[-2].startswith("no proposal stays within half of the target")
    assert len(draft_levels(leaking, pool, seconds=0.0).proposals) == 4


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
    draft = Draft((proposal(1, 0.5, known=3),), Copied(Point(100, 0.9, 0, 0)), proposal(1, 0.5), MOST)
    assert "agrees with 91.0 % and knows 3 thresholds exactly, labels alone would give 90" in draft.lines(spec(2))[0]


def test_a_draft_from_rows_has_applicants_and_others():
    """Half of the rows apply; steps count up to the end, and a row that is alone is too few."""
    steps = []
    draft = draft_for(
        linear(COLUMNS), spec(COLUMNS), drawn(COLUMNS, 60), progress=lambda done, total: steps.append((done, total))
    )
    assert draft.labels.rows.count <= 30
    assert 20 <= draft.labels.chosen.count <= 30
    assert draft.chosen.reached >= 0.9
    assert [done for done, _ in steps] == sorted(done for done, _ in steps)
    assert steps[0] == (1, 71)
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
    assert kept((4,), pool) == (0.25, 1.0)
    assert kept((4,), pool[3:]) == (1.0, 2 / 3)
