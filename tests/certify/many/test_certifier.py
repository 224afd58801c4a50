"""Certification of many applicants: the same whatever the number of processes, frozen, and true."""

import html
import io
import json
import random
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import msgspec
import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from sklearn.base import clone

from equiproof.certify.digits import part
from equiproof.certify.errors import CapacityError, EvidenceError, RunError
from equiproof.certify.many.certifier import Certifier
from equiproof.certify.many.results import Results
from equiproof.certify.models.network import Network
from equiproof.certify.models.quantise import quantise
from equiproof.certify.traversal.search import Counterexample, Search, search
from equiproof.circuits.spec import Feature
from tests.certify.hand_made import by_income, by_sex, never
from tests.certify.oracle import nearest_flip
from tests.certify.tiny import Case, tiny
from tests.pins import FOLDER, assert_pinned
from tests.support import LOANS, RATES, applicant, network, spec_of

RICH = {"income": 42000, "housing": "own"}
"""One scale above the mean income: the integer 1024."""


def certifier(model, spec=LOANS, **parameters):
    """Return a certifier of scheme traversal, or of another one, that shows no progress."""
    return Certifier(model, spec, **{"progress": False, "scheme": "traversal"} | parameters)


def untimed(results):
    """Return the points without what the machine decides."""
    return [msgspec.structs.replace(point, seconds=0.0) for point in results]


@pytest.fixture(scope="module")
def model():
    """A network with fair, unfair and hard points."""
    return network(LOANS, (4, 2), seed=4, sensitivity=2.0)


@pytest.fixture(scope="module")
def rows():
    """Thirty random applicants, some of them twice."""
    rng = random.Random(1)
    rows = [applicant(LOANS, rng) for _ in range(26)]
    return [*rows, *rows[:4]]


@pytest.fixture(scope="module")
def results(model, rows):
    """What is known of them, in one process."""
    return certifier(model, capacity=4).certify(rows)


def test_a_fair_point_is_what_a_hand_computes():
    """The decision by income alone holds exactly down to the mean: R2 is 1024^2, less two steps for real neighbors."""
    (point,) = certifier(by_income(), capacity=2, exact=True).certify([RICH])
    assert (point.row, point.verdict, point.reason, point.label) == (1, "fair", None, "granted")
    assert (point.radius_squared, point.radius_grid) == (1 << 20, Decimal(1))
    # (1024 - ceil(sqrt 3)) / 1024, cut after six decimals.
    assert point.radius == Decimal("0.998046")
    assert (point.regions, point.needed_capacity, point.capped) == (2, 2, False)
    assert (point.radius_squared_at_capacity, point.radius_at_capacity) == (1 << 20, point.radius)
    assert (point.flip.distance, point.flip.distance_squared, point.flip.label) == (Decimal(1), 1 << 20, None)
    assert (point.exact.lower_squared, point.exact.upper_squared, point.exact.complete) == ("1048576", "1048576", True)


def test_an_unfair_point_carries_its_counterexample():
    """Two slices, their sensitive values, decisions and exact logits; there is no radius."""
    (point,) = certifier(by_sex(), exact=True, capacity=2).certify([RICH])
    assert (point.verdict, point.reason, point.label, point.radius, point.exact) == ("unfair", None, None, None, None)
    found = [(case.slice, case.sensitive, case.label, case.logits) for case in point.cases]
    assert found == [
        (0, (("sex", "f"),), "declined", ("-512",)),
        (1, (("sex", "m"),), "granted", ("512",)),
    ]


def test_a_tie_is_undecided():
    """A network that decides nothing is neither fair nor unfair, and the case says so."""
    (point,) = certifier(never()).certify([RICH])
    assert (point.verdict, point.reason, point.label, point.radius) == ("undecided", "tie", None, None)
    assert [case.label for case in point.cases] == [None]


def test_a_budget_that_ends_first_leaves_what_is_certain(model, rows, results):
    """Undecided by regions or seconds, never fair: the radius is what was certain, and never above the full one."""
    few, hurried = certifier(model, max_regions=4).certify(rows), certifier(model, max_seconds=0).certify(rows)
    ended = [point for point in few if point.reason == "regions"]
    assert ended
    for short, full in zip(few, results, strict=True):
        assert short.verdict == ("undecided" if short.reason else full.verdict)
        if short.reason:
            assert full.verdict == "fair"
            assert (short.label, short.regions, short.needed_capacity) == (full.label, 4, None)
            assert 0 <= short.radius_squared == full.radius_squared_at_capacity < full.radius_squared
    for short, full in zip(hurried, results, strict=True):
        if short.reason == "seconds":
            assert (short.verdict, short.label) == ("undecided", full.label)
            assert 0 <= short.radius_squared <= full.radius_squared
    assert {point.reason for point in hurried} >= {"seconds"}


def test_points_are_their_searches(model, rows, results):
    """Each point says what a search alone says, at the capacity too; the rows are in order."""
    assert [point.row for point in results] == list(range(1, 31))
    for point, row in zip(results, rows, strict=True):
        limits = {"max_radius_squared": LOANS.max_radius_squared, "max_regions": 4096}
        found = search(model, LOANS.encode(row), LOANS.domain_table, **limits)
        if isinstance(found, Counterexample):
            assert point.verdict == "unfair"
            continue
        assert (point.verdict, point.label) == ("fair", LOANS.labels[found.label])
        assert (point.radius_squared, point.regions) == (found.radius_squared, found.needed)
        assert point.radius_squared_at_capacity == found.radius_for(4)
        assert point.needed_capacity // 2 < point.regions <= point.needed_capacity
        assert point.flip is None or point.flip.distance_squared >= found.radius_squared


def test_results_do_not_depend_on_the_number_of_processes(model, rows, results):
    """Two processes at a time find the same points in the same order."""
    assert untimed(certifier(model, capacity=4, jobs=2).certify(rows)) == untimed(results)


def test_evidence_that_does_not_hold_is_never_reported(model, rows, monkeypatch):
    """A search that claims one grid step too much is refused by the checker, and nothing is returned."""

    def boasting(*arguments, **limits):
        found = search(*arguments, **limits)
        return replace(found, radius_squared=found.radius_squared + 1) if isinstance(found, Search) else found

    monkeypatch.setattr("equiproof.certify.many.pointwise.search", boasting)
    with pytest.raises(EvidenceError, match="R-"):
        certifier(model).certify(rows)


@pytest.mark.parametrize("logits", [1, 2])
def test_the_exact_interval_holds_the_true_radius(logits):
    """On tiny networks the oracle's distance lies within the interval, and the certified radius below it."""
    x, y = (Feature(name, "numeric", "scaled", False) for name in "xy")
    age = Feature("age", "numeric", "scaled", True, domain=("-1", "0", "1"))
    spec = spec_of(x, y, age, bits=(1, 8), logits=logits)
    judged = 0
    for seed in range(200):
        case = tiny(seed, columns=(2,), logits=(logits,))
        if case.network.inputs != 3:
            continue
        row = [value / 2 for value in case.query]
        (point,) = certifier(case.network, spec, exact=True).certify([row])
        if point.label is None:
            continue
        true = nearest_flip(Case(case.network, case.query, spec.domain_table), spec.labels.index(point.label))
        bound = spec.max_radius_squared if true is None else true[0]
        assert point.radius_squared <= bound
        assert Fraction(point.exact.lower_squared) <= bound
        if point.exact.upper_squared is not None:
            assert Fraction(point.exact.lower_squared) <= true[0] <= Fraction(point.exact.upper_squared)
            assert Fraction(point.exact.lower) ** 2 <= true[0] / 4 <= Fraction(point.exact.upper) ** 2
        judged += 1
    assert judged > 20


def test_a_float_network_is_quantised_first():
    """The model of a result is the one that is committed: a float network gives the results of its integers."""
    rng = np.random.default_rng(5)
    floats = Network((rng.normal(size=(3, 4)), rng.normal(size=(1, 3))), (rng.normal(size=3), rng.normal(size=1)))
    rows = [applicant(LOANS, random.Random(seed)) for seed in range(6)]
    one, other = certifier(floats).certify(rows), certifier(quantise(floats, LOANS)).certify(rows)
    assert untimed(one) == untimed(other)


def test_the_parameters_are_scikit_learns(model):
    """clone, get_params and set_params work, and nothing is judged before it is used."""
    first = certifier(model, capacity=8, jobs=-1)
    assert list(first.get_params()) == sorted(
        [
            "capacity",
            "exact",
            "jobs",
            "max_leaves",
            "max_regions",
            "max_seconds",
            "model",
            "progress",
            "scheme",
            "slots",
            "rows",
            "spec",
        ]
    )
    copy = clone(first)
    assert copy.get_params() == first.get_params()
    assert copy.set_params(capacity=0).capacity == 0
    assert first.capacity == 8


def test_the_weights_are_never_shown(model):
    """Neither the text nor the notebook form of a certifier reveals a weight: notebooks are saved and sent around."""
    shown = certifier(model, capacity=8)
    assert repr(shown).startswith("Certifier(capacity=8, ")
    assert "model=<QuantisedNetwork 4-4-2-1>" in repr(shown)
    bundle = shown._repr_mimebundle_()
    assert bundle == {"text/plain": repr(shown), "text/html": f"<pre>{html.escape(repr(shown))}</pre>"}


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"jobs": 0}, "jobs"),
        ({"jobs": 1.5}, "jobs"),
        ({"scheme": "tree"}, "traversal or branch"),
        ({"capacity": 8192, "scheme": "traversal"}, "raise max_regions"),
        ({"capacity": 8192, "scheme": "branch"}, "raise max_leaves"),
        ({"max_leaves": 9.5, "scheme": "branch"}, "max_leaves"),
        ({"max_seconds": -1}, "max_seconds"),
        ({"max_seconds": float("nan")}, "max_seconds"),
        ({"spec": "lending"}, "spec"),
        ({"spec": RATES}, "columns"),
        ({"spec": spec_of(*LOANS.features, bits=(9, 18))}, "input_fraction_bits"),
        ({"model": None}, "model"),
    ],
)
def test_parameters_that_do_not_fit_are_refused(model, parameters, named):
    """One line names the parameter, before any search."""
    rows = [{"income": 1, "housing": "own", "savings": "low"}]
    with pytest.raises(RunError, match=named):
        certifier(model).set_params(**parameters).certify(rows)


def test_slices_without_room_are_refused():
    """More sensitive values than regions or rows of a key: an error of capacity, before any search."""
    rows = [{"income": 1, "savings": "low"}]
    for limits, needed in (
        ({"max_regions": 5, "scheme": "traversal"}, "6 regions"),
        ({"capacity": 4, "scheme": "traversal"}, "6 regions"),
        ({"max_leaves": 6, "scheme": "branch"}, "7 leaves"),
        ({"capacity": 4, "scheme": "branch"}, "7 leaves"),
    ):
        with pytest.raises(CapacityError, match=needed):
            certifier(network(RATES, (2,), 13), RATES, **limits).certify(rows)


def test_results_are_frozen(results):
    """Neither results nor points nor what they hold can be changed, and points can be hashed."""
    point = next(point for point in results if point.flip)
    for thing, name in ((results, "points"), (point, "radius"), (point.flip, "distance"), (results.limits, "exact")):
        with pytest.raises(AttributeError):
            setattr(thing, name, None)
    assert len({*results, *results}) == len(results)


def test_results_are_a_sequence(results):
    """Length, index, slice and iteration agree; a slice keeps spec and limits."""
    assert len(results) == 30
    assert results[-1] is list(results)[29]
    assert results[2:5].points == results.points[2:5]
    assert results[2:5].spec is results.spec
    assert repr(results).startswith("<Results of 30 rows of loans: ")


def test_json_comes_back(results, model, rows):
    """What is written reads back equal, every kind of point included, and is written the same again."""
    mixed = certifier(model, exact=True, max_regions=8).certify(rows)
    for one in (results, mixed, certifier(never()).certify([RICH])):
        again = Results.from_json(one.to_json())
        assert again == one
        assert again.to_json() == one.to_json()


def of_each_kind(**parameters):
    """Return results with one point of each kind, as if each had taken a quarter of a second and few programs."""
    found = [certifier(model, capacity=4, **parameters).certify([RICH]) for model in (by_income(), by_sex(), never())]
    few = {"seconds": 0.25, "programs": 9 if found[0][0].programs else None}
    points = [msgspec.structs.replace(results[0], row=row, **few) for row, results in enumerate(found, start=1)]
    return msgspec.structs.replace(found[0], points=tuple(points))


@pytest.mark.parametrize(("name", "scheme"), [("results", "traversal"), ("results-branch", "branch")])
def test_the_json_of_results_is_pinned(name, scheme):
    """One point of each kind, as a document has them; it reads back, and is written the same."""
    results = of_each_kind(scheme=scheme, exact=True)
    assert_pinned(name, json.loads(results.to_json()))
    assert Results.from_json((FOLDER / f"{name}.json").read_text()) == results


def test_json_keeps_the_largest_radius():
    """The largest squared radius of the finest scale is kept to its last digit."""
    fine = spec_of(*LOANS.features, bits=(22, 40))
    known = certifier(by_income()).certify([RICH])
    point = msgspec.structs.replace(known[0], radius_squared=fine.max_radius_squared - 1)
    results = msgspec.structs.replace(known, spec=fine, points=(point,))
    assert "4503599627370495" in results.to_json()
    assert Results.from_json(results.to_json()) == results


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: text[:-1],
        lambda text: text.replace('"version":2}', '"version":3}'),
        lambda text: text.replace('"version":2}', '"version":0}'),
        lambda text: text.replace('"scheme":"', '"scheme":"a '),
        lambda text: text.replace('"format":"equiproof-results",', ""),
        lambda text: text.replace("equiproof-results", "equiproof-spec"),
        lambda text: text.replace('"verdict"', '"judgement"'),
        lambda text: text.replace('"undecided"', '"fine"'),
        lambda text: "[]",
        lambda text: b"\xff",
    ],
)
def test_other_documents_are_no_results(edit):
    """A cut, foreign or edited document is refused, never half read."""
    text = certifier(never()).certify([RICH]).to_json()
    assert edit(text) != text
    with pytest.raises(RunError, match=r"mine\.json: "):
        Results.from_json(edit(text), "mine.json")


def test_the_frame_has_a_line_per_row(results):
    """Numbers are numbers, absent ones are missing, and columns that were not asked for are not there."""
    frame = results.to_frame()
    assert list(frame["row"]) == [point.row for point in results]
    assert list(frame["verdict"]) == [point.verdict for point in results]
    fair = frame[frame["verdict"] == "fair"]
    assert list(fair["radius"]) == [float(point.radius) for point in results.having("fair")]
    assert list(fair["radius_squared"]) == [point.radius_squared for point in results.having("fair")]
    assert frame[frame["verdict"] == "unfair"]["radius"].isna().all()
    assert "radius_at_capacity" in frame
    assert "exact_lower" not in frame
    assert pd.api.types.is_integer_dtype(frame["regions"])
    assert list(results[:0].to_frame()) == list(frame)


def test_the_summary_counts_every_row(results):
    """Counts, the median radius and the shares by capacity are those of the points."""
    text, fair = results.summary(), results.having("fair")
    for verdict in ("fair", "unfair", "undecided"):
        assert any(line.split()[:2] == [verdict, str(len(results.having(verdict)))] for line in text.splitlines())
    median = sorted(point.radius for point in fair)[(len(fair) - 1) // 2]
    assert f"{median} in the middle" in text
    within = sum(point.regions <= 8 for point in fair)
    assert f"K = 8: {part(within, len(fair))}" in text
    assert "income +- " in text
    assert results[:0].summary().startswith("0 applicants")
    assert "1 without a decision for some value" in certifier(never()).certify([RICH]).summary()


def test_the_picture_counts_every_row(results):
    """The bars of the histogram and the two beside it add up to the rows; it can be drawn without any fair row."""
    figure = results.plot()
    heights = [bar.get_height() for bar in figure.axes[0].patches]
    assert sum(heights) == len(results)
    assert heights[-2:] == [len(results.having("unfair")), len(results.having("undecided"))]
    for one in (figure, certifier(never()).certify([RICH]).plot(), results[:0].plot()):
        FigureCanvasAgg(one).print_png(stream := io.BytesIO())
        assert stream.getvalue().startswith(b"\x89PNG")
    axes = figure.add_subplot()
    assert results.plot(axes) is figure
