"""The circuit's identities over small primes, at every challenge: a false one holds for as many as its degree, no more.

Evaluated as go-gnark/gadget/product and member do. Over a small field the bounds of docs/soundness.md can be counted,
and a cheating prover who knew the challenges in advance reaches them.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

Vector = Sequence[int]


def value(coefficients: Vector, at: int, p: int) -> int:
    """Return the value of a polynomial, its lowest coefficient first."""
    found = 0
    for coefficient in reversed(coefficients):
        found = (found * at + coefficient) % p
    return found


def expanded(roots: Vector, p: int) -> list[int]:
    """Return the coefficients of the monic polynomial with these roots."""
    found = [1]
    for root in roots:
        found = [(low - root * high) % p for low, high in zip([0, *found], [*found, 0], strict=True)]
    return found


def multiplied(x: Sequence[Vector], m: Sequence[Vector], y: Sequence[Vector], t: int, p: int) -> bool:
    """Return whether the identity of Y = X M holds at a challenge (docs/soundness.md, S6)."""
    width = len(m[0])
    columns = [value([row[k] for row in x], pow(t, width, p), p) for k in range(len(m))]
    left = sum(column * value(row, t, p) for column, row in zip(columns, m, strict=True))
    return (left - value([value(row, t, p) for row in y], pow(t, width, p), p)) % p == 0


def shifted(y: Sequence[Vector], error: Vector, p: int) -> list[list[int]]:
    """Return Y with an error for each entry, row by row."""
    width = len(y[0])
    return [[(e + error[i * width + j]) % p for j, e in enumerate(row)] for i, row in enumerate(y)]


def test_a_wrong_product_holds_for_fewer_challenges_than_it_has_entries() -> None:
    """Errors of a 2 by 3 product are a polynomial of degree 5: five roots at most, and five for chosen errors."""
    p, draw = 1009, random.Random(1)
    for _ in range(20):
        x, m = ([[draw.randrange(p) for _ in range(size)] for _ in range(2)] for size in (2, 3))
        y = [[sum(a * b for a, b in zip(row, column, strict=True)) % p for column in zip(*m, strict=True)] for row in x]
        assert all(multiplied(x, m, y, t, p) for t in range(p))
        wrong = shifted(y, [draw.randrange(p) for _ in range(6)], p)
        assert sum(multiplied(x, m, wrong, t, p) for t in range(p)) <= 5
        roots = draw.sample(range(p), 5)
        wrong = shifted(y, expanded(roots, p), p)
        assert {t for t in range(p) if multiplied(x, m, wrong, t, p)} == set(roots)


def member(rows: Sequence[Vector], queries: Sequence[Vector], counts: Vector, t: int, base: int, p: int) -> bool:
    """Return whether wires exist that satisfy the identity of a set at a challenge (docs/soundness.md, S4).

    The inverse of 0 does not exist; a quotient 0 / 0 is any number, so it makes the sums equal.
    """
    asked = [(t - value(query, base, p)) % p for query in queries]
    given = [(t - value(row, base, p)) % p for row in rows]
    if 0 in asked or any(not below and count for below, count in zip(given, counts, strict=True)):
        return False
    if 0 in given:
        return True
    left = sum(pow(below, -1, p) for below in asked)
    right = sum(count * pow(below, -1, p) for below, count in zip(given, counts, strict=True))
    return (left - right) % p == 0


def test_a_query_that_is_no_row_holds_for_fewer_challenges_than_there_are_rows_and_queries() -> None:
    """One false query beside eight rows: nine numbers, so a degree of 8, which multiplicities of any value reach."""
    p, draw = 1009, random.Random(2)
    for _ in range(10):
        *rows, query = draw.sample(range(p), 9)
        roots = draw.sample(sorted(set(range(p)) - {*rows, query}), 8)
        numerator = expanded(roots, p)
        # The residue at the query is 1, which fixes the factor; those at the rows follow.
        factor = pow(value(numerator, query, p), -1, p) * value(expanded(rows, p), query, p)
        counts = []
        for at, row in enumerate(rows):
            others = value(expanded([query, *rows[:at], *rows[at + 1 :]], p), row, p)
            counts.append(-factor * value(numerator, row, p) * pow(others, -1, p) % p)
        tuples = [(row,) for row in rows]
        assert {t for t in range(p) if member(tuples, [(query,)], counts, t, t, p)} == set(roots)
        # Multiplicities of 0 leave the quotient open at the row itself: these challenges are among the eight, too.
        passing = [t for t in range(p) if member(tuples, [(query,)], [0] * 8, t, t, p)]
        assert passing == sorted(rows)


def test_true_queries_hold_at_every_challenge_but_poles() -> None:
    """The honest prover fails only where the challenge is a number of the set that is queried."""
    p = 1009
    assert {t for t in range(p) if not member([(3,), (5,)], [(5,), (5,)], [0, 2], t, t, p)} == {5}


def test_words_of_a_tuple_need_powers_far_apart() -> None:
    """With g = t^(2^n), 2^n above all rows and queries, a false tuple is bounded; with g = t it can hold everywhere.

    t - (k + k' t) is 1 / c of t - (c k + (1 - c (1 - k')) t), so that a multiplicity of 1 / c hides the difference.
    """
    p, c = 4099, 7
    row, query, counts = (10, 20), (c * 10 % p, (1 - c * (1 - 20)) % p), [pow(c, -1, p)]
    assert sum(member([row], [query], counts, t, t, p) for t in range(1, p)) >= p - 2
    assert sum(member([row], [query], counts, t, t**4, p) for t in range(p)) <= 4


def test_a_power_of_the_challenge_multiplies_the_degree() -> None:
    """The second argument takes c^2: where the roots are squares, each of them stands for two challenges."""
    p = 1009
    roots = [square * square % p for square in (2, 3, 5, 7, 11)]
    wrong = shifted([[0] * 3] * 2, expanded(roots, p), p)
    zeros = [[0] * 2] * 2, [[0] * 3] * 2
    assert sum(multiplied(*zeros, wrong, c * c % p, p) for c in range(p)) == 10
