"""Small random ensembles, and the same trees written within each other, which tests walk instead of the tables."""

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.ensemble import Child, EnsembleModel, NodeTable


def drawn(rng, *, plain=2, sensitive=1, predicates=6, trees=3, depth=3, reach=4, values=6, jumps=0.3):
    """An ensemble over thresholds within `reach`; every sensitive column has at least its share of predicates."""
    columns = plain + sensitive
    rows = sorted({(rng.randrange(columns), rng.randint(-reach, reach)) for _ in range(predicates)})
    some = [rng.randint(-values, values) if rng.random() < jumps else 0 for _ in rows]
    additive = AdditiveModel(
        tuple(column for column, _ in rows), tuple(t for _, t in rows), tuple(some), rng.randint(-3, 3),
        plain, sensitive, 0,
    )  # fmt: skip
    return EnsembleModel(additive, table_of([_tree(rng, len(rows), depth, values) for _ in range(trees)]))


def ensemble(spec, predicates, trees, bias):
    """An ensemble of (column, threshold, jump), which ascend, and of nested trees, under a spec."""
    columns, thresholds, jumps = zip(*predicates, strict=True)
    additive = AdditiveModel(
        columns, thresholds, jumps, bias, spec.plain_columns, spec.sensitive_columns, spec.input_fraction_bits
    )
    return EnsembleModel(additive, table_of(trees))


def _tree(rng, predicates, depth, values):
    """A tree as (predicate, low, high), with a node at its root; a leaf is its value."""

    def below(left):
        if left and rng.random() < 0.7:
            return (rng.randrange(predicates), below(left - 1), below(left - 1))
        return rng.randint(-values, values)

    return (rng.randrange(predicates), below(depth - 1), below(depth - 1))


def table_of(trees):
    """Return nested trees as a table in level order."""
    queue, asked, kinds, values = list(trees), [], [], []
    for tree in queue:  # grows meanwhile
        place, *children = tree
        asked.append(place)
        kinds.append(tuple(int(isinstance(child, tuple)) for child in children))
        for child in children:
            (queue if isinstance(child, tuple) else values).append(child)
    return NodeTable(len(trees), tuple(asked), tuple(kinds), tuple(values))


def nested(model):
    """Return the trees of an ensemble as (column, threshold, low, high) within each other; a leaf is its value."""

    def of(child):
        if not child.is_node:
            return child.number
        place = model.nodes.predicates[child.number]
        low, high = model.nodes.children[child.number]
        return (model.additive.columns[place], model.additive.thresholds[place], of(low), of(high))

    return [of(Child(True, root)) for root in range(model.nodes.roots)]


def walked(tree, inputs):
    """Return the leaf that an input reaches."""
    while isinstance(tree, tuple):
        column, threshold, low, high = tree
        tree = high if inputs[column] > threshold else low
    return tree
