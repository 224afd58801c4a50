"""Every feature encoding answers every question itself: none is treated as another one."""

import ast
import math
import re
from fractions import Fraction
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

from equiproof.audits.html.decoding import raw
from equiproof.certify.models.importing.bind import column_names
from equiproof.circuits import encodings
from equiproof.circuits.encodings import ENCODINGS, Encoding, EncodingError, EncodingName, OneHot, Rank, on_grid
from equiproof.circuits.encodings.interface import Moved
from equiproof.circuits.spec import Feature, SpecError, checked
from equiproof.circuits.units import in_units, interval, kept_to
from equiproof.verifier.reading import Reading
from tests.support import AGE, HOUSING, INCOME, LOANS, ROOT, SAVINGS, SEX, changed, spec_of

FLAG = changed(HOUSING, name="housing", encoding="flag")
"""A feature of an encoding that the table does not have."""


def number(value, digits):
    """Write a number for people."""
    return f"{float(value):.{3 if digits is None else digits}f}"


def test_the_table_has_every_encoding_that_a_spec_may_name():
    """A name that the type allows and the table does not have would be an encoding without a meaning."""
    assert get_type_hints(Feature)["encoding"] == EncodingName
    assert set(ENCODINGS) == set(get_args(EncodingName))


def test_no_two_names_are_one_encoding():
    """Each name has an object of a class of its own."""
    assert len({type(encoding) for encoding in ENCODINGS.values()}) == len(ENCODINGS)


@pytest.mark.parametrize("missing", sorted(Encoding.__abstractmethods__))
def test_an_incomplete_encoding_cannot_enter_the_table(missing):
    """A class that leaves one question open cannot be made, so the module with the table does not load."""
    answers = {name: getattr(Rank, name) for name in Encoding.__abstractmethods__ if name != missing}
    with pytest.raises(TypeError, match=f"abstract method '?{missing}'?"):
        type("Flag", (Encoding,), answers)()


def test_every_question_of_the_base_class_is_open():
    """Only the width is answered for all: it is the number of column names."""
    own = {name for name in vars(Encoding) if not name.startswith("_")}
    assert own - Encoding.__abstractmethods__ == {"width"}


@pytest.mark.parametrize(
    "ask",
    [
        lambda: FLAG.width,
        lambda: in_units(FLAG, Fraction(2)),
        lambda: interval(LOANS, FLAG, Fraction(2), "own"),
        lambda: kept_to(LOANS, FLAG),
        lambda: changed(LOANS, features=(INCOME, FLAG, SEX)).encode({"income": 1, "housing": "own"}),
        lambda: changed(LOANS, features=(INCOME, FLAG, SEX), use_ranges=True).box,
        lambda: Reading.of(changed(LOANS, features=(INCOME, FLAG, SEX)), 0, 1 << 28),
        lambda: column_names(changed(LOANS, features=(INCOME, FLAG, SEX))),
        lambda: raw(FLAG, [Fraction(0), Fraction(1024)], 1024),
    ],
)
def test_an_unknown_encoding_falls_through_to_no_other(ask):
    """No column, no number and no sentence is made for an encoding that is not in the table."""
    with pytest.raises(KeyError, match="flag"):
        ask()


def test_a_spec_of_an_unknown_encoding_is_refused():
    """The error names the feature and the encodings there are."""
    with pytest.raises(
        SpecError, match=r"^feature 'housing': unknown encoding 'flag'; want scaled, log, rank, one-hot$"
    ):
        checked(changed(LOANS, features=(INCOME, FLAG, SEX)))


class Backwards(Rank):
    """Ranks counted from the last value, shown as places."""

    def column_names(self, feature):
        return [f"{feature.name} from the end"]

    def raw_columns(self, feature, value):
        (rank,) = super().raw_columns(feature, value)
        return [len(feature.domain) - 1 - rank]

    def moved(self, feature, radius):
        return "backwards"

    def kept_to(self, grid, feature):
        return "its places"


def test_an_added_encoding_is_one_class_and_one_line(monkeypatch):
    """Columns, names, what is read back and what the verifier shows are those of the added class."""
    monkeypatch.setitem(ENCODINGS, "backwards", Backwards())
    feature = changed(SAVINGS, encoding="backwards")
    spec = spec_of(feature, INCOME, SEX, use_ranges=True)
    row = {"income": 30000, "savings": "high"}
    assert spec.encode(row) == (-2048, 0)
    assert column_names(spec) == ("savings from the end", "income", "sex")
    assert raw(feature, [Fraction(-2048)], spec.scale_unit) == "high"
    reading = Reading.of(spec, 0, 1 << 28)
    assert (reading.features["savings"], reading.ranges["savings"]) == ("backwards", "its places")
    assert interval(spec, feature, Fraction(0), "low") == "low: backwards"


WEALTH = changed(INCOME, name="wealth", encoding="log", mean="15", scale="2", offset="1")
SAMPLES = (
    INCOME,
    changed(INCOME, range=("0", "60000")),
    WEALTH,
    changed(WEALTH, range=("0", "60000")),
    changed(AGE, encoding="log", mean="5", scale="1", offset="0"),
    AGE,
    SAVINGS,
    HOUSING,
    SEX,
)


def test_every_encoding_has_a_sample():
    """A new encoding needs a feature among the samples, on which its answers are compared with each other."""
    assert {feature.encoding for feature in SAMPLES} == set(ENCODINGS)


@pytest.mark.parametrize("feature", SAMPLES)
def test_questions_agree_on_the_columns(feature):
    """Names, numbers and ends are as many as the width, and numbers lie between the ends."""
    encoding = ENCODINGS[feature.encoding]
    for value in feature.domain or (0, 41000):
        columns, ends = encoding.raw_columns(feature, value), encoding.ends(feature)
        assert len(columns) == len(ends) == len(encoding.column_names(feature)) == feature.width
        assert all(end is None or end[0] <= own <= end[1] for own, end in zip(columns, ends, strict=True))
        integers = [Fraction(on_grid(feature, own, 1024)) for own in columns]
        read = encoding.decoded(feature, integers, 1024, number)
        assert [on_grid(feature, own, 1024) for own in encoding.raw_columns(feature, read)] == integers
        # 41000 and 41004 are one integer of this grid.
        assert read in (feature.domain or ("0", "41000", "41004"))


@pytest.mark.parametrize("count", range(1, 6))
def test_ranks_move_by_whole_steps_below_the_radius(count):
    """By none, by some of them, or by all: then it may be any value."""
    feature = changed(SAVINGS, domain=tuple("abcde"[:count]), scale="1", mean="0")
    for halves in range(2 * count + 3):
        radius = Fraction(halves, 2)
        steps = min(max(0, math.ceil(radius) - 1), count - 1)
        ranks = Moved("ranks", {"moved": Fraction(steps), "n": Fraction(count)})
        wanted = None if not steps else Moved("any") if steps == count - 1 else ranks
        assert ENCODINGS["rank"].moved_alone(feature, radius) == wanted, (count, radius)


@pytest.mark.parametrize("step", [Fraction(1, 10), Fraction(1), Fraction(7, 3), Fraction(1000)])
def test_the_first_number_of_a_column(step):
    """It has the column or a later one, and the multiple of a step before it an earlier one."""
    for feature in (INCOME, changed(INCOME, mean="0", scale="1000"), changed(WEALTH, offset="0")):
        grid = spec_of(feature, SEX)
        for column in (-1500, -1, 0, 1, 2, 777):
            count = ENCODINGS[feature.encoding].begin(grid, feature, column, step)
            columns = [column_of(feature, (count - less) * step, grid.scale_unit) for less in (0, 1)]
            assert columns[0] is not None
            assert columns[0] >= column
            assert columns[1] is None or columns[1] < column


def column_of(feature, number, scale_unit):
    """Return the column of a number, None for one that has no logarithm."""
    try:
        return on_grid(feature, ENCODINGS[feature.encoding].level(feature, number), scale_unit)
    except EncodingError:
        return None


@pytest.mark.parametrize(
    ("scale", "step"),
    [("0.001", 1), ("1", 1), ("10", 1), ("99", 1), ("100", 10), ("999.99", 10), ("1000", 100), ("12000", 1000)],
)
def test_a_step_of_numbers_is_a_small_change(scale, step):
    """The largest power of ten that is no more than a tenth of the scale, at least 1."""
    assert ENCODINGS["scaled"].step(changed(INCOME, scale=scale)) == step


def test_values_that_an_encoding_refuses_are_named():
    """The reason alone: who asks adds the feature."""
    with pytest.raises(EncodingError, match=r"^'hotel' is not one of own, rent$"):
        ENCODINGS["one-hot"].raw_columns(HOUSING, "hotel")
    with pytest.raises(EncodingError, match=r"^'26' is not one of 25, 40, 60$"):
        ENCODINGS["scaled"].raw_columns(AGE, 26)
    for count in (40, 41):
        with pytest.raises(EncodingError, match=r"^'x{40}' is not one of own, rent$"):
            ENCODINGS["one-hot"].raw_columns(HOUSING, "x" * count)


AMBIGUOUS = {"log"}
"""Names that are ordinary words as well, as in the log of a register: they count beside the word encoding."""


def names_compared(tree):
    """Yield the line of every comparison, case or key with an encoding's name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            parts = [node.left, *node.comparators]
        elif isinstance(node, ast.Match):
            parts = [inner.value for inner in ast.walk(node) if isinstance(inner, ast.MatchValue)]
        elif isinstance(node, ast.Dict):
            parts = [key for key in node.keys if key is not None]
        else:
            continue
        for part in parts:
            names = {inner.value for inner in ast.walk(part) if isinstance(inner, ast.Constant)} & ENCODINGS.keys()
            if names and (names - AMBIGUOUS or "encoding" in ast.unparse(getattr(node, "subject", node))):
                yield part.lineno


def test_comparisons_are_found():
    """The search below finds every form that a comparison takes."""
    code = 'a == "rank"\nb in ("scaled", c)\nmatch d:\n    case "one-hot": pass\n{"rank": 1}[e]\nF("rank")\n'
    assert sorted(names_compared(ast.parse(code))) == [1, 2, 4, 5]
    code = 'f.encoding == "log"\nmatch encoding:\n    case "log": pass\n{"log": 1}[encoding]\na == "log"\n'
    assert sorted(names_compared(ast.parse(code))) == [1, 3]


def test_encodings_are_never_compared_by_name():
    """No room decides by an encoding's name: only the table of circuits/encodings has the names."""
    own = Path(encodings.__file__).resolve()
    folders = (ROOT / "bench", ROOT / "equiproof")
    files = [path for folder in folders for path in folder.rglob("*.py") if path.resolve() != own]
    assert len(files) > 200
    sources = {path: path.read_text() for path in files}
    quoted = re.compile(rf"""["']({"|".join(ENCODINGS)})["']""")
    trees = {path: ast.parse(text) for path, text in sources.items() if quoted.search(text)}
    places = [f"{path.relative_to(ROOT)}:{line}" for path, tree in trees.items() for line in names_compared(tree)]
    assert not places


def test_one_hot_answers_as_indicators_do():
    """Two indicators change at once, each by one: any value is within a radius above the root of 2, none within it."""
    assert OneHot().moved(HOUSING, Fraction(141421356, 10**8)) == "this value only"
    assert OneHot().moved(HOUSING, Fraction(141421357, 10**8)) == "any value"


def test_numbers_are_standardised_and_read_back_between_columns():
    """Of numbers, a spec made from rows takes mean and scale from them; one-hot columns alone have no order."""
    assert {name: encoding.standardised for name, encoding in ENCODINGS.items()} == {
        name: encoding.kind == "numeric" or name == "rank" for name, encoding in ENCODINGS.items()
    }
    assert {name for name, encoding in ENCODINGS.items() if not encoding.ordered} == {"one-hot"}
    tenths = changed(INCOME, mean="0", scale="10")
    assert raw(tenths, [Fraction(1, 2)], 10) == "0.5"
    # A twentieth of a step is near enough, and no more is.
    assert raw(tenths, [Fraction(21, 20)], 10) == "1"
    assert raw(tenths, [Fraction(19, 20)], 10) == "1"
    assert raw(tenths, [Fraction(1048, 1000)], 10) == "1"
    assert raw(tenths, [Fraction(105001, 100000)], 10) == "1.1"


def test_what_is_around_a_column():
    """Of numbers as many steps as the distance takes, of ranks those that are as near, of categories themselves."""
    step = Fraction(12000, 1024)
    numbers = {Fraction(0): (5, 5), step: (4, 6), step + Fraction(1, 10**9): (3, 7)}
    for distance, ends in numbers.items():
        assert ENCODINGS["scaled"].around(LOANS, INCOME, [5], distance) == [ends]
    ranks = spec_of(SAVINGS, SEX)
    near = {(0, "0.999"): (0, 0), (0, "1"): (-2048, 2048), (2048, "1"): (0, 2048), (2048, "2"): (-2048, 2048)}
    for (column, distance), ends in near.items():
        assert ENCODINGS["rank"].around(ranks, SAVINGS, [column], Fraction(distance)) == [ends]
    assert ENCODINGS["rank"].around(ranks, SAVINGS, [7], Fraction(2)) == [(7, 7)]
    # Three ranks in one column stand for each other, and so for what is near to any of them.
    alike = changed(SAVINGS, scale="1000000", domain=("a", "b", "c"))
    assert ENCODINGS["rank"].around(ranks, alike, [0], Fraction(0)) == [(0, 0)]
    assert ENCODINGS["one-hot"].around(LOANS, HOUSING, [0, 1024], Fraction(9)) == [(0, 0), (1024, 1024)]


@pytest.mark.parametrize(
    ("feature", "columns", "said"),
    [
        (HOUSING, (512, 512), "a mixture: own 1/2, rent 1/2"),
        (HOUSING, (0, 1024), "rent"),
        (HOUSING, (0, 0), "a mixture: none"),
        (SAVINGS, (2048,), "high"),
        (SAVINGS, (256,), "between values: place 17/8 of 3"),
    ],
)
def test_columns_between_values_say_where_they_are(feature, columns, said):
    """A value where the columns are those of one, else its place: no other value is named for it."""
    found = ENCODINGS[feature.encoding].decoded(
        feature, [Fraction(one) for one in columns], 1024, lambda one, _: str(one)
    )
    assert found == said


@pytest.mark.parametrize("feature", [INCOME, HOUSING, SAVINGS], ids=lambda feature: feature.encoding)
def test_models_take_columns_as_they_are(feature):
    """Of what is no logarithm, a number in a column is its own, and models take nothing else."""
    encoding = ENCODINGS[feature.encoding]
    assert encoding.inputs(feature) == {}
    assert encoding.held(feature) is None


@pytest.mark.parametrize("name", get_args(EncodingName))
def test_numbers_and_ranks_are_standardised(name):
    """Of one column, mean and scale are those of the training rows; columns of a category stay 0 and 1."""
    assert ENCODINGS[name].standardised is (name != "one-hot")
