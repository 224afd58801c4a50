"""Fairify's rows as they are made from raw ones."""

from bench import fairify_rows


def test_fairifys_codes_follow_from_raw_rows():
    """Ages become groups, sexes follow from the personal status, unknown values drop a bank row."""
    bank = dict.fromkeys(fairify_rows._BANK_PLAIN, "x") | {"age": 24, "emp.var.rate": "-1.8"}
    made = fairify_rows._bank(bank)
    assert (made["age"], made["emp.var.rate"]) == (0, -2)
    assert fairify_rows._bank(bank | {"age": 25, "emp.var.rate": "1.4"})["emp.var.rate"] == 1
    assert fairify_rows._bank(bank | {"job": "unknown"}) == {}
    assert fairify_rows._adult({"age": 30, "workclass": "?"}) == {}
    rows = fairify_rows._binned([{"capital-gain": gain, "capital-loss": 7} for gain in (0, 4999, 5000, 99999)])
    assert [row["capital-gain"] for row in rows] == [0, 0, 1, 19]
