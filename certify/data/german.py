"""German credit (Statlog; H. Hofmann, 1994; CC BY 4.0): 1,000 loans, 20 features, from the raw file german.data.

Categories become their rank among the codes that the data set's own description (german.doc) lists, in alphabetical
order, whether or not a row uses them; numbers and ranks are standardised on the training rows. Labels: 1 (good) is
"granted", 2 (bad) is "refused".
"""

from __future__ import annotations

from certify.data.table import Form, Label, RawFile, Table, category, count


def _codes(attribute: int, last: int, first: int = 1) -> tuple[str, ...]:
    """Return the codes of an attribute: A<attribute><first> to A<attribute><last>."""
    return tuple(f"A{attribute}{value}" for value in range(first, last + 1))


TABLE = Table(
    name="german",
    title="German credit",
    folder="german",
    files=(
        RawFile(
            "german.data",
            "b21f3d81db8071257d5ff1deaeba1fd4303b62712e6fcc9715c7a86202cb5871",
            "https://archive.ics.uci.edu/static/public/144/statlog+german+credit+data.zip",
            members=("german.data",),
        ),
    ),
    form=Form(" "),
    columns=(
        category("checking_status", _codes(1, 4)),
        count("duration", "months"),
        category("credit_history", _codes(3, 4, first=0)),
        category("purpose", _codes(4, 10, first=0)),
        count("credit_amount", "DM"),
        category("savings", _codes(6, 5)),
        category("employment_since", _codes(7, 5)),
        count("installment_rate", "% of disposable income"),
        category("personal_status_and_sex", _codes(9, 5)),
        category("other_debtors", _codes(10, 3)),
        count("residence_since", "years"),
        category("property", _codes(12, 4)),
        count("age", "years"),
        category("other_installment_plans", _codes(14, 3)),
        category("housing", _codes(15, 3)),
        count("existing_credits"),
        category("job", _codes(17, 4)),
        count("dependents"),
        category("telephone", _codes(19, 2)),
        category("foreign_worker", _codes(20, 2), note="A201 yes, A202 no"),
    ),
    label=Label("label", {"1": 1, "2": 0}, {"1": "good", "2": "bad"}),
    labels=("refused", "granted"),
    sensitive=("foreign_worker",),
    rows=1000,
)

FEATURES = TABLE.features
"""The names of the 20 features, in the file's order; each may be declared sensitive."""
