"""CatBoost's models of missing numbers and of categories that are split by value: as the library scores each row."""

import json

import numpy as np
import pytest

from equiproof.certify.data.dataset import encode_rows
from equiproof.certify.models.ensembles import hashed
from equiproof.certify.models.ensembles.ensemble import BEYOND
from equiproof.certify.models.ensembles.imported import bound_score
from equiproof.certify.models.ensembles.reading import read_ensemble
from equiproof.certify.models.ensembles.scoring import committed_scores
from equiproof.certify.models.importing import ModelImportError
from equiproof.circuits.encodings.missing import Missing
from equiproof.circuits.spec import Feature
from tests.certify.models.ensembles.samples import unmoved
from tests.certify.models.ensembles.test_catboost import FOLDER, edited
from tests.support import changed, spec_of

LACKING = json.loads((FOLDER / "lacking.json").read_text())
ROWS = LACKING.pop("rows")
CITIES = tuple("abcdefgh")
GIVEN = [
    row | {"sex": "fm"[int(row["sex"])]}
    for row in (dict(zip(ROWS, values, strict=True)) for values in zip(*ROWS.values(), strict=True))
]
INCOME = Feature("income", "numeric", "scaled", False, mean="2500", scale="800", unit="EUR", missing=Missing())
RATE = Feature("rate", "numeric", "scaled", False, mean="5", scale="2.3", missing=Missing("not known"))
SEX = Feature("sex", "categorical", "rank", True, mean="0.5", scale="0.5", domain=("f", "m"))
PURPOSE = Feature("purpose", "categorical", "one-hot", False, domain=("car", "home", "other"))
CITY = Feature("city", "categorical", "rank", False, mean="3.5", scale="2.3", domain=CITIES)
SPECS = {
    "one-hot and ranks": (PURPOSE, CITY),
    "ranks and one-hot": (
        changed(PURPOSE, encoding="rank", mean="1", scale="0.8"),
        changed(CITY, encoding="one-hot", mean="0", scale="1"),
    ),
    "sensitive": (changed(PURPOSE, sensitive=True), CITY),
}
UNSEEN = {"categories-named": {"purpose": {"other": ""}}}
USED = {"one-hot": ("income", "purpose"), "missing": ("income", "rate", "sex")}
USED["missing-max"] = USED["missing"]


def spec_for(name, kind):
    """Return a spec of the features that a model has; at least one is sensitive."""
    features = (INCOME, RATE, SEX, *SPECS[kind])
    own = tuple(one for one in features if one.name in USED.get(name, ROWS))
    own = own if any(one.sensitive for one in own) else tuple(changed(one, sensitive=one is own[-1]) for one in own)
    return changed(spec_of(*own), input_fraction_bits=16, input_bits=26)


def rows_of(spec):
    """Return rows of the features of a spec."""
    return [{one.name: row[one.name] for one in spec.features} for row in GIVEN]


@pytest.mark.parametrize("kind", SPECS)
@pytest.mark.parametrize("name", LACKING)
def test_each_row_has_the_score_of_the_library(name, kind):
    """Rows without some of their numbers, categories of either encoding, and a value that the model never saw."""
    spec = spec_for(name, kind)
    rows = rows_of(spec)
    found = bound_score(read_ensemble(FOLDER / f"{name}.json"), spec, rows=rows, values=UNSEEN.get(name))
    own = np.array(LACKING[name])
    np.testing.assert_allclose(unmoved(found, rows, spec), own, rtol=0, atol=1e-9)
    encoded = encode_rows(spec, rows)
    assert ((committed_scores(found.model, encoded) > 0) == (own > 0)).all()
    assert 10 < (own > 0).sum() < len(own) - 10


def test_numbers_that_were_always_there_in_training_are_below_all_borders_where_missing(tmp_path):
    """A file that says AsIs is read as one that says AsFalse."""
    as_it_is = edited(
        tmp_path, "missing", lambda file: [one.update(nan_value_treatment="AsIs", has_nans=False)
                                           for one in file["features_info"]["float_features"]]
    )  # fmt: skip
    assert read_ensemble(as_it_is).trees == read_ensemble(FOLDER / "missing.json").trees


@pytest.mark.parametrize("sign", [1, -1])
def test_a_border_at_the_largest_number_parts_missing_values_alone(tmp_path, sign):
    """The library writes such borders where it finds no better place; that of missing-max.json is of it."""
    own = [split for tree in read_ensemble(FOLDER / "missing-max.json").trees for split in tree.splits]
    assert any(split.threshold == BEYOND for split in own)
    treatment = "AsTrue" if sign > 0 else "AsFalse"

    def edit(file):
        file["features_info"]["float_features"][0]["nan_value_treatment"] = treatment
        split = next(
            one for tree in file["oblivious_trees"] for one in tree["splits"] if not one["float_feature_index"]
        )
        split["border"] = sign * 3.4028234663852886e38

    splits = [split for tree in read_ensemble(edited(tmp_path, "symmetric", edit)).trees for split in tree.splits]
    alone = [split for split in splits if split.threshold == BEYOND]
    assert alone
    assert all(split.missing for split in alone)
    assert all((split.above > split.below or split.above < 0) == (sign > 0) for split in alone if split.below >= 0)


def test_a_category_that_may_be_missing_is_refused():
    """The library takes none."""
    spec = spec_for("categories", "one-hot and ranks")
    spec = changed(
        spec, features=tuple(changed(one, missing=Missing()) if one.name == "city" else one for one in spec.features)
    )
    with pytest.raises(ModelImportError, match="leave missing out of feature 'city': this model does not say"):
        bound_score(read_ensemble(FOLDER / "categories.json"), spec, rows=rows_of(spec))


def test_values_that_the_spec_spells_otherwise_are_found():
    """The file has hashes alone: a split by none of the spec's values shows it, and names of a Pool do."""
    spec = spec_for("categories", "one-hot and ranks")
    other = changed(
        spec,
        features=tuple(
            changed(one, domain=("Car", "home", "other")) if one.name == "purpose" else one for one in spec.features
        ),
    )
    rows = [row | {"purpose": row["purpose"].replace("car", "Car")} for row in rows_of(spec)]
    ensemble = read_ensemble(FOLDER / "categories.json")
    with pytest.raises(ModelImportError, match=r"values of 'purpose' as the model spells them.*none of 'Car', 'home'"):
        bound_score(ensemble, other, rows=rows)
    with pytest.raises(ModelImportError, match=r"say what 'Car' is to the model"):
        bound_score(read_ensemble(FOLDER / "categories-named.json"), other, rows=rows)
    found = bound_score(ensemble, other, rows=rows, values={"purpose": {"Car": "car"}})
    np.testing.assert_allclose(unmoved(found, rows, other), LACKING["categories"], rtol=0, atol=1e-9)


def test_hashes_of_texts_are_those_of_the_library():
    """Of texts in each of the ways of the function, by length; the library gave these."""
    for text, own in HASHES.items():
        assert hashed.text_hash(text) == own, text


def test_what_a_file_says_of_categories_must_fit_together(tmp_path):
    """Of its splits, and of missing numbers."""

    def unknown(file):
        split = next(one for tree in file["oblivious_trees"] for one in tree["splits"] if "cat_feature_index" in one)
        split["cat_feature_index"] = 7

    def twice(file):
        file["features_info"]["categorical_features"][0]["feature_index"] = 1

    def treated(file):
        file["features_info"]["float_features"][0]["nan_value_treatment"] = "AsZero"

    for edit, message in (
        (unknown, "a split names the category 7, which is unknown"),
        (twice, "two categories have one feature_index"),
        (treated, r"train with nan_mode='Min' or 'Max': nan_value_treatment 'AsZero' is not read"),
    ):
        with pytest.raises(ModelImportError, match=message):
            read_ensemble(edited(tmp_path, "categories", edit))


HASHES = {
    "": 797982799,
    "q": 1131503775,
    "Vw": 862429345,
    "P-H": 780320978,
    "_pPd": 1511741611,
    "kWZeiNN": 4254726466,
    "Ciiaßan": 905439271,
    "jqevt MLa": 1143560540,
    "_fnvGNx€jvr-S": 1083003363,
    "w qDPAjd€OcZFv": 467717212,
    "jdöAsjD-NökHDFS": 847953500,
    "pscYi zaEIJrp-EYcpFröjU": 2868053632,
    "hähoNP _hT本isT€CjlNlAZkeNn": 3226682651,
    "mTbKoQfNz€TxRtlDxseUTDkXplRn_c": 2384891435,
    "YbUdSBrgZZyJiuetkiqFRusceIWVJbbhd": 2611154084,
    "E_HäataJkMkPYtyräEöMMPvimCJJOmVgN-äb€FlsIbmrTkrz €rfOwt": 3076182079,
    "hZcäWeäBC€l_hWbvYXBIQHOWßvTokFGFöQ本JudXLuaFcnmJ-qrtoZQpC": 3006984919,
    "vYuoxDbcShWmgSthp本eOhX本VL€€äwYvqAkXrtezlpUFäaXtEöoödU": 2134172425,
    "LJxhIbmnawTöH本sDCwWuDKaDGXSixBKODpUlPZXsozdcqFuäqNOhhDtXIzIWLhlhqBXFkIfO日ryzAGMd本ycdbbä-Dyg": 1294934102,
}
