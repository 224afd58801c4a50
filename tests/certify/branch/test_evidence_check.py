"""Every rule of the checker refuses what would break it, by its id; what is honest passes."""

from dataclasses import replace

import pytest

from equiproof.certify.branch import check, evidence_check
from equiproof.certify.branch.backward import Signs, leaf_parts
from equiproof.certify.branch.making import neuron_lines, slice_bounds
from equiproof.certify.errors import EvidenceError
from equiproof.certify.traversal.search import Counterexample
from tests.certify.branch.cases import edited, parameters_of, places, run, verdict, wide
from tests.certify.tiny import larger, tiny

CASE = tiny(3986, shapes=((2, 2), (2, 1), (1, 2)))
"""Two hidden layers of two neurons, two slices, seven leaves of which one is empty, R2 = 182."""

PARAMETERS = parameters_of(CASE)
HONEST = run(CASE).evidence
UNIT = PARAMETERS.unit


def refused(evidence, case=CASE, parameters=PARAMETERS):
    """Return the rule that refuses evidence."""
    return verdict(check, evidence, parameters, case)


def leaf_of(condition):
    """Return the number of the first leaf with a property."""
    return next(number for number, line in enumerate(HONEST.leaves) if condition(line))


def at_leaf(number, *path):
    """Return the path of a place of a leaf's first margin."""
    return ("leaves", number, "margins", 0, *path)


def signed_neuron(line, name):
    """Return layer and neuron, counted from 0, of the first sign that a row has."""
    number = getattr(line, name).index(1)
    return divmod(number, 2)


def test_the_case_is_what_the_tests_need():
    """The honest evidence passes, splits both slices, and has a part that is empty."""
    assert refused(HONEST) is None
    assert {line.slice for line in HONEST.splits} == {0, 1}
    assert any(line.margins[0].multiplier == 0 for line in HONEST.leaves)
    assert len(HONEST.leaves) == len(HONEST.splits) + len(CASE.table)


@pytest.mark.parametrize("layer", [0, 1])
def test_a_negative_lower_slope_is_refused(layer):
    """A < 0 would put the lower line above the neuron where z < 0: refused in bounds and at leaves."""
    assert refused(edited(HONEST, ("bounds", 0, 0, "lower", layer), -1)) == "R-B-RELAXATION"
    assert refused(edited(HONEST, at_leaf(0, "lower", layer, 0), -1)) == "R-B-LEAF"


def test_a_slope_above_one_is_refused():
    """A > 2^q would put the lower line above the neuron where z > 0, and K is held to the same width."""
    assert refused(edited(HONEST, ("bounds", 0, 0, "lower", 0), UNIT + 1)) == "R-B-RELAXATION"
    assert refused(edited(HONEST, at_leaf(0, "lower", 0, 0), UNIT + 1)) == "R-B-LEAF"
    assert refused(edited(HONEST, ("bounds", 0, 0, "upper", 0), UNIT + 1)) == "R-B-RELAXATION"


@pytest.mark.parametrize("end", ["low", "high"])
def test_an_upper_line_below_the_neuron_at_one_end_is_refused(end):
    """The chord must be above relu(z) at l and at u: one less of either number that holds it there is refused."""
    here = HONEST.bounds[0][0]
    i = next(i for i, (low, high) in enumerate(zip(here.low, here.high, strict=True)) if low < 0 < high)
    k = 0 if end == "high" else UNIT
    t = UNIT * here.high[i] if end == "high" else -UNIT * here.low[i]
    held = edited(edited(HONEST, ("bounds", 0, 0, "upper", i), k), ("bounds", 0, 0, "offset", i), t)
    evidence_check.relaxation(held, PARAMETERS, 0, 1)
    assert refused(edited(held, ("bounds", 0, 0, "offset", i), t - 1)) == "R-B-RELAXATION"


def free_neuron(line):
    """Return layer and neuron, counted from 0, of the first neuron without a sign."""
    return divmod([a + b for a, b in zip(line.on, line.off, strict=True)].index(0), 2)


def is_free_somewhere(line):
    """Tell whether a row has a neuron without a sign."""
    return 0 in [a + b for a, b in zip(line.on, line.off, strict=True)]


def test_a_negative_beta_is_refused():
    """Beta < 0 would reward a leaf for leaving its own part."""
    number = leaf_of(lambda line: any(line.on))
    layer, neuron = signed_neuron(HONEST.leaves[number], "on")
    assert refused(edited(HONEST, at_leaf(number, "excess", 1 - layer, neuron), -1)) == "R-B-LEAF"


def test_a_negative_excess_on_a_free_neuron_is_refused():
    """Q < 0 would use the upper line from the wrong side."""
    number = leaf_of(is_free_somewhere)
    layer, neuron = free_neuron(HONEST.leaves[number])
    assert refused(edited(HONEST, at_leaf(number, "excess", 1 - layer, neuron), -1)) == "R-B-LEAF"


def test_an_excess_that_leaves_no_positive_part_is_refused():
    """P = lambda + Q < 0 would use the lower line from the wrong side; P is held to its width, too."""
    tried = 0
    bits = PARAMETERS.form(3).split_bits
    for number, line in enumerate(HONEST.leaves):
        for neuron in range(4) if line.margins[0].multiplier else ():
            layer, i = divmod(neuron, 2)
            path = at_leaf(number, "excess", 1 - layer, i)
            if line.on[neuron] or line.off[neuron] or not _read(HONEST, path):
                continue
            # What is made has P = 0 wherever Q is above 0 without an overlap.
            if refused(edited(HONEST, path, lambda value: value - 1)) == "R-B-BACKWARD":
                tried += 1
            assert refused(edited(HONEST, path, 2 << bits[layer])) == "R-B-BACKWARD"
    assert tried


def test_excess_is_no_beta_on_a_free_neuron():
    """A sign that the row does not have may not be used: where a neuron is free the excess is taken for Q, not beta."""
    signs = Signs((1, 0, 0), (0, 1, 0))
    assert leaf_parts((5, -6, -7), signs, (3, 4, 9)) == ((0, 0, 2), (0, 0, 9), (3, 4, 0))


@pytest.mark.parametrize("side", ["positive", "negative"])
def test_negative_parts_are_refused(side):
    """P - Q = lambda with parts below 0 would turn lower lines into upper ones."""
    case = wide(0, shapes=((2, 2, 1),))
    parameters, search = parameters_of(case), run(case)
    other, path = {"positive": "negative", "negative": "positive"}[side], ("bounds", 0, 2, "below", 0)
    gone = -1 - _read(search.evidence, (*path, side, 0, 0))
    row = edited(search.evidence, (*path, side, 0, 0), -1)
    both = edited(row, (*path, other, 0, 0), lambda value: value + gone)
    assert verdict(check, both, parameters, case) == "R-B-BACKWARD"
    one = edited(search.evidence, (*path, side, 0, 0), lambda value: value + 1)
    assert verdict(check, one, parameters, case) == "R-B-BACKWARD"


def test_splitting_a_fixed_neuron_is_refused():
    """A row whose neuron is fixed already could be its own half: a tree without leaves."""
    number = next(i for i, line in enumerate(HONEST.splits) if any(line.on) or any(line.off))
    line = HONEST.splits[number]
    fixed = [a + b for a, b in zip(line.on, line.off, strict=True)].index(1)
    assert refused(edited(HONEST, ("splits", number, "neuron"), fixed)) == "R-B-SPLIT"
    for neuron in (-1, 4):
        assert refused(edited(HONEST, ("splits", number, "neuron"), neuron)) == "R-B-SPLIT"


def test_a_half_that_is_no_row_is_refused():
    """Without a leaf, or with it on another slice or with another sign more or less, half of a part is unproven."""
    for number, line in enumerate(HONEST.leaves):
        path = ("leaves", number)
        gone = HONEST.leaves[:number] + HONEST.leaves[number + 1 :]
        assert refused(replace(HONEST, leaves=gone)) in {"R-B-SPLIT", "R-B-ROOT"}
        changed = [edited(HONEST, (*path, "slice"), 1 - line.slice)]
        for neuron in range(4):
            on, off = line.on[neuron], line.off[neuron]
            others = {(0, 0), (1, 0), (0, 1)} - {(on, off)}
            changed += [
                edited(edited(HONEST, (*path, "on", neuron), a), (*path, "off", neuron), b) for a, b in sorted(others)
            ]
        for evidence in changed:
            assert refused(evidence) in {"R-B-SPLIT", "R-B-ROOT"}


def test_another_neuron_is_refused():
    """A split row has the halves of the neuron that it names."""
    for number, line in enumerate(HONEST.splits):
        for neuron in set(range(4)) - {line.neuron}:
            assert refused(edited(HONEST, ("splits", number, "neuron"), neuron)) == "R-B-SPLIT"


@pytest.mark.parametrize(("on", "off"), [(2, -1), (-1, 2), (1, 1), (2, 0)])
def test_signs_that_are_no_bits_are_refused(on, off):
    """On 2 and off -1 packed to the root's key: signs are bits, and no neuron is both."""
    number = leaf_of(lambda line: True)
    changed = edited(HONEST, ("leaves", number, "on", 0), on)
    assert refused(edited(changed, ("leaves", number, "off", 0), off)) == "R-B-KEY"


def test_a_slice_that_does_not_exist_is_refused():
    """Rows name one of the S slices."""
    for number in (-1, 2):
        assert refused(edited(HONEST, ("leaves", 0, "slice"), number)) == "R-B-KEY"


def test_a_slice_without_a_root_is_refused():
    """A slice begins at its own row without signs: no part of it, no other slice's."""
    for number in range(2):
        place = next(i for i, line in enumerate(HONEST.splits) if line.slice == number and not any(line.on + line.off))
        for evidence in (
            replace(HONEST, splits=HONEST.splits[:place] + HONEST.splits[place + 1 :]),
            edited(HONEST, ("splits", place, "on", 0), 1),
            edited(HONEST, ("splits", place, "slice"), 1 - number),
        ):
            assert refused(evidence) == "R-B-ROOT"


def test_bounds_of_one_slice_are_refused_for_another():
    """The slices' centres differ, and so do their bounds."""
    assert refused(replace(HONEST, bounds=HONEST.bounds[::-1])) in {"R-B-FIRST", "R-B-BOUND"}
    assert refused(replace(HONEST, bounds=(HONEST.bounds[0], HONEST.bounds[0]))) in {"R-B-FIRST", "R-B-BOUND"}


@pytest.mark.parametrize(
    ("path", "rule"),
    [(("first_radii", 0), "R-B-FIRST"), (("bounds", 0, 1, "below", 0, "radius"), "R-B-RADIUS"),
     (("bounds", 0, 1, "above", 0, "radius"), "R-B-RADIUS")],
)  # fmt: skip
def test_a_negative_or_short_radius_is_refused(path, rule):
    """A negative radius has a fine square and would make every form positive; one less is too short."""
    assert refused(edited(HONEST, path, lambda value: -value - 1)) == rule
    assert refused(edited(HONEST, path, lambda value: value - 1)) == rule


def test_a_larger_radius_is_refused():
    """The radii of all forms belong to the stated radius: claiming more without new ones is refused."""
    assert refused(replace(HONEST, radius_squared=HONEST.radius_squared + 1)) == "R-B-FIRST"
    assert refused(replace(HONEST, radius_squared=-1)) == "R-MIN"
    assert refused(replace(HONEST, radius_squared=1 << 29)) == "R-MIN"


def test_bounds_that_are_too_near_are_refused():
    """One more for l, one less for u, at either layer."""
    for layer, rule in ((0, "R-B-FIRST"), (1, "R-B-BOUND")):
        assert refused(edited(HONEST, ("bounds", 0, layer, "low", 0), lambda value: value + 1)) == rule
        assert refused(edited(HONEST, ("bounds", 0, layer, "high", 0), lambda value: value - 1)) == rule


def test_a_part_that_is_not_empty_is_refused_without_the_margin():
    """M = 0 with c = d = 0 passes centre >= reach: centre >= 1 refuses it."""
    number = leaf_of(lambda line: line.margins[0].multiplier > 0)
    margin = replace(HONEST.leaves[number].margins[0], multiplier=0, excess=((0, 0), (0, 0)))
    assert refused(edited(HONEST, at_leaf(number), margin)) == "R-B-LEAF"


def test_a_multiplier_out_of_its_range_is_refused():
    """M is from 0 to 2^q: a negative one would prove the margin negative."""
    for multiplier in (-1, UNIT + 1):
        assert refused(edited(HONEST, at_leaf(0, "multiplier"), multiplier)) == "R-B-LEAF"


def test_a_proof_of_an_empty_part_is_refused_where_the_centre_is():
    """Multipliers belong to the signs of their row: those of an empty part do not empty the one with the query."""
    number = leaf_of(lambda line: line.margins[0].multiplier == 0)
    for other, line in enumerate(HONEST.leaves):
        pattern = CASE.network.pattern((*CASE.query, *CASE.table[line.slice]))
        if all(pattern >> i & 1 for i, on in enumerate(line.on) if on) and not any(
            pattern >> i & 1 for i, off in enumerate(line.off) if off
        ):
            swapped = edited(HONEST, ("leaves", other, "margins"), HONEST.leaves[number].margins)
            assert refused(swapped) in {"R-B-LEAF", "R-B-BACKWARD", "R-B-RADIUS"}


def test_a_tree_without_a_split_is_refused():
    """A constraint system has at least one split row, so evidence has one too."""
    assert refused(replace(HONEST, splits=())) == "R-B-ROOT"
    whole = replace(HONEST.leaves[0], on=(0,) * 4, off=(0,) * 4)
    assert refused(replace(HONEST, splits=(), leaves=(whole, replace(whole, slice=1)))) == "R-B-SPLIT"


def test_another_label_is_refused():
    """The label is the centres'; labels that do not exist are none."""
    for label in (1 - HONEST.label, -1, 2, True):
        assert refused(replace(HONEST, label=label)) == "R-B-CENTRE"


@pytest.mark.parametrize("value", [1.0, True, 1 << 400])
def test_numbers_that_are_no_integers_of_their_width_are_refused(value):
    """Floats round and wide integers wrap around in a field."""
    for path in (
        at_leaf(0, "multiplier"),
        ("first_radii", 0),
        ("bounds", 0, 0, "offset", 0),
        ("bounds", 0, 0, "low", 0),
    ):
        assert refused(edited(HONEST, path, value)) is not None


def test_rows_of_other_lengths_are_refused():
    """Every row is as long as its layer, every list as long as its shape says."""
    for path in (
        ("first_radii",), ("bounds",), ("bounds", 0), ("bounds", 0, 0, "low"),
        ("bounds", 0, 0, "upper"), ("bounds", 0, 1, "below"), ("leaves", 0, "on"), ("leaves", 0, "margins"),
        at_leaf(0, "excess"), at_leaf(0, "excess", 0), at_leaf(0, "lower", 1),
    ):  # fmt: skip
        assert refused(edited(HONEST, path, lambda rows: rows[:-1])) is not None
        assert refused(edited(HONEST, path, lambda rows: (*rows, rows[-1]))) is not None


@pytest.mark.slow
def test_the_scale_of_layer_2_does_not_serve_layer_3():
    """With 2^q kept for 2^(2q), a lower bound above 0 would be 2^q too high: refused on every net that has one."""
    count = 0
    for seed in range(120):
        case = wide(seed, shapes=((1, 2, 1), (2, 1, 2), (1, 1, 1)))
        search = run(case)
        if isinstance(search, Counterexample):
            continue
        parameters = parameters_of(case)
        assert parameters.shift(3) == parameters.shift(2) - parameters.fraction_bits
        for number, layers in enumerate(search.evidence.bounds):
            top = layers[2]
            low = tuple(value << parameters.fraction_bits for value in top.low)
            high = tuple(value << parameters.fraction_bits for value in top.high)
            if not any(value > 0 for value in low) and not any(value < 0 for value in high):
                continue
            count += 1
            _, upper, offset = zip(
                *(neuron_lines(a, b, parameters.unit) for a, b in zip(low, high, strict=True)), strict=True
            )
            claim = edited(
                search.evidence, ("bounds", number, 2), replace(top, low=low, high=high, upper=upper, offset=offset)
            )
            assert verdict(check, claim, parameters, case) == "R-B-BOUND"
    assert count > 20


def test_hidden_roundings_are_not_charged_to_the_radius():
    """A coefficient over hidden neurons is rounded down: one more is refused in bounds, and leaves have no choice."""
    count = 0
    for seed in range(20):
        case = wide(seed, shapes=((2, 2, 1), (1, 2, 2)))
        parameters = replace(parameters_of(case), rounding=((0,), (5, 0), (5, 5, 0)), coefficient_rounding=(0, 7, 7))
        search = run(case, parameters)
        if isinstance(search, Counterexample):
            continue
        assert verdict(check, search.evidence, parameters, case) is None
        for number, layers in enumerate(search.evidence.bounds):
            for i, descent in enumerate(layers[2].below):
                for neuron in range(len(descent.positive[0])):
                    path = ("bounds", number, 2, "below", i, "positive", 0, neuron)
                    up = edited(search.evidence, path, lambda value: value + 1)
                    assert verdict(check, up, parameters, case) == "R-B-BACKWARD"
                    count += 1
    assert count > 40


def test_a_centre_that_is_too_near_is_refused():
    """Without a radius of its own a margin's centre is held to R2 |c|^2: slopes that lose a little are refused."""
    assert {margin.radius for line in HONEST.leaves for margin in line.margins} == {0}
    for radius in (1, -1):
        assert refused(edited(HONEST, at_leaf(0, "radius"), radius)) == "R-B-RADIUS"
    rules = set()
    for number, line in enumerate(HONEST.leaves):
        for place, row in enumerate(line.margins[0].lower):
            for i, value in enumerate(row):
                changed = edited(HONEST, at_leaf(number, "lower", place, i), UNIT - value)
                rules.add(refused(changed))
    assert "R-B-RADIUS" in rules


def test_what_rounding_leaves_of_the_features_is_charged_to_the_radius():
    """With kc > 0 a remainder radius of 0 is refused wherever a remainder is left."""
    case = larger(3, 6, (3, 2))
    parameters = replace(parameters_of(case), coefficient_rounding=(9, 9))
    search = run(case, parameters)
    assert verdict(check, search.evidence, parameters, case) is None
    paths = [path for path in places(search.evidence) if path[-1] == "remainder_radius"]
    left = [path for path in paths if _read(search.evidence, path)]
    assert left
    for path in left:
        assert verdict(check, edited(search.evidence, path, 0), parameters, case) == "R-B-RADIUS"


def test_bounds_hold_the_values_on_the_ball():
    """What slice_bounds returns is accepted for any radius, and no point of the ball leaves it."""
    for radius_squared in (0, 1, 50, 4000):
        for row in CASE.table:
            made = slice_bounds(PARAMETERS, CASE.network, CASE.query, row, radius_squared)
            reach = int(radius_squared**0.5)
            for step in range(-reach, reach + 1, max(1, reach // 20)):
                for axis in range(CASE.columns):
                    point = [v + step * (k == axis) for k, v in enumerate(CASE.query)]
                    values = CASE.network.pre_activations((*point, *row))
                    for layer, here in zip(made, values, strict=False):
                        held = zip(layer.low, here, layer.high, strict=True)
                        assert all(low <= value <= high for low, value, high in held)


def test_a_network_of_other_sizes_is_the_callers_mistake():
    """Parameters of another shape, inputs out of range and short tables raise ValueError, not a rule."""
    other = tiny(3, shapes=((3,),))
    with pytest.raises(ValueError, match="other sizes"):
        check(HONEST, parameters_of(other), CASE.network, CASE.query, CASE.table)
    with pytest.raises(ValueError, match="other lengths"):
        check(HONEST, PARAMETERS, CASE.network, CASE.query, ())
    with pytest.raises(ValueError, match="18 signed bits"):
        check(HONEST, PARAMETERS, CASE.network, (1 << 17,) * CASE.columns, CASE.table)


def test_evidence_shows_no_row():
    """Bounds, passes and multipliers are made of weights: a repr has the label, the radius and signs at most."""
    assert repr(HONEST) == f"BranchEvidence(label={HONEST.label}, radius_squared={HONEST.radius_squared})"
    leaf = HONEST.leaves[0]
    assert repr(leaf) == f"Leaf(slice={leaf.slice}, on={leaf.on}, off={leaf.off})"
    held = (leaf.margins[0], HONEST.bounds[0][0], HONEST.bounds[0][1], HONEST.bounds[0][1].below[0])
    assert not any("=" in repr(part) or "(" in repr(part) for part in held)


@pytest.mark.parametrize("rule", evidence_check.RULES)
def test_a_rule_names_itself(rule):
    """The docstring of each rule's function begins with its id."""
    assert evidence_check.RULES[rule].__doc__.startswith(rule)


def test_errors_say_where():
    """A refusal names the row, layer and neuron."""
    with pytest.raises(EvidenceError, match=r"R-B-FIRST: slice 1, layer 1, neuron 0: the bounds do not contain"):
        check(
            edited(HONEST, ("bounds", 1, 0, "low", 0), lambda value: value + 1),
            PARAMETERS,
            CASE.network,
            CASE.query,
            CASE.table,
        )


def _read(thing, path):
    for step in path:
        thing = getattr(thing, step) if isinstance(step, str) else thing[step]
    return thing
