"""Tiny models of a number, a category and a sensitive feature that may each be missing, decided in every cell."""

from __future__ import annotations

import random
from itertools import product

import numpy as np

from equiproof.certify.data.dataset import encode_rows
from equiproof.certify.models.ensembles.imported import bound_score
from equiproof.certify.models.ensembles.scoring import committed_scores
from equiproof.circuits.encodings.missing import LISTED, Missing
from equiproof.circuits.spec import Feature, Spec
from tests.certify.models.ensembles.samples import unmoved
from tests.support import changed, spec_of

NUMBERS = (0, 1, 2, 3)
"""What a number of a tiny table is, beside a missing one; models are asked for the halves between these too."""

KINDS = ("car", "home", "trip")
SEXES = ("f", "m")
NAMES = ("income", "kind", "debt", "sex")


def number(name: str, *, missing: bool = True) -> Feature:
    """Return a number of a spec."""
    feature = Feature(name, "numeric", "scaled", False, mean="1", scale="1")
    return changed(feature, missing=Missing()) if missing else feature


def spec_for(seed: int, *, missing: bool = True) -> Spec:
    """Return a spec in which the category is one-hot or ranked, sensitive or not, and may be missing or lists that."""
    dice = random.Random(seed)
    sensitive = dice.random() < 0.3
    one_hot = dice.random() < 0.5
    grid = {} if one_hot else {"mean": "1", "scale": "1"}
    values = (*KINDS, LISTED) if sensitive and missing else KINDS
    kind = Feature("kind", "categorical", "one-hot" if one_hot else "rank", sensitive, domain=values, **grid)
    if missing and not sensitive:
        kind = changed(kind, missing=Missing())
    features = (
        number("income"),
        kind,
        number("debt", missing=dice.random() < 0.7),
        Feature("sex", "categorical", "rank", not sensitive, mean="0.5", scale="0.5", domain=SEXES),
    )
    return changed(spec_of(*features), input_fraction_bits=12, input_bits=20)


def cells(spec: Spec) -> list[dict[str, object]]:
    """Return a raw row of every cell: numbers and the halves between them, each value, and missing ones."""
    halves = [None, *(f"{half / 2:g}" for half in range(-1, 8))]
    ways = []
    for feature in spec.features:
        own = list(feature.domain) if feature.domain else [one for one in halves if one is not None]
        ways.append([None, *own] if feature.may_miss else own)
    return [dict(zip(NAMES, row, strict=True)) for row in product(*ways)]


def drawn(seed: int, count: int = 60) -> tuple[list[dict[str, object]], np.ndarray]:
    """Return the rows of a training, of which some lack a number or the category, and labels that depend on that."""
    dice = random.Random(seed)
    rows = [
        {
            "income": None if dice.random() < 0.2 else dice.choice(NUMBERS),
            "kind": None if dice.random() < 0.2 else dice.choice(KINDS),
            "debt": None if dice.random() < 0.2 else dice.choice(NUMBERS),
            "sex": dice.choice(SEXES),
        }
        for _ in range(count)
    ]
    weights = {(name, value): dice.gauss(0, 1) for name in NAMES for value in (None, *NUMBERS, *KINDS, *SEXES)}
    pairs = {(one, other): dice.gauss(0, 1) for one, other in product((None, *NUMBERS), (None, *KINDS))}
    sums = [sum(weights[item] for item in row.items()) + pairs[row["income"], row["kind"]] for row in rows]
    return rows, (np.array(sums) > np.median(sums)).astype(int)


def differing(read, spec: Spec, rows: list[dict[str, object]], own: np.ndarray, **options) -> str:
    """Return what is wrong with a model that was read: cells whose score or decision is not the library's `own`."""
    found = bound_score(read, spec, rows=rows, **options)
    scores = unmoved(found, rows, spec)
    if len(wrong := np.flatnonzero(np.abs(scores - own) > 1e-5)):
        return f"{len(wrong)} scores, as of {rows[wrong[0]]}: {scores[wrong[0]]} for {own[wrong[0]]}"
    committed = committed_scores(found.model, encode_rows(spec, rows))
    clear = np.abs(own) > 1e-3
    if len(wrong := np.flatnonzero(clear & ((committed > 0) != (own > 0)))):
        return f"{len(wrong)} decisions, as of {rows[wrong[0]]}"
    return ""
