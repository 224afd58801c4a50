"""Levels of imported models: given, drafted from the rows, or none."""

import re

import msgspec
import pytest
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from equiproof import import_model
from equiproof.certify.leak.candidates import LevelError
from equiproof.circuits.spec import SpecError, load_spec
from equiproof.prover import import_levels
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
    exact = imported(levels="exact")
    assert exact.spec.levels is msgspec.UNSET
    given = imported(levels=["0.1", "0.5"], gain_levels=["0.2"], out=tmp_path / "model")
    assert given.quantised == exact.quantised
    spec = load_spec(tmp_path / "model" / "spec.json")
    assert (spec.levels, spec.gain_levels) == (("0.1", "0.5"), ("0.2",))
    assert given.with_levels("exact").spec == exact.spec
    assert given.with_levels(["0.25"]).spec.gain_levels == ("0.2",)


@pytest.mark.usefixtures("levels_by_default")
def test_a_draft_is_the_default_and_noted_line_by_line():
    """Each proposal is a note, the last one names the levels of the spec; nobody has to ask."""
    drafted = imported()
    *proposals, last, gains = drafted.notes[-6:]
    assert all("labels alone would give" in line for line in proposals)
    assert last.startswith(f"drafted levels: {', '.join(drafted.spec.levels)}; keeps ")
    assert gains.startswith(f"drafted gain levels: {', '.join(drafted.spec.gain_levels)} in log odds; nine in ten of ")


@pytest.mark.usefixtures("levels_by_default")
def test_levels_of_the_spec_are_kept():
    """A spec that has levels is not drafted again, with rows and without."""
    options = {"units": "raw", "columns": list(NUMBERS.columns)}
    spec = imported(levels=["0.1"], gain_levels=["0.2"]).spec
    for rows in (None, NUMBERS):
        kept = import_model(linear(), spec, rows=rows, accept_labels=True, **options)
        assert (kept.spec.levels, kept.spec.gain_levels) == (("0.1",), ("0.2",))
        assert not any("levels" in note for note in kept.notes)


@pytest.mark.usefixtures("levels_by_default")
def test_where_rows_do_not_do_the_default_is_the_level_of_the_spread():
    """Without rows, or with too few, there is one level all the same, and a note says why, and what it means."""
    columns = {"columns": list(NUMBERS.columns)}
    without = import_model(linear(), imported(levels="exact").spec, units="raw", **columns)
    few = import_model(linear(), NUMBERS[:30], **GIVEN, **columns, accept_labels=True)
    for model, why in ((without, "a draft is made from rows"), (few, "fair applicants, and a draft needs 20")):
        assert model.spec.levels == ("0.25",)
        note, gains = model.notes[-2:]
        assert note.startswith("levels 0.25, a quarter of each number's spread: income +- ")
        assert "; not drafted from radii: " in note
        assert why in note
        assert ("not drafted from gains" in gains) == (model is without)
        assert model.spec.gain_levels == (("0.5",) if model is without else ("1",))


@pytest.mark.usefixtures("levels_by_default")
def test_a_first_level_that_nobody_reaches_is_refused():
    """Every certificate would show radius 0: the line names the level, and the largest radius of the rows."""
    spec = msgspec.structs.replace(imported(levels="exact").spec, levels=("15",))
    options = {"units": "raw", "columns": list(NUMBERS.columns), "rows": NUMBERS, "accept_labels": True}
    for given in (
        lambda: imported(levels=["15"]),
        lambda: import_model(linear(), spec, **options),
    ):
        with pytest.raises(LevelError, match="name a smaller first level, or ask for a draft") as caught:
            given()
        assert "fair applicants reaches 15, the largest radius is 2." in str(caught.value)
        assert len(str(caught.value)) <= 400


def test_of_many_rows_only_some_are_encoded_for_a_draft(monkeypatch):
    """A table of any size costs a draft what its own rows cost, drawn from all of the table."""
    monkeypatch.setattr(import_levels, "_MOST_ROWS", 30)
    taken = []
    monkeypatch.setattr(
        import_levels, "refuse_unreached", lambda _model, _spec, queries, _levels: taken.append(queries)
    )
    model = imported(levels=["0.1"])
    (queries,) = taken
    everybody = [model.spec.encode(row) for row in model.rows.rows]
    assert len(queries) == 30
    assert queries != everybody[:30]
    assert set(queries) <= set(everybody)


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
        import_model(
            linear(), imported(levels="exact").spec, units="raw", columns=list(NUMBERS.columns), levels="draft"
        )
    few = NUMBERS[:30]
    with pytest.raises(LevelError, match="fair applicants, and a draft needs 20"):
        import_model(linear(), few, **GIVEN, columns=list(NUMBERS.columns), levels="draft", accept_labels=True)


@pytest.mark.parametrize(
    ("levels", "gain_levels", "said"),
    [
        ([0.1], None, "write '0.1' in levels=, a list of texts: 0.1 is none"),
        (0.1, None, "write levels=['0.1'], a list of texts: 0.1 is none"),
        ("0.1", None, "write levels=['0.1'], a list of texts: '0.1' is none"),
        (["0.1"], [0.5], "write '0.5' in gain_levels=, a list of texts: 0.5 is none"),
    ],
)
def test_levels_that_are_numbers_are_refused_with_the_texts_to_write(levels, gain_levels, said):
    """A level is exact decimal text."""
    with pytest.raises(SpecError, match=f"^{re.escape(said)}$"):
        imported(levels=levels, gain_levels=gain_levels)


def test_levels_of_gains_are_drafted_when_asked_for():
    """They replace those of the spec beside given radii; whose radii are exact, and who has no rows, is refused."""
    model = imported(levels=["0.1"], gain_levels="draft")
    assert model.spec.gain_levels == ("1",)
    assert model.notes[-1].startswith("drafted gain levels: 1 in log odds; ")
    assert imported(levels=["0.1"], gain_levels=["0.2"]).with_levels(gain_levels="draft").spec == model.spec
    with pytest.raises(SpecError, match="list levels beside gain_levels"):
        imported(levels="exact", gain_levels="draft")
    without = import_model(linear(), model.spec, units="raw", columns=list(NUMBERS.columns))
    with pytest.raises(LevelError, match=r"a draft is made from rows: give some, or the levels, gain_levels=\['0.5'\]"):
        without.with_levels(gain_levels="draft")


@pytest.mark.usefixtures("levels_by_default")
def test_scores_have_no_levels_of_gains():
    """Gain certificates are for networks: nothing is drafted for trees, and a draft that is asked for is refused."""
    trees = GradientBoostingClassifier(n_estimators=3, max_depth=1).fit(NUMBERS.to_numpy(), CODES)
    drafted = import_model(trees, NUMBERS[:30], **GIVEN, columns=list(NUMBERS.columns), accept_labels=True)
    assert drafted.spec.levels
    assert drafted.spec.gain_levels is msgspec.UNSET
    with pytest.raises(LevelError, match="leave them out: gain certificates are for networks"):
        drafted.with_levels(gain_levels="draft")
