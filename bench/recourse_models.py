"""Models for the measurements of recourse, trained under specs with rules of change as a lender might write them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace as changed

from equiproof.certify.data import load
from equiproof.certify.data.dataset import Dataset
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.models.ensembles.quantise import quantise_score
from equiproof.certify.models.ensembles.training import train_additive
from equiproof.certify.models.quantise import quantise
from equiproof.certify.models.training import train
from equiproof.circuits.changes import Changes, Together
from equiproof.circuits.schemes import leaves_of_boxes
from equiproof.circuits.shape import Shape, box_shape, ensemble_box_shape, network_box_shape
from equiproof.circuits.spec import checked
from equiproof.prover.opening import Opening

SLOTS, ROWS = 64, 512
"""The room of a key for trees."""

ACCOUNTS = ("A14", "A11", "A12", "A13")
SAVINGS = ("A65", "A61", "A62", "A63", "A64")
EMPLOYED = ("A71", "A72", "A73", "A74", "A75")

RULES: Mapping[str, Mapping[str, Changes]] = {
    "lending": {
        "income": Changes("up", step="10", by="2000"),
        "savings": Changes("up", step="100"),
        "debt": Changes("down", step="100"),
        "loan_amount": Changes("down", step="100"),
        "term": Changes("any", step="6"),
        "purpose": Changes("any"),
    },
    "german": {
        "checking_status": Changes("up", order=ACCOUNTS),
        "duration": Changes("down", to="4"),
        "credit_amount": Changes("down", step="50", to="250"),
        "savings": Changes("up", order=SAVINGS),
        "employment_since": Changes("up", order=EMPLOYED),
        "installment_rate": Changes("down", to="1"),
        "other_debtors": Changes("any"),
        "other_installment_plans": Changes("any"),
        "telephone": Changes("any"),
    },
    "adult": {
        "workclass": Changes("any", values=("Federal-gov", "Local-gov", "Private", "Self-emp-inc", "State-gov")),
        "education": Changes("any"),
        "education-num": Changes("up", to="16"),
        "occupation": Changes("any"),
        "capital-gain": Changes("up", step="500", to="15000"),
        "hours-per-week": Changes("any", start="20", to="60"),
    },
}
"""By data set and feature; all others are fixed."""

PAIRED = {"adult": ("education", "education-num")}
"""Features that change together: the pairs of values that the table has."""

MODELS = ("scorecard of 300 stumps", "100 trees of depth 3", "network (16, 8)")

LARGER = (("lending", "200 trees of depth 5"), ("lending", "network (64, 64)"))
"""Data and models beyond those that the target is of: measured, and nothing is promised of them."""


class Case(NamedTuple):
    """A committed model, the shape of its boxes, and the rows that it was not trained on."""

    data: str
    model: str
    opening: Opening
    shape: Shape
    rows: tuple[Mapping[str, Any], ...]


def listed() -> dict[str, tuple[str, str]]:
    """Return the data set and the model of each part by its name: those that the target is of, then larger ones."""
    pairs = [*((data, model) for data in RULES for model in MODELS), *LARGER]
    return {"-".join((data, *re.findall("[a-z0-9]+", model))): (data, model) for data, model in pairs}


def case_of(name: str, model: str, data_dir: Path | None) -> Case:
    """Train a model on a data set."""
    data = ruled(load(name, data_dir=data_dir, encoding="rank" if name == "german" else "one-hot"))
    return Case(name, model, *_trained(data, model), tuple(data.rows[place] for place in data.test))


def ruled(data: Dataset) -> Dataset:
    """Return a data set whose spec has the rules of change."""
    rules = RULES[data.name]
    features = tuple(changed(one, changes=rules[one.name]) if one.name in rules else one for one in data.spec.features)
    spec = changed(data.spec, features=features)
    if (pair := PAIRED.get(data.name)) is not None:
        rows = sorted({(str(row[pair[0]]), str(row[pair[1]])) for row in data.rows})
        spec = changed(spec, together=(Together(pair, tuple(rows)),))
    return replace(data, spec=checked(spec))


def _trained(data: Dataset, model: str) -> tuple[Opening, Shape]:
    """Train a model, and return its opening and the shape of its boxes."""
    spec = data.spec
    sizes = [int(number) for number in re.findall("[0-9]+", model)]
    if model.startswith("network"):
        network = quantise(train(data, (sizes[0], sizes[1]))[0], spec)
        return Opening.of(network, spec, 1), network_box_shape(
            spec, network.hidden, leaves_of_boxes(len(spec.domain_table))
        )
    kind, depth = ("scorecard", 1) if model.startswith("scorecard") else ("boosting", sizes[1])
    score = quantise_score(train_additive(data, kind, rounds=sizes[0], depth=depth)[0], spec)
    if isinstance(score, EnsembleModel):
        nodes = score.nodes.sizes
        room = min(SLOTS, score.predicates[0]), min(ROWS, nodes[1]), 1
        return Opening.of(score, spec, 1), ensemble_box_shape(spec, score.predicates, nodes, *room)
    return Opening.of(score, spec, 1), box_shape(spec, score.predicates)
