"""Stochastic satisfiability, and a Boolean network written as clauses (appendix F): a second way to the same shares.

Literals are integers as in DIMACS. The solver follows the semantics of the quantifiers and remembers sub-formulas; it
serves as an independent check of :mod:`equiproof.audits.fvgm.clauses`, which is the faster way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from equiproof.audits.fvgm.clauses import Clauses
from equiproof.audits.fvgm.network import BOOLEAN, Chance, Network, NetworkError

Quantifier = Literal["exists", "forall"] | Fraction
"""A choice, or the probability of true of a random variable."""

Formula = frozenset[frozenset[int]]


@dataclass(frozen=True)
class Problem:
    """Variables with their quantifiers, outermost first, and clauses over them."""

    prefix: tuple[tuple[int, Quantifier], ...]
    formula: Formula


def probability(problem: Problem) -> Fraction:
    """Return the probability of satisfaction (appendix F.1)."""
    memo: dict[tuple[int, Formula], Fraction] = {}

    def solve(place: int, formula: Formula | None) -> Fraction:
        """Return the probability that the variables from a place on satisfy the rest; None is unsatisfiable."""
        if formula is None or not formula:
            return Fraction(formula is not None)
        if (place, formula) not in memo:
            variable, quantifier = problem.prefix[place]
            if all(variable not in clause and -variable not in clause for clause in formula):
                return solve(place + 1, formula)
            true = solve(place + 1, _with(formula, variable))
            false = solve(place + 1, _with(formula, -variable))
            if quantifier == "exists":
                memo[place, formula] = max(true, false)
            elif quantifier == "forall":
                memo[place, formula] = min(true, false)
            else:
                memo[place, formula] = quantifier * true + (1 - quantifier) * false
        return memo[place, formula]

    return solve(0, problem.formula)


def _with(formula: Formula, literal: int) -> Formula | None:
    """Return a formula under a literal; None where a clause becomes empty."""
    remainder = [clause - {-literal} for clause in formula if literal not in clause]
    return None if any(not clause for clause in remainder) else frozenset(remainder)


@dataclass(frozen=True)
class Encoded:
    """A network as clauses: `numbers` of its variables, their `indicators`, `parameters` with their probabilities."""

    numbers: Mapping[str, int]
    indicators: Mapping[str, int]
    parameters: Mapping[int, Fraction]
    formula: Formula


def encoded(network: Network) -> Encoded:
    """Write a Boolean network as clauses (equations 5 to 7; Chavira and Darwiche 2008).

    Each variable V has an indicator with V <-> indicator. A row u of a table with parents has a parameter p with
    (p and u -> V) and (not p and u -> not V); the indicator of a chance without parents is its own parameter. Raises
    NetworkError for variables that are not Boolean.
    """
    if any(values != BOOLEAN for values in network.values.values()):
        raise NetworkError("stochastic satisfiability needs Boolean variables with values 0 and 1")
    numbers = {name: index for index, name in enumerate(network.values, start=1)}
    indicators = {name: len(numbers) + index for name, index in numbers.items()}
    formula = {frozenset({-numbers[name], indicators[name]}) for name in numbers}
    formula |= {frozenset({numbers[name], -indicators[name]}) for name in numbers}
    parameters: dict[int, Fraction] = {}
    for chance in network.chances:
        if not chance.parents:
            parameters[indicators[chance.name]] = chance.table[0][1]
            continue
        for row, (_, true) in enumerate(chance.table):
            own = 2 * len(numbers) + 1 + sum(number > 2 * len(numbers) for number in parameters)
            parameters[own] = true
            against = {-literal for literal in _parents(chance, row, indicators)}
            formula.add(frozenset({-own, *against, indicators[chance.name]}))
            formula.add(frozenset({own, *against, -indicators[chance.name]}))
    return Encoded(numbers, indicators, parameters, frozenset(formula))


def problem(model: Clauses, network: Network, quantifier: Literal["exists", "forall"]) -> Problem:
    """Return the problem whose probability is the share of the most ("exists") or least ("forall") favored group.

    Choices come first, then parameters, then everything that these determine, existentially.
    """
    model.check(network)
    written = encoded(network)
    clauses = {
        frozenset(written.numbers[name] * (1 if value == "1" else -1) for name, values in clause for value in values)
        for clause in model.clauses
    }
    first = [written.numbers[choice.name] for choice in network.choices]
    everything = [*written.numbers.values(), *written.indicators.values()]
    last = [number for number in everything if number not in first and number not in written.parameters]
    prefix: Sequence[tuple[int, Quantifier]] = [
        *((number, quantifier) for number in first),
        *written.parameters.items(),
        *((number, "exists") for number in last),
    ]
    # A clause that holds a literal and its opposite is always true.
    rest = frozenset(clause for clause in clauses if not any(-literal in clause for literal in clause))
    return Problem(tuple(prefix), written.formula | rest)


def _parents(chance: Chance, row: int, indicators: Mapping[str, int]) -> list[int]:
    """Return the literals of the parents in a row of the table, the last parent fastest."""
    bits = [(row >> shift) & 1 for shift in reversed(range(len(chance.parents)))]
    return [indicators[name] * (1 if bit else -1) for name, bit in zip(chance.parents, bits, strict=True)]
