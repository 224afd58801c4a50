import hashlib
import json

import msgspec
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from equiproof.certify.data import DataError, Dataset, load
from equiproof.certify.data.dataset import column_values, encode_rows, split_rows
from equiproof.certify.data.lending import make_lending
from equiproof.certify.data.spec_builder import build_spec
from equiproof.circuits.spec import Feature, SpecError, parse_spec

# sha256 of json.dumps([rows, labels]) of make_lending(200)
DIGEST_OF_200 = "b4580af6feb7ea86584c31e593f35fd7ae532b7ab732d5fae480501980d78808"


def effects_of_sex(data):
    """Return the log-odds between men and women that a logistic regression finds: over all ages, and young less old."""
    columns = column_values(data.spec, data.rows)
    male = columns[:, -1:]
    young = np.array([[row["age"] < 40] for row in data.rows], dtype=float)
    columns = np.hstack([columns, male * young])
    model = LogisticRegression(C=1e4, max_iter=2000).fit(columns, data.label_array())
    old, difference = model.coef_[0, -2:]
    return old + difference * young.mean(), difference


@pytest.mark.parametrize("proxy", [0.0, 1.0])
def test_without_bias_sex_has_no_direct_effect(proxy):
    """Given the other features, sex says nothing about the decision, whatever the indirect path is."""
    overall, difference = effects_of_sex(make_lending(20_000, bias=0, proxy=proxy))
    assert abs(overall) < 0.25
    assert abs(difference) < 0.25


def test_with_bias_the_effect_of_sex_turns_with_age():
    """Young women are marked down and older ones up, by about the strength that was asked for."""
    _, difference = effects_of_sex(make_lending(20_000, bias=3, proxy=0))
    # |tanh((40 - age) / 8)| is 0.7 on average: 2.1 on either side, 4.2 between them; a straight line sees less.
    assert 1.5 < difference < 4.2


def test_bias_reaches_only_the_decision_and_proxy_only_what_sex_causes():
    """Two data sets of one seed differ only in what lies behind an arrow whose strength differs."""
    plain, biased, proxied = (make_lending(500, bias=b, proxy=p) for b, p in ((0, 0), (4, 0), (0, 1)))
    assert plain.rows == biased.rows
    assert plain.labels != biased.labels
    for row, other in zip(plain.rows, proxied.rows, strict=True):
        for name in ("age", "education", "purpose", "sex"):
            assert row[name] == other[name]
        assert row == other or row["sex"] == "female"
    assert plain.rows != proxied.rows


def test_one_seed_makes_one_data_set():
    """Rows and labels are pinned: a change of the generator is a new data set and must be made on purpose."""
    data = make_lending(200)
    text = json.dumps([[dict(row) for row in data.rows], data.labels])
    assert hashlib.sha256(text.encode()).hexdigest() == DIGEST_OF_200
    assert make_lending(200) == data
    assert make_lending(200, seed=1).rows != data.rows


def test_the_default_is_ready_for_use():
    """The embedded data set needs no folder, has two slices, and its spec survives its own JSON."""
    data = load("lending")
    assert len(data.rows) == 4000
    assert (len(data.train), len(data.test)) == (3200, 800)
    assert data.spec.domain_values == (("female",), ("male",))
    assert 0.5 < np.mean(data.labels) < 0.8
    assert parse_spec(msgspec.json.encode(data.spec), "spec.json") == data.spec


def test_citizenship_gives_four_slices():
    """The second sensitive feature multiplies the domain table and leaves the other rows alone."""
    data = make_lending(300, citizenship=True)
    assert len(data.spec.domain_table) == 4
    assert {row["citizenship"] for row in data.rows} == {"domestic", "foreign"}
    assert all(0 <= value < 1 << 10 or value == 1 << 10 for row in data.spec.domain_table for value in row)


def test_columns_are_what_the_spec_encodes():
    """Encoding in bulk gives the spec's own integers, and unrounded columns lie within half a step of them."""
    data = make_lending(100)
    encoded, columns = encode_rows(data.spec, data.rows), column_values(data.spec, data.rows)
    for row, integers in zip(data.rows, encoded.tolist(), strict=True):
        assert (*data.spec.encode(row), *data.spec.encode_sensitive(row)) == tuple(integers)
    assert np.abs(columns * data.spec.scale_unit - encoded).max() <= 0.5 + 1e-3
    training = columns[list(data.train)]
    assert np.abs(training[:, :8].mean(axis=0)).max() < 1e-4
    assert np.abs(training[:, :8].std(axis=0) - 1).max() < 1e-4


@pytest.mark.parametrize("arguments", [{"bias": -1}, {"bias": float("nan")}, {"proxy": 1.5}, {"rows": 19}])
def test_refuses_strengths_and_sizes_without_meaning(arguments):
    """One line says what was asked for and what there is."""
    with pytest.raises(DataError, match=r"^lending: [^\n]*$"):
        make_lending(**{"rows": 50, **arguments})


def test_unknown_names_and_missing_folders_are_one_line():
    """A wrong name lists the right ones; a data set with raw files asks for their folder."""
    with pytest.raises(DataError, match=r"'lendng'; there are adult, [^\n]*german, [^\n]*lending"):
        load("lendng")
    with pytest.raises(DataError, match=r"german\.data"):
        load("german")


def test_a_split_is_a_partition():
    """Every row is in exactly one part, whatever the number of rows."""
    for count in (20, 21, 999):
        train, test = split_rows(count, "t")
        assert sorted(train + test) == list(range(count))
        assert len(test) == count // 5


def test_a_data_set_refuses_labels_and_splits_that_do_not_fit():
    """A Dataset cannot be had with a label that has no name, a row in no part, or nothing to learn."""
    data = make_lending(50)
    parts = {"name": "t", "rows": data.rows, "labels": data.labels, "train": data.train, "test": data.test}
    for wrong in ({"labels": (2, *data.labels[1:])}, {"test": data.test[1:]}, {"labels": (1,) * 50}):
        with pytest.raises(DataError, match=r"^t: "):
            Dataset(**{**parts, **wrong}, spec=data.spec)


NUMBER = Feature("n", "numeric", "scaled", sensitive=False)
GROUP = Feature("g", "categorical", "rank", sensitive=True, domain=("a", "b"))


def spec_of(values, **options):
    """Return the spec of one number and one group; the last value is in no training row."""
    rows = [{"n": value, "g": "ab"[index % 2]} for index, value in enumerate(values)]
    return build_spec("t", [NUMBER, GROUP], rows, range(len(rows) - 1), ["no", "yes"], **options)


def test_scaling_is_short_exact_text():
    """Mean and deviation are those of the training rows to six digits, without exponents."""
    spec = spec_of([1, 2, 4, 1_000_000])
    assert (spec.features[0].mean, spec.features[0].scale) == ("2.33333", "1.24722")
    # The shortest text of 1e8: six digits, then the zeros that a plain decimal needs.
    assert spec_of([10**8, 10**8, 1]).features[0].mean == "100000000"
    assert spec_of(["0.0001", "0.0003", "0"]).features[0].scale == "0.0001"


def test_a_constant_column_keeps_its_unit():
    """Where nothing varies there is no deviation to divide by."""
    assert (spec_of([7, 7, 9]).features[0].mean, spec_of([7, 7, 9]).features[0].scale) == ("7", "1")


@pytest.mark.parametrize(("value", "width"), [(127, 18), (128, 19), (-128, 18), (-129, 19), (4096, 24)])
def test_the_input_width_is_the_smallest_that_holds_every_row(value, width):
    """At f_x = 10, 18 bits hold -128 to just below 128."""
    assert spec_of([0, 0, value]).input_bits == width


def test_a_row_without_meaning_is_named():
    """A missing or foreign value names its feature."""
    with pytest.raises(DataError, match="feature 'n'"):
        build_spec("t", [NUMBER, GROUP], [{"g": "a"}, {"n": 1, "g": "a"}], [0], ["no", "yes"])
    with pytest.raises(DataError, match="feature 'g'"):
        build_spec("t", [NUMBER, GROUP], [{"n": 1, "g": "c"}], [0], ["no", "yes"])
    with pytest.raises(SpecError):
        build_spec("t", [NUMBER], [{"n": 1}], [0], ["no", "yes"])
