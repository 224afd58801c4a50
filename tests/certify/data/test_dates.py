"""Dates of tables as numbers of days."""

from equiproof.certify.data.dates import in_days
from equiproof.circuits.spec import Feature

OPENED = Feature("opened", "numeric", "scaled", False, unit="days", whole=True, start="2024-01-31")
SINCE = Feature("opened in days since 2024-01-31", "numeric", "scaled", False, unit="days")
OTHER = Feature("age", "numeric", "scaled", False)


def test_rows_have_the_date_itself_or_the_days():
    """A date becomes days; what is no date is kept under the feature's name, and refused by whoever encodes it."""
    assert in_days({"opened": "2024-02-02", "age": 1}, [OTHER, OPENED]) == {"age": 1, "opened": 2}
    assert in_days({"opened": "2024-02-02T23:59:59"}, [OPENED]) == {"opened": 2}
    assert in_days({"opened": 5}, [OPENED]) == {"opened": 5}
    assert in_days({"opened": "31.12.2024"}, [OPENED]) == {"opened": "31.12.2024"}
    assert in_days({"age": "2024-02-02"}, [OTHER, OPENED]) == {"age": "2024-02-02"}


def test_a_name_that_says_since_when_may_be_left_out():
    """The date stands under the name before that, or under the whole one."""
    assert in_days({"opened": "2024-02-02", "age": 1}, [OTHER, SINCE]) == {"age": 1, SINCE.name: 2}
    assert in_days({SINCE.name: "2024-02-02"}, [SINCE]) == {SINCE.name: 2}
    assert in_days({SINCE.name: 5}, [SINCE]) == {SINCE.name: 5}
    assert in_days({"opened": "31.12.2024"}, [SINCE]) == {SINCE.name: "31.12.2024"}
    assert in_days({"opened": "2024-02-02"}, [OTHER]) == {"opened": "2024-02-02"}
