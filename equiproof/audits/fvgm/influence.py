"""Fairness influence functions: what a set of features does to a share or a metric (section 5, appendix E)."""

from __future__ import annotations

from collections.abc import Callable, Collection
from fractions import Fraction

from equiproof.audits.fvgm.bounds import Bounds
from equiproof.audits.fvgm.metrics import Classifier
from equiproof.audits.fvgm.network import Chance, Network, NetworkError

_MARK = " (drawn)"


def drawn(model: Classifier, network: Network, features: Collection[str]) -> tuple[Classifier, Network]:
    """Return classifier and network where the classifier reads features as uniform random values, D_-S of the paper.

    The drawn values are independent of everything; all other features keep their joint distribution (quantitative input
    influence, Datta, Sen, Zick 2016, which the paper follows), and with it their marginals. Uniform is over a feature's
    values: over bins, where it is a number. Raises NetworkError for a name that is no chance.
    """
    names = {chance.name: chance for chance in network.chances}
    if unknown := [name for name in features if name not in names]:
        raise NetworkError(f"{unknown[0]}: not a plain feature of the network, so it has no influence to compute")
    added = []
    for name in sorted(features):
        values = names[name].values
        uniform = (Fraction(1, len(values)),) * len(values)
        added.append(Chance(name + _MARK, values, (), (uniform,)))
    renamed = {name: name + _MARK for name in features}
    return model.reading(renamed), Network(network.choices, (*network.chances, *added))


def influence(
    measure: Callable[[Classifier, Network], Bounds], model: Classifier, network: Network, features: Collection[str]
) -> Bounds:
    """Return FIF(S) = Q(D) - Q(D_-S) of a quantity: a group's share, or a metric such as the disparate impact."""
    return measure(model, network) - measure(*drawn(model, network, features))


def ranking(
    measure: Callable[[Classifier, Network], Bounds], model: Classifier, network: Network
) -> list[tuple[str, Bounds]]:
    """Return the influence of each single feature, the largest in magnitude first; equal ones by name."""
    influences = [(chance.name, influence(measure, model, network, [chance.name])) for chance in network.chances]
    return sorted(influences, key=lambda one: (-abs(one[1].low + one[1].high), one[0]))
