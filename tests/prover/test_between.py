"""Rows between a threshold of a trained model and its rounding: a person decides, and nothing is proven about them."""

import json
from datetime import UTC, datetime
from fractions import Fraction

import pytest

from equiproof.certify.data import load
from equiproof.certify.models.ensembles.gaps import BetweenError, gaps
from equiproof.certify.models.ensembles.quantise import quantise_score
from equiproof.certify.models.ensembles.training import train_additive
from equiproof.circuits.shape import additive_shape
from equiproof.cli.main import run
from equiproof.prover.keys import KeyStore
from equiproof.prover.many.applicants import Applicant
from equiproof.prover.many.decided import Behind, decide_all, read_decided
from equiproof.prover.many.task import Setting, Task, prove_row, ready
from equiproof.prover.opening import Opening, parse_opening
from equiproof.prover.prove import Prover
from equiproof.prover.receipts import BETWEEN, decide, referral
from tests.conftest import CONTEXT

pytestmark = pytest.mark.slow

NOW = datetime(2026, 3, 4, 10, tzinfo=UTC)


@pytest.fixture(scope="module")
def owned():
    """The opening of a scorecard that scikit-learn trains, read again from its file."""
    data = load("lending")
    score, _, _ = train_additive(data, "scorecard", rounds=8, depth=1)
    model = quantise_score(score, data.spec)
    return parse_opening(Opening.of(model, data.spec, 5, gaps(score, model, data.spec)).secret(), "opening.json")


@pytest.fixture(scope="module")
def pair(owned):
    """A row of the data set, and the same one with a number moved into a gap."""
    row = {feature.name: load("lending").rows[0][feature.name] for feature in owned.spec.plain_features}
    gap = next(gap for gap in owned.gaps if gap.low.end != gap.high.end)
    feature = owned.spec.plain_features[[one.name for one in owned.spec.plain_features].index(_numbered(owned, gap))]
    middle = Fraction(feature.mean) + Fraction(feature.scale) * (gap.low.end + gap.high.end) / 2
    return row, dict(row, **{feature.name: f"{float(middle):.12f}"})


def _numbered(owned, gap):
    """Return the name of the feature of a gap's column."""
    columns = [feature.name for feature in owned.spec.plain_features for _ in range(feature.width)]
    return columns[gap.column]


def test_the_model_decides_the_row_and_a_person_does_all_the_same(owned, pair):
    """The integers have a label; the receipt has none, and the reason holds nothing of the applicant's."""
    row, between = pair
    assert owned.spec.encode(between) is not None
    made = decide(owned, between, CONTEXT, NOW)
    assert (made.receipt.label, made.referred) == (None, BETWEEN)
    assert (referral(owned, row), decide(owned, row, CONTEXT, NOW).referred) == ("", "")


def test_receipts_of_a_table_are_read_back_as_they_were_made(owned, pair, tmp_path):
    """A receipt without a label fits a row in a gap; with the gaps forgotten it would not."""
    applicants = [
        Applicant(
            row=number,
            name=str(number),
            reference=str(number),
            features=row,
            integers=owned.spec.encode(row),
            context=dict(CONTEXT),
            chosen=False,
        )
        for number, row in enumerate(pair, start=1)
    ]
    labels = decide_all(Behind(owned), applicants, tmp_path / "march", lambda *_: None)
    assert labels[2] is None
    assert [one.fixed.receipt.label for one in read_decided(tmp_path / "march", owned)] == [*labels.values()]


def test_the_command_says_why(owned, pair, capsys, tmp_path):
    """`receipt new` names the reason beside the decision."""
    (tmp_path / "opening.json").write_bytes(owned.secret())
    (tmp_path / "row.json").write_text(json.dumps(pair[1]))
    at = [str(tmp_path / name) for name in ("row.json", "opening.json", "r")]
    assert run(["receipt", "new", at[0], "--opening", at[1], "--out", at[2]]) == 0
    assert f"a person decides: {BETWEEN}" in capsys.readouterr().out


def test_nothing_is_proven_about_the_row(owned, pair, tmp_path):
    """The interface raises before any search; a run's worker reports the row as undecided."""
    stored = KeyStore(tmp_path / "keys").setup(additive_shape(owned.spec, owned.sizes, 4, 2))
    (tmp_path / "opening.json").write_bytes(owned.secret())
    with Prover(owned, stored) as prover, pytest.raises(BetweenError, match="lies between a threshold of the model"):
        prover.prove(pair[1], CONTEXT)
    setting = Setting.of(tmp_path / "opening.json", stored)
    made = prove_row(setting, Task(2, pair[1], dict(CONTEXT)))
    ready.cache_clear()
    assert (made.verdict, made.reason, made.certificate) == ("undecided", "between", b"")
