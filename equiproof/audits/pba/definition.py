"""Persistent bias: the question about a person, and the objective that answers it.

A person x with sensitive values s is compared with the counterfactual (x, s~), in which one attribute is another; every
other feature is the same in both. For the label c_i that both receive and another label c_j, the objective is

    g(x') = (z_ci - z_cj)(x', s) - (z_ci - z_cj)(x', s~),

the logarithm of the ratio of the two softmax odds of c_i over c_j (Lemma 1; with one logit f, of the sigmoid's, the
logits being (0, f)). Bias is persistent in the setting "observed" if g is positive at every x' near x: everywhere
there, the model is more confident in its decision because of s, all else being equal. In the setting "flipped" the
person has s~ and is compared with s, so the objective is -g, and no person has persistent bias in both settings.
(Uncovering Locally-Persistent Bias via Ceteris Paribus Fairness, equations 1 to 8, sections 3.3 and 3.5.)

Near: each numeric feature within delta units of x, categories as they are. One unit is one of the feature's raw
units, or a round number of them where values spread wide; the encoding has the rule (the paper names one case: 100
dollars of capital gain). The neighborhood is a box of real numbers in grid units whose ends are integers; it holds the
grid points of every raw value within delta units.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from equiproof.audits.errors import AuditError
from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits.encodings import ENCODINGS
from equiproof.circuits.spec import Spec

Setting = Literal["observed", "flipped"]
SETTINGS: tuple[Setting, ...] = ("observed", "flipped")

Number = int | Fraction
Ends = tuple[tuple[int, ...], tuple[int, ...]]
"""The least and the largest integers of the n_x plain columns of a neighborhood."""


@dataclass(frozen=True)
class Question:
    """Is `sign` times the sum over `copies` positive in all of a box?

    Each copy is (n_s sensitive integers, its sign) and stands for the margin of `label` over `against` with these
    sensitive values. Two copies of signs 1 and -1 ask for persistent bias, a single one whether the decision is robust.
    `query` holds the n_x integers of the person, which lie in the box from `lower` to `upper`.
    """

    query: tuple[int, ...]
    copies: tuple[tuple[tuple[int, ...], int], ...]
    label: int
    against: int
    lower: tuple[int, ...]
    upper: tuple[int, ...]

    def at(self, network: QuantisedNetwork, point: Sequence[Number]) -> Number:
        """Return the exact objective at n_x plain columns in grid units, in units of the integer logits."""
        return sum(sign * margin(network, (*point, *row), self.label, self.against) for row, sign in self.copies)

    def contains(self, point: Sequence[Number]) -> bool:
        """Return whether a point lies in the box."""
        return all(low <= value <= high for low, value, high in zip(self.lower, point, self.upper, strict=True))


def margin(network: QuantisedNetwork, inputs: Sequence[Number], label: int, against: int) -> Number:
    """Return the exact difference of two logits at n_x + n_s numbers; one logit f stands for the logits (0, f)."""
    # The layers' arithmetic is exact for fractions as for integers.
    logits: Sequence[Number] = network.logits(inputs)  # type: ignore[arg-type]
    if len(logits) == 1:
        return logits[0] * (int(label == 1) - int(against == 1))
    return logits[label] - logits[against]


def margin_row(network: QuantisedNetwork, label: int, against: int) -> tuple[tuple[int, ...], int]:
    """Return the margin as weights over the last hidden layer and a constant."""
    last = network.layers[-1]
    if last.outputs == 1:
        sign = int(label == 1) - int(against == 1)
        return tuple(sign * weight for weight in last.weights[0]), sign * last.biases[0]
    rows = zip(last.weights[label], last.weights[against], strict=True)
    return tuple(own - other for own, other in rows), last.biases[label] - last.biases[against]


def ask(
    query: Sequence[int],
    own: Sequence[int],
    other: Sequence[int],
    setting: Setting,
    labels: tuple[int, int],
    box: Ends,
) -> Question:
    """Return the question of a setting for a person with sensitive values `own` and counterfactual ones `other`.

    `labels` are the one that is decided and the one it is held against.
    """
    sign = 1 if setting == "observed" else -1
    return Question(tuple(query), ((tuple(own), sign), (tuple(other), -sign)), *labels, *box)


def ask_robust(query: Sequence[int], row: Sequence[int], labels: tuple[int, int], box: Ends) -> Question:
    """Return the question whether a decision stays the same in all of a box."""
    return Question(tuple(query), ((tuple(row), 1),), *labels, *box)


def rivals(network: QuantisedNetwork, label: int) -> tuple[int, ...]:
    """Return the labels that a label is held against: every other one."""
    return tuple(other for other in range(max(2, network.logit_count)) if other != label)


def default_units(spec: Spec) -> dict[str, Fraction]:
    """Return one unit of each number that is not sensitive, a power of ten in the feature's raw unit."""
    steps = {feature.name: ENCODINGS[feature.encoding].step(feature) for feature in spec.plain_features}
    return {name: step for name, step in steps.items() if step is not None}


def checked_units(spec: Spec, replacements: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """Return the default units with some replaced; raises AuditError for a feature without one, or a unit below 0."""
    units = default_units(spec)
    for name, unit in replacements.items():
        if name not in units:
            raise AuditError(f"units: no numeric feature is called {name!r}; there are {', '.join(units)}")
        if unit < 0:
            raise AuditError(f"units: want 0 or more for {name!r}, not {unit}")
    return units | dict(replacements)


def neighborhood(spec: Spec, query: Sequence[int], delta: Number, units: Mapping[str, Fraction]) -> Ends:
    """Return the box of a query: delta units of every numeric feature either way, rounded outward, and in the ranges.

    Ranges hold only where the spec restricts neighbors to them. Raises AuditError for a negative delta.
    """
    if delta < 0:
        raise AuditError(f"delta: want 0 or more, not {delta}")
    near: list[tuple[int, int]] = []
    for feature in spec.plain_features:
        own = query[len(near) : len(near) + feature.width]
        distance = Fraction(delta) * units.get(feature.name, Fraction(0))
        near += ENCODINGS[feature.encoding].around(spec, feature, own, distance)
    limit = 1 << (spec.input_bits - 1)
    low, high = spec.box or ((-limit,) * len(near), (limit - 1,) * len(near))
    ends = list(zip(query, near, low, high, strict=True))
    return (
        tuple(min(value, max(first, least)) for value, (first, _), least, _ in ends),
        tuple(max(value, min(last, most)) for value, (_, last), _, most in ends),
    )
