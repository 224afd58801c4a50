"""Binding by name: columns, units and labels, each refused where it does not fit."""

import itertools

import numpy as np
import pytest

from equiproof import import_model
from equiproof.certify.models.importing import ModelImportError
from equiproof.certify.models.importing.bind import bind_inputs, bind_outputs, column_names
from equiproof.certify.models.importing.npz import from_arrays
from equiproof.circuits.spec import Feature
from tests.certify.models.importing.samples import (
    COLUMNS,
    SHUFFLED,
    SIZES,
    SPEC,
    TWO_LOGITS,
    forward,
    in_order,
    raw_rows,
    spec_columns,
    weights,
)
from tests.support import RATES, changed, spec_of

ARRAYS = weights(SIZES)


def test_columns_have_the_names_of_their_features_sensitive_ones_last():
    """One name a column, feature=value for one-hot ones, in the order of the query and the table."""
    assert column_names(SPEC) == COLUMNS


@pytest.mark.parametrize("columns", [COLUMNS, SHUFFLED, COLUMNS[::-1]])
@pytest.mark.parametrize("units", ["raw", "spec"])
def test_a_model_decides_the_same_whatever_the_order_of_its_inputs(columns, units):
    """The imported network on the spec's columns is the model on its own inputs, raw or scaled."""
    imported = import_model(ARRAYS, SPEC, units=units, columns=columns)
    raw = raw_rows(50)
    taken = raw if units == "raw" else spec_columns(raw)
    found = imported.network.logits(spec_columns(raw))
    np.testing.assert_allclose(found, forward(ARRAYS, in_order(columns, taken)), rtol=1e-9, atol=1e-9)
    assert imported.columns == columns


def test_the_names_in_a_file_bind_too():
    """Names that the model brings need not be given again; the same ones may be, others may not."""
    named = ARRAYS | {"columns": np.array(SHUFFLED)}
    own = import_model(named, SPEC, units="raw")
    assert own.quantised == import_model(ARRAYS, SPEC, units="raw", columns=SHUFFLED).quantised
    assert own.quantised == import_model(named, SPEC, units="raw", columns=SHUFFLED).quantised
    with pytest.raises(ModelImportError, match="leave the name 'sex' as the model has it, not 'income'"):
        import_model(named, SPEC, units="raw", columns=COLUMNS)


def test_inputs_whose_names_the_spec_does_not_have_are_named_anew():
    """Libraries change names: those that mean nothing here may be replaced, in the model's order, and no others."""
    own = ("income", "housing_own", "housing_rent", "years", "f4")
    named = ARRAYS | {"columns": np.array(own)}
    with pytest.raises(ModelImportError, match=r"columns=: the spec has no column housing_own, housing_rent, f4; "):
        import_model(named, SPEC, units="raw")
    found = import_model(named, SPEC, units="raw", columns=COLUMNS)
    assert found.quantised == import_model(ARRAYS, SPEC, units="raw", columns=COLUMNS).quantised
    assert found.columns == COLUMNS
    with pytest.raises(ModelImportError, match="'income' as the model has it, not 'years'"):
        import_model(named, SPEC, units="raw", columns=("years", *COLUMNS[1:3], "income", "sex"))
    with pytest.raises(ModelImportError, match="name 5 inputs, as the model has: these are 4 names"):
        import_model(named, SPEC, units="raw", columns=COLUMNS[:-1])


def test_a_model_need_not_take_every_feature_of_the_spec():
    """A feature that is said to be unused has weights of zero; one that the model takes is not unused."""
    arrays, columns = weights((3, 2, 1)), ("income", "housing=own", "housing=rent")
    with pytest.raises(ModelImportError, match=r"unused=.*no input years, sex, "):
        import_model(arrays, SPEC, units="raw", columns=columns)
    found = import_model(arrays, SPEC, units="raw", columns=columns, unused=("sex", "years")).network
    assert not found.weights[0][:, [COLUMNS.index("years"), COLUMNS.index("sex")]].any()
    raw = raw_rows(20)
    np.testing.assert_allclose(found.logits(spec_columns(raw)), forward(arrays, raw[:, :3]), rtol=1e-9, atol=1e-9)
    for unused, message in ((("sex",), "no input years"), (("sex", "years", "income"), "of income out of unused"),
                            (("sex", "year"), "leave year out of unused: the spec has income, sex")):  # fmt: skip
        with pytest.raises(ModelImportError, match=message):
            import_model(arrays, SPEC, units="raw", columns=columns, unused=unused)


def test_a_ranked_category_of_three_values_says_what_its_columns_need():
    """A model with a column for each of three values needs another encoding in the spec; a sensitive one gets it."""
    kind = Feature("kind", "categorical", "rank", False, scale="1", domain=("d", "f", "m, x"))
    named = ("income", "kind=d", "kind=f", "kind=m, x", "sex")
    spec = spec_of(SPEC.features[0], kind, SPEC.sensitive_features[0])
    with pytest.raises(ModelImportError, match=r'one-hot as .* into the spec, .*"kind=m, x"; it has income, kind, sex'):
        import_model(weights((5, 2, 1)), spec, units="raw", columns=named)
    sensitive = spec_of(SPEC.features[0], changed(kind, sensitive=True))
    made = import_model(weights((4, 2, 1)), sensitive, units="raw", columns=named[:-1])
    told = spec_of(SPEC.features[0], changed(kind, sensitive=True, encoding="one-hot"))
    again = import_model(weights((4, 2, 1)), told, units="raw", columns=named[:-1])
    assert made.spec == again.spec == changed(made.spec, features=told.features)
    assert made.quantised == again.quantised
    assert made.notes == ("kind: the spec has one column a value, as the model has it",)
    assert again.notes == ()


@pytest.mark.parametrize(
    ("columns", "named"),
    [
        (None, "columns="),
        ((), "income"),
        (COLUMNS[:-1], "sex"),
        ((*COLUMNS, "age"), "age"),
        ((*COLUMNS[:-1], "Sex"), "Sex"),
        ((*COLUMNS[:-1], "income"), "income"),
        ((*COLUMNS, "sex"), "sex"),
        (("income", "housing", "years", "sex"), "housing"),
    ],
)
def test_names_that_do_not_fit_are_refused_by_name(columns, named):
    """A missing, unknown or doubled column is named; no names at all are never taken by position."""
    with pytest.raises(ModelImportError, match=named):
        import_model(ARRAYS, SPEC, units="raw", columns=columns)


@pytest.mark.parametrize("inputs", [4, 6])
def test_a_model_of_another_number_of_inputs_is_refused(inputs):
    """The right names for the wrong number of inputs are refused."""
    with pytest.raises(ModelImportError, match=f"name {inputs} inputs, as the model has: these are 5 names"):
        import_model(weights((inputs, 3, 1)), SPEC, units="raw", columns=COLUMNS)


def test_a_spec_whose_columns_share_a_name_is_refused():
    """A feature called like another's one-hot column leaves it open which is meant."""
    twin = Feature("housing=own", "numeric", "scaled", False)
    with pytest.raises(ModelImportError, match="housing=own"):
        column_names(spec_of(*SPEC.features, twin))


def test_units_must_be_said():
    """Anything but raw and spec is refused: no guess about scaling."""
    with pytest.raises(ModelImportError, match="raw or spec"):
        import_model(ARRAYS, SPEC, units="scaled", columns=COLUMNS)


def test_another_number_of_logits_is_refused():
    """A model of one logit does not fit a spec of two."""
    with pytest.raises(ModelImportError, match="gives 1 logit"):
        import_model(ARRAYS, TWO_LOGITS, units="raw", columns=COLUMNS)


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_logits_take_the_place_of_their_labels(order):
    """Classes that are text find their labels: logit i goes to the label of its name."""
    classes = tuple(RATES.labels[index] for index in order)
    logits = (10, 20, 30)
    placed = bind_outputs(3, classes, RATES)(logits)
    assert {RATES.labels[index]: value for index, value in enumerate(placed)} == dict(zip(classes, logits, strict=True))


def test_one_logit_changes_its_sign_with_the_order_of_its_classes():
    """The class above the threshold is the second; where the spec has it first, the logit is negated."""
    straight = import_model(ARRAYS, SPEC, units="raw", columns=COLUMNS, classes=("declined", "granted"))
    turned = import_model(ARRAYS, SPEC, units="raw", columns=COLUMNS, classes=("granted", "declined"))
    columns = spec_columns(raw_rows(20))
    assert (turned.network.logits(columns) == -straight.network.logits(columns)).all()
    assert straight.quantised == import_model(ARRAYS, SPEC, units="raw", columns=COLUMNS).quantised


def test_integer_classes_are_positions():
    """0, 1, ... mean the spec's labels in order; other integers mean nothing until they are named."""
    assert bind_outputs(3, (0, 1, 2), RATES)((7, 8, 9)) == (7, 8, 9)
    assert bind_outputs(3, (0, 2, 1), RATES)((7, 8, 9)) == (7, 9, 8)
    for wrong in ((1, 2, 3), (0, 1, 1), (0, 1)):
        with pytest.raises(ModelImportError, match="classes"):
            bind_outputs(3, wrong, RATES)


@pytest.mark.parametrize("classes", [("declined",), ("declined", "Granted"), ("declined", "declined"), ("x", 1)])
def test_other_classes_are_refused(classes):
    """Names that are not the spec's labels are refused."""
    with pytest.raises(ModelImportError, match="labels"):
        bind_outputs(1, classes, SPEC)


def test_a_threshold_does_not_go_with_turned_labels():
    """Turning the labels would turn the threshold too: refused instead of guessed."""
    with pytest.raises(ModelImportError, match="threshold"):
        bind_outputs(1, ("granted", "declined"), changed(SPEC, threshold="0.5"))


def test_arrays_are_read_as_they_say():
    """Weights are (inputs, outputs): the first output of the first layer is the first column."""
    (first, *_) = from_arrays(ARRAYS).steps
    assert [float(first.rows[0][index]) for index in range(5)] == ARRAYS["W0"][:, 0].tolist()


@pytest.mark.parametrize("units", ["raw", "spec"])
def test_refusals_with_many_long_names_are_no_longer_than_a_line(units):
    """Names that the spec lacks, of which it has too many, and ranks of values in another order."""
    long = "".join(f"{letter}{'x' * 11}" for letter in "abc")
    numbers = [Feature(f"{long}{place}", "numeric", "scaled", False) for place in range(40)]
    kind = Feature(f"{long}kind", "categorical", "rank", False, domain=tuple(f"{long}{place}" for place in range(9)))
    listed = Feature(f"{long}type", "categorical", "one-hot", False, domain=("a", "b", "c"))
    spec = spec_of(*numbers, kind, listed, SPEC.sensitive_features[0])
    names = [one for one in column_names(spec) if not one.startswith(kind.name)]
    for wrong in (
        [*names, *(f"{kind.name}={value}" for value in kind.domain)],
        [*names, *(f"{long}other{place}" for place in range(30))],
        [*(one.name for one in numbers), kind.name, listed.name, "sex"],
        names[:3],
    ):
        with pytest.raises(ModelImportError) as refused:
            import_model(weights((len(wrong), 2, 1)), spec, units=units, columns=wrong)
        assert len(str(refused.value)) <= 400, str(refused.value)
    ranked = {kind.name: kind.domain[::-1]}
    with pytest.raises(ModelImportError, match="into the spec in the model's order") as refused:
        bind_inputs(len(names), names, spec, "raw", ranked)
    assert len(str(refused.value)) <= 400, str(refused.value)


def test_a_model_that_ranks_what_the_spec_has_one_hot_says_so():
    """Naming its inputs otherwise would not help; with the encoding it is imported."""
    kind = Feature("kind", "categorical", "one-hot", False, domain=("d", "f", "x"))
    spec = spec_of(SPEC.features[0], kind, SPEC.sensitive_features[0])
    with pytest.raises(ModelImportError, match=r"^write rank as the encoding of 'kind' into the spec"):
        import_model(weights((3, 2, 1)), spec, units="raw", columns=("income", "kind", "sex"))
    mended = changed(spec, features=(SPEC.features[0], changed(kind, encoding="rank"), SPEC.sensitive_features[0]))
    assert import_model(weights((3, 2, 1)), mended, units="raw", columns=("income", "kind", "sex")).quantised
