"""Bank marketing (S. Moro, P. Cortez, P. Rita, 2014; CC BY 4.0): calls of a Portuguese bank, in both editions.

bank_additional has 41,188 calls and 20 features; bank_full, the older edition, has 45,211 calls and 16 features. Names
and codes are those of the documentation, where "unknown" is a category of its own. The duration of a call is known only
afterwards; it is kept because published benchmarks keep it.

Marital status is sensitive by default. The literature also uses age, but age has about 77 values, so every proof would
have 77 slices; `--sensitive age` selects it.
"""

from __future__ import annotations

from equiproof.certify.data.table import Form, Label, RawFile, Table, category, count, decimal, integer

_SOURCE = "https://archive.ics.uci.edu/static/public/222/bank+marketing.zip"
_FORM = Form(";", header=1, quoted=True)
_LABEL = Label("y", {"no": 0, "yes": 1})
_LABELS = ("no deposit", "deposit")

_YES_NO = ("no", "yes")
_YES_NO_UNKNOWN = (*_YES_NO, "unknown")
_MARITAL_STATUSES = ("divorced", "married", "single")
_MARITAL_NOTE = "divorced: or widowed"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_JOBS = (
    "admin.", "blue-collar", "entrepreneur", "housemaid", "management", "retired", "self-employed", "services",
    "student", "technician", "unemployed", "unknown",
)  # fmt: skip
_EDUCATIONS = (
    "basic.4y", "basic.6y", "basic.9y", "high.school", "illiterate", "professional.course", "university.degree",
    "unknown",
)  # fmt: skip

ADDITIONAL = Table(
    name="bank_additional",
    title="Bank marketing (additional)",
    folder="bank",
    files=(
        RawFile(
            "bank-additional-full.csv",
            "233e260d5d1d506a2c10381da5b8c2f75f2c08d1b373ca7b825e39ebe1bd30df",
            _SOURCE,
            members=("bank-additional.zip", "bank-additional/bank-additional-full.csv"),
        ),
    ),
    form=_FORM,
    columns=(
        count("age", "years"),
        category("job", _JOBS),
        category("marital", (*_MARITAL_STATUSES, "unknown"), _MARITAL_NOTE),
        category("education", _EDUCATIONS),
        category("default", _YES_NO_UNKNOWN),
        category("housing", _YES_NO_UNKNOWN),
        category("loan", _YES_NO_UNKNOWN),
        category("contact", ("cellular", "telephone")),
        category("month", _MONTHS),
        category("day_of_week", ("mon", "tue", "wed", "thu", "fri")),
        count("duration", "seconds"),
        count("campaign", "calls"),
        count("pdays", "days", "999 not contacted before"),
        count("previous", "calls"),
        category("poutcome", ("failure", "nonexistent", "success")),
        decimal("emp.var.rate", "%"),
        decimal("cons.price.idx"),
        decimal("cons.conf.idx"),
        decimal("euribor3m", "%"),
        decimal("nr.employed", "thousand"),
    ),
    label=_LABEL,
    labels=_LABELS,
    sensitive=("marital",),
    rows=41_188,
)

FULL = Table(
    name="bank_full",
    title="Bank marketing (full)",
    folder="bank",
    files=(
        RawFile(
            "bank-full.csv",
            "d1513ec63b385506f7cfce9f2c5caa9fe99e7ba4e8c3fa264b3aaf0f849ed32d",
            _SOURCE,
            members=("bank.zip", "bank-full.csv"),
        ),
    ),
    form=_FORM,
    columns=(
        count("age", "years"),
        category("job", _JOBS),
        category("marital", _MARITAL_STATUSES, _MARITAL_NOTE),
        category("education", ("primary", "secondary", "tertiary", "unknown")),
        category("default", _YES_NO),
        integer("balance", "EUR"),
        category("housing", _YES_NO),
        category("loan", _YES_NO),
        category("contact", ("cellular", "telephone", "unknown")),
        count("day", "day of month"),
        category("month", _MONTHS),
        count("duration", "seconds"),
        count("campaign", "calls"),
        integer("pdays", "days", "-1 not contacted before"),
        count("previous", "calls"),
        category("poutcome", ("failure", "other", "success", "unknown")),
    ),
    label=_LABEL,
    labels=_LABELS,
    sensitive=("marital",),
    rows=45_211,
)
