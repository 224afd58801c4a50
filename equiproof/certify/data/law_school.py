"""Law school (LSAC bar passage study; L. Wightman, 1998; no licence stated): 20,798 students, 11 features.

The file is the cleaned edition of Le Quy and others (2022), not the raw study. Yes-or-no columns, written 0.0 and 1.0,
are numbers. Race, which is "White" or "Non-White" in this edition, is sensitive by default.
"""

from __future__ import annotations

from equiproof.certify.data.table import Form, Label, RawFile, Table, category, decimal

TABLE = Table(
    name="law_school",
    title="Law school",
    folder="law_school",
    files=(
        RawFile(
            "law_school_clean.csv",
            "23c1b173f3480beb7afc4957b107a9917dfc4a8dc9d87ea6034ec35222152452",
            "https://raw.githubusercontent.com/tailequy/fairness_dataset/abb5a18b822ba56a221c5311082e192e85000b95/"
            "experiments/data/law_school_clean.csv",
        ),
    ),
    form=Form(",", header=1),
    columns=(
        decimal("decile1b", note="first year"),
        decimal("decile3", note="third year"),
        decimal("lsat", "points"),
        decimal("ugpa", "points"),
        decimal("zfygpa", "standard deviations"),
        decimal("zgpa", "standard deviations"),
        decimal("fulltime", note="1 full-time, 2 part-time"),
        decimal("fam_inc", note="fifth of family income"),
        decimal("male", note="1 male, 0 female"),
        decimal("tier"),
        category("race"),
    ),
    label=Label("pass_bar", {"0.0": 0, "1.0": 1}, {"0.0": "failed", "1.0": "passed"}),
    labels=("failed", "passed"),
    sensitive=("race",),
    rows=20_798,
)
