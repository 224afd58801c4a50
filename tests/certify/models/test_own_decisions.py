"""The lender's own decisions as tables have them: labels in their usual spellings, or scores with a cut."""

import pytest

from equiproof.certify.models.own_decisions import DecisionsError, read_decisions, read_share

NAMES = ("refused", "granted")


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        (["refused", " granted "], NAMES),
        (["False", "True"], NAMES),
        ([False, True], NAMES),
        (["0", "1"], NAMES),
        (["0.0", "1.0"], NAMES),
        ([0.0, 1], NAMES),
        (["-1", "1.0"], NAMES),
        ([-1, 1], NAMES),
        (["1", "2"], ("1", "2")),
        (["1.0", 2], ("1", "2")),
        (["true", "false"], ("True", "False")),
        (["1", "0"], ("1", "0")),
    ],
)
def test_a_label_is_read_in_any_usual_spelling(values, labels):
    """By its name, as a truth, as a number; labels that are numbers are compared as numbers."""
    assert read_decisions(values, labels, "column y").labels == (0, 1)


def test_more_labels_are_read_by_name_or_number():
    """The third of three labels."""
    labels = ("refused", "review", "granted")
    assert read_decisions(["granted", "0"], labels, "column y").labels == (2, 0)
    with pytest.raises(DecisionsError, match="none of refused, review, granted"):
        read_decisions(["-1"], labels, "column y")


@pytest.mark.parametrize(
    ("values", "labels", "message"),
    [
        (["granted", "grnted"], NAMES, r"^column y, row 2: 'grnted' is none of refused, granted; is 'granted' meant$"),
        (["granted", " "], NAMES, r"^column y, row 2: the decision is empty"),
        (["granted", None], NAMES, r"^column y, row 2: the decision is empty"),
        (["-1", "0"], NAMES, r"^column y, row 2: '0' is none of"),
        (["1", "2"], NAMES, r"^column y, row 2: '2' is none of"),
        (["0.7", "0.2"], NAMES, r"^column y, row 1: '0.7' is none of refused, granted; for scores, give a cut$"),
        (["nan"], NAMES, r"row 1: 'nan' is none of"),
        (["1", "0"], ("1", "2"), r"row 2: '0' is none of"),
    ],
)
def test_other_labels_are_refused_by_name_and_row(values, labels, message):
    """A label that nothing says the meaning of is never guessed."""
    with pytest.raises(DecisionsError, match=message):
        read_decisions(values, labels, "column y")


def test_scores_are_compared_with_the_cut_exactly():
    """A score above it is the second label: as decimal text, not as the float next to it."""
    own = read_decisions(["0.70000000000000000001", "0.69", 1, "-3"], NAMES, "column p", cut="0.7")
    assert own.labels == (1, 0, 1, 0)
    assert own.written == ("0.70000000000000000001", "0.69", "1", "-3")


@pytest.mark.parametrize(
    ("values", "labels", "cut", "message"),
    [
        (["0.8", "high"], NAMES, "0.7", r"^column p, row 2: 'high' is not a number"),
        (["0.8", ""], NAMES, "0.7", r"^column p, row 2: '' is not a number"),
        (["0.8", "inf"], NAMES, "0.7", r"^column p, row 2: 'inf' is not a number"),
        (["0.8", "1e999999999"], NAMES, "0.7", r"^column p, row 2: '1e999999999' is not a number"),
        (["0.8", "0.70"], NAMES, "0.7", r"^give labels instead of scores, or a cut .*row 2\)$"),
        (["0.8"], NAMES, "half", r"^give a number as the cut"),
        (["0.8"], ("a", "b", "c"), "0.7", r"^give decisions by label"),
    ],
)
def test_scores_that_say_no_label_are_refused(values, labels, cut, message):
    """No number, more than two labels, and a score that is the cut itself: libraries disagree on what that means."""
    with pytest.raises(DecisionsError, match=message):
        read_decisions(values, labels, "column p", cut=cut)


@pytest.mark.parametrize("text", ["-0.1", "1.1", "nan", "half", "1e999999999", ""])
def test_a_share_is_a_number_from_0_to_1(text):
    """Anything else is refused."""
    assert read_share("0.001") * 1000 == 1
    with pytest.raises(DecisionsError, match="give a share from 0 to 1"):
        read_share(text)
