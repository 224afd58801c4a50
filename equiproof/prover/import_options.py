"""Which options of an import a model takes: one that has no meaning for it is refused by its name, and not ignored.

The options that every model takes, such as `classes`, `unused` and `decisions`, are not here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from equiproof.certify.models.ensembles.cards import Card
from equiproof.certify.models.ensembles.ebm import Machine
from equiproof.certify.models.ensembles.ensemble import Ensemble
from equiproof.certify.models.ensembles.xgboost import KIND as XGBOOST
from equiproof.certify.models.importing.errors import ModelImportError
from equiproof.certify.models.importing.source import Source
from equiproof.circuits.arguments import argument
from equiproof.prover.import_steps import Read

FOR: Mapping[str, str] = {
    "units": "networks, and trees that take columns",
    "columns": "models that take columns of numbers",
    "threshold": "models with one logit or score, and no cut of their own",
    "trees": "XGBoost models",
    "score_is_logit": "trees that were trained with an objective function of your own",
    "values": "models that have values of categories themselves",
    "cutoff": "scorecards of other libraries, whose tables do not say it",
    "base_points": "scorecards of other libraries, whose tables do not say it",
    "unlisted": "scorecards of other libraries, whose tables do not say it",
    "missing": "models that say what a missing value is: trees, additive models, pipelines with an imputer",
    "weight_bits": "networks; a jump has 16 bits",
    "widen": "networks; a jump has 16 bits",
}
"""Whom each option is for. Units are an option where they are not raw: every model takes raw numbers."""


def options_of(read: Read) -> frozenset[str]:
    """Return the options of :data:`FOR` that a model takes, of whatever kind."""
    if isinstance(read, Source):
        own = {"units", "columns", "weight_bits", "widen"}
        own |= {"threshold"} if read.outputs == 1 else set()
        return frozenset(own if read.lacking is None else own | {"missing"})
    if isinstance(read, Ensemble):
        own = {"columns", "threshold", "missing"}
        own |= {"trees"} if read.kind == XGBOOST else set()
        own |= {"score_is_logit"} if read.own_objective else set()
        own |= {"values"} if read.categories else set()
        return frozenset(own if read.front or read.categories else own | {"units"})
    if isinstance(read[0], Machine):
        return frozenset({"threshold", "values", "missing"})
    own = {"values", "cutoff", "base_points", "unlisted"} if isinstance(read[0], Card) else set()
    return frozenset(own | {"missing"})


def refuse_options(read: Read, given: Mapping[str, Any]) -> None:
    """Raise ModelImportError for the first option that the model does not take, and for two that are one choice."""
    taken = options_of(read)
    for name, value in given.items():
        if _is_given(name, value) and name not in taken:
            written = argument(name, True) if value is True else argument(name)
            raise ModelImportError(f"leave {written} out: it is for {FOR[name]}, and this is {_kind(read)}")
    if given.get("weight_bits") and given.get("widen"):
        raise ModelImportError(
            f"leave {argument('widen', True)} out: {argument('weight_bits')} says how wide weights are"
        )


def _is_given(name: str, value: Any) -> bool:
    """Return whether an option is given: units where they are not raw, and 0 is a number of points."""
    if name == "units":
        return bool(value == "spec")
    return not (value is None or value is False or (isinstance(value, Collection) and not value))


def _kind(read: Read) -> str:
    """Return what a model is, for a message."""
    if isinstance(read, Source):
        return "a network" if read.outputs == 1 else f"a network of {read.outputs} logits"
    if isinstance(read, Ensemble):
        return f"a score of {read.kind}, behind steps of a pipeline" if read.front else f"a score of {read.kind}"
    if isinstance(read[0], Machine):
        return "an explainable boosting machine"
    return f"a scorecard of {read[0].kind}" if isinstance(read[0], Card) else "a table of points with a cut-off"
