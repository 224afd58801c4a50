"""Boston HMDA (A. Munnell and others, 1996; published by the Federal Reserve Bank of Boston): 2,380 mortgages.

The file is the edition in the R collection Rdatasets (from the package AER, GPL-3), with 13 features after the row name
is dropped. Ratios are kept exactly as the collection prints them, with the digits of single precision. Labels: deny
"no" is "granted", "yes" is "refused".
"""

from __future__ import annotations

from equiproof.certify.data.table import Form, Label, RawFile, Table, category, count, decimal

_YES_NO = ("no", "yes")

TABLE = Table(
    name="hmda",
    title="Boston HMDA",
    folder="hmda",
    files=(
        RawFile(
            "HMDA.csv",
            "d142067a4bad8835339f562f57dd2b402e9a5ba7f3b77238d72f0f4efa6fee54",
            "https://raw.githubusercontent.com/vincentarelbundock/Rdatasets/1dcc2bf5f955cc1224a3e1307256e1fe86b68dae/"
            "csv/AER/HMDA.csv",
        ),
    ),
    form=Form(",", header=1, quoted=True),
    columns=(
        decimal("pirat", note="payments to income"),
        decimal("hirat", note="housing expense to income"),
        decimal("lvrat", note="loan to value"),
        count("chist", note="consumer credit history, 1 best to 6"),
        count("mhist", note="mortgage credit history, 1 best to 4"),
        category("phist", _YES_NO, "public bad credit record"),
        decimal("unemp", "%", "unemployment in the industry"),
        category("selfemp", _YES_NO),
        category("insurance", _YES_NO, "denied mortgage insurance"),
        category("condomin", _YES_NO),
        category("afam", _YES_NO, "African-American"),
        category("single", _YES_NO),
        category("hschool", _YES_NO, "high school diploma"),
    ),
    label=Label("deny", {"no": 1, "yes": 0}),
    labels=("refused", "granted"),
    sensitive=("afam",),
    rows=2380,
)
