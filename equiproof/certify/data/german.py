"""German credit (Statlog; H. Hofmann, 1994; CC BY 4.0): 1,000 loans, 20 features, from the raw file german.data.

A category becomes its rank among the codes that the data set's own description (german.doc) lists, in alphabetical
order, including codes that no row uses. Numbers and ranks are standardised on the training rows. Labels: 1 (good) is
"granted", 2 (bad) is "refused".
"""

from __future__ import annotations

from equiproof.certify.data.table import Column, Form, Label, RawFile, Table, coded, count


def _coded(name: str, attribute: int, *meanings: str, first: int = 1) -> Column:
    """Declare a category with codes from A<attribute><first> on, and the meaning of each code."""
    return coded(name, {f"A{attribute}{number}": text for number, text in enumerate(meanings, first)})


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
        _coded("checking_status", 1, "below 0 DM", "0 to 200 DM", "200 DM or a salary", "none"),
        count("duration", "months"),
        _coded(
            "credit_history",
            3,
            "no credits, or all paid",
            "all paid at this bank",
            "paid until now",
            "late in the past",
            "critical, or credits elsewhere",
            first=0,
        ),
        _coded(
            "purpose",
            4,
            "new car",
            "used car",
            "furniture",
            "television",
            "appliances",
            "repairs",
            "education",
            "vacation",
            "retraining",
            "business",
            "others",
            first=0,
        ),
        count("credit_amount", "DM"),
        _coded("savings", 6, "below 100 DM", "to 500 DM", "to 1000 DM", "from 1000 DM", "unknown or none"),
        _coded("employment_since", 7, "unemployed", "below 1 year", "to 4 years", "to 7 years", "from 7 years"),
        count("installment_rate", "% of disposable income"),
        _coded(
            "personal_status_and_sex",
            9,
            "man divorced or separated",
            "woman divorced, separated or married",
            "man single",
            "man married or widowed",
            "woman single",
        ),
        _coded("other_debtors", 10, "none", "co-applicant", "guarantor"),
        count("residence_since", "years"),
        _coded("property", 12, "real estate", "building society or life insurance", "car or other", "unknown or none"),
        count("age", "years"),
        _coded("other_installment_plans", 14, "bank", "stores", "none"),
        _coded("housing", 15, "rent", "own", "for free"),
        count("existing_credits"),
        _coded(
            "job",
            17,
            "unemployed, or unskilled non-resident",
            "unskilled resident",
            "skilled employee or official",
            "management, self-employed or highly qualified",
        ),
        count("dependents"),
        _coded("telephone", 19, "none", "yes"),
        _coded("foreign_worker", 20, "yes", "no"),
    ),
    label=Label("label", {"1": 1, "2": 0}, {"1": "good", "2": "bad"}),
    labels=("refused", "granted"),
    sensitive=("foreign_worker",),
    rows=1000,
)

FEATURES = TABLE.features
"""The names of the 20 features, in the file's order; each may be declared sensitive."""
