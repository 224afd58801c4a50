"""Raw rows, labels and models of the libraries that the tests of ensembles share."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from equiproof import import_model
from equiproof.certify.additive import AdditiveModel
from equiproof.certify.data.dataset import encode_rows
from equiproof.certify.models.ensembles.reading import read_ensemble
from equiproof.circuits.spec import Spec
from tests.certify.models.importing.samples import COLUMNS, raw_rows
from tests.certify.models.importing.samples import SPEC as COARSE
from tests.support import changed

SPEC = changed(COARSE, input_fraction_bits=14, input_bits=24)
"""On the coarser grid, incomes that differ by one are the same integer."""

ROWS = raw_rows(400)
LABELS = ((ROWS[:, 0] - 4500) / 2600 + (ROWS[:, 3] - 15) / 9 - 0.8 * ROWS[:, 4] > 0).astype(int)
UNNAMED = {"columns": COLUMNS}


def dictionaries(rows=ROWS):
    """Return raw rows of COLUMNS as a data set has them."""
    return [
        {
            "income": int(row[0]),
            "housing": "own" if row[1] else "rent",
            "years": int(row[3]),
            "sex": SPEC.sensitive_features[0].domain[int(row[4])],
        }
        for row in rows.tolist()
    ]


GIVEN = dictionaries()


def inputs(spec: Spec, rows=GIVEN):
    """Return the committed integers of rows."""
    return [tuple(row) for row in encode_rows(spec, rows).tolist()]


def in_logits(model: AdditiveModel, spec: Spec, rows=GIVEN):
    """Return the committed scores of rows in units of a logit."""
    return np.array([model.score(row) / 2**model.value_fraction_bits for row in inputs(spec, rows)])


def totals(score, rows=GIVEN, spec: Spec = SPEC):
    """Return the exact scores of rows as floats."""
    return np.array([float(Fraction(int(one), score.unit)) for one in score.totals(spec, rows)])


def unmoved(found, rows=GIVEN, spec: Spec = SPEC):
    """Return the exact scores of rows as the library has them, before ties were settled."""
    return totals(found.score, rows, spec) - float(getattr(found, "bound", found).shift)


def imported(model, spec: Spec = SPEC, **options):
    """Return a model as it is bound to the rows of its training; its inputs are named unless it names them.

    Small models may have one label for all of these rows.
    """
    trees = options.pop("trees", None)
    read = read_ensemble(model, trees)
    named = {} if getattr(read, "columns", None) else UNNAMED
    return import_model(read, spec, rows=GIVEN, **named, **{"accept_labels": True, **options}).bound
