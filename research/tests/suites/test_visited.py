"""Nodes that a ball reaches: counts beside an enumeration of all cells, the estimate, and the kept table."""

import itertools
import json
import random
from pathlib import Path

import pytest

pytest.importorskip("sklearn")
pytest.importorskip("xgboost")

from bench.harness import BenchError
from bench.parts import Options
from equiproof.certify.additive import AdditiveModel
from equiproof.certify.data import load
from equiproof.certify.ensemble import EnsembleModel, NodeTable
from equiproof.certify.trees.problem import Problem, problem_of
from equiproof.circuits.shape import ensemble_shape
from equiproof.prover.estimate import estimate
from research.catalogue import HERE
from research.suites import visited
from research.suites.target_models import Room

RESULTS = json.loads((HERE / "results" / "visited.json").read_text(encoding="utf-8"))
PLAIN, SENSITIVE, WIDTH = 3, 1, 20


def grown(rng):
    """Return an ensemble of a few trees over three columns and a sensitive one, no leaf of which is out of reach."""
    splits = {(column, rng.randrange(WIDTH)) for column in range(PLAIN) for _ in range(4)}
    predicates = [*sorted(splits), (PLAIN, 0)]
    asked, kinds, values = [], [], []
    trees = rng.randrange(1, 4)
    level = [dict.fromkeys(range(PLAIN + SENSITIVE), (-1, WIDTH)) for _ in range(trees)]
    for depth in range(4):
        below = []
        for box in level:
            inside = [place for place, (column, end) in enumerate(predicates) if box[column][0] < end < box[column][1]]
            place = rng.choice(inside)
            column, end = predicates[place]
            low, high = box[column]
            children = [box | {column: (low, end)}, box | {column: (end, high)}]
            grows = [
                depth < 3
                and rng.random() < 0.8
                and any(child[one][0] < limit < child[one][1] for one, limit in predicates)
                for child in children
            ]
            asked.append(place)
            kinds.append(tuple(map(int, grows)))
            values += [rng.randrange(-9, 10) for grow in grows if not grow]
            below += [child for child, grow in zip(children, grows, strict=True) if grow]
        level = below
    columns, ends = zip(*predicates, strict=True)
    additive = AdditiveModel(columns, ends, (0,) * len(columns), rng.randrange(-3, 4), PLAIN, SENSITIVE, 0)
    return EnsembleModel(additive, NodeTable(trees, tuple(asked), tuple(kinds), tuple(values)))


def of_all_cells(model, query, squared):
    """Send every cell that a column alone reaches inside the ball through the trees; count who is asked what.

    Live is what is asked with both answers, or of the sensitive column; dead what all those who are asked answer alike.
    """
    own = model.additive
    cells = []
    for column, x in enumerate(query):
        ends = [end for of, end in zip(own.columns, own.thresholds, strict=True) if of == column]
        edges = [None, *ends, None]
        cells.append([])
        for low, high in itertools.pairwise(edges):
            # Numbers above `low` and at most `high` reach into the open interval of x: their infimum is near enough.
            near = (low is None or x > low or (low - x) ** 2 < squared) and (
                high is None or x <= high or (x - high) ** 2 < squared
            )
            if near:
                cells[-1].append(high if high is not None else (low or 0) + 1)
    answers = {}
    for row in itertools.product(*cells, (0, 1)):
        for root in range(model.nodes.roots):
            at = root
            while at >= 0:
                place = model.nodes.predicates[at]
                high = row[own.columns[place]] > own.thresholds[place]
                answers.setdefault(at, set()).add(high)
                at = model.nodes.ahead[at][high]
    live = sum(len(found) == 2 or model.nodes.predicates[at] >= model.predicates[0] for at, found in answers.items())
    return live, len(answers) - live


def test_counts_are_those_of_an_enumeration():
    """Around random queries, each node is live, dead on the way, or out of reach, as all cells of the ball show."""
    rng = random.Random(51)
    seen = set()
    for _ in range(400):
        model = grown(rng)
        query = tuple(rng.randrange(WIDTH) for _ in range(PLAIN))
        squared = rng.choice((0, 1, 4, 9, 25, 100))
        problem = problem_of(model, query, [(0,), (1,)], max_radius_squared=squared)
        if not isinstance(problem, Problem):
            continue
        found = visited.visit(model, query, problem.slots(squared))
        assert found == of_all_cells(model, query, squared)
        seen.add((found.live > 0, found.dead > 0, sum(found) < model.nodes.sizes[1]))
    assert len(seen) > 4


def test_a_node_adds_thirteen_lookups_to_the_predicates():
    """What the estimate takes off for each node is what today's circuit has for it in part `predicates`."""
    spec = load("lending").spec
    small, large = (dict(estimate(ensemble_shape(spec, (20, 1), (5, nodes), 10, 30, 4)).parts) for nodes in (60, 90))
    assert large["predicates"] - small["predicates"] == 30 * visited.LOOKUPS
    apart = {name for name in small if small[name] != large[name]}
    assert apart <= {"predicates", "nodes", "commitment", "range table"}


def test_a_small_model_is_counted():
    """No ball visits more than all nodes, larger ones have more live nodes, and fewer dead ones take less."""
    data = load("lending")
    model = visited.committed(next(one for one in visited.MODELS if one.name == "100x3"), data)
    queries = (data.spec.encode(data.rows[number]) for number in data.test)
    part = visited.counted(model, data.spec, queries, Room(4, 30, 60), visited.Question(points=3))
    balls = part["balls"]
    assert part["points"] == 3
    assert all(most <= part["nodes"] for ball in balls.values() for most in ball["visited"])
    assert balls["0.2"]["live"] <= balls["0.4"]["live"] <= balls["0.8"]["live"]
    assert balls["certified"]["live"][2] <= 60
    assert visited.resolving(part, 10) - visited.resolving(part, 9) == visited.PER_VISITED
    assert visited.resolving(part, part["nodes"]) == visited.resolving(part, 2 * part["nodes"])
    assert part["others"] < part["today"]


def test_public_models_are_skipped_without_their_files(tmp_path):
    """The part says which folder is missing, and the page lists it; it has no line in the tables."""
    part = visited.of_public("churn", 200, 5, visited.Question(), tmp_path)
    assert "ensense" in part["skipped"]
    results = {"parts": {"public-churn-200x5": part}}
    assert visited.finding(results) == "Skipped, as the files are missing: churn-200x5."
    assert len(visited.costs_table(results).splitlines()) == 2
    assert len(visited.nodes_table(results).splitlines()) == 2


def test_several_processes_are_refused():
    """Counts have one process."""
    with pytest.raises(BenchError, match="--jobs 1"):
        visited.plan(Path(), Options(jobs=2))


def test_every_model_is_measured():
    """The tables have a line for each model, and for each of its balls; the sentence on pairs is of their medians."""
    parts = RESULTS["parts"]
    assert list(parts) == list(visited.plan(None, Options()).parts)
    counted = [part for part in parts.values() if "skipped" not in part]
    assert len(visited.costs_table(RESULTS).splitlines()) == 2 + len(counted)
    assert len(visited.nodes_table(RESULTS).splitlines()) == 2 + 5 * len(counted)
    pairs = parts["adult-ebm-pairs"]
    few = all(ball["dead"][0] <= visited.PAIRS_DEAD for ball in pairs["balls"].values())
    assert ("at most 3,500" in visited.finding(RESULTS)) == few


@pytest.mark.parametrize(("dead", "words"), [(3500, "at most 3,500"), (3501, "more than 3,500")])
def test_the_sentence_on_pairs_follows_the_counts(dead, words):
    """A median of 3,500 dead nodes is within reach, one more is not."""
    pairs = RESULTS["parts"]["adult-ebm-pairs"]
    balls = {name: ball | {"dead": [0, 0, 0]} for name, ball in pairs["balls"].items()}
    balls["0.4"] = balls["0.4"] | {"dead": [dead, dead, dead]}
    assert words in visited.finding({"parts": {"adult-ebm-pairs": pairs | {"balls": balls}}})
