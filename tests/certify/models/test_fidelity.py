"""The report of what rounding to integers changes: weights of sensitive columns, logits, decisions and flips."""

import dataclasses
import math
import os
from fractions import Fraction
from pathlib import Path

import msgspec
import numpy as np
import pytest

from equiproof import import_model
from equiproof.certify.data.lending import make_lending
from equiproof.certify.models import fidelity as module
from equiproof.certify.models.fidelity import (
    LossError,
    agreement,
    measure,
    measure_on,
    refuse_loss,
    weight_loss,
)
from equiproof.certify.models.importing import domain_spec, parse_domain
from equiproof.certify.models.network import Network
from equiproof.certify.models.quantise import quantise
from equiproof.certify.models.random_rows import random_rows
from equiproof.circuits.spec import Feature, checked
from tests.certify.models.rounding import exact_columns, exact_logits, make_spec, random_network

FAIRIFY = Path(os.environ.get("EQUIPROOF_DATA", "")) / "fairify_nets"


def washed_out(loss=1 / 32):
    """Return a spec and a network whose sensitive weight is so small beside another weight that rounding changes it.

    Weights of layer 1 are 64 and 1 - loss; at 8 bits they become 64 and 1.
    """
    number = Feature("n", "numeric", "scaled", False, range=("-1", "1"))
    group = Feature("g", "categorical", "rank", True, domain=("a", "b"))
    spec = make_spec(weight_bits=(8, 8), features=(number, group))
    return spec, Network((np.array([[64.0, 1 - loss]]), np.array([[1.0]])), (np.zeros(1), np.zeros(1)))


def test_the_lost_share_of_a_column_is_that_of_its_weights():
    """sum |w - committed w| / sum |w| column by column, rounded up to a millionth; 0 where a column has no weight."""
    spec = make_spec(weight_bits=(8, 16))
    network = random_network(spec, (5,), 1)
    network.weights[0][:, -1] = 0
    quantised = quantise(network, spec)
    shares = weight_loss(network, quantised, spec)
    assert list(shares) == ["group", "age"]
    step = 2.0 ** -quantised.weight_fraction_bits[0]
    own = network.weights[0][:, -2]
    lost = np.abs(own - np.floor(own / step + 0.5) * step).sum() / np.abs(own).sum()
    assert 0.001 < lost <= shares["group"] <= lost + 1e-6
    assert shares["age"] == 0


@pytest.mark.parametrize("loss", [0.0, 0.0099, 0.0102])
def test_more_than_a_hundredth_of_a_column_is_refused(loss):
    """The limit is 1 % of the weight; the line names column and remedy and shows no weight; a spec may allow it."""
    spec, network = washed_out(loss)
    # 1 - loss becomes 1: the share is loss / (1 - loss).
    report = measure(network, quantise(network, spec), spec, points=10)
    assert report.weight_loss["g"] == math.ceil(Fraction(loss) / (1 - Fraction(loss)) * 10**6) / 10**6
    if loss <= 0.0099:
        refuse_loss(spec, report, "mend it", flips=True)
        return
    with pytest.raises(
        LossError, match=r"^mend it: column g loses 1\.1 % of its weight in layer 1 in rounding"
    ) as caught:
        refuse_loss(spec, report, "mend it", flips=False)
    assert "\n" not in str(caught.value)
    refuse_loss(msgspec.structs.replace(spec, allow_loss=True), report, "mend it", flips=True)


def rows_of(values, group="a"):
    """Return rows of the spec of `washed_out`."""
    return [{"n": value, "g": group} for value in values]


def test_flips_are_counted_by_hand():
    """Lost and gained flips, and differing labels, on rows around the boundary of a network that rounding changes."""
    number = Feature("n", "numeric", "scaled", False, range=("-1", "1"))
    group = Feature("g", "categorical", "rank", True, domain=("a", "b"))
    spec = make_spec((10, 18), (8, 8), features=(number, group))
    # logit = relu(64 n + w g) - 16: weights round to 64 and to 0 or 1.
    kept, other = (
        Network((np.array([[64.0, w]]), np.array([[1.0]])), (np.zeros(1), np.array([-16.0]))) for w in (0.4375, 0.625)
    )
    rows = rows_of(["0.2422", "0.24609375", "0.25", "0.2578125", "-1"])
    # 64 n - 16 is -0.4992, -0.25, 0, 0.5: with 0.4375 above 0 for g = b in rows 2 and 3. The committed weight is 0.
    lost = agreement(kept, quantise(kept, spec), spec, rows, "five")
    assert (lost.flips, lost.flips_lost, lost.flips_gained, lost.first_lost) == ((2, 0), 2, 0, 2)
    # Row 3, with g = a: the integers tie, the float model says 0.
    assert (lost.points, lost.examined, lost.differing, lost.ties) == (5, 5, 1, 1)
    # With 0.625 rows 1 to 3 flip; the committed weight is 1, and so do they.
    found = agreement(other, quantise(other, spec), spec, [*rows, {"n": "0.236", "g": "b"}], "six")
    # -0.896 + 0.625 is below 0, -0.896 + 1 (column 242 of 1024) above.
    assert (found.flips, found.flips_lost, found.flips_gained, found.first_lost) == ((3, 4), 0, 1, None)
    assert found.differing == 2
    report = measure(kept, quantise(kept, spec), spec, rows, "five", points=10)
    allowed = dataclasses.replace(report, weight_loss={"g": 0.0})
    with pytest.raises(
        LossError, match=r"^mend it, or use finer inputs .*: five: row 2: its decision changes with the sensitive"
    ):
        refuse_loss(spec, allowed, "mend it", flips=True)
    refuse_loss(spec, allowed, "mend it", flips=False)


def test_flips_do_not_depend_on_the_own_sensitive_value():
    """The row's own sensitive values are replaced by each assignment."""
    spec, network = make_spec(), random_network(make_spec(), (4, 2), 2)
    quantised, rows = quantise(network, spec), random_rows(make_spec(), 200, 2)
    other = [row | {"group": "c", "age": "67"} for row in rows]
    first, second = (agreement(network, quantised, spec, some, "rows") for some in (rows, other))
    assert first.flips == second.flips
    assert 0 < first.flips[0] < 200


def test_flips_are_those_of_each_row_alone(monkeypatch):
    """Rows in chunks give what each row and assignment alone gives, in exact numbers; the rows examined are spread."""
    spec = make_spec((4, 14), (8, 8))
    network = random_network(spec, (4,), 11)
    quantised, rows = quantise(network, spec), random_rows(spec, 150, 3)
    monkeypatch.setattr(module, "_EVALUATIONS", 9 * 7)
    flips = []
    for row in rows:
        labels = []
        for group, age in spec.domain_values:
            own = row | {"group": group, "age": age}
            exact = exact_logits(network, exact_columns(spec, own))[0] > 0
            labels.append((exact, quantised.decide((*spec.encode(own), *spec.encode_sensitive(own)))))
        flips.append(tuple(len(set(some)) > 1 for some in zip(*labels, strict=True)))
    found = agreement(network, quantised, spec, rows, "rows")
    assert found.flips == (sum(ours for ours, _ in flips), sum(theirs for _, theirs in flips))
    assert found.flips_lost == flips.count((True, False)) > 0
    assert found.first_lost == flips.index((True, False)) + 1
    monkeypatch.setattr(module, "_ROW_EVALUATIONS", 9 * 30)
    fewer = agreement(network, quantised, spec, rows, "rows")
    assert (fewer.points, fewer.examined) == (150, 30)
    assert fewer.flips[0] == sum(ours for ours, _ in flips[::5])


def test_many_slices_mean_fewer_points():
    """Points times slices is at most two million."""
    number = Feature("n", "numeric", "scaled", False, range=("0", "1"))
    age = Feature("age", "numeric", "scaled", True, scale="512", domain=tuple(map(str, range(1000))))
    spec = make_spec(features=(number, age))
    network = random_network(spec, (2,), 0)
    assert measure(network, quantise(network, spec), spec).random.points == 2000


def test_the_report_shows_no_weight():
    """Neither text nor repr has a weight; a report without rows says how to give some."""
    spec, network = washed_out()
    report = measure(network, quantise(network, spec), spec, points=10)
    text = report.summary()
    assert text.startswith("not measured on rows: give raw rows with rows=")
    assert "g: 3.3 % of the weight of its column is lost in rounding" in text
    assert "logits differ by at most 0.063 anywhere in the domain" in text
    # 2^-10 is 0.000976...: no figure is rounded down.
    assert text.endswith("rounded inputs cost a radius at most 0.00098")
    assert not any(shown in text + repr(report) for shown in ("0.96875", "64.0"))


def under(data, spec):
    """Return the data set under another spec."""
    return dataclasses.replace(data, spec=spec)


@pytest.fixture(scope="module")
def lending():
    """Return a data set and a network with random weights."""
    data = make_lending(400)
    rng = np.random.default_rng(0)
    return data, Network(
        (rng.normal(size=(4, 13)), rng.normal(size=(1, 4))), (rng.normal(size=4), rng.normal(size=1) - 1)
    )


def test_the_report_counts_what_quantisation_changes(lending):
    """At ten bits hardly a label changes; at two bits of input many do, and the gap grows."""
    data, network = lending
    report = measure_on(network, quantise(network, data.spec), data)
    assert report.rows.points == 400
    assert report.rows.differing <= 2
    assert 0 < report.rows.largest_gap < 0.02
    # ceil(sqrt 12) / 2^10
    assert report.input_rounding_loss == 4 / 1024
    assert report.logit_fraction_bits == 10 + sum(report.weight_fraction_bits)
    coarse = msgspec.structs.replace(data.spec, input_fraction_bits=2)
    rough = measure_on(network, quantise(network, coarse), under(data, coarse))
    assert rough.rows.differing > report.rows.differing
    assert rough.rows.largest_gap > 50 * report.rows.largest_gap
    assert all(len(line) < 160 for line in report.summary().splitlines())


def test_ties_are_counted_as_differing(lending):
    """A network whose logit is 0 everywhere decides nobody strictly, while floats say 0."""
    data, _ = lending
    zero = Network((np.zeros((2, 13)), np.zeros((1, 2))), (np.zeros(2), np.zeros(1)))
    report = measure_on(zero, quantise(zero, data.spec), data)
    assert (report.rows.ties, report.rows.differing) == (400, 400)
    assert report.rows.accuracy[1] == 0


def test_the_gap_is_measured_without_the_threshold(lending):
    """Folding a threshold changes labels alike in floats and integers and leaves the gap small."""
    data, network = lending
    shifted = msgspec.structs.replace(data.spec, threshold="0.75")
    report = measure_on(network, quantise(network, shifted), under(data, shifted))
    assert report.rows.largest_gap < 0.02
    assert report.rows.differing <= 2


@pytest.mark.shared
@pytest.mark.skipif("EQUIPROOF_DATA" not in os.environ, reason="EQUIPROOF_DATA is not set")
def test_a_network_whose_ages_round_away_is_refused():
    """GC-4 of Fairify: 16 bits for its weights lose much of age and are refused, 24 and 20 bits are not."""
    _, domain = parse_domain((FAIRIFY / "input_domains.json").read_bytes(), "input_domains.json", "german")
    plain = domain_spec("german", domain, labels=("bad", "good"), sensitive=("age",), input_fraction_bits=10)
    for widths, refused in (((16, 16), True), ((24, 20), False)):
        spec = checked(msgspec.structs.replace(plain, weight_bits=widths))
        imported = import_model(FAIRIFY / "GC-4.npz", spec, units="raw", columns=domain.order)
        report = measure(imported.network, imported.quantised, spec, points=200)
        assert (report.weight_loss["age"] > 0.01) == refused
        if refused:
            with pytest.raises(LossError, match=r"^mend it: column age loses "):
                refuse_loss(spec, report, "mend it", flips=True)
        else:
            refuse_loss(spec, report, "mend it", flips=True)
