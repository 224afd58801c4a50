"""Models of XGBoost that split by categories decide rows as the library does, whatever their encoding in the spec."""

import dataclasses
import itertools
import json

import msgspec
import numpy as np
import pandas as pd
import pytest
import xgboost

import equiproof
from equiproof.certify.data.dataset import DataError, encode_rows
from equiproof.certify.data.rows import as_spec
from equiproof.certify.models.ensembles import by_category
from equiproof.certify.models.ensembles.decided import score_decided
from equiproof.certify.models.ensembles.ensemble import Tree
from equiproof.certify.models.ensembles.imported import bound_score
from equiproof.certify.models.ensembles.reading import read_ensemble
from equiproof.certify.models.ensembles.score import Score
from equiproof.certify.models.ensembles.scoring import committed_scores
from equiproof.certify.models.ensembles.xgboost import read_xgboost
from equiproof.certify.models.importing.errors import ModelImportError
from equiproof.certify.models.own_decisions import DecisionsError
from equiproof.circuits.encodings.missing import Missing
from equiproof.circuits.spec import Feature
from tests.sampling import blocks
from tests.support import changed, spec_of

PURPOSES = ("bike", "car", "home", "other", "school", "trip", "yacht")
HOUSING = ("free", "own", "rent")
GROUPS = ("a", "b", "c")
COLUMNS = ("income", "purpose", "housing", "group")


def features(encoding, *, missing=True, group=GROUPS):
    """Return the features of the table; with `missing` income and purpose may be missing."""
    own = {"missing": Missing()} if missing else {}
    return (
        Feature("income", "numeric", "scaled", False, **own),
        Feature("purpose", "categorical", encoding, False, domain=PURPOSES, **own),
        Feature("housing", "categorical", encoding, False, domain=HOUSING),
        Feature("group", "categorical", encoding, True, domain=group),
    )


def table(seed, rows=400, missing=0.12):
    """Return applicants and labels that depend on what is missing."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"income": rng.normal(size=rows).round(2)})
    for name, values in (("purpose", PURPOSES), ("housing", HOUSING), ("group", GROUPS)):
        frame[name] = pd.Categorical(rng.choice(values, rows), categories=values)
    granted = frame.purpose.isin(PURPOSES[::2]) & (frame.housing != "free") ^ (frame.income > 0)
    lacks = rng.random(rows) < missing
    granted ^= (lacks & (rng.random(rows) < 0.6)) ^ (rng.random(rows) < 0.1)
    frame.loc[lacks, "purpose"] = None
    frame.loc[rng.random(rows) < missing, "income"] = np.nan
    return frame, granted.astype(int)


def fitted(frame, granted, **options):
    """Return a classifier that splits by sets wherever a category has more than two values."""
    known = {"n_estimators": 12, "max_depth": 4, "max_cat_to_onehot": 2, "n_jobs": 1}
    return xgboost.XGBClassifier(enable_categorical=True, **(known | options)).fit(frame, granted)


def raw(frame):
    """Return a table as raw rows."""
    return [
        {name: None if pd.isna(value) else f"{value:g}" if name == "income" else value for name, value in row.items()}
        for row in frame.to_dict("records")
    ]


@pytest.fixture(params=["one-hot", "rank", "sets"])
def encoding(request, monkeypatch):
    """The encoding of categories in the spec; with sets these are columns of their own, wherever that can be."""
    monkeypatch.setattr(by_category, "_MORE", 0 if request.param == "sets" else 1000)
    return "one-hot" if request.param == "sets" else request.param


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow), pytest.param(2, marks=pytest.mark.slow)])
def test_rows_are_decided_as_the_library_decides_them(seed, encoding):
    """Exact and committed scores of the table and of other rows, with any of their values missing."""
    frame, granted = table(seed)
    model = fitted(frame, granted)
    spec, read = spec_of(*features(encoding)), read_ensemble(model)
    assert any(split.among for tree in read.trees for split in tree.splits)
    imported = bound_score(read, spec, rows=raw(frame))
    assert bool(imported.model.sets) == (by_category._MORE == 0)
    assert bool(imported.model.sets) == any("sets of values of purpose" in note for note in imported.notes)
    assert Score.parse(imported.score.to_bytes(), "score") == imported.score
    encoded = encode_rows(spec, raw(frame)[:50])
    assert committed_scores(imported.model, encoded).tolist() == [imported.model.score(row) for row in encoded.tolist()]
    for some in (frame, table(seed + 100, missing=0.4)[0]):
        rows, own = raw(some), model.predict(some, output_margin=True)
        decided = score_decided(imported.score, imported.model, spec, rows)
        assert np.abs(np.array(decided.logits)[:, 0] - own).max() < 1e-4
        committed = committed_scores(imported.model, encode_rows(spec, rows))
        # Rows that are not in the table may lie between a threshold and its rounding.
        assert ((committed > 0) != (own > 0)).sum() <= (0 if some is frame else 2)


@pytest.mark.sampled(1, each="encoding")
@pytest.mark.parametrize("seeds", blocks(500, 25))
def test_tiny_models_agree_with_the_library_in_every_cell(seeds, encoding):
    """All numbers, categories and missing values of small tables: labels of the library and of committed integers."""
    values = ("p", "q", "r", "s")
    spec = spec_of(
        Feature("n", "numeric", "scaled", False, range=("0", "2"), whole=True, missing=Missing()),
        Feature("c", "categorical", encoding, False, domain=values, missing=Missing()),
        Feature("g", "categorical", encoding, True, domain=GROUPS),
    )
    cells = list(itertools.product((None, 0, 1, 2), (None, *values), GROUPS))
    frame = pd.DataFrame(cells, columns=["n", "c", "g"]).astype({"n": float})
    for name, own in (("c", values), ("g", GROUPS)):
        frame[name] = pd.Categorical(frame[name], categories=own)
    rows = [{"n": None if n is None else str(n), "c": c, "g": g} for n, c, g in cells]
    moving = 0
    for seed in seeds:
        granted = np.random.default_rng(seed).integers(0, 2, len(cells))
        model = fitted(frame, granted, n_estimators=3, max_depth=3, min_child_weight=0, random_state=seed)
        imported = bound_score(read_ensemble(model), spec, rows=rows)
        own = model.predict(frame, output_margin=True)
        decided = score_decided(imported.score, imported.model, spec, rows)
        assert np.abs(np.array(decided.logits)[:, 0] - own).max() < 1e-4
        committed = committed_scores(imported.model, encode_rows(spec, rows))
        clear = np.abs(own) > 1e-3
        assert ((committed > 0) == (own > 0))[clear].all()
        moving += len({row["c"] for row, label in zip(rows, own > 0, strict=True) if label and row["n"] == "1"}) > 1
    assert moving > len(seeds) // 3


def test_models_without_names_have_codes():
    """A booster that was given codes: the spec's values are these numbers; one that it never saw is in no set."""
    frame, granted = table(3)
    codes = pd.DataFrame({name: frame[name].cat.codes if name != "income" else frame[name] for name in COLUMNS})
    numbers = codes.replace(-1, np.nan).to_numpy(float)
    kinds = ["q", "c", "c", "c"]
    matrix = xgboost.DMatrix(numbers, granted, feature_types=kinds, enable_categorical=True)
    booster = xgboost.train({"objective": "binary:logistic", "max_cat_to_onehot": 2}, matrix, 8)
    digits = tuple("01234567")
    income, purpose, *others = features("one-hot")
    spec = spec_of(income, changed(purpose, domain=digits),
                   *(changed(one, domain=digits[:3]) for one in others))  # fmt: skip
    others = numbers.copy()
    others[::3, 1] = 7
    rows = [
        {name: None if np.isnan(value) else f"{value:g}" for name, value in zip(COLUMNS, row, strict=True)}
        for row in others
    ]
    imported = bound_score(read_ensemble(booster), spec, columns=COLUMNS, rows=rows)
    own = booster.predict(xgboost.DMatrix(others, feature_types=kinds, enable_categorical=True), output_margin=True)
    assert score_decided(imported.score, imported.model, spec, rows).labels.tolist() == (own > 0).tolist()


def test_values_that_the_model_does_not_know_are_said():
    """Another spelling, and "" for a value that the model never saw; both are refused by name without a word of it."""
    frame, granted = table(4)
    read = read_ensemble(fitted(frame, granted))
    income, purpose, *others = features("one-hot")
    ours = ("Bike", "boat", *PURPOSES[1:])
    spec = spec_of(income, changed(purpose, domain=ours), *others)
    with pytest.raises(
        ModelImportError, match=r"^feature 'purpose': say what 'Bike' is to the model .* nearest is 'bike'"
    ):
        bound_score(read, spec, rows=())
    said = {"purpose": {"Bike": "bike", "boat": ""}}
    imported = bound_score(read, spec, values=said)
    plain = bound_score(read, spec_of(*features("one-hot")))
    rows = raw(frame)
    spelled = [row | {"purpose": "Bike"} if row["purpose"] == "bike" else row for row in rows]
    assert (
        imported.score.totals(spec, spelled).tolist()
        == plain.score.totals(spec_of(*features("one-hot")), rows).tolist()
    )
    assert encode_rows(spec, [rows[0] | {"purpose": "boat"}]).shape == (1, 15)
    with pytest.raises(DataError, match="purpose"):
        encode_rows(spec, [rows[0] | {"purpose": "train"}])


def test_a_missing_value_of_a_sensitive_category_is_one_of_its_values():
    """Whoever does not state a group is a group, by sets and by ranks; the table's empty cells are read so."""
    frame, granted = table(5)
    frame.loc[::5, "group"] = None
    granted[::5] ^= 1
    model = fitted(frame, granted)
    with_missing = (*GROUPS, "missing")
    for encoding in ("one-hot", "rank"):
        spec = spec_of(*features(encoding, group=with_missing))
        rows = as_spec(raw(frame), spec)
        assert {row["group"] for row in rows} == set(with_missing)
        imported = bound_score(read_ensemble(model), spec, rows=rows)
        decided = score_decided(imported.score, imported.model, spec, rows)
        assert np.abs(np.array(decided.logits)[:, 0] - model.predict(frame, output_margin=True)).max() < 1e-4
    # As ranks, among numbers, of which missing ones have a direction.
    ranks = frame.assign(group=frame.group.cat.codes.replace(-1, np.nan))
    model = fitted(ranks, granted)
    spec = spec_of(*features("rank", group=with_missing))
    imported = bound_score(read_ensemble(model), spec, rows=rows)
    decided = score_decided(imported.score, imported.model, spec, rows)
    assert np.abs(np.array(decided.logits)[:, 0] - model.predict(ranks, output_margin=True)).max() < 1e-4


def test_an_object_is_compared_with_its_own_decisions():
    """A table is drafted from, with one column a value; another order of codes is noticed."""
    frame, granted = table(6, missing=0)
    model = fitted(frame, granted)
    imported = equiproof.import_model(model, frame, sensitive=["group"], labels=["refused", "granted"])
    assert [(one.name, one.encoding, one.domain) for one in imported.spec.features if one.domain] == [
        ("purpose", "one-hot", PURPOSES), ("housing", "one-hot", HOUSING), ("group", "one-hot", GROUPS),
    ]  # fmt: skip
    (compared,) = imported.document()["compared"]
    assert (compared["rows"], compared["differing"], compared["differing_integers"]) == (400, 0, 0)
    file = json.loads(bytes(model.get_booster().save_raw("json")))
    named = file["learner"]["gradient_booster"]["model"]["cats"]["enc"][1]
    named["values"] = list("".join(reversed(PURPOSES)).encode())
    named["offsets"] = [0, *itertools.accumulate(map(len, reversed(PURPOSES)))]
    turned = read_xgboost(msgspec.json.encode(file))
    own = ["granted" if one else "refused" for one in model.predict(frame)]
    with pytest.raises(DecisionsError, match="differ"):
        equiproof.import_model(turned, frame, sensitive=["group"], labels=["refused", "granted"], decisions=own)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"categories_sizes": []}, "its splits by categories do not fit together"),
        ({"categories_nodes": [0]}, "its splits by categories do not fit together"),
        ({"split_type": [1]}, "its splits by categories do not fit together"),
        ({"categories": []}, "its splits by categories do not fit together"),
    ],
)
def test_broken_files_are_refused(change, message):
    """Lists of categories that are not of the tree's nodes."""
    frame, granted = table(7)
    file = json.loads(bytes(fitted(frame, granted).get_booster().save_raw("json")))
    tree = next(
        one for one in file["learner"]["gradient_booster"]["model"]["trees"] if len(one["categories_nodes"]) > 1
    )
    tree |= change
    with pytest.raises(ModelImportError, match=message):
        read_xgboost(msgspec.json.encode(file))


def test_a_category_has_to_be_one_in_the_spec():
    """A number of the spec, and an input that is split both ways."""
    frame, granted = table(8)
    read = read_ensemble(fitted(frame, granted))
    income, _, *others = features("one-hot")
    with pytest.raises(ModelImportError, match=r"^make 'purpose' a category of the spec"):
        bound_score(read, spec_of(income, Feature("purpose", "numeric", "scaled", False), *others))
    split = next(one for tree in read.trees for one in tree.splits if one.column == 1)
    both = dataclasses.replace(split, among=None, below=~0, above=~1)
    with pytest.raises(ModelImportError, match="as a number and as a category"):
        dataclasses.replace(read, trees=(Tree((both,), read.trees[0].leaves[:2]),))


def test_trees_of_one_split_ask_for_values(monkeypatch):
    """An additive model has no sets."""
    monkeypatch.setattr(by_category, "_MORE", 0)
    frame, granted = table(9)
    model = fitted(frame, granted, max_depth=1)
    imported = bound_score(read_ensemble(model), spec_of(*features("one-hot")), rows=raw(frame))
    assert imported.model.sets == ()
    labels = score_decided(imported.score, imported.model, imported.spec, raw(frame)).labels
    assert labels.tolist() == (model.predict(frame, output_margin=True) > 0).tolist()
