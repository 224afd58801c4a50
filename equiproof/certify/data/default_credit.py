"""Default of credit card clients (I.-C. Yeh, C.-H. Lien, 2009; CC BY 4.0): 30,000 clients in Taiwan, 23 features.

The file is an export of the spreadsheet with its two header lines; ID is dropped. SEX, EDUCATION and MARRIAGE are
categories, including codes that occur but are not documented (EDUCATION 0, 5, 6; MARRIAGE 0). The months of delay,
PAY_0 to PAY_6, are numbers: -1 means paid duly, 1 to 9 count months, and -2 and 0 are not documented.

The original archive contains only a spreadsheet (.xls); `url` is a published export of it, at a fixed commit.
"""

from __future__ import annotations

from equiproof.certify.data.table import Form, Label, RawFile, Table, category, count, integer

_MONTHS_OF_DELAY = "-2 no use, -1 paid duly, 0 revolving credit, 1 to 9 months of delay"

TABLE = Table(
    name="default_credit",
    title="Default of credit card clients",
    folder="default_credit",
    files=(
        RawFile(
            "default_of_credit_card_clients.csv",
            "bcbde49351197aac3a6ae1716a5b4548d9cf27e47033af2787c86224ca40d72e",
            "https://raw.githubusercontent.com/cristian-fernandez/Tarea2/53a59c491875e2bb726495fb6f954ae8e5cb37b2/"
            "default%20of%20credit%20card%20clients.csv",
        ),
    ),
    form=Form(",", header=2),
    columns=(
        count("LIMIT_BAL", "TWD"),
        category("SEX", "12", note="1 male, 2 female"),
        category("EDUCATION", "0123456", note="1 graduate school, 2 university, 3 high school, 4 others"),
        category("MARRIAGE", "0123", note="1 married, 2 single, 3 others"),
        count("AGE", "years"),
        *(integer(f"PAY_{month}", "months", note=_MONTHS_OF_DELAY) for month in (0, 2, 3, 4, 5, 6)),
        *(integer(f"BILL_AMT{month}", "TWD") for month in range(1, 7)),
        *(count(f"PAY_AMT{month}", "TWD") for month in range(1, 7)),
    ),
    label=Label("default", {"0": 0, "1": 1}, {"0": "paid", "1": "defaulted"}),
    labels=("no default", "default"),
    sensitive=("SEX",),
    rows=30_000,
)
