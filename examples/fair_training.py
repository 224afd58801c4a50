"""Does fair training help? Two networks on the same data, judged on the same applicants.

    python examples/fair_training.py

The fair variant has as much weight decay as its accuracy allows (FairProof, section 5). A larger certified radius means
that more must change before the decision changes. The price is a lower accuracy.
"""

from __future__ import annotations

import pandas as pd

from equiproof import Certifier
from equiproof.certify.data import load
from equiproof.certify.data.dataset import Dataset
from equiproof.certify.digits import percent
from equiproof.certify.models.network import Network, TrainingReport
from equiproof.certify.models.training import Settings, train, train_fair

HIDDEN = (4, 2)
COUNT = 100
SETTINGS = Settings(epochs=40)


def judged(data: Dataset, network: Network, report: TrainingReport) -> dict[str, object]:
    """Return the figures of one network."""
    results = Certifier(network, data.spec).certify([data.rows[index] for index in data.test[:COUNT]])
    return {
        "weight decay": report.decay,
        "accuracy on test rows": percent(report.accuracy[1]),
        "fair": len(results.having("fair")),
        "unfair": len(results.having("unfair")),
        "undecided": len(results.having("undecided")),
        "median radius of the fair": round(results.to_frame()["radius"].median(), 3),
        "median leaves": results.to_frame()["leaves"].median(),
    }


def main() -> None:
    """Train both, certify the same applicants under both, and compare."""
    data = load("lending")
    plain, plain_report = train(data, HIDDEN, settings=SETTINGS)
    fair, fair_report, search = train_fair(data, HIDDEN, settings=SETTINGS)
    print(search.summary(), end="\n\n")
    table = {"plain": judged(data, plain, plain_report), "fair": judged(data, fair, fair_report)}
    print(pd.DataFrame(table).to_string())


if __name__ == "__main__":
    main()
