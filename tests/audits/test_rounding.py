"""What reports say about rounding: "fair" names it, and the float model decides each counterexample, too."""

import math

import numpy as np
import pytest

from equiproof.audits.hyfair.plugin import DiscriminationClusters
from equiproof.audits.rounding import holds, with_rounding
from equiproof.audits.runner import run_all
from equiproof.certify.models.network import Network
from equiproof.certify.models.quantise import quantise
from equiproof.circuits.spec import checked
from tests.audits.made import Made, bare, context, pair, report
from tests.certify.hand_made import by_income, by_sex
from tests.support import INCOME, LOANS, SEX, changed, spec_of


def floats(income, sex, offset):
    """Return the float network with logit relu(income v + sex s + 100) - offset over the columns of LOANS."""
    return Network((np.array([[income, 0.0, 0.0, sex]]), np.array([[1.0]])), (np.array([100.0]), np.array([-offset])))


BY_SEX, BY_INCOME = floats(0.0, 1.0, 100.5), floats(1.0, 0.0, 100.0)


def test_the_float_model_decides_the_cases_of_a_counterexample():
    """It holds where the float model decides differently, too; without different decisions there is no answer."""
    where = context(by_sex())
    assert holds(pair(where), BY_SEX, LOANS) is True
    assert holds(pair(where), BY_INCOME, LOANS) is False
    assert holds(pair(context(by_income())), BY_SEX, LOANS) is None


def test_the_threshold_of_the_spec_counts():
    """A float logit is compared with the spec's threshold, which the committed network has in its biases."""
    where, spec = context(by_sex()), changed(LOANS, threshold="1")
    assert holds(pair(where), floats(0.0, 1.0, 98.5), LOANS) is False
    assert holds(pair(where), floats(0.0, 1.0, 98.5), spec) is True


def test_a_counterexample_that_rounding_made_is_named():
    """A report says how many counterexamples the float model confirms, and which it does not."""
    where = context(by_sex(), original=BY_INCOME)
    (*_, said) = with_rounding(report(where), where).notes
    assert said.startswith("0 of 1 counterexamples with different decisions hold in the float model")
    assert "not row 2: there rounding alone decides" in said
    (*_, said) = with_rounding(report(where), context(by_sex(), original=BY_SEX)).notes
    assert said == "1 of 1 counterexamples with different decisions hold in the float model, too"


def test_fair_names_the_rounding():
    """Beside "fair" stand the steps of inputs and weights, what sensitive columns lose, and the bound of a logit."""
    spec = checked(
        changed(LOANS, features=tuple(changed(f, range=("0", "60000")) if f == INCOME else f for f in LOANS.features))
    )
    network = floats(1.0, 0.3 / 32767, 100.0)
    where = context(quantise(network, spec), spec=spec, original=network)
    (said,) = with_rounding(bare(where, verdict="fair"), where).notes
    assert said.startswith('"fair" is about the committed integers: inputs in steps of 2^-10 of a scale')
    # The largest weight takes all 16 bits, so the weight of sex is rounded to 0: all of it is lost.
    assert "these lose 100 % of sex" in said
    assert "no logit moves by more than" in said


def test_without_the_float_model_fair_says_that_it_is_not_known():
    """The reader learns that rounding was not examined, and how it can be."""
    (said,) = with_rounding(bare(context(), verdict="fair"), context()).notes
    assert said.endswith("how far they depart from the float model is not known here: give its folder with --model")


def test_an_audit_that_judges_nothing_says_nothing():
    """Shares of groups are facts of the committed model; there is no verdict to qualify."""
    assert with_rounding(bare(context()), context()).notes == ()


def test_a_kept_report_belongs_to_one_float_model(tmp_path):
    """Another float model, or none, is another question: a report is not taken over."""
    audit = Made(lambda where: bare(where, verdict="fair"))
    for original, runs in ((None, 1), (BY_INCOME, 2), (BY_INCOME, 2), (BY_SEX, 3)):
        done = run_all(context(original=original), {"made": audit}, ["made"], keep=tmp_path)
        assert (audit.runs, len(done.reports[0].notes)) == (runs, 1)


@pytest.mark.parametrize("width", [1.0, 3.0])
def test_clusters_prefer_a_counterexample_that_holds_in_both_models(width):
    """The float model flips over a range of incomes that rounding moves; the one found is in both ranges, if any is.

    The weight of sex moves the boundary by `width` thousand; rounding by half of one.
    """
    income = changed(INCOME, mean="0", scale="1000", range=("0", "60000"))
    spec = checked(spec_of(income, SEX, name="narrow"))
    network = Network((np.array([[1.0, width / 2]]), np.array([[1.0]])), (np.array([100.0]), np.array([-130.0])))
    moved = Network(network.weights, (network.biases[0], network.biases[1] - 0.5))
    where = context(quantise(moved, spec), spec=spec, original=network, rows=(), labels=None, options=FAST)
    found = DiscriminationClusters().run(where)
    (flips,) = (one for one in found.findings if one.subject == "label flips")
    assert flips.verdict == "unfair"
    assert holds(flips.counterexample, network, spec)
    assert math.isclose(float(flips.counterexample.cases[0].inputs[0]) / 1024, 30, abs_tol=width)


FAST = {"search_seconds": "0", "samples": "0", "solver_seconds": "0"}
