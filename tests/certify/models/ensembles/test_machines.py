"""Explainable boosting machines as their library trains them by default: categories and pairs, on raw tables."""

import numpy as np
import pandas as pd
import pytest

from equiproof import import_model
from equiproof.certify.data import load
from equiproof.certify.models.importing import ModelImportError
from tests.certify.models.ensembles.samples import unmoved
from tests.support import changed

glassbox = pytest.importorskip("interpret.glassbox")

UNSEEN = {"education": {"master": ""}, "purpose": {"renovation": ""}}
NUMBERS, CATEGORIES = ["income", "debt"], ["education", "purpose", "sex"]


@pytest.fixture(scope="module")
def trained():
    """Return a machine with pairs of every kind of feature, its table, and the spec with fewer features."""
    data = load("lending")
    features = tuple(one for one in data.spec.features if one.name in (*NUMBERS, *CATEGORIES))
    spec = changed(data.spec, features=features, input_fraction_bits=16, input_bits=32)
    rows = [{name: row[name] for name in (*NUMBERS, *CATEGORIES)} for row in data.rows[:600]]
    labels = np.array(data.labels[:600])
    # What a machine never saw has a bin of its own: a ranked value and a one-hot one.
    seen = [row["education"] != "master" and row["purpose"] != "renovation" for row in rows]
    pairs = [("income", "sex"), ("education", "purpose"), ("purpose", "debt"), ("sex", "education")]
    model = glassbox.ExplainableBoostingClassifier(interactions=pairs, max_rounds=40, outer_bags=1, n_jobs=1)
    return model.fit(pd.DataFrame(rows)[seen], labels[seen]), rows, spec


def test_margins_of_categories_and_pairs_are_those_of_the_library(trained, tmp_path):
    """Ranked and one-hot values, known and unknown ones, alone and in pairs: from the object and from its file."""
    model, rows, spec = trained
    assert model.feature_types_in_.count("nominal") == len(CATEGORIES)
    model.to_json(str(tmp_path / "machine.json"))
    wanted = model.decision_function(pd.DataFrame(rows))
    for source in (model, tmp_path / "machine.json"):
        found = import_model(source, spec, rows=rows, values=UNSEEN)
        np.testing.assert_allclose(unmoved(found, rows, spec), wanted, atol=1e-9)
    assert found.bound.sha256 is not None
    assert len({(row["education"], row["purpose"]) for row in rows}) == 20


def test_scaled_columns_and_names_are_not_taken_from_outside(trained):
    """Ranks are raw numbers, and the machine names its features itself."""
    model, rows, spec = trained
    for options in ({"units": "spec"}, {"columns": ("a", "b")}):
        with pytest.raises(
            ModelImportError, match=f"leave {next(iter(options))}= out: .* explainable boosting machine"
        ):
            import_model(model, spec, rows=rows, values=UNSEEN, **options)


def test_a_category_in_place_of_a_number_is_refused_with_a_way_out(trained):
    """The machine takes a number of the spec for a category."""
    model, _, spec = trained
    number = next(feature for feature in spec.features if feature.name == "income")
    turned = [type(number)(one.name, "numeric", "scaled", False) if one.name == "purpose" else one
              for one in spec.features]  # fmt: skip
    with pytest.raises(
        ModelImportError, match=r"train 'purpose' as 'continuous', .*: it is nominal in the machine and no category"
    ):
        import_model(model, changed(spec, features=tuple(turned)), values=UNSEEN)
