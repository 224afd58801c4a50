"""Three hundred tiny models of the real CatBoost, where it can be installed, in every cell."""

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest

from equiproof.certify.additive import EnsembleError
from equiproof.certify.models.ensembles.reading import read_ensemble
from equiproof.circuits.encodings.missing import LISTED
from tests.certify.models.ensembles.tiny_lacking import cells, differing, drawn, spec_for
from tests.cli.test_newest_releases import libraries, run
from tests.sampling import blocks
from tests.support import changed

pytestmark = pytest.mark.slow

__all__ = ["libraries"]  # the fixture of another file


def stated(seed):
    """Return a spec whose category is never missing, as the library takes none."""
    spec = spec_for(seed)
    features = (changed(one, missing=msgspec.UNSET) if one.name == "kind" else one for one in spec.features)
    return changed(spec, features=tuple(features))


def written(folder, seeds):
    """Write the tables of these seeds: a missing kind is the text that a sensitive one lists, or another kind."""
    tables = {}
    for seed in seeds:
        rows, labels = drawn(seed)
        spec = stated(seed)
        instead = LISTED if any(one.lists_missing for one in spec.features) else "car"
        rows = [row | {"kind": row["kind"] or instead} for row in rows]
        tables[seed] = rows, labels.tolist(), cells(spec)
    (folder / "tables.json").write_text(json.dumps(tables))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seeds", blocks(300, 6))
def test_tiny_models_of_catboost_are_decided_as_by_the_library(libraries, tmp_path, seeds):
    """Both ways of missing numbers, all ways of growing trees, and categories, with and without their names."""
    written(tmp_path, seeds)
    trained = run(libraries, "-W", "ignore", Path(__file__).with_name("tiny_catboost.py"), tmp_path)
    assert trained.returncode == 0, trained.stderr
    wrong, alone = {}, 0
    for seed, own in json.loads((tmp_path / "scores.json").read_text()).items():
        spec = stated(int(seed))
        try:
            said = differing(read_ensemble(tmp_path / f"{seed}.json"), spec, cells(spec), np.array(own))
        except EnsembleError as error:
            # A model of sensitive features alone is not committed.
            if "train on a feature that is not sensitive" not in str(error):
                raise
            alone += 1
            continue
        if said:
            wrong[seed] = said
    assert len(list(tmp_path.glob("[0-9]*.json"))) == len(seeds)
    assert not wrong
    assert alone < 9
