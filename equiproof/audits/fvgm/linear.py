"""Linear classifiers with whole weights: a weight for each value of each feature, and a threshold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from equiproof.audits.fvgm.network import Network, NetworkError


@dataclass(frozen=True)
class Linear:
    """A classifier that accepts if the weights of the values sum to at least the threshold.

    `weights[name][k]` is the weight of the k-th value of a feature; a feature that is not named has weight 0. A Boolean
    feature of weight w has the weights (0, w).
    """

    weights: Mapping[str, tuple[int, ...]]
    threshold: int

    @classmethod
    def boolean(cls, weights: Mapping[str, int], threshold: int) -> Linear:
        """Return a classifier over Boolean features: accept if the sum of w_i B_i is at least the threshold."""
        return cls({name: (0, weight) for name, weight in weights.items()}, threshold)

    def reading(self, renamed: Mapping[str, str]) -> Linear:
        """Return the classifier that reads some features from other variables."""
        return Linear({renamed.get(name, name): own for name, own in self.weights.items()}, self.threshold)

    def of(self, name: str, values: tuple[str, ...]) -> tuple[int, ...]:
        """Return the weights of a feature's values; raises NetworkError if their number differs."""
        weights = self.weights.get(name, (0,) * len(values))
        if len(weights) != len(values):
            raise NetworkError(f"{name}: {len(weights)} weights for {len(values)} values")
        return weights

    def check(self, network: Network) -> None:
        """Raise NetworkError for a feature that the network does not have, or weights that do not fit its values."""
        for name in self.weights:
            if name not in network.values:
                raise NetworkError(f"the classifier has weights for {name!r}, which is not a variable of the network")
            self.of(name, network.values[name])

    def accepts(self, values: Mapping[str, str], network: Network) -> bool:
        """Return the decision on one applicant, given as a value for every variable of the network."""
        domains = network.values
        total = sum(self.of(name, domains[name])[domains[name].index(values[name])] for name in self.weights)
        return total >= self.threshold
