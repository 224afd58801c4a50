"""A model as it was read, and its integers, beside decisions of the library that made it."""

from fractions import Fraction

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from equiproof import import_model
from equiproof.certify.models.decisions_compared import (
    LEAST_ROWS,
    Decided,
    compare,
    network_decided,
    refuse_differing,
)
from equiproof.certify.models.ensembles.decided import score_decided
from equiproof.certify.models.importing.npz import from_arrays
from equiproof.certify.models.own_decisions import DecisionsError, read_decisions
from equiproof.circuits.arguments import as_options
from tests.certify.models.ensembles.samples import GIVEN, LABELS, ROWS, SPEC, dictionaries, imported
from tests.certify.models.importing.samples import COLUMNS, SIZES, forward, raw_rows, weights

TREE = DecisionTreeClassifier(max_depth=4, random_state=0).fit(ROWS, LABELS)
CODES = TREE.predict(ROWS)


def compared_with(values, allowed=None, rows=GIVEN, model=None):
    """Compare an imported tree with decisions."""
    own = model or imported(TREE)
    made = score_decided(own.score, own.model, own.spec, rows)
    return compare(read_decisions(values, SPEC.labels, "column y of rows.csv"), made, SPEC.labels, allowed)


def test_a_tree_decides_as_the_library_that_made_it():
    """No row differs, and the labels are counted three times."""
    compared = compared_with(CODES)
    counts = compared.counts
    assert (counts.rows, counts.differing, counts.differing_integers, counts.near) == (400, 0, 0, 0)
    assert counts.agreement == 1
    refused = int(np.sum(CODES == 0))
    assert [(one.label, one.own, one.reading, one.integers) for one in counts.labels] == [
        ("declined", refused, refused, refused),
        ("granted", 400 - refused, 400 - refused, 400 - refused),
    ]
    assert compared.lines() == counts.summary()
    refuse_differing(compared, meant=False)


def test_a_row_that_differs_is_refused_with_its_score():
    """One decision of 400 was made otherwise; it is named with both sides, and may be allowed."""
    values = ["granted" if code else "declined" for code in CODES]
    values[6] = "declined" if CODES[6] else "granted"
    compared = compared_with(values)
    assert compared.counted == compared.counts.differing == compared.counts.differing_integers == 1
    row = rf"row 7: yours {values[6]}, as read (granted|declined) \([+-][0-9.]+\)$"
    with pytest.raises(
        DecisionsError, match=rf"1 of 400 rows are decided otherwise than by column y of rows\.csv; {row}"
    ):
        refuse_differing(compared, meant=False)
    refuse_differing(compared_with(values, Fraction(1, 400)), meant=False)


def test_decisions_that_rounding_alone_turns_are_told_from_others():
    """As read, none differs: finer inputs mend it, and no classes do; not so where a row differs as read too."""
    labels = np.array([0, 1] * 20)
    integers = np.where(np.arange(40) == 7, 1 - labels, labels)
    logits = np.where(labels == 1, 1.0, -1.0)[:, None]
    made = Decided(labels, np.where(integers == 1, 5, -5)[:, None], logits, lambda _row, _label: False, Fraction(0))
    said = r"^round inputs more finely \(input_fraction_bits=\).*1 of 40 rows are .* and as read 0; row 8: "
    with pytest.raises(DecisionsError, match=said) as refused:
        refuse_differing(compare(read_decisions(labels, SPEC.labels, "column y"), made, SPEC.labels), meant=False)
    assert len(str(refused.value)) <= 400
    others = np.where(np.arange(40) == 3, 1 - labels, labels)
    with pytest.raises(DecisionsError, match=r"^check the classes "):
        refuse_differing(compare(read_decisions(others, SPEC.labels, "column y"), made, SPEC.labels), meant=False)


def test_exchanged_labels_are_refused_until_they_are_meant():
    """Agreement below one half is no matter of a few rows; messages name options to commands only."""
    compared = compared_with(1 - CODES, Fraction(1))
    assert compared.counts.agreement == 0
    with (
        pytest.raises(DecisionsError, match=r"--classes\), .* --accept-labels and --allow-differing 1: .* 400 of 400"),
        as_options(),
    ):
        refuse_differing(compared, meant=False)
    with pytest.raises(
        DecisionsError, match=r"\(classes=\), or accept it with accept_labels=True and allow_differing='1': "
    ):
        refuse_differing(compared, meant=False)
    refuse_differing(compared, meant=True)


def test_one_label_for_everybody_is_refused_unless_rows_are_few():
    """Decisions that are all alike show nothing of a model; neither does a model that decides all alike."""
    granted = [row for row, code in zip(GIVEN, CODES, strict=True) if code]
    for rows, refused in ((granted[:LEAST_ROWS], True), (granted[: LEAST_ROWS - 1], False)):
        compared = compared_with([True] * len(rows), rows=rows)
        assert compared.counts.differing == 0
        refuse_differing(compared, meant=True)
        if refused:
            with pytest.raises(DecisionsError, match=r"all 20 rows get 'granted' by column y of rows\.csv"):
                refuse_differing(compared, meant=False)
        else:
            refuse_differing(compared, meant=False)
    mixed = [True] * 19 + [False]
    with pytest.raises(DecisionsError, match="all 20 rows get 'granted' by the model as read"):
        refuse_differing(compared_with(mixed, Fraction(1), rows=granted[:20]), meant=False)


def test_another_number_of_decisions_is_an_error():
    """A comparison that cannot be made is never left out."""
    with pytest.raises(DecisionsError, match="399 decisions for 400 rows"):
        compared_with(CODES[:-1])
    with pytest.raises(DecisionsError, match="no decision to compare"):
        compared_with([], rows=[])


def test_rows_within_half_a_step_of_a_threshold_are_counted_apart():
    """An income less than half a step beside a threshold: our reading may decide otherwise, and is not refused.

    Half a step is 1200 / 2^15 of an income, about 0.037.
    """
    own = imported(DecisionTreeClassifier(max_depth=1).fit(ROWS, (ROWS[:, 0] > 4500).astype(int)))
    (step,) = own.score.by_column[0]
    threshold = float(step.ray.end * 1200 + Fraction("2500.5"))
    for distance, near in ((0.03, True), (0.05, False), (-0.03, True), (-0.05, False)):
        row = GIVEN[0] | {"income": f"{threshold + distance:.6f}"}
        others = compared_with([distance < 0], rows=[row], model=own)
        assert others.counts.differing == 1
        assert (others.counts.near, others.counted) == ((1, 0) if near else (0, 1))
        assert others.examples[0].near == near


def test_a_network_may_differ_on_a_thousandth():
    """Elsewhere a network is computed in floats: of 1000 rows one may differ, and not two."""
    raw = raw_rows(1000)
    arrays = weights(SIZES, 3)
    arrays["W0"] = (arrays["W0"] / np.array([[1000], [1], [1], [10], [1]])).astype(np.float32)
    arrays["b2"] -= np.float32(np.median(forward(arrays, raw)))
    own = import_model(from_arrays(arrays), SPEC, units="raw", columns=COLUMNS)
    made = network_decided(own.network, own.quantised, SPEC, dictionaries(raw))
    codes = (forward(arrays, raw)[:, 0] > 0).astype(int)
    assert 400 < codes.sum() < 600
    for changes, refused in ((0, False), (1, False), (2, True)):
        values = np.where(np.arange(1000) < changes, 1 - codes, codes)
        compared = compare(read_decisions(values, SPEC.labels, "column y"), made, SPEC.labels)
        assert compared.counts.differing == changes
        assert compared.counts.allowed == "1/1000"
        if refused:
            with pytest.raises(DecisionsError, match="2 of 1000 rows are decided otherwise than by column y; row 1: "):
                refuse_differing(compared, meant=False)
        else:
            refuse_differing(compared, meant=False)
