"""Titanic (passenger list, as a teaching data set; no licence stated): 712 passengers, 7 features.

Of the 891 rows of the file, those without an age or a port are left out. Names, tickets and cabins are no features.
"""

from __future__ import annotations

from collections.abc import Mapping

from equiproof.certify.data.table import Form, Label, RawFile, Table, category, count, decimal


def complete(cells: Mapping[str, str]) -> bool:
    """Return whether a row has an age and a port, given its cells by field."""
    return bool(cells.get("Age")) and bool(cells.get("Embarked"))


TABLE = Table(
    name="titanic",
    title="Titanic",
    folder="titanic",
    files=(
        RawFile(
            "titanic.csv",
            "4a437fde05fe5264e1701a7387ac6fb75393772ba38bb2c9c566405af5af4bd7",
            "https://raw.githubusercontent.com/datasciencedojo/datasets/f0ccab6a7ceafdff780052166fb6fab3311398eb/titanic.csv",
        ),
    ),
    form=Form(",", header=1, quoted=True),
    columns=(
        count("Pclass", note="class, 1 to 3"),
        category("Sex", ("female", "male")),
        decimal("Age", "years"),
        count("SibSp", note="siblings and spouses aboard"),
        count("Parch", note="parents and children aboard"),
        decimal("Fare", "pounds"),
        category("Embarked", ("C", "Q", "S"), "C Cherbourg, Q Queenstown, S Southampton"),
    ),
    label=Label("Survived", {"0": 0, "1": 1}),
    labels=("died", "survived"),
    sensitive=("Sex",),
    rows=712,
    keep=complete,
)
