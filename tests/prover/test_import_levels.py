"""Levels of imported models: given, drafted from the rows, or none."""

import msgspec
import pytest
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from equiproof import import_model
from equiproof.certify.leak.draft import LevelError
from equiproof.circuits.spec import SpecError, load_spec
from tests.prover.test_imports import lender

TABLE, DECISIONS = lender(120, seed=4)
NUMBERS = TABLE[["income", "savings"]].assign(sex=(TABLE["sex"] == "male").astype(int))
CODES = (DECISIONS == "granted").astype(int)
GIVEN = {"sensitive": ["sex"], "labels": ["refused", "granted"]}


def linear():
    return LogisticRegression(max_iter=1000).fit(NUMBERS.to_numpy(), CODES)


def imported(**options):
    columns = {"columns": list(NUMBERS.columns)}
    return import_model(linear(), NUMBERS, **GIVEN, **columns, **options)


def test_given_levels_stand_in_the_spec_that_is_written(tmp_path):
    """The folder's spec has them as they were given; the integers of the model are those without levels."""
    exact = imported()
    assert exact.spec.levels is msgspec.UNSET
    given = imported(levels=["0.1", "0.5"], out=tmp_path / "model")
    assert given.quantised == exact.quantised
    assert load_spec(tmp_path / "model" / "spec.json").levels == ("0.1", "0.5")
    assert given.with_levels("exact").spec == exact.spec


def test_a_draft_is_noted_line_by_line():
    """Each proposal is a note, the last one names the levels of the spec."""
    drafted = imported(levels="draft")
    *proposals, last = drafted.notes[-6:]
    assert all("labels alone would give" in line for line in proposals)
    assert last.startswith(f"drafted levels: {', '.join(drafted.spec.levels)}; keeps ")


def test_trees_have_levels_too():
    """A score takes levels as a network does."""
    trees = GradientBoostingClassifier(n_estimators=3, max_depth=1).fit(NUMBERS.to_numpy(), CODES)
    given = import_model(trees, NUMBERS, **GIVEN, columns=list(NUMBERS.columns), levels=["0.25"])
    assert given.spec.levels == given.bound.spec.levels == ("0.25",)


def test_wrong_levels_and_drafts_without_rows_are_one_line():
    """Texts that are no levels are the spec's to refuse; a draft needs rows, and enough of them."""
    with pytest.raises(SpecError, match="levels"):
        imported(levels=["0.5", "0.25"])
    with pytest.raises(LevelError, match=r"a draft is made from rows: give some, or the levels, levels=\['0.25'\]"):
        import_model(linear(), imported().spec, units="raw", columns=list(NUMBERS.columns), levels="draft")
    few = NUMBERS[:30]
    with pytest.raises(LevelError, match="fair applicants, and a draft needs 20"):
        import_model(linear(), few, **GIVEN, columns=list(NUMBERS.columns), levels="draft", accept_labels=True)
