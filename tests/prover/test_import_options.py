"""The table of docs/models.md: which options each kind of model takes, with the real readers of every kind."""

import re

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from equiproof import import_model
from equiproof.certify.models.importing import ModelImportError
from equiproof.certify.models.own_decisions import DecisionsError
from equiproof.circuits.spec import Feature
from equiproof.prover.import_options import FOR
from tests.certify.models.ensembles import card_samples
from tests.certify.models.ensembles.test_catboost import FOLDER as CATBOOST
from tests.certify.models.ensembles.test_catboost import SPEC as RATES
from tests.certify.models.ensembles.test_onnx_files import FOLDER as ONNX
from tests.certify.models.ensembles.test_releases import BLANK, FOLDER, SPEC
from tests.support import ROOT, changed, spec_of

NAMES = ("income", "debt", "sex")
RATE_NAMES = ("income", "rate", "sex")


def arrays(logits):
    """Return the weights of a network of 3 inputs."""
    rng = np.random.default_rng(0)
    sizes = ((3, 2), 2, (2, logits), logits)
    return dict(zip(("W0", "b0", "W1", "b1"), (rng.normal(size=size) for size in sizes), strict=True))


def forest(*steps):
    """Return a small forest behind steps, fitted on a matrix."""
    rows = np.random.default_rng(1).normal(0, 1, (60, 3))
    model = make_pipeline(*steps, RandomForestClassifier(3, max_depth=2, random_state=0))
    return (model if steps else model.steps[-1][1]).fit(rows, (rows[:, 0] > rows[:, 1]).astype(int))


def without_objective(folder):
    """Return a LightGBM file as it is written after training by a function of the owner's."""
    text = (FOLDER / "lightgbm-4.7.0-trees.txt").read_text()
    path = folder / "own.txt"
    path.write_text(re.sub(r"^objective=.*\n", "", text, flags=re.MULTILINE))
    return path


def table(folder):
    """Return a scorecard in the project's own format."""
    path = folder / "card.csv"
    lines = ("feature,from,to,value,points", "(cutoff),,,,1", "income,,2000,,0", "income,2000,,,2", "sex,,,female,0")
    path.write_text("\n".join([*lines, "sex,,,male,1", ""]))
    return path


TOAD = {"cutoff": card_samples.CUTOFF}
ROWS = card_samples.rows("optbinning-intercept")[0][:10]
UNSAID = {
    "cutoff": card_samples.CUTOFF,
    "base_points": 0,
    "unlisted": {"purpose": 0},
    "rows": ROWS,
    "decisions": ["granted", "refused"] * 5,
    "allow_differing": 1,
    "accept_labels": True,
}

MODELS = {
    "network": ("networks", lambda _: arrays(1), SPEC, {"units": "raw", "columns": NAMES}, "one logit"),
    "two logits": (
        "networks",
        lambda _: arrays(2),
        changed(SPEC, logits=2),
        {"units": "raw", "columns": NAMES},
        "",
    ),
    "xgboost": ("trees", lambda _: FOLDER / "xgboost-3.2.0-trees.json", SPEC, {}, "XGBoost"),
    "xgboost of an own objective": (
        "trees",
        lambda _: FOLDER / "xgboost-3.2.0-regressor.json",
        SPEC,
        {},
        "XGBoost, an objective of your own",
    ),
    "lightgbm": ("trees", lambda _: FOLDER / "lightgbm-4.7.0-trees.txt", SPEC, {}, ""),
    "lightgbm of an own objective": (
        "trees",
        without_objective,
        SPEC,
        {"score_is_logit": True},
        "an objective of your own",
    ),
    "catboost": ("trees", lambda _: CATBOOST / "symmetric.json", RATES, {"columns": RATE_NAMES}, ""),
    "onnx": ("trees", lambda _: ONNX / "forest.onnx", RATES, {"columns": RATE_NAMES}, ""),
    "forest": ("trees", lambda _: forest(), SPEC, {"columns": NAMES}, ""),
    "pipeline": ("trees behind a pipeline", lambda _: forest(StandardScaler()), SPEC, {"columns": NAMES}, ""),
    "machine": ("machines of interpret", lambda _: FOLDER / "interpret-0.7.8-blank.json", SPEC, {"values": BLANK}, ""),
    "toad": ("scorecards of other libraries", lambda _: card_samples.FOLDER / "toad.json", card_samples.spec(), TOAD,
             ""),
    "optbinning": ("scorecards of other libraries", lambda _: card_samples.FOLDER / "optbinning-intercept-detailed.csv",
                   card_samples.spec(), UNSAID, "where the card has none"),
    "own table": ("our own table", table, SPEC, {}, ""),
}  # fmt: skip
"""By name: the column of the page, the model, a spec, the options that it needs, and what the page says of it."""

VALUES = {
    "units": "spec",
    "threshold": "0.25",
    "trees": "all",
    "score_is_logit": True,
    "cutoff": 1,
    "base_points": 0,
    "unlisted": {"purpose": 0},
    "weight_bits": (20, 20),
    "widen": True,
}


def page():
    """Return the cells of the page's table by option and column."""
    text = (ROOT / "docs" / "models.md").read_text()
    head, _, *lines = text.partition("| option | ")[2].partition("\n\n")[0].splitlines()
    columns = [one.strip() for one in head.split("|")[:-1]]
    cells = [[one.strip() for one in line.split("|")[1:-1]] for line in lines]
    names = {name: row[1:] for row in cells for name in re.findall(r"`--([a-z-]+)", row[0])}
    return {name.replace("-", "_"): dict(zip(columns, row, strict=True)) for name, row in names.items()}


def options(base):
    """Return a value of each option, the one that a model needs where it needs one; its columns are named in order."""
    values = {"purpose": {"car": "car"}} if "cutoff" in base else BLANK
    usual = {name: base.get(name, value) for name, value in VALUES.items()}
    return usual | {"columns": base.get("columns", NAMES), "units": "spec", "values": values}


@pytest.mark.parametrize("name", MODELS)
def test_each_option_is_taken_or_refused_as_the_page_says(name, tmp_path):
    """Refused by its name in one line; taken options do not lead to that refusal."""
    column, make, spec, base, said = MODELS[name]
    model, cells = make(tmp_path), page()
    # The command line has `missing` where it drafts a spec.
    assert set(cells) == set(FOR) - {"missing"}
    for option, value in options(base).items():
        cell = cells[option][column]
        is_taken = cell == "yes" or (cell != "" and cell in said)
        given = {**base, option: value}
        if is_taken:
            import_model(model, spec, **given)
            continue
        with pytest.raises(ModelImportError, match=rf"leave (out )?{option}=") as refused:
            import_model(model, spec, **given)
        assert "\n" not in str(refused.value)
        assert len(str(refused.value)) <= 400


def test_widths_that_are_given_are_not_widened():
    """Two wishes of one thing are refused."""
    with pytest.raises(ModelImportError, match=r"leave widen=True out: weight_bits= says how wide weights are"):
        import_model(arrays(1), SPEC, units="raw", columns=NAMES, widen=True, weight_bits=(20, 20))


@pytest.mark.parametrize(
    ("threshold", "model", "said"),
    [
        ("share=0.6", "network", "goes by a probability"),
        ("share=0.6", "xgboost", "goes by a probability"),
        ("probability=0.6", "forest", None),
        ("share=0.6", "forest", None),
        ("probability=0.6", "lightgbm", None),
        ("share=0.6", "machine", "goes by a probability"),
        ("odds=2", "catboost", "'odds' one of probability"),
        ("probability=1", "pipeline", "not between 0 and 1"),
    ],
)
def test_each_kind_of_threshold_is_for_the_scores_that_it_fits(threshold, model, said, tmp_path):
    """A name that the score does not go by is refused."""
    _, make, spec, base, _ = MODELS[model]
    if said is None:
        assert import_model(make(tmp_path), spec, threshold=threshold, **base).spec.threshold != "0"
        return
    with pytest.raises(ModelImportError, match=said):
        import_model(make(tmp_path), spec, threshold=threshold, **base)


def test_inputs_that_are_whole_numbers_are_not_rounded():
    """A grid has no meaning for a spec without a number."""
    whole = spec_of(
        Feature("home", "categorical", "one-hot", False, domain=("own", "rent")),
        Feature("sex", "categorical", "rank", True, mean="0.5", scale="0.5", domain=("female", "male")),
    )
    names = ("home=own", "home=rent", "sex")
    assert import_model(arrays(1), whole, units="raw", columns=names).quantised
    with pytest.raises(ModelImportError, match="leave input_fraction_bits= out"):
        import_model(arrays(1), whole, units="raw", columns=names, input_fraction_bits=12)


def test_a_share_that_may_differ_needs_decisions():
    """There is nothing that could differ from a file without decisions."""
    with pytest.raises(DecisionsError, match="give what is compared, decisions="):
        import_model(arrays(1), SPEC, units="raw", columns=NAMES, allow_differing=0.01)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"sensitive": "sex"}, "write sensitive=['sex'], a list"),
        ({"missing": "income"}, "write missing=['income'], a list"),
        ({"missing": [5]}, "write '5' in missing="),
        ({"unused": 7}, "write unused=['7'], a list"),
        ({"columns": "income"}, "write columns=['income'], a list"),
        ({"labels": "no"}, "write labels=['no'], a list"),
        ({"classes": "no"}, "write it as in classes=['no', 'yes'], not as 'no'"),
        ({"units": {"income": 5}}, "write it as in units={'income': 'EUR'}, not as {'income': 5}"),
        ({"dates": {"opened": 5}}, "write it as in dates="),
        ({"ranges": {"income": 5}}, "write it as in ranges="),
        ({"weight_bits": 24}, "write it as in weight_bits=(24, 20), not as 24"),
        ({"input_fraction_bits": "12"}, "write it as in input_fraction_bits=12, not as '12'"),
    ],
)
def test_an_argument_of_another_type_is_refused_by_its_name(given, said):
    """Not in words of Python's own, which name no argument."""
    with pytest.raises(ModelImportError, match=f"^{re.escape(said)}") as refused:
        import_model(arrays(1), [{"income": 1, "debt": 2, "sex": 0}], **given)
    assert len(str(refused.value)) <= 400
