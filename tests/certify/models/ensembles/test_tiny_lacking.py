"""Tiny models of real libraries are decided as by the library in every cell, missing values among them."""

import random

import pandas as pd
import pytest

from equiproof.certify.models.ensembles.reading import read_ensemble
from tests.certify.models.ensembles.tiny_lacking import KINDS, NAMES, cells, differing, drawn, spec_for

EACH = 50

pytestmark = pytest.mark.filterwarnings("ignore:Missing values detected", "ignore:JSON formats are in beta")


def frame(rows):
    """Return raw rows as a table: numbers, and texts, nan and None where a value is missing."""
    table = pd.DataFrame(rows, columns=list(NAMES))
    numbers = {name: pd.to_numeric(table[name]).astype(float) for name in ("income", "debt")}
    return table.assign(**numbers, kind=table.kind.astype(object), sex=table.sex.astype(object))


def machine(seed):
    """Return a machine with one or two pairs; some never see a missing debt, or one of the kinds."""
    glassbox = pytest.importorskip("interpret.glassbox")
    rows, labels = drawn(seed)
    dice = random.Random(seed)
    unseen = dice.random() < 0.3
    complete = dice.random() < 0.3
    kept = [
        not (unseen and row["kind"] == KINDS[2]) and not (complete and row["debt"] is None) for row in rows
    ]  # fmt: skip
    pairs = dice.sample([("income", "kind"), ("income", "debt"), ("kind", "sex"), ("debt", "kind")], 2)
    model = glassbox.ExplainableBoostingClassifier(
        interactions=pairs, max_rounds=6, outer_bags=1, n_jobs=1, max_bins=4, learning_rate=0.3, min_samples_leaf=1,
        max_interaction_bins=3, random_state=seed, validation_size=0, missing=dice.choice(["separate", "low", "high"]),
    )  # fmt: skip
    types = ["continuous", "nominal", "continuous", "nominal"]
    model.feature_types = types
    return model.fit(frame(rows)[kept], labels[kept]), {"kind": {KINDS[2]: ""}} if unseen else {}


def machines(seeds):
    """Return what is wrong with the machines of these seeds."""
    wrong = {}
    for seed in seeds:
        model, values = machine(seed)
        spec = spec_for(seed)
        rows = cells(spec)
        said = differing(read_ensemble(model), spec, rows, model.decision_function(frame(rows)), values=values)
        if said:
            wrong[seed] = said
    return wrong


def test_machines_give_missing_values_the_score_of_their_bin():
    """Numbers and categories of either encoding, alone and in pairs, with the bins of unknown values."""
    assert not machines(range(4))
