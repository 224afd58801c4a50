"""Persistent bias by what is decided, as figures 2 and 3 of the paper have it, how large it is, and gaps of groups.

Where true labels are known, those who count are decided as they deserve, so that the split by the decision is one by
the true label as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from equiproof.audits.intervals import CONFIDENCE, Counted, difference, median, share_between
from equiproof.audits.pba.definition import SETTINGS
from equiproof.audits.pba.scores import Assessment, Pair
from equiproof.audits.pba.search import Judgement
from equiproof.audits.records import Estimate
from equiproof.certify.many.point import Assignment


def by_outcome(assessments: Sequence[Assessment], pair: Pair, labels: Sequence[str]) -> Iterator[Estimate]:
    """Yield PBA per setting, group and decision, with Wilson intervals: :func:`scores.shares` in parts."""
    for setting in SETTINGS:
        for group in pair.groups:
            own = group if setting == "observed" else pair.other(group)
            for number, label in enumerate(labels):
                those = [one for one in assessments if (one.person.group, one.person.decided) == (own, number)]
                answers = [one.biased(setting) for one in those]
                least = answers.count("true")
                most = len(those) - answers.count("false")
                measure = f"PBA {setting} among {label}"
                yield share_between(measure, least, most, len(those), group=_shown(pair, group))


def gaps(assessments: Sequence[Assessment], pair: Pair, count: int) -> Iterator[Estimate]:
    """Yield per setting the first group's PBA minus the second's, with an interval that holds jointly with others.

    `count` gaps are reported together. Each has Newcombe's interval at 1 - (1 - 0.95) / count, so that all of them hold
    together with at least 95 % confidence (Bonferroni).
    """
    for setting in SETTINGS:
        counts = []
        for group in pair.groups:
            own = group if setting == "observed" else pair.other(group)
            answers = [one.biased(setting) for one in assessments if one.person.group == own]
            counts.append(Counted(answers.count("true"), len(answers) - answers.count("false"), len(answers)))
        yield difference(
            f"gap {setting}",
            *counts,
            confidence=joint(count),
            group=((pair.feature, f"{pair.first} minus {pair.second}"),),
        )


def joint(count: int) -> float:
    """Return the confidence that each of several intervals needs for all to hold together."""
    return 1 - (1 - CONFIDENCE) / count


def magnitudes(assessments: Sequence[Assessment], pair: Pair, unit: int) -> Iterator[Estimate]:
    """Yield per setting and group the median proven gain of those with persistent bias, with its interval.

    A gain is the proven lower bound of the log odds ratio in the whole neighborhood, in logits; `unit` is that of exact
    logits. The median has no value where bias is persistent for none of them.
    """
    for setting in SETTINGS:
        for group in pair.groups:
            own = group if setting == "observed" else pair.other(group)
            those = [one for one in assessments if one.person.group == own and one.biased(setting) == "true"]
            gains = [_lowered(proven(one.bias[setting]), unit) for one in those]
            yield median(f"gain {setting}", gains, group=_shown(pair, group))


def proven(judgements: Sequence[Judgement]) -> Fraction | None:
    """Return the least proven bound of several questions that were all examined, None if one has no bound."""
    lowers = [one.lower for one in judgements if one.lower is not None]
    return min(lowers) if lowers and len(lowers) == len(judgements) else None


def _lowered(bound: Fraction | None, unit: int) -> float:
    """Return a bound in logits, rounded down; 0 where there is none, as persistent bias is above it."""
    return 0.0 if bound is None else math.nextafter(float(bound / unit), -math.inf)


def _shown(pair: Pair, group: str) -> Assignment:
    """Return how an estimate names a group."""
    return ((pair.feature, group),)
