"""Decisions of many rows at once are those of reading and deciding row by row: random models under random specs."""

import itertools
import random
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from equiproof.certify.additive import EnsembleError
from equiproof.certify.data.cleaning import NUMBER, all_numbers
from equiproof.certify.data.dataset import DataError, encode_rows
from equiproof.certify.data.decimals import decimals
from equiproof.certify.models.decisions_compared import network_decided
from equiproof.certify.models.ensembles.columns import exact_columns, placed
from equiproof.certify.models.ensembles.decided import score_decided
from equiproof.certify.models.ensembles.exact_trees import Branch, ExactTree
from equiproof.certify.models.ensembles.quantise import quantise_score
from equiproof.certify.models.ensembles.rays import Ray
from equiproof.certify.models.ensembles.score import Score, Step
from equiproof.certify.models.network import Network
from equiproof.certify.models.quantise import quantise
from equiproof.circuits.encodings.missing import Missing
from equiproof.circuits.numbers import read_number
from equiproof.circuits.spec import Feature, SpecError
from tests.certify.models.rounding import random_network
from tests.support import AGE, GENDER, HOUSING, SAVINGS, SEX, changed, spec_of

INCOME = Feature("income", "numeric", "scaled", False)
DEBT = Feature("debt", "numeric", "scaled", False, range=("-1000.5", "99999.99"))
WEALTH = Feature("wealth", "numeric", "log", False, mean="9", scale="2", offset="1")


def decimal(rng, low, high, most=4):
    """Return a decimal between two integers."""
    digits = rng.randint(0, most)
    return str(Decimal(rng.randint(low * 10**digits, high * 10**digits)).scaleb(-digits))


def random_spec(rng):
    """Return a spec of numbers, logarithms and categories, with means and scales by chance."""
    numbers = [changed(one, mean=decimal(rng, -50, 5000), scale=decimal(rng, 200, 9000)) for one in (INCOME, DEBT)]
    others = [one for one in (WEALTH, HOUSING, SAVINGS) if rng.random() < 0.6]
    sensitive = rng.sample([SEX, AGE, GENDER], rng.randint(1, 2))
    sensitive = [changed(one, name=f"own {one.name}") for one in sensitive]
    return spec_of(*numbers, *others, *sensitive, bits=(rng.choice([6, 10, 16]), 32))


def written(rng, number):
    """Return a number in one of the types that rows have it in."""
    forms = [number, number + "0" * (rng.randint(0, 2) if "." in number else 0), Decimal(number)]
    forms += [int(number)] if "." not in number else [float(number), np.float64(number)]
    return rng.choice(forms)


def random_row(rng, spec):
    """Return a raw row inside all ranges and domains."""
    ends = {"income": (-50_000, 90_000), "debt": (-1000, 99_999), "wealth": (0, 10**6)}
    return {
        one.name: rng.choice(one.domain) if one.domain else written(rng, decimal(rng, *ends[one.name]))
        for one in spec.features
    }


def columns_of(spec, row):
    """Return the exact columns of a row, read one by one."""
    places = [(first, exact_columns(feature, row[feature.name], 1)) for feature, first in placed(spec)]
    return {first + place: value for first, values in places for place, value in enumerate(values)}


def random_steps(rng, spec, rows):
    """Return steps in order; some end at a number that a row has."""
    found = []
    for column in range(spec.plain_columns + spec.sensitive_columns):
        near = [columns_of(spec, rng.choice(rows))[column] for _ in range(rng.randint(1, 8))]
        ends = {end + rng.choice([0, 0, Fraction(1, 7), Fraction(10) ** 40, -(Fraction(10) ** 40)]) for end in near}
        for end in sorted(ends):
            threshold = int(max(-(1 << 31), min((1 << 31) - 1, end * spec.scale_unit)))
            found.append(Step(column, Ray(end, rng.random() < 0.5), threshold, Fraction(rng.randint(-99, 99), 64)))
    return found


def random_tree(rng, steps, depth):
    """Return a tree of branches and leaves by chance."""
    branches, leaves = [], []

    def grow(left):
        """Add what stands below, and return its number."""
        if branches and (left == 0 or rng.random() < 0.2):
            leaves.append(Fraction(rng.randint(-999, 999), rng.choice([1, 3, 1 << 60])))
            return ~(len(leaves) - 1)
        place = len(branches)
        branches.append(None)
        step = rng.randrange(len(steps))
        branches[place] = Branch(step, grow(left - 1), grow(left - 1))
        return place

    grow(depth)
    return ExactTree(tuple(branches), tuple(leaves))


def slow_total(score, values):
    """Return the score of exact columns, step by step."""
    total = score.base + sum(step.jump for step in score.steps if values[step.column] in step.ray)
    for tree in score.trees:
        place = 0
        while place >= 0:
            branch = tree.branches[place]
            step = score.steps[branch.step]
            place = branch.high if values[step.column] in step.ray else branch.low
        total += tree.leaves[~place]
    return total


KINDS = {"card": (0, 0), "machine with pairs": (6, 2), "trees": (5, 5), "deep trees": (2, 14)}
"""How many trees of several columns a score has, and how deep they are."""

CASES = [(kind, seed) for kind in KINDS for seed in range(40)]


@pytest.mark.sampled(3, each="kind")
@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_scores_are_those_of_row_by_row(kind, seed):
    """Exact scores, committed integers and both decisions of random rows, read at once and one by one."""
    rng = random.Random(f"{kind} {seed}")
    spec = random_spec(rng)
    rows = [random_row(rng, spec) for _ in range(60)]
    steps = random_steps(rng, spec, rows)
    count, depth = KINDS[kind]
    score = Score(
        kind.split()[0],
        spec.plain_columns,
        spec.sensitive_columns,
        spec.input_fraction_bits,
        Fraction(rng.randint(-99, 99), 32),
        tuple(steps),
        tuple(random_tree(rng, steps, depth) for _ in range(count)),
    )
    try:
        model = quantise_score(score, spec)
    except EnsembleError as error:
        pytest.skip(str(error))
    made = score_decided(score, model, spec, rows)
    totals = [slow_total(score, columns_of(spec, row)) for row in rows]
    assert [Fraction(int(one), score.unit) for one in score.totals(spec, rows)] == totals
    assert made.labels.tolist() == [int(total > 0) for total in totals]
    assert made.integers[:, 0].tolist() == [
        model.score((*spec.encode(row), *spec.encode_sensitive(row))) for row in rows
    ]


def logistic(spec, seed):
    """Return a linear model as a network: its sum and the opposite of it in two neurons."""
    own = random_network(spec, (1,), seed)
    first = np.concatenate([own.weights[0], -own.weights[0]])
    return Network((first, np.array([[1.0, -1.0]])), (np.concatenate([own.biases[0], -own.biases[0]]), own.biases[1]))


@pytest.mark.parametrize(
    "value",
    [
        True,
        None,
        "",
        "1e3",
        1e-9,
        "Infinity",
        float("nan"),
        "+1",
        " 1",
        "1\n",
        "\u0663",
        "1,5",
        "0x1",
        10**19,
        "0." + "1" * 20,
    ],
)
def test_values_that_are_not_plain_are_read_one_by_one(value):
    """A column with one such value is decided, or refused, as that value alone is."""
    feature = changed(INCOME, mean="20", scale="7")
    spec = spec_of(feature, SEX)
    rows = [{"income": one, "sex": "f"} for one in (5, "7.25", value)]
    assert decimals(feature, rows) is None
    assert decimals(feature, rows[:2]) is not None
    try:
        wanted = [spec.encode(row) for row in rows]
    except SpecError as error:
        with pytest.raises(DataError, match=f"^row 3: {re.escape(str(error))}"):
            encode_rows(spec, rows)
    else:
        assert encode_rows(spec, rows)[:, 0].tolist() == [column for (column,) in wanted]


def nasty_cell(rng):
    """Return a text that is nearly a number, or one: signs, points, marks, exponents, blanks, foreign digits."""
    if rng.random() < 0.5:
        whole = "".join(rng.choices("0123456789", k=rng.choice([1, 2, 9, 17, 18, 19])))
        fraction = "".join(rng.choices("0123456789", k=rng.choice([0, 0, 1, 2, 8, 17, 18])))
        return f"{rng.choice(['', '-'])}{whole}{'.' if fraction else ''}{fraction}"
    marks = "0123456789" * 3 + "..--+eE,'%\n\r\t\0 \u00a0\u0663\u0966\u00b2\uff15\U0001d7da"
    return "".join(rng.choices(marks, k=rng.randint(0, 6)))


def slow_decimals(cells):
    """Return a column cell by cell, None where it is not one of plain numbers of 18 digits."""
    parts = [re.fullmatch(r"(-?[0-9]+)(?:\.([0-9]+))?", cell) for cell in cells]
    if None in parts:
        return None
    digits = max(len(part[2] or "") for part in parts)
    fits = max(len(part[1]) for part in parts) + digits <= 18
    return [read_number(cell) for cell in cells] if fits else None


def test_columns_are_read_at_once_as_they_are_cell_by_cell():
    """Thousands of columns: the same exact numbers, and the same columns that are left to the slow reading."""
    rng = random.Random(7)
    kinds = set()
    for _ in range(4000):
        cells = [nasty_cell(rng) for _ in range(rng.choice([1, 1, 2, 3, 8]))]
        read = decimals(INCOME, [{"income": cell} for cell in cells])
        wanted = slow_decimals(cells)
        found = read and [Fraction(number, 10**read.digits) for number in read.numerators.tolist()]
        assert found == wanted, cells
        assert all_numbers(cells) == all(map(NUMBER.fullmatch, cells)), cells
        kinds |= {(wanted is None, all_numbers(cells), len(cells) > 1)}
    assert len(kinds) == 6
    assert decimals(INCOME, []).numerators.shape == (0,)


@pytest.mark.parametrize(
    ("mean", "scale"), [("2979.51", "1520.33"), ("-0.000000000000000001", "123456789.123456789"), ("1", "0.01")]
)
def test_columns_on_the_grid_are_those_of_the_encoding(mean, scale):
    """Within 64 bits and past them, at both ends of the width: the same integers, and the same refusals."""
    feature = changed(INCOME, mean=mean, scale=scale)
    rng = random.Random(mean)
    taken = 0
    lacking = changed(SAVINGS, missing=Missing())
    for bits, others in itertools.product(((6, 12), (16, 32), (22, 40)), ((SEX,), (lacking, SEX))):
        spec = spec_of(feature, *others, bits=bits)
        ends = [Fraction(mean) + Fraction(scale) * sign * (1 << (bits[1] - bits[0] - 1)) for sign in (-1, 1)]
        near = [f"{float(end) + step:.{6 if abs(end) < 10**9 else 0}f}" for end in ends for step in (-1, 0, 1)]
        for cells in [[one] for one in near] + [[decimal(rng, -9000, 9000) for _ in range(9)] for _ in range(20)]:
            rows = [{"income": cell, "savings": None, "sex": "f"} for cell in cells]
            try:
                wanted = [spec.encode(row)[0] for row in rows]
            except SpecError:
                wanted = None
            read = decimals(feature, rows).on_grid(feature, spec)
            assert (None if read is None else read.tolist()) == wanted, (cells, bits)
            taken += wanted is not None
    assert taken


@pytest.mark.parametrize(
    ("feature", "inside", "outside"),
    [(DEBT, ("-1000.5", "99999.99"), ("-1000.51", "99999.991")), (INCOME, ("-128", "127.999"), ("-128.001", "128"))],
)
def test_ends_of_ranges_and_of_the_width_are_inside(feature, inside, outside):
    """The last number that is taken is taken at once, too; the next is refused, with the row."""
    spec = spec_of(feature, SEX, bits=(10, 18 if feature is INCOME else 32))
    rows = [{feature.name: one, "sex": "m"} for one in inside]
    assert [tuple(row) for row in encode_rows(spec, rows)[:, :1].tolist()] == [spec.encode(row) for row in rows]
    for one in outside:
        with pytest.raises(DataError, match=f"^row 3: feature '{feature.name}': "):
            encode_rows(spec, [*rows, {feature.name: one, "sex": "m"}])


@pytest.mark.sampled(2, each="hidden")
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("hidden", [None, (5,), (7, 3)], ids=["logistic", "one layer", "two layers"])
def test_networks_are_those_of_row_by_row(hidden, seed):
    """The integer logits of random rows are those that the network itself computes."""
    rng = random.Random(seed)
    spec = random_spec(rng)
    rows = [random_row(rng, spec) for _ in range(40)]
    network = random_network(spec, hidden, seed) if hidden else logistic(spec, seed)
    quantised = quantise(network, spec)
    made = network_decided(network, quantised, spec, rows)
    for row, integers in zip(rows, made.integers.tolist(), strict=True):
        assert tuple(integers) == quantised.logits((*spec.encode(row), *spec.encode_sensitive(row)))
