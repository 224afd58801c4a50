"""Declared domains: names agree, ranges become scales, sensitive features list every value."""

import json

import pytest

from equiproof.certify.models.importing import ModelImportError
from equiproof.certify.models.importing.domains import beyond_range, domain_spec, parse_domain
from equiproof.circuits.spec import SpecError

DECLARED = {
    "order": ["age", "sex", "job", "rate", "code"],
    "ranges": {"sex": [0, 1], "age": [18, 60], "job": [0, 3], "rate": [-3, 1.5], "code": [0, 2]},
    "codes": {"job": ["a", "b", "c"], "sex": ["f", "m"]},
    "protected": ["sex"],
    "label": "1 when granted",
}


def declared(**changes):
    """Return the declared domain with some fields changed."""
    return parse_domain(json.dumps({"loans": DECLARED | changes}).encode(), "d.json")[1]


def spec(**options):
    """Return the spec of the declared domain."""
    return domain_spec("loans", options.pop("domain", declared()), labels=("no", "yes"), **options)


def test_a_feature_is_divided_by_its_range():
    """Means are 0, scales the widths of the ranges; plain numbers keep their range, categories their codes."""
    features = {feature.name: feature for feature in spec().features}
    assert list(features) == DECLARED["order"]
    assert {name: (one.mean, one.scale) for name, one in features.items()} == {
        "age": ("0", "42"), "sex": ("0", "1"), "job": ("0", "3"), "rate": ("0", "4.5"), "code": ("0", "2"),
    }  # fmt: skip
    assert features["age"].range == ("18", "60")
    assert features["rate"].range == ("-3", "1.5")
    assert (features["job"].encoding, features["job"].domain, features["job"].range) == ("rank", ("a", "b", "c"), None)
    assert [name for name, one in features.items() if one.sensitive] == ["sex"]


def test_a_sensitive_number_takes_every_whole_value_of_its_range():
    """Age as a sensitive feature is swept from the lowest to the highest year."""
    swept = spec(sensitive=("age", "code"))
    assert [feature.domain for feature in swept.sensitive_features] == [
        tuple(map(str, range(18, 61))), ("0", "1", "2"),
    ]  # fmt: skip
    assert len(swept.domain_table) == 43 * 3


def test_rows_of_raw_values_encode():
    """Codes stand for their rank over the width of the range, numbers for themselves; f_x is 18."""
    row = {"age": 39, "job": "c", "rate": "1.5", "code": 1}
    assert spec().encode(row) == (round(39 / 42 * 2**18), round(2 / 3 * 2**18), round(1.5 / 4.5 * 2**18), 2**17)
    for wrong in ({"age": 17}, {"job": "d"}, {"code": 3}):
        with pytest.raises(SpecError, match=next(iter(wrong))):
            spec().encode(row | wrong)


def test_inputs_have_room_for_the_whole_range():
    """A range far from 0 gets as many bits as its end needs."""
    far = declared(ranges=DECLARED["ranges"] | {"age": [100000, 100010]})
    assert spec(domain=far).input_bits == (100010 * 2**18 // 10).bit_length() + 1
    assert spec().input_bits == 20


def test_codes_outside_their_range_are_reported():
    """A category with other codes than its range has numbers is no error, and is said."""
    assert beyond_range(declared()) == ("job: 3 codes, range 0 to 3; the range gives the scale, the codes the values",)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"order": ["age", "sex", "job", "rate"]}, "code"),
        ({"order": [*DECLARED["order"], "age"]}, "'age' twice"),
        ({"order": [*DECLARED["order"], "years"]}, "years"),
        ({"codes": {"Job": ["a", "b"]}}, "Job"),
        ({"protected": ["Sex"]}, "Sex"),
        ({"protected": ["sex", "sex"]}, "'sex' twice"),
        ({"protected": []}, "sensitive="),
        ({"ranges": DECLARED["ranges"] | {"age": [60, 18]}}, "range of 'age': 60 to 18"),
        ({"ranges": DECLARED["ranges"] | {"age": [18, 18]}}, "range of 'age'"),
        ({"ranges": DECLARED["ranges"] | {"job": [1, 3]}}, "range of 'job': begins at 1"),
        ({"ranges": DECLARED["ranges"] | {"age": [0, 10**30]}}, "range of 'age'.*20 digits"),
        ({"ranges": DECLARED["ranges"] | {"rate": [0, 1e300]}}, "range of 'rate'.*20 digits"),
        ({"protected": ["rate"]}, "range of 'rate'.*whole"),
        ({"ranges": DECLARED["ranges"] | {"age": [0, 5000]}, "protected": ["age"]}, "range of 'age'.*4096"),
    ],
)  # fmt: skip
def test_names_and_ranges_that_do_not_agree_are_refused(changes, named):
    """What one part of the file says and another does not is named."""
    with pytest.raises(ModelImportError, match=named):
        spec(domain=declared(**changes))


@pytest.mark.parametrize(
    ("data", "name", "named"),
    [
        (b"", None, "d.json: not a file of domains"),
        (b"[1]", None, "d.json: not a file of domains"),
        (b"{}", None, "declares no domain"),
        (b'{"a": {"order": ["x"], "ranges": {"x": ["0", null]}}}', None, "ranges"),
        (b'{"a": {"order": ["x"], "ranges": {}, "codez": {}}}', None, "codez"),
        (b'{"a": {"order": [], "ranges": {}}, "b": {"order": [], "ranges": {}}}', None, "domain=: a, b"),
        (b'{"a": {"order": [], "ranges": {}}}', "b", "no domain is called 'b'; there are a"),
        (b"\xff\xfe", None, "d.json"),
        (b"[" * 100_000, None, "d.json"),
    ],
)
def test_a_file_that_declares_nothing_is_refused(data, name, named):
    """A file of domains that is none, or that leaves open which is meant, is named."""
    with pytest.raises(ModelImportError, match=named):
        parse_domain(data, "d.json", name)
