"""A lender of people with thin files: details may be missing, and the certificate speaks of who lacks the same ones.

    python examples/thin_files.py [folder]

A generated table lacks scores and jobs. XGBoost is trained on it as it is, with its defaults: missing values and
categories included. Writes commitment and key to the folder, and what somebody without a score gets, a letter too.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import xgboost

from equiproof import ForQuery, KeyStore, Prover, TrustStore, Verifier, commit, import_model, load_commitment
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.traversal.search import Counterexample
from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.files import write_files
from equiproof.circuits.shape import ensemble_shape
from equiproof.cli.main import run

JOBS = ("builder", "clerk", "driver", "nurse", "teacher")
ROWS = 600


def table() -> tuple[pd.DataFrame, pd.Series]:
    """Return applicants, a third of them without a score and a tenth without a job, and what became of their loans."""
    rng = np.random.default_rng(7)
    people = pd.DataFrame({"income": rng.integers(15, 60, ROWS) * 100.0, "score": rng.integers(300, 850, ROWS) * 1.0})
    people["job"] = rng.choice(JOBS, ROWS)
    people["sex"] = rng.choice(["f", "m"], ROWS)
    worth = people["income"] / 40 + people["score"] / 5 + 20 * people["job"].isin(["nurse", "teacher"])
    repaid = pd.Series(np.where(worth + rng.normal(0, 15, ROWS) > 205, "granted", "refused"))
    people.loc[rng.random(ROWS) < 0.3, "score"] = np.nan
    people["job"] = pd.Categorical(people["job"].where(rng.random(ROWS) > 0.1), categories=JOBS)
    people["sex"] = pd.Categorical(people["sex"], categories=["f", "m"])
    return people, repaid


def main(folder: Path) -> None:
    """Import the model, and prove the decision about somebody without a score."""
    people, repaid = table()
    model = xgboost.XGBClassifier(n_estimators=8, max_depth=2, enable_categorical=True, n_jobs=1, random_state=0)
    model.fit(people, repaid == "granted")
    imported = import_model(
        model, people, sensitive=["sex"], labels=["refused", "granted"], missing=["score", "job"], levels=["0.15"]
    )
    print(imported.report(), end="\n\n")

    quantised = imported.quantised
    if not isinstance(quantised, EnsembleModel):
        raise SystemExit("the trees read one column each, and make another shape")
    opening = commit(quantised, imported.spec)
    nodes = quantised.nodes.sizes
    shape = ensemble_shape(imported.spec, quantised.predicates, nodes, quantised.predicates[0], nodes[1], 4)
    store = KeyStore(folder / "keys")
    key = next((key for key in store.all() if key.document.shape == shape), None) or store.setup(shape)
    context = {"date": "2026-01-31", "nonce": "b2c1a7f0e4d94c66"}
    with Prover(opening, key) as prover:
        for row in people[people["score"].isna()].astype(object).to_dict("records"):
            applicant = {name: None if pd.isna(value) else value for name, value in row.items()}
            proven = prover.prove(applicant, context)
            if not isinstance(proven, Counterexample):
                break
        else:
            raise SystemExit("no decision about somebody without a score can be certified")

    files = {
        folder / "commitment.json": opening.public(),
        folder / "certificate.json": proven.certificate.to_bytes(),
        folder / "query.json": canonical_bytes(proven.query),
    }
    write_files(files, force=True)
    verifier = Verifier(load_commitment(folder / "commitment.json"), TrustStore.open(folder / "keys"))
    verified = verifier.verify(proven.certificate.to_bytes(), ForQuery(proven.query))
    letter = folder / "letter.html"
    parts = ("--commitment", folder / "commitment.json", "--key", key.folder, "--query", folder / "query.json")
    words = ("letter", folder / "certificate.json", *parts, "--lender", "Thin Files Bank", "--out", letter, "--force")
    if run([str(word) for word in words]):
        raise SystemExit("the letter was not written")
    print(f"proven in {sum(proven.seconds.values()):.1f} s: {verified.reading.sentence()}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "thin-files"))
