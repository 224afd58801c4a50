"""COMPAS (ProPublica, 2016; public records, no licence stated): 7,214 defendants in Broward County, 8 features.

The features are what is known when the score is made; the score itself, its texts and all later events are left out.
Names, dates of birth and case numbers are emptied as soon as the file is read, and no message shows a cell. The known
edition is recognised by the rest of the file: the published file and one with these columns already emptied count as
the same edition.

compas_filtered keeps 6,172 rows. Like ProPublica's own analysis, it excludes charges dated more than 30 days from the
screening, cases without a finding on recidivism, ordinary traffic offences, and unscored defendants.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from equiproof.certify.data.table import Form, Label, RawFile, Table, category, count

_COMMIT = "bafff5da3f2e45eca6c2d5055faad269defd135a"
_SCREENING_DAYS = 30


def in_propublicas_analysis(cells: Mapping[str, str]) -> bool:
    """Return whether ProPublica's analysis keeps a row, given its cells by field."""
    days = cells.get("days_b_screening_arrest", "")
    digits = days.removeprefix("-")
    return (
        digits.isdigit()
        and int(digits) <= _SCREENING_DAYS
        and cells.get("is_recid") != "-1"
        and cells.get("c_charge_degree") != "O"
        and cells.get("score_text") != "N/A"
    )


TABLE = Table(
    name="compas",
    title="COMPAS",
    folder="compas",
    files=(
        RawFile(
            "compas-scores-two-years.csv",
            "873148a4dbb099b891ddd96d8f78cd63587d04256c3a74be4efa14a8ac78fcac",
            f"https://raw.githubusercontent.com/propublica/compas-analysis/{_COMMIT}/compas-scores-two-years.csv",
        ),
    ),
    form=Form(",", header=1, quoted=True, charset="latin-1"),
    columns=(
        category("sex", ("Female", "Male")),
        count("age", "years"),
        category("race"),
        count("juv_fel_count"),
        count("juv_misd_count"),
        count("juv_other_count"),
        count("priors_count"),
        category("c_charge_degree", note="F felony, M misdemeanour"),
    ),
    label=Label("two_year_recid", {"0": 0, "1": 1}),
    labels=("no recidivism", "recidivism"),
    sensitive=("race",),
    rows=7214,
    identifying=("name", "first", "last", "dob", "c_case_number", "r_case_number", "vr_case_number"),
)

FILTERED = replace(TABLE, name="compas_filtered", title="COMPAS (filtered)", rows=6172, keep=in_propublicas_analysis)
