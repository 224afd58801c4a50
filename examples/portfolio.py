"""Certify a portfolio: how far the decisions about two hundred applicants hold, whatever their sex.

    python examples/portfolio.py [folder]

Trains a small network on the generated lending data, without regard to fairness, and certifies applicants that it was
not trained on. Writes results.json, radii.png and run.jsonl to the folder; an interrupted run continues from run.jsonl.
"""

from __future__ import annotations

import sys
from pathlib import Path

from equiproof import Certifier
from equiproof.certify.data import load
from equiproof.certify.models.training import train
from equiproof.circuits.files import write_file

HIDDEN = (4, 2)
CAPACITY = 16
COUNT = 200


def main(folder: Path) -> None:
    """Certify, and write the results in three forms."""
    folder.mkdir(parents=True, exist_ok=True)
    data = load("lending")
    network, report = train(data, HIDDEN)
    print(report.summary(), end="\n\n")

    applicants = [data.rows[index] for index in data.test[:COUNT]]
    certifier = Certifier(network, data.spec, capacity=CAPACITY, jobs=2)
    results = certifier.certify(applicants, resume=folder / "run.jsonl")
    print(results.summary(), end="\n\n")

    # A counterexample shows the owner what is wrong: one applicant, decided differently by sex.
    for point in results.having("unfair")[:3]:
        decisions = ", ".join(f"{dict(case.sensitive)['sex']}: {case.label}" for case in point.cases)
        print(f"row {point.row} is decided by sex alone: {decisions}")

    # Results reveal something about the model and about applicants: they are for the owner only.
    write_file(folder / "results.json", results.to_json().encode(), secret=True, force=True)
    results.plot().savefig(folder / "radii.png", dpi=110)
    by_label = results.to_frame().groupby("label")["radius_at_capacity"].median()
    print(f"\nmedian radius that a key of capacity {CAPACITY} certifies, by decision:\n{by_label.to_string()}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "portfolio"))
