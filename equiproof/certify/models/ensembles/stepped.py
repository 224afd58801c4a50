"""A score as a network of exact integers: the two agree at every input of whole grid units without missing values.

A predicate x > t is, for integers, relu(x - t) - relu(x - t - 1); a set of values is a sum of their columns. A leaf of
a tree is relu(m - d + 1), where m of its d splits go its way: 1 where all do. Between grid units the network rises
where the score jumps: it is for searches over grid points only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.ensemble import Child, EnsembleModel, ScoredModel
from equiproof.certify.network import Layer, NetworkError, QuantisedNetwork
from equiproof.circuits.categories import Category

MAX_WEIGHTS = 1 << 24
"""The most weights of the network of an ensemble: some hundred megabytes."""


def as_network(model: ScoredModel) -> QuantisedNetwork:
    """Return the network; its logit is the score, at as fine a scale at least.

    It has two hidden neurons for each predicate, and of an ensemble a second layer with one for each leaf. Raises
    NetworkError for jumps that do not fit a weight at that scale, and for more than MAX_WEIGHTS.
    """
    own = model.additive if isinstance(model, EnsembleModel) else model
    finer = max(0, own.input_fraction_bits - own.value_fraction_bits)
    bits = own.value_fraction_bits + finer - own.input_fraction_bits
    steps = _steps(own)
    if not isinstance(model, EnsembleModel):
        weights = tuple(sign * (jump << finer) for jump in own.jumps for sign in (1, -1))
        return QuantisedNetwork((steps, Layer((weights,), (own.bias << finer,))), own.input_fraction_bits, (0, bits))
    ways: list[tuple[Mapping[int, int], int]] = [({place: 1}, jump) for place, jump in enumerate(own.jumps) if jump]
    ways += [(way, value) for way, value in _leaves(model) if value]
    places = sum(model.predicates)
    if (2 * places + 1) * len(ways) > MAX_WEIGHTS:
        raise NetworkError(
            f"{len(ways):,} leaves over {places:,} thresholds are too many for audits: want fewer trees or less depth"
        )
    met = Layer(
        tuple(tuple(sign * way.get(place, 0) for place in range(places) for sign in (1, -1)) for way, _ in ways),
        tuple(1 - sum(direction > 0 for direction in way.values()) for way, _ in ways),
    )
    last = Layer((tuple(value << finer for _, value in ways),), (own.bias << finer,))
    return QuantisedNetwork((steps, met, last), own.input_fraction_bits, (0, 0, bits))


def _steps(model: AdditiveModel) -> Layer:
    """Return two neurons for each predicate, whose difference is 1 where it holds, else 0."""
    asked = [(one.category, members) for one in model.sets for members in one.members]
    rows: list[tuple[int, ...]] = []
    offsets: list[int] = []
    for column, threshold in zip(model.columns, model.thresholds, strict=True):
        if model.stated <= column < model.plain:
            own, passed = _set(*asked[column - model.stated], model.stated + model.sensitive)
        else:
            place, passed = column if column < model.stated else column - len(asked), threshold
            own = tuple(int(number == place) for number in range(model.stated + model.sensitive))
        rows += [own, own]
        offsets += [-passed, -passed - 1]
    return Layer(tuple(rows), tuple(offsets))


def _set(category: Category, members: Sequence[int], inputs: int) -> tuple[tuple[int, ...], int]:
    """Return weights and threshold of a set: its values' columns add up to it where somebody has none of them."""
    weights = [0] * inputs
    weights[category.first : category.first + category.values] = members[: category.values]
    return tuple(weights), category.low * sum(weights)


def _leaves(model: EnsembleModel) -> Iterator[tuple[Mapping[int, int], int]]:
    """Yield each leaf that some input reaches as the predicates on its way, 1 where they hold and -1 where not."""
    ahead: list[tuple[Child, dict[int, int]]] = [(Child(True, root), {}) for root in range(model.nodes.roots)]
    while ahead:
        child, way = ahead.pop()
        if not child.is_node:
            yield way, child.number
            continue
        place = model.nodes.predicates[child.number]
        for side, below in zip((-1, 1), model.nodes.children[child.number], strict=True):
            if way.get(place, side) == side:
                ahead.append((below, way | {place: side}))
