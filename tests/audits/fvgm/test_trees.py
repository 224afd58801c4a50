"""Trees as clauses: they decide as the tree everywhere, and shares of groups are those of enumeration."""

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from equiproof.audits.fvgm import clauses, ssat
from equiproof.audits.fvgm.coding import design
from equiproof.audits.fvgm.enumeration import enumerated
from equiproof.audits.fvgm.learning import CodingError
from equiproof.audits.fvgm.metrics import shares
from equiproof.audits.fvgm.network import BOOLEAN, Choice, Network, boolean
from equiproof.audits.fvgm.pipeline import Rows, Settings
from equiproof.audits.fvgm.trees import NotATreeError, accepted, edge, prepare_tree, split_of
from equiproof.audits.fvgm.verification import Verification


def boolean_case(seed, features=5, rows=300):
    """A tree over Boolean columns, some sensitive, as clauses over the values 0 and 1."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (rows, features)).astype(float)
    weights = rng.normal(size=features)
    labels = ((X @ weights + rng.normal(scale=0.5, size=rows)) > weights.sum() / 2).astype(int)
    columns = {f"b{i}": np.array(["0", "1"], dtype=object)[X[:, i].astype(int)] for i in range(features)}
    given = Rows(columns, X, {f"b{i}": [i] for i in range(features)}, ("b0",))
    tree = DecisionTreeClassifier(max_depth=int(rng.integers(1, 6)), random_state=seed).fit(X, labels)
    return tree, given


def random_network(rng, features=5):
    """A random Boolean network over the columns of a case, the first one a choice."""
    chances = []
    for i in range(1, features):
        parents = rng.sample([f"b{k}" for k in range(i)], rng.randint(0, min(i, 2)))
        chances.append(
            boolean(f"b{i}", parents, true=[Fraction(rng.randint(0, 8), 8) for _ in range(2 ** len(parents))])
        )
    rng.shuffle(chances)
    return Network((Choice("b0", BOOLEAN),), tuple(chances))


def test_shares_of_boolean_trees_are_those_of_enumeration():
    """On random networks: clauses decide as `predict` on every assignment, shares are exactly those of enumeration."""
    for seed in range(60):
        tree, given = boolean_case(seed)
        prepared = prepare_tree(tree, given, Settings(max_parents=0))
        model, network = prepared.classifier, random_network(random.Random(seed))
        every = list(itertools.product("01", repeat=5))
        decided = dict(zip(every, tree.predict(np.array(every, dtype=float)) == 1, strict=True))
        for values in every:
            assert model.accepts({f"b{i}": value for i, value in enumerate(values)}) == decided[values]

        def by_tree(values, decided=decided):
            """The decision of scikit-learn's own tree."""
            return decided[tuple(values[f"b{i}"] for i in range(5))]

        found = [clauses.acceptance(model, network, group) for group in network.groups()]
        truth = [enumerated(by_tree, network, group) for group in network.groups()]
        assert [one.low for one in found] == [one.high for one in found] == truth


def test_stochastic_satisfiability_agrees_on_trees():
    """The tree's clauses with the network's, solved with the paper's quantifiers, give both extremes."""
    compared = 0
    for seed in range(40):
        rng = random.Random(seed)
        tree, given = boolean_case(seed, features=3)
        model, network = prepare_tree(tree, given, Settings(max_parents=0)).classifier, random_network(rng, 3)
        if len(ssat.encoded(network).parameters) > 6:
            continue
        found = [bounds.low for bounds in shares(model, network).accepted]
        assert ssat.probability(ssat.problem(model, network, "exists")) == max(found)
        assert ssat.probability(ssat.problem(model, network, "forall")) == min(found)
        compared += 1
    assert compared >= 20


def test_edge_is_the_first_number_above_a_threshold():
    """Trees compare 32-bit floats: the edge is above the threshold once rounded, and the float before it is not."""
    rng = random.Random(0)
    drawn = [rng.uniform(-1, 1) * 10 ** rng.randint(-6, 6) for _ in range(2000)]
    halves = [float(np.float32(value)) for value in drawn[:200]]
    for threshold in [*drawn, *halves, 0.0, 0.5, 24.5, -2.0]:
        found = edge(threshold)
        assert float(np.float32(found)) > threshold
        assert float(np.float32(math.nextafter(found, -math.inf))) <= threshold


def mixed_rows(seed=0, count=700):
    """Rows with numbers as they are and a category, for a tree."""
    rng = np.random.default_rng(seed)
    columns = {
        "pay": rng.normal(40, 10, count),
        "age": rng.integers(18, 70, count).astype(float),
        "job": rng.choice(np.array(["a", "b", "c"], dtype=object), count),
        "sex": rng.choice(np.array(["f", "m"], dtype=object), count),
    }
    X, blocks = design(columns)
    X[:, blocks["pay"][0]], X[:, blocks["age"][0]] = columns["pay"], columns["age"]
    labels = (columns["pay"] + 8 * (columns["job"] == "a") + 6 * (columns["sex"] == "m") > 44).astype(int)
    return columns, X, blocks, labels


def test_clauses_decide_as_the_tree_on_numbers_and_categories():
    """A deep tree over numbers and a category: codes of its own cuts lose nothing, on new rows and next to cuts too."""
    columns, X, blocks, labels = mixed_rows()
    tree = DecisionTreeClassifier(random_state=0).fit(X, labels)
    prepared = prepare_tree(tree, Rows(columns, X, blocks, ("sex",)), Settings(max_parents=0))
    assert (accepted(prepared.classifier, prepared.coded) == (tree.predict(X) == 1)).all()
    fresh, Z, _, _ = mixed_rows(1)
    cuts = tree.tree_.threshold[tree.tree_.feature == blocks["pay"][0]]
    near = np.concatenate([cuts, np.nextafter(cuts, 99), np.nextafter(cuts, -99), cuts.astype(np.float32)])[: len(Z)]
    assert len(near) >= 12
    fresh["pay"][: len(near)] = near
    Z[:, blocks["pay"][0]] = fresh["pay"]
    coded = prepared.coder.coded({name: fresh[name] for name in prepared.coded.names})
    assert (accepted(prepared.classifier, coded) == (tree.predict(Z) == 1)).all()


def test_verification_of_a_tree_is_near_the_rows():
    """Group, odds and mediators are verified as for linear models; shares are near those counted in the rows."""
    columns, X, blocks, labels = mixed_rows(count=3000)
    tree = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, labels)
    prepared = prepare_tree(tree, Rows(columns, X, blocks, ("sex",)), Settings(mediators=("job",)))
    found = Verification(prepared, prepared.groups(), labels).judgements()
    assert len(found) == 4
    assert {one.verdict for one in found.values()} <= {"fair", "unfair"}
    assert all(one.value.exact for one in found.values())
    for group in prepared.groups():
        share = shares(prepared.classifier, prepared.network, [group]).accepted[0].middle
        assert share == pytest.approx(tree.predict(X)[prepared.rows_of(group)].mean(), abs=0.03)


def test_sensitive_numbers_are_groups_by_edges_or_the_trees_cuts():
    """Without edges the tree's cuts make the groups; edges that the tree respects are kept, others are refused."""
    columns, X, blocks, _ = mixed_rows()
    labels = (columns["age"] >= 30).astype(int)
    tree = DecisionTreeClassifier(max_depth=1).fit(X, labels)
    rows = Rows(columns, X, blocks, ("age",))
    assert len(prepare_tree(tree, rows).groups()) == 2
    held = prepare_tree(tree, rows, Settings(edges={"age": [30, 50]}))
    assert [bounds.low for bounds in shares(held.classifier, held.network).accepted] == [0, 1, 1]
    with pytest.raises(CodingError, match=r"age: the tree cuts it at 29.5, inside a group"):
        prepare_tree(tree, rows, Settings(edges={"age": [40]}))


def test_trees_of_one_leaf_accept_all_or_nobody():
    """A tree that never asks has no clause, or one that nothing satisfies."""
    columns, X, blocks, _ = mixed_rows(count=50)
    rows = Rows(columns, X, blocks, ("sex",))
    for label, share in ((1, 1), (0, 0)):
        wide = DecisionTreeClassifier(max_depth=3, min_samples_leaf=50).fit(X, np.r_[np.full(49, label), 1 - label])
        prepared = prepare_tree(wide, rows, Settings(max_parents=0))
        assert [bounds.low for bounds in shares(prepared.classifier, prepared.network).accepted] == [share] * 2


def test_what_is_no_tree_of_these_columns_is_refused():
    """Other models, trees of other classes or columns, and standardised numbers raise in one line."""
    columns, X, blocks, labels = mixed_rows(count=100)
    rows = Rows(columns, X, blocks, ("sex",))
    for model in (
        LogisticRegression(max_iter=2000).fit(X, labels),
        DecisionTreeRegressor().fit(X, labels),
        DecisionTreeClassifier(),
        DecisionTreeClassifier().fit(X, labels + 1),
    ):
        with pytest.raises(NotATreeError, match="want a fitted DecisionTreeClassifier"):
            split_of(model)
    with pytest.raises(NotATreeError, match="reads 2 columns"):
        prepare_tree(DecisionTreeClassifier().fit(X[:, :2], labels), rows)
    scaled = design(columns)[0]
    with pytest.raises(CodingError, match="leave scaling out"):
        prepare_tree(DecisionTreeClassifier().fit(scaled, labels), Rows(columns, scaled, blocks, ("sex",)))
