"""CNF classifiers under a Bayesian network: the share of a group that satisfies all clauses (appendix F).

Weighted counting along the network's order: features are assigned one by one, clauses shrink, and a sub-formula that is
reached again with the same open values is not counted again. All arithmetic is in fractions.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction

from equiproof.audits.fvgm.bounds import Bounds
from equiproof.audits.fvgm.network import Chance, Group, Network, NetworkError

Literals = frozenset[tuple[str, frozenset[str]]]
"""A clause: satisfied if one of these features has one of these values."""


@dataclass(frozen=True)
class Clauses:
    """A classifier that accepts if every clause is satisfied."""

    clauses: frozenset[Literals]

    @classmethod
    def boolean(cls, *clauses: Collection[str]) -> Clauses:
        """Return a classifier over Boolean features, literals written "x" and "~x"."""
        return cls(
            frozenset(
                frozenset((text.lstrip("~"), frozenset("0" if text.startswith("~") else "1")) for text in clause)
                for clause in clauses
            )
        )

    def reading(self, renamed: Mapping[str, str]) -> Clauses:
        """Return the classifier that reads some features from other variables."""
        return Clauses(
            frozenset(
                frozenset((renamed.get(name, name), values) for name, values in clause) for clause in self.clauses
            )
        )

    def check(self, network: Network) -> None:
        """Raise NetworkError for features or values that the network does not have."""
        for name, values in (literal for clause in self.clauses for literal in clause):
            if name not in network.values:
                raise NetworkError(f"a clause names {name!r}, which is not a variable of the network")
            if unknown := values - set(network.values[name]):
                raise NetworkError(f"{name}: {min(unknown)!r} is not one of {', '.join(network.values[name])}")

    def accepts(self, values: Mapping[str, str]) -> bool:
        """Return the decision on one applicant, given as a value for every feature."""
        return all(any(values[name] in literal for name, literal in clause) for clause in self.clauses)


def acceptance(
    model: Clauses,
    network: Network,
    group: Group,
    *,
    mediators: Collection[str] = (),
    favored: Group | None = None,
) -> Bounds:
    """Return Pr[accepted | group] exactly, with the parameters of :func:`equiproof.audits.fvgm.programme.acceptance`.

    Raises NetworkError for what does not fit together.
    """
    model.check(network)
    network.check_group(group)
    reads = {
        chance.name: dict(favored if favored is not None and chance.name in mediators else group)
        for chance in network.chances
    }
    clauses: frozenset[Literals] | None = None if frozenset() in model.clauses else model.clauses
    for name, value in group.items():
        clauses = None if clauses is None else _assigned(clauses, name, value)
    mentioned = {name for clause in model.clauses for name, _ in clause}
    return Bounds.of(_Count(network.above(mentioned), reads).of(0, {}, clauses))


def _assigned(clauses: frozenset[Literals], name: str, value: str) -> frozenset[Literals] | None:
    """Return the remaining clauses once a feature has a value; None if one can no longer be satisfied."""
    remainder = []
    for clause in clauses:
        mentioned = [literal for literal in clause if literal[0] == name]
        if any(value in values for _, values in mentioned):
            continue
        rest = clause.difference(mentioned)
        if not rest:
            return None
        remainder.append(rest)
    return frozenset(remainder)


class _Count:
    """The counts of one group: by position in the order, open values and clauses that are left."""

    def __init__(self, network: Network, reads: Mapping[str, Mapping[str, str]]) -> None:
        self.network = network
        self.reads = reads
        self.order = network.order
        self.known: dict[tuple[int, tuple[tuple[str, str], ...], frozenset[Literals]], Fraction] = {}
        places = {chance.name: place for place, chance in enumerate(self.order)}
        # The last place that reads each value; beyond it the value is dropped.
        self.last = {
            chance.name: max((places[child] for child in network.children[chance.name]), default=-1)
            for chance in self.order
        }
        if len(self.order) + 200 > sys.getrecursionlimit():
            raise NetworkError(f"{len(self.order)} features; at most {sys.getrecursionlimit() - 200} can be counted")

    def of(self, place: int, open_values: Mapping[str, str], clauses: frozenset[Literals] | None) -> Fraction:
        """Return the probability that the features from a place on satisfy clauses."""
        if clauses is None or not clauses:
            return Fraction(clauses is not None)
        key = (place, tuple(sorted(open_values.items())), clauses)
        if key not in self.known:
            self.known[key] = self._split(self.order[place], place, open_values, clauses)
        return self.known[key]

    def _split(
        self, chance: Chance, place: int, open_values: Mapping[str, str], clauses: frozenset[Literals]
    ) -> Fraction:
        """Add up over the values of one feature."""
        row = self.network.row(chance, {**self.reads[chance.name], **open_values})
        total = Fraction(0)
        for value, probability in zip(chance.values, row, strict=True):
            if probability:
                context = {name: v for name, v in open_values.items() if self.last[name] > place}
                if self.last[chance.name] > place:
                    context[chance.name] = value
                total += probability * self.of(place + 1, context, _assigned(clauses, chance.name, value))
        return total
