"""Adult (Census Income; B. Becker, R. Kohavi, 1996; CC BY 4.0): 48,842 persons, 14 features.

The rows of adult.data come first, followed by those of adult.test; the split is drawn again over both. Names and codes
are those of adult.names; "?", for an unknown value, is a category of its own. The census weight fnlwgt is an ordinary
feature, as in FairProof.

adult_spouse is the same with one change: the relationships Husband and Wife, which name the sex, are both Spouse.
"""

from __future__ import annotations

from dataclasses import replace

from equiproof.certify.data.table import Form, Label, RawFile, Table, category, count

_SOURCE = "https://archive.ics.uci.edu/static/public/2/adult.zip"
_UNKNOWN = "?"

_WORK_CLASSES = (
    "Private", "Self-emp-not-inc", "Self-emp-inc", "Federal-gov", "Local-gov", "State-gov", "Without-pay",
    "Never-worked", _UNKNOWN,
)  # fmt: skip
_EDUCATIONS = (
    "Preschool", "1st-4th", "5th-6th", "7th-8th", "9th", "10th", "11th", "12th", "HS-grad", "Some-college",
    "Assoc-voc", "Assoc-acdm", "Bachelors", "Masters", "Prof-school", "Doctorate",
)  # fmt: skip
_MARITAL_STATUSES = (
    "Married-civ-spouse", "Divorced", "Never-married", "Separated", "Widowed", "Married-spouse-absent",
    "Married-AF-spouse",
)  # fmt: skip
_OCCUPATIONS = (
    "Tech-support", "Craft-repair", "Other-service", "Sales", "Exec-managerial", "Prof-specialty",
    "Handlers-cleaners", "Machine-op-inspct", "Adm-clerical", "Farming-fishing", "Transport-moving",
    "Priv-house-serv", "Protective-serv", "Armed-Forces", _UNKNOWN,
)  # fmt: skip
_RELATIONSHIPS = ("Wife", "Own-child", "Husband", "Not-in-family", "Other-relative", "Unmarried")
_RACES = ("White", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other", "Black")
_COUNTRIES = (
    "United-States", "Cambodia", "England", "Puerto-Rico", "Canada", "Germany", "Outlying-US(Guam-USVI-etc)", "India",
    "Japan", "Greece", "South", "China", "Cuba", "Iran", "Honduras", "Philippines", "Italy", "Poland", "Jamaica",
    "Vietnam", "Mexico", "Portugal", "Ireland", "France", "Dominican-Republic", "Laos", "Ecuador", "Taiwan", "Haiti",
    "Columbia", "Hungary", "Guatemala", "Nicaragua", "Scotland", "Thailand", "Yugoslavia", "El-Salvador",
    "Trinadad&Tobago", "Peru", "Hong", "Holand-Netherlands", _UNKNOWN,
)  # fmt: skip

TABLE = Table(
    name="adult",
    title="Adult",
    folder="adult",
    files=(
        RawFile(
            "adult.data",
            "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
            _SOURCE,
            members=("adult.data",),
        ),
        RawFile(
            "adult.test",
            "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
            _SOURCE,
            members=("adult.test",),
            skip=1,
            label_suffix=".",
        ),
    ),
    form=Form(","),
    columns=(
        count("age", "years"),
        category("workclass", _WORK_CLASSES),
        count("fnlwgt", "persons"),
        category("education", _EDUCATIONS),
        count("education-num"),
        category("marital-status", _MARITAL_STATUSES),
        category("occupation", _OCCUPATIONS),
        category("relationship", _RELATIONSHIPS),
        category("race", _RACES),
        category("sex", ("Female", "Male")),
        count("capital-gain", "USD"),
        count("capital-loss", "USD"),
        count("hours-per-week", "hours"),
        category("native-country", _COUNTRIES),
    ),
    label=Label("income", {"<=50K": 0, ">50K": 1}),
    labels=("<=50K", ">50K"),
    sensitive=("sex",),
    rows=48_842,
)

_MERGED = dict.fromkeys(("Husband", "Wife"), "Spouse")

SPOUSE = replace(
    TABLE,
    name="adult_spouse",
    title="Adult (husbands and wives as spouses)",
    columns=tuple(
        replace(column, note="Spouse: Husband or Wife in the file", merged=_MERGED)
        if column.name == "relationship"
        else column
        for column in TABLE.columns
    ),
)
"""Adult without the sex in the relationship."""
