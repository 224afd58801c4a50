"""Group metrics with intervals: statistical parity, equalized odds, counterfactual share, robustness."""

from equiproof.audits.groups.counterfactual import counterfactual_share
from equiproof.audits.groups.rates import equalized_odds, statistical_parity
from equiproof.audits.groups.robustness import robustness

__all__ = ["counterfactual_share", "equalized_odds", "robustness", "statistical_parity"]
