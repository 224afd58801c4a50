"""Persistent bias of many people, shares of groups, and the measures that the paper puts beside them.

Eligible: people of the two compared groups who are decided correctly, and identically under the other value
(equation 3). In the setting "observed" a person counts for their own group; in the setting "flipped" for the other
one, whose value they are shown with: observed(A) and flipped(B) are shares of the same people, and at most 1 together.

SP is the share that receives the favorable label and EO its share among those who deserve it (the true positive rate),
both by fairlearn over all people of the group; CFA the share whose label does not change under the other value, RB the
share of those who count whose decision stays the same in all of the neighborhood (A.4).
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from equiproof.audits.errors import AuditError
from equiproof.audits.intervals import share, share_between
from equiproof.audits.pba.copies import Arrays
from equiproof.audits.pba.definition import SETTINGS, Number, Question, Setting, ask, ask_robust, neighborhood, rivals
from equiproof.audits.pba.search import Answer, Budget, Judgement, judge
from equiproof.audits.records import Estimate
from equiproof.certify.decisions import TIE, decisions
from equiproof.circuits.spec import Spec, SpecError


@dataclass(frozen=True)
class Pair:
    """Two values of a sensitive feature that are compared."""

    feature: str
    first: str
    second: str

    @property
    def groups(self) -> tuple[str, str]:
        """Both values."""
        return self.first, self.second

    def other(self, group: str) -> str:
        """Return the value that a group is compared with."""
        return self.second if group == self.first else self.first


@dataclass(frozen=True)
class Person:
    """A row with its columns, what it is decided as under its own and the other value, and its label if known.

    `row` is the index of the raw row; `own` and `other` number the slices of the spec's table. A decision is None for
    a tie.
    """

    row: int
    group: str
    query: tuple[int, ...]
    own: int
    other: int
    decided: int | None
    flipped: int | None
    label: int | None

    @property
    def counts(self) -> bool:
        """Whether the person is decided correctly (if that is known), and identically under the other value."""
        right = self.label is None or self.decided == self.label
        return self.decided is not None and self.decided == self.flipped and right


@dataclass(frozen=True)
class Assessment:
    """What is known of one person at one delta: judgements by setting, each against every other label."""

    person: Person
    delta: Number
    bias: Mapping[Setting, tuple[Judgement, ...]]
    robust: Mapping[Setting, tuple[Judgement, ...]]

    def biased(self, setting: Setting) -> Answer:
        """Return whether bias is persistent: against every other label."""
        return together(self.bias[setting])

    def stays(self, setting: Setting) -> Answer:
        """Return whether the decision stays the same."""
        return together(self.robust[setting])


def together(judgements: Sequence[Judgement]) -> Answer:
    """Return the answer to several questions that must all be true."""
    answers = [one.answer for one in judgements]
    if "false" in answers:
        return "false"
    return "unknown" if "unknown" in answers else "true"


def people(
    arrays: Arrays, spec: Spec, rows: Sequence[Mapping[str, Any]], labels: Sequence[int] | None, pair: Pair
) -> list[Person]:
    """Return the people of two groups, in the order of the rows; those of other groups are left out.

    Other sensitive features stay as they are. Raises AuditError for a feature or value that the spec does not have, in
    the pair or in a row.
    """
    position = _position(spec, pair)
    numbers = {values: number for number, values in enumerate(spec.domain_values)}
    slices = dict(zip(spec.domain_table, spec.domain_values, strict=True))
    candidates: list[tuple[int, str, tuple[int, ...], int, int]] = []
    for number, row in enumerate(rows):
        try:
            # The spec reads values, not their text: 40, "40" and 40.0 are one.
            values = slices.get(spec.encode_sensitive(row))
            if values is None:
                raise SpecError("its sensitive values are not in the spec's table")
            group = values[position]
            if group not in pair.groups:
                continue
            other = (*values[:position], pair.other(group), *values[position + 1 :])
            candidates.append((number, group, spec.encode(row), numbers[values], numbers[other]))
        except SpecError as error:
            raise AuditError(f"row {number + 1}: {error}") from None
    if not candidates:
        return []
    queries = np.array([query for _, _, query, _, _ in candidates], dtype=np.int64)
    own_rows = np.array([spec.domain_table[own] for _, _, _, own, _ in candidates], dtype=np.int64)
    other_rows = np.array([spec.domain_table[other] for _, _, _, _, other in candidates], dtype=np.int64)
    decided = [
        [None if label == TIE else label for label in decisions(arrays.network, np.hstack([queries, rows_of])).tolist()]
        for rows_of in (own_rows, other_rows)
    ]
    return [
        Person(number, group, query, own, other, a, b, None if labels is None else labels[number])
        for (number, group, query, own, other), a, b in zip(candidates, *decided, strict=True)
    ]


def drawn(everybody: Sequence[Person], pair: Pair, count: int, seed: int) -> list[Person]:
    """Return a random sample of the eligible people of each group, without replacement; all of a smaller group.

    The first group stands first, and each is in the order of the draw, so that the first few of it are a sample, too.
    """
    generator = random.Random(seed)  # noqa: S311 - a sample, not a secret
    sample = []
    for group in pair.groups:
        counting = [one for one in everybody if one.counts and one.group == group]
        sample += generator.sample(counting, min(count, len(counting)))
    return sample


def assess(
    arrays: Arrays,
    spec: Spec,
    person: Person,
    delta: Number,
    units: Mapping[str, Fraction],
    *,
    budget: Budget | None,
    robust: bool = False,
    seed: int = 0,
) -> Assessment:
    """Judge a person who counts at one delta, in both settings; with `robust`, whether the decision stays, too."""
    if person.decided is None:
        raise AuditError(f"row {person.row + 1}: a tie, not a decision")
    box = neighborhood(spec, person.query, delta, units)
    labels = [(person.decided, against) for against in rivals(arrays.network, person.decided)]
    own = spec.domain_table[person.own]
    other = spec.domain_table[person.other]
    by_setting = {
        setting: [ask(person.query, own, other, setting, pair, box) for pair in labels] for setting in SETTINGS
    }
    bias = {setting: _judged(arrays, questions, budget, seed) for setting, questions in by_setting.items()}
    stays = robustness(arrays, spec, person, delta, units, budget=budget, seed=seed) if robust else {}
    return Assessment(person, delta, bias, stays)


def robustness(
    arrays: Arrays,
    spec: Spec,
    person: Person,
    delta: Number,
    units: Mapping[str, Fraction],
    *,
    budget: Budget | None,
    seed: int = 0,
) -> dict[Setting, tuple[Judgement, ...]]:
    """Judge whether a person's decision stays the same at one delta, under their own value and under the other."""
    if person.decided is None:
        raise AuditError(f"row {person.row + 1}: a tie, not a decision")
    box = neighborhood(spec, person.query, delta, units)
    labels = [(person.decided, against) for against in rivals(arrays.network, person.decided)]
    slices: dict[Setting, int] = {"observed": person.own, "flipped": person.other}
    return {
        setting: _judged(
            arrays, [ask_robust(person.query, spec.domain_table[number], pair, box) for pair in labels], budget, seed
        )
        for setting, number in slices.items()
    }


def _judged(arrays: Arrays, questions: Sequence[Question], budget: Budget | None, seed: int) -> tuple[Judgement, ...]:
    """Judge questions that must all be true, up to the first that is not."""
    judgements: list[Judgement] = []
    for question in questions:
        judgements.append(judge(arrays, question, budget=budget, seed=seed))
        if judgements[-1].answer == "false":
            break
    return tuple(judgements)


def shares(assessments: Sequence[Assessment], pair: Pair) -> list[Estimate]:
    """Return PBA, and RB if requested, per group and setting, with Wilson intervals.

    Of one delta. `value` counts what was proven; where something is open, the interval covers both ways it could go.
    """
    estimates: list[Estimate] = []
    for name, setting, group in ((n, s, g) for n in ("PBA", "RB") for s in SETTINGS for g in pair.groups):
        own = group if setting == "observed" else pair.other(group)
        those = [one for one in assessments if one.person.group == own]
        if name == "RB" and not (those and all(one.robust for one in those)):
            continue
        answers = [one.biased(setting) if name == "PBA" else one.stays(setting) for one in those]
        assignment = ((pair.feature, group),)
        least = answers.count("true")
        most = len(those) - answers.count("false")
        estimates.append(share_between(f"{name} {setting}", least, most, len(those), group=assignment))
    return estimates


def baselines(everybody: Sequence[Person], pair: Pair, favorable: int) -> list[Estimate]:
    """Return SP, EO and CFA per group, with Wilson intervals; EO only if labels are known. A tie is not favorable."""
    estimates: list[Estimate] = []
    labelled = [person for person in everybody if person.label is not None]
    rates = _rates(everybody, favorable)
    deserved = _true_positive_rates(labelled, favorable)
    for group in pair.groups:
        those = [one for one in everybody if one.group == group]
        assignment = ((pair.feature, group),)
        size = len(those)
        estimates.append(share("SP", round(rates.get(group, 0.0) * size), size, group=assignment))
        merited = sum(one.group == group and one.label == favorable for one in labelled)
        if labelled:
            estimates.append(share("EO", round(deserved.get(group, 0.0) * merited), merited, group=assignment))
        same = sum(one.decided is not None and one.decided == one.flipped for one in those)
        estimates.append(share("CFA", same, size, group=assignment))
    return estimates


def _rates(everybody: Sequence[Person], favorable: int) -> dict[str, float]:
    """Return the share of the favorable label in each group, by fairlearn."""
    from fairlearn.metrics import MetricFrame, selection_rate

    if not everybody:
        return {}
    favored = [int(one.decided == favorable) for one in everybody]
    groups = [one.group for one in everybody]
    frame = MetricFrame(metrics=selection_rate, y_true=favored, y_pred=favored, sensitive_features=groups)
    return {str(group): float(rate) for group, rate in frame.by_group.items()}


def _true_positive_rates(labelled: Sequence[Person], favorable: int) -> dict[str, float]:
    """Return the true positive rate of each group that has people of the favorable label, by fairlearn."""
    from fairlearn.metrics import MetricFrame, true_positive_rate

    merited = [one for one in labelled if one.label == favorable]
    if not merited:
        return {}
    frame = MetricFrame(
        metrics=true_positive_rate,
        y_true=[1] * len(merited),
        y_pred=[int(one.decided == favorable) for one in merited],
        sensitive_features=[one.group for one in merited],
    )
    return {str(group): float(rate) for group, rate in frame.by_group.items()}


def _position(spec: Spec, pair: Pair) -> int:
    """Return which of the sensitive features a pair is of."""
    for position, feature in enumerate(spec.sensitive_features):
        if feature.name == pair.feature:
            missing = [value for value in pair.groups if value not in feature.domain]
            if missing or pair.first == pair.second:
                raise AuditError(f"feature {pair.feature!r}: want two of its values, not {' and '.join(pair.groups)}")
            return position
    names = ", ".join(feature.name for feature in spec.sensitive_features)
    raise AuditError(f"feature {pair.feature!r} is not sensitive; there are {names}")
