"""Ricci (firefighters' promotion exams in New Haven, 2003; W. Miao, 2010; no licence stated): 118 people, 5 features.

The data of Ricci v. DeStefano, from the court's documents. A combined score (60 % written, 40 % oral) of at least 70
passes. The file is the edition with that label of the collection fairness-comparison.
"""

from __future__ import annotations

from equiproof.certify.data.table import Form, Label, RawFile, Table, category, decimal

TABLE = Table(
    name="ricci",
    title="Ricci",
    folder="ricci",
    files=(
        RawFile(
            "ricci_original.csv",
            "44a9a967f185b23c0f8dc6c28fa7bd50bfcea6cc29d26176eb4cc9d96bf134e8",
            "https://raw.githubusercontent.com/algofairness/fairness-comparison/80b34d25bb9b0387691c6cb8651f0e40edd262c8/"
            "fairness/data/preprocessed/ricci_original.csv",
        ),
    ),
    form=Form(",", header=1),
    columns=(
        category("Position", ("Captain", "Lieutenant")),
        decimal("Oral", "points"),
        decimal("Written", "points"),
        category("Race", ("B", "H", "W"), "B black, H Hispanic, W white"),
        decimal("Combine", "points", "60 % written, 40 % oral"),
    ),
    label=Label("Class", {"0": 0, "1": 1}, {"0": "below 70 points", "1": "70 points or more"}),
    labels=("failed", "passed"),
    sensitive=("Race",),
    rows=118,
)
