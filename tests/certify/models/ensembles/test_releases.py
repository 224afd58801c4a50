"""Files of the newest and of the oldest supported releases: every row is decided as the library itself decided it."""

import json

import numpy as np
import pytest

from equiproof import import_model
from equiproof.certify.models.ensembles.lightgbm import NEWEST as LIGHTGBM
from equiproof.certify.models.ensembles.xgboost import NEWEST as XGBOOST
from equiproof.circuits.spec import Feature
from tests.certify.models.ensembles.samples import in_logits, totals, unmoved
from tests.support import ROOT, changed, spec_of

FOLDER = ROOT / "tests" / "vectors" / "models"
DECISIONS = json.loads((FOLDER / "decisions.json").read_text())
ROWS = DECISIONS.pop("rows")
SPEC = changed(
    spec_of(
        Feature("income", "numeric", "scaled", False, mean="2500", scale="800", unit="EUR"),
        Feature("debt", "numeric", "scaled", False, mean="1000", scale="2000", unit="EUR"),
        Feature("sex", "categorical", "rank", True, mean="0.5", scale="0.5", domain=("female", "male")),
    ),
    input_fraction_bits=18,
    input_bits=26,
)
GIVEN = [
    {"income": income, "debt": debt, "sex": ("female", "male")[int(sex)]}
    for income, debt, sex in zip(ROWS["income"], ROWS["debt"], ROWS["sex"], strict=True)
]
BLANK = {"sex": {"female": " female", "male": " male"}}


@pytest.mark.parametrize("name", DECISIONS)
def test_every_row_is_decided_as_by_the_release_that_wrote_the_file(name):
    """XGBoost adds in single precision, and the margins are written with nine digits; labels have no tolerance."""
    own = DECISIONS[name]
    found = import_model(FOLDER / name, SPEC, rows=GIVEN, values=BLANK if "blank" in name else None)
    shift = 0.5 if name.startswith("xgboost") and "regressor" in name else 0.0
    np.testing.assert_allclose(unmoved(found, GIVEN, SPEC) + shift, own["margins"], rtol=0, atol=2e-6)
    wanted = np.array(own["labels"]) == 1
    assert ((totals(found.score, GIVEN, SPEC) > 0) == wanted).all()
    assert ((in_logits(found.quantised, SPEC, GIVEN) > 0) == wanted).all()
    assert 0.2 < wanted.mean() < 0.8
    assert not [note for note in found.notes if "newest" in note]


def test_the_newest_and_the_oldest_release_of_each_library_are_among_them():
    """Those that the readers call tested, and that the project's pins start at."""
    releases = {tuple(name.split("-")[:2]) for name in DECISIONS}
    newest = ".".join(map(str, XGBOOST))
    assert releases == {
        ("xgboost", "3.2.0"), ("xgboost", "3.3.0"), ("xgboost", newest), ("lightgbm", "4.7.0"), ("interpret", "0.7.8"),
    }  # fmt: skip
    text = (FOLDER / "lightgbm-4.7.0-trees.txt").read_text()
    assert f"version=v{LIGHTGBM[0]}\n" in text
    listed = (ROOT / "scripts" / "newest_models.txt").read_text().splitlines()
    assert {f"xgboost-cpu=={newest}", "lightgbm==4.7.0", "interpret-core==0.7.8"} <= set(listed)
    pins = (ROOT / "pyproject.toml").read_text()
    assert all(pin in pins for pin in ('"xgboost-cpu>=3.2"', '"lightgbm>=4.7"', '"interpret-core>=0.7.8"'))


def test_the_weights_of_dropped_trees_stand_where_each_release_writes_them():
    """The same member, in three places under two names of the booster."""
    places = []
    for release in ("3.2.0", "3.3.0", "3.4.1"):
        document = json.loads((FOLDER / f"xgboost-{release}-dropout.json").read_text())
        booster = document["learner"]["gradient_booster"]
        places.append((booster["name"], "weight_drop" in booster, "weight_drop" in booster.get("model", {})))
    assert places == [("dart", True, False), ("gbtree", True, False), ("gbtree", False, True)]
