"""Influences that add up: the covariance decomposition against fractions, intervals against known populations."""

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest

from equiproof.audits.fvgm.budget import OutOfTimeError
from equiproof.audits.fvgm.decomposition import FOLDS, Group, Layout, family, influences
from equiproof.audits.intervals import CONFIDENCE


def solved(rows, unknowns):
    """Solve equations in fractions, each a row of coefficients and the right side; there is one solution."""
    rows = [list(row) for row in rows]
    done = 0
    for column in range(unknowns):
        pivot = next((place for place in range(done, len(rows)) if rows[place][column]), None)
        assert pivot is not None, "more than one solution"
        rows[done], rows[pivot] = rows[pivot], rows[done]
        rows[done] = [cell / rows[done][column] for cell in rows[done]]
        for place, row in enumerate(rows):
            if place != done and row[column]:
                rows[place] = [a - row[column] * b for a, b in zip(row, rows[done], strict=True)]
        done += 1
    assert not any(row[-1] for row in rows[done:]), "no solution"
    return [rows[place][-1] for place in range(unknowns)]


def by_hand(sizes, order, chance, accepted):
    """The parts of the variance by set, in fractions, from the equations that define components.

    `chance` and `accepted` are by joint value. A component adds up to 0 over each value of its smaller parts, and the
    rest of the decisions adds up to 0 over each value of every set.
    """
    sets = [one for size in range(order + 1) for one in itertools.combinations(range(len(sizes)), size)]
    cells = list(itertools.product(*map(range, sizes)))
    names = [(own, value) for own in sets for value in itertools.product(*(range(sizes[one]) for one in own))]
    place = {name: number for number, name in enumerate(names)}
    equations = []

    def part(cell, own):
        return tuple(cell[one] for one in own)

    for own in sets:
        for value in itertools.product(*(range(sizes[one]) for one in own)):
            row = [Fraction(0)] * (len(names) + 1)
            for cell in cells:
                if part(cell, own) == value:
                    row[-1] += chance[cell] * accepted[cell]
                    for other in sets:
                        row[place[other, part(cell, other)]] += chance[cell]
            equations.append(row)
        for smaller in itertools.combinations(own, len(own) - 1) if own else ():
            for value in itertools.product(*(range(sizes[one]) for one in smaller)):
                row = [Fraction(0)] * (len(names) + 1)
                for cell in cells:
                    if part(cell, smaller) == value:
                        row[place[own, part(cell, own)]] += chance[cell]
                equations.append(row)
    values = solved(equations, len(names))
    return {
        own: sum(chance[cell] * values[place[own, part(cell, own)]] * accepted[cell] for cell in cells)
        for own in sets
        if own
    }


def population(sizes, rng, *, independent=False):
    """Random chances of joint values, none of them 0, and random decisions that are not all alike."""
    cells = list(itertools.product(*map(range, sizes)))
    if independent:
        marginals = [[Fraction(rng.randint(1, 9)) for _ in range(size)] for size in sizes]
        weights = {cell: math.prod(marginals[n][value] for n, value in enumerate(cell)) for cell in cells}
    else:
        weights = {cell: Fraction(rng.randint(1, 9)) for cell in cells}
    total = sum(weights.values())
    accepted = {cell: rng.randint(0, 1) for cell in cells}
    accepted[cells[0]], accepted[cells[-1]] = 0, 1
    return {cell: weight / total for cell, weight in weights.items()}, accepted


def parts_of(sizes, sets, chance, accepted):
    """The parts of a whole population."""
    cells = list(chance)
    group = Group(Layout(sizes, sets), np.array(cells), np.array([accepted[cell] == 1 for cell in cells]), None)
    return group.parts(np.array([float(chance[cell]) for cell in cells]))


@pytest.mark.parametrize("seed", range(6))
def test_parts_are_those_of_the_equations_in_fractions(seed):
    """Of features that occur together, at any order; with sets of all features nothing is left."""
    rng = random.Random(seed)
    sizes = rng.choice([(2, 3, 2), (3, 3, 2), (2, 2, 2, 2)])
    order = rng.randint(1, len(sizes))
    chance, accepted = population(sizes, rng)
    expected = by_hand(sizes, order, chance, accepted)
    found = parts_of(sizes, family(len(sizes), order), chance, accepted)
    share = sum(chance[cell] * accepted[cell] for cell in chance)
    assert math.isclose(found.share, share)
    assert found.of_sets == pytest.approx([float(one) for one in expected.values()], abs=1e-8)
    rest = share * (1 - share) - sum(expected.values())
    assert found.rest == pytest.approx(float(rest), abs=1e-8)
    assert rest == 0 if order == len(sizes) else rest >= 0


@pytest.mark.parametrize("seed", range(4))
def test_parts_of_independent_features_are_their_sobol_indices(seed):
    """Where features are independent, a part is the variance of an alternating sum of conditional means."""
    rng = random.Random(seed)
    sizes = (2, 3, 2)
    chance, accepted = population(sizes, rng, independent=True)

    def mean(cell, own):
        alike = [one for one in chance if all(one[place] == cell[place] for place in own)]
        return sum(chance[one] * accepted[one] for one in alike) / sum(chance[one] for one in alike)

    expected = []
    for own in family(3, 3):
        smaller = [one for size in range(len(own) + 1) for one in itertools.combinations(own, size)]
        expected.append(
            sum(
                chance[cell] * sum((-1) ** (len(own) - len(one)) * mean(cell, one) for one in smaller) ** 2
                for cell in chance
            )
        )
    found = parts_of(sizes, family(3, 3), chance, accepted)
    assert found.of_sets == pytest.approx([float(one) for one in expected], abs=1e-8)


def test_equal_features_have_equal_parts():
    """Where two features are one, no rows can tell them apart: each has half, and the part of both is nothing."""
    chance = {
        (0, 0, 0): Fraction(1, 4),
        (1, 1, 0): Fraction(1, 4),
        (0, 0, 1): Fraction(1, 8),
        (1, 1, 1): Fraction(3, 8),
    }
    found = parts_of((2, 2, 2), family(3, 2), chance, {cell: cell[0] for cell in chance})
    first, second, other, both, *_ = found.of_sets
    assert first == pytest.approx(second, abs=1e-6)
    assert first + second + other + sum(found.of_sets[3:]) == pytest.approx(15 / 64, abs=1e-6)
    assert both == pytest.approx(0, abs=1e-6)
    assert found.rest == pytest.approx(0, abs=1e-6)


def rows_of(rng, count, width=12):
    """Two features, of which only the first one matters, and who is accepted."""
    codes = np.stack([rng.integers(0, 2, count), rng.integers(0, width, count)], axis=1)
    return codes, rng.random(count) < np.where(codes[:, 0] == 1, 0.7, 0.3)


def test_chance_is_no_influence():
    """A feature without influence has none at the mean of many samples; it has if fitted on the compared rows."""
    layout = Layout((2, 12), family(2, 1))
    apart, fitted = [], []
    for seed in range(60):
        codes, accepted = rows_of(np.random.default_rng(seed), 200)
        apart.append(Group.of_rows(layout, codes, accepted, seed).parts().of_sets)
        fitted.append(Group(layout, codes, accepted, None).parts().of_sets)
    error = np.std(apart, axis=0)[1] / math.sqrt(len(apart))
    assert abs(np.mean(apart, axis=0)[1]) < 3 * error < 0.005
    assert np.mean(fitted, axis=0)[1] > 0.25 * 11 / 200 / 2
    assert np.mean(apart, axis=0)[0] == pytest.approx(0.04, abs=0.006)


@pytest.mark.parametrize("seed", range(5))
def test_influences_add_up_to_the_difference_of_shares(seed):
    """Of the rows, exactly: also where values do not occur together, and features have one value in a group."""
    rng = np.random.default_rng(seed)
    layout = Layout((3, 2, 4), family(3, 2, [(0, 1, 2)] if seed % 2 else ()))
    groups = []
    for size in (90, 140):
        codes = np.stack([rng.integers(0, 3, size), np.zeros(size, dtype=int), rng.integers(0, 4, size)], axis=1)
        codes[codes[:, 0] == 2, 2] = 1
        groups.append((codes, rng.random(size) < 0.2 + 0.2 * codes[:, 0]))
    made = [Group.of_rows(layout, codes, accepted, seed).parts() for codes, accepted in groups]
    difference = groups[0][1].mean() - groups[1][1].mean()
    found = influences(*made)
    assert len(found) == len(layout.sets) + 1
    assert math.fsum(found) == pytest.approx(difference, abs=1e-12)
    assert not found[layout.sets.index((1,))]


def test_a_group_that_is_accepted_as_a_whole_has_no_parts():
    """Its decisions have no variance to split; one that is refused as a whole has parts of nothing."""
    layout = Layout((2, 12), family(2, 1))
    codes, accepted = rows_of(np.random.default_rng(0), 100)
    some = Group.of_rows(layout, codes, accepted, 0).parts()
    whole = Group.of_rows(layout, codes, np.ones(100, dtype=bool), 0).parts()
    none = Group.of_rows(layout, codes, np.zeros(100, dtype=bool), 0).parts()
    assert np.isnan(influences(whole, some)).all()
    assert not none.scaled.any()
    assert math.fsum(influences(some, none)) == pytest.approx(accepted.mean())


def test_copies_of_a_row_stay_in_one_part():
    """Rows are in as many parts as are compared, with equal shares of accepted ones, and resamples keep them there."""
    codes, accepted = rows_of(np.random.default_rng(1), 203)
    group = Group.of_rows(Layout((2, 12), family(2, 1)), codes, accepted, 5)
    counts = [np.bincount(accepted[group.folds == fold], minlength=2) for fold in range(FOLDS)]
    assert max(abs(one - other).max() for one, other in itertools.pairwise(counts)) <= 1
    twice = Group(group.layout, *(np.repeat(one, 2, axis=0) for one in (codes, accepted, group.folds)))
    assert twice.parts().of_sets == pytest.approx(group.parts(np.full(203, 2.0)).of_sets)
    assert group.parts(np.full(203, 2.0)).of_sets == pytest.approx(group.parts().of_sets)


def test_resampling_ends_in_time():
    """Past the deadline nothing is returned."""
    codes, accepted = rows_of(np.random.default_rng(0), 100)
    group = Group.of_rows(Layout((2, 12), family(2, 1)), codes, accepted, 0)
    with pytest.raises(OutOfTimeError, match="resampled"):
        group.resampled(3, 0, deadline=0.0)


def covered(rows, samples, resamples=60):
    """In how many samples of two known populations the interval of each influence holds its value."""
    rng = np.random.default_rng(rows)
    sizes = (3, 2, 2)
    layout = Layout(sizes, family(3, 2))
    cells = np.array(list(itertools.product(*map(range, sizes))))
    chances = [rng.dirichlet(np.full(len(cells), 2.0)) for _ in range(2)]
    granted = 1 / (1 + np.exp(1.5 - cells @ (1.2, 0.8, -0.9) - (cells[:, 0] > 0) * cells[:, 2]))
    both = np.concatenate([cells, cells])
    outcome = np.arange(len(both)) < len(cells)
    truth = influences(
        *(
            Group(layout, both, outcome, None).parts(np.concatenate([one * granted, one * (1 - granted)]))
            for one in chances
        )
    )
    hits = np.zeros(len(truth))
    for seed in range(samples):
        groups = []
        for chance in chances:
            drawn = rng.choice(len(cells), rows, p=chance)
            groups.append(Group.of_rows(layout, cells[drawn], rng.random(rows) < granted[drawn], seed))
        value = influences(*(one.parts() for one in groups))
        spread = influences(*(one.resampled(resamples, 2 * seed + n) for n, one in enumerate(groups))).std(
            axis=0, ddof=1
        )
        hits += np.abs(value - truth) <= 1.96 * spread
    return hits / samples


def test_intervals_hold_the_influence_of_the_population():
    """A quick look: of 40 samples, so few may miss by chance once in a thousand times."""
    found = covered(300, 40)
    assert min(found) >= CONFIDENCE - 3.1 * math.sqrt(CONFIDENCE * (1 - CONFIDENCE) / 40)


@pytest.mark.slow
@pytest.mark.parametrize("rows", [200, 600])
def test_intervals_of_many_samples(rows):
    """Each influence and the rest: in 400 samples of a known population, at least the confidence, up to chance."""
    found = covered(rows, 400, 100)
    assert min(found) >= CONFIDENCE - 2.6 * math.sqrt(CONFIDENCE * (1 - CONFIDENCE) / 400)
