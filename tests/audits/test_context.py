"""A context holds rows, labels and features to the spec, and gives every audit the same exact views of them."""

import pytest

from equiproof.audits.context import AuditContext
from equiproof.audits.errors import AuditError
from tests.audits.made import LABELS, ROWS, context
from tests.certify.hand_made import by_income
from tests.support import RATES, network

RATES_ROW = {"income": 30000, "savings": "low", "gender": "m", "age": "40"}


def rates(**changed):
    """Return a context with two sensitive features of six joint values."""
    known = {"rows": (RATES_ROW,), **changed}
    return AuditContext(network=network(RATES, (3,), 1), spec=RATES, commitment="00", **known)


def test_all_sensitive_features_are_looked_at_by_default():
    """Without a choice, the spec's own are chosen."""
    assert rates().sensitive_features == ("gender", "age")
    assert rates(sensitive_features=("age",)).sensitive_features == ("age",)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"sensitive_features": ("income",)}, "sensitive_features: 'income' is not one of the spec's: sex"),
        ({"labels": (0, 1)}, "labels: give one for each of the 4 rows: there are 2"),
        ({"labels": (0, 1, 2, 1)}, "labels: row 3: 2 is not one of the 2 labels"),
    ],
)
def test_what_does_not_fit_is_refused(changed, said):
    """Features, lengths and labels are held to the spec at once."""
    with pytest.raises(AuditError) as caught:
        context(**changed)
    assert str(caught.value) == said


def test_needs_are_met_by_what_is_there():
    """Rows, labels and a linear model are distinguished."""
    assert context().has == {"rows", "labels"}
    assert context(labels=None, linear=object()).has == {"rows", "linear"}
    assert context(rows=(), labels=None).has == frozenset()


def test_rows_become_queries_and_slices():
    """Plain columns are the spec's integers, sensitive ones a number in its table."""
    where = context()
    assert where.queries == tuple(where.spec.encode(row) for row in ROWS)
    assert where.slices == (0, 1, 0, 1)
    assert where.groups == ((("sex", "f"),), (("sex", "m"),), (("sex", "f"),), (("sex", "m"),))


@pytest.mark.parametrize(
    ("view", "row", "said"),
    [
        ("queries", {"income": "plenty"}, "row 2: feature 'income'"),
        ("slices", {"sex": "x"}, "row 2: feature 'sex'"),
    ],
)
def test_a_row_that_does_not_fit_is_named(view, row, said):
    """The first row and its feature stand in the error."""
    with pytest.raises(AuditError, match=f"^{said}"):
        getattr(context(rows=(ROWS[0], ROWS[1] | row), labels=None), view)


def test_counterparts_change_the_chosen_features_alone():
    """A person is compared with every value of the features that are looked at, the others kept."""
    assert rates().counterparts == (tuple(range(6)),) * 6
    assert rates(sensitive_features=("gender",)).counterparts[4] == (1, 4)
    assert rates(sensitive_features=("age",)).counterparts[4] == (3, 4, 5)
    assert all(number in others for number, others in enumerate(rates().counterparts))


def test_a_group_leaves_out_what_is_not_looked_at():
    """Groups are named by the chosen features."""
    assert rates(sensitive_features=("age",)).groups == ((("age", "40"),),)
    assert rates().groups == ((("gender", "m"), ("age", "40")),)


def test_encoded_rows_are_taken_along(monkeypatch):
    """The next audit of a run gets what was encoded, and options of its own."""
    where = context()
    encoded = where.queries
    other = where.with_options({"a": "1"})
    monkeypatch.setattr(AuditContext, "_encoded", None)
    assert other.queries is encoded
    assert (other.options, where.options) == ({"a": "1"}, {})


def test_a_deadline_counts_from_now():
    """Without a budget there is no deadline, with one it lies ahead."""
    assert context().deadline() is None
    first, second = (context(max_seconds=60.0).deadline() for _ in range(2))
    assert 0 < second - first < 60


def test_the_model_is_named_by_its_commitment():
    """A report's model has commitment, spec and sizes."""
    model = context(by_income()).model
    assert (model.commitment, model.spec_name, model.layers) == ("ab" * 32, "loans", (4, 1, 1))


def test_rows_without_labels_are_rows():
    """Labels may be unknown, and then nothing is known of them."""
    assert context(labels=None).labels is None
    assert context().labels == LABELS
