"""Notes of an import for who has compared decisions, and for who has not."""

import pytest

from equiproof.certify.models.comparison import undemanded
from equiproof.prover import imports

SPARSE = "compare your own decisions: the model had missing values in training"
NEWER = "the file is of XGBoost 3.5.0, and 3.4.1 is the newest that was tested: compare your own decisions"


@pytest.mark.parametrize("given", [True, False])
def test_who_gave_decisions_is_not_asked_to_compare_them(monkeypatch, given):
    """The fact stays in each note; without decisions the note asks for them."""
    monkeypatch.setattr(imports, "by_decisions", lambda *_, **__: (None, None, None, (SPARSE, NEWER, "no demand")))
    notes = imports.imported_by(None, None, given=given).notes
    if not given:
        assert notes == (SPARSE, NEWER, "no demand")
        return
    assert notes == (
        "the model had missing values in training",
        "the file is of XGBoost 3.5.0, and 3.4.1 is the newest that was tested",
        "no demand",
    )
    assert notes == tuple(map(undemanded, notes))
