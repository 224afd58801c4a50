"""Models of LightGBM and scikit-learn with missing values and categories decide every row as the library does."""

import json
import math
import re

import lightgbm
import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import AdaBoostClassifier, GradientBoostingClassifier, HistGradientBoostingClassifier
from sklearn.tree import DecisionTreeClassifier

from equiproof.certify.additive import EnsembleError
from equiproof.certify.models.ensembles.imported import bound_score
from equiproof.certify.models.ensembles.reading import read_ensemble
from equiproof.certify.models.ensembles.zeros import ZERO
from equiproof.certify.models.importing.errors import ModelImportError
from equiproof.circuits.encodings.missing import Missing
from equiproof.circuits.spec import Feature
from tests.certify.models.ensembles.tiny_native import DOMAINS, KINDS, NAMES, TREES, as_categories, drawn, spec, tiny
from tests.support import spec_of

LIGHT = {
    "objective": "binary", "num_leaves": 6, "min_data_in_leaf": 1, "min_data_per_group": 1, "cat_smooth": 0,
    "cat_l2": 0, "min_sum_hessian_in_leaf": 0, "verbose": -1, "num_threads": 1,
}  # fmt: skip
EXACT = 1e-9
"""What a library's sum of doubles may be off."""


def compare(kind, seeds):
    """Compare models of a kind with the library on all their cells; one of constant scores has no certificate."""
    constant = sets = 0
    for seed in seeds:
        case = tiny(kind, seed)
        read = read_ensemble(case.model)
        sets += any(split.among is not None for tree in read.trees for split in tree.splits)
        assert all(split.missing is not None for tree in read.trees for split in tree.splits)
        try:
            assert case.gap() < EXACT, seed
        except EnsembleError as error:
            assert "train on a feature that is not sensitive" in str(error)
            constant += 1
    assert 10 * constant <= len(seeds)
    assert (sets > 0) == (kind not in TREES)


@pytest.mark.parametrize("kind", KINDS)
def test_tiny_models_decide_all_cells_as_their_library(kind):
    """Values below, at and above zero, missing ones, and categories that the model never saw."""
    compare(kind, range(1000, 1004))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_thousand_tiny_models_decide_all_cells_as_their_library(kind):
    """84 of each kind."""
    compare(kind, range(84))
