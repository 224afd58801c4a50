"""Mitigation of a model in one go (HyFair, RQ4): a guardrail's file, and a network retrained on what was found.

The guardrail is made for the committed integers. Retraining starts from the float network; what it gives is another
model, with a commitment of its own.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from secrets import token_hex
from typing import Any

import numpy as np

from equiproof.audits.context import AuditContext
from equiproof.audits.errors import NotApplicableError
from equiproof.audits.hyfair.clusters import Judge
from equiproof.audits.hyfair.domain import domain_of, original_judge, placed
from equiproof.audits.hyfair.explain import Settings, k_of, least_difference
from equiproof.audits.hyfair.forward import Floats, Forward
from equiproof.audits.hyfair.grid import Grid, Integers
from equiproof.audits.hyfair.margin import margin_of
from equiproof.audits.hyfair.mitigate import debias, guard
from equiproof.audits.hyfair.retrain import Retraining
from equiproof.audits.hyfair.rules import Guardrail, OnRows, conditions, on_rows
from equiproof.audits.hyfair.search import Plan, SearchRecord, search
from equiproof.certify.guardrail import FORMAT, SALT_BYTES, VERSION, Action, GuardrailFile
from equiproof.certify.models.network import Network
from equiproof.circuits.field import to_hex

_SAMPLES = 5000
"""Neighbors of the applicants found, from which each round's rules are learned."""


@dataclass(frozen=True)
class State:
    """What a search of `seconds` finds before or after: k by buckets, its mean over applicants apart, and their share.

    `rows_apart` is the share of the rows that are not stopped and whose scores are apart, `rows_flipped` of those whose
    label flips, None without rows.
    """

    largest_k: int
    mean_k: float
    success_rate: float
    rows_apart: float | None
    rows_flipped: float | None


@dataclass(frozen=True, eq=False)
class Mitigated:
    """A guardrail with what it changes; `rules` are its rules in words, `stopped` the share of rows that it stops.

    `on_rows` has for each rule what it does to the rows; it is empty without rows.
    """

    file: GuardrailFile
    rules: tuple[str, ...]
    on_rows: tuple[OnRows, ...]
    stopped: float | None
    before: State
    after: State


@dataclass(frozen=True)
class Effort:
    """Seconds of each search, rounds of rules, and the largest share of rows that the guardrail may stop."""

    seconds: float = 5.0
    rounds: int = 4
    most_stopped: float = 0.1


class Mitigation:
    """The searches of one model: make it once, then ask for a guardrail or a retrained network.

    Raises NotApplicableError for an infinite domain, for a score and for a model of three or more labels.
    """

    def __init__(self, context: AuditContext, effort: Effort) -> None:
        """Search for applicants whose scores are apart."""
        if context.score is not None or len(context.spec.labels) > 2:
            raise NotApplicableError("mitigation is for networks of two labels")
        self.context = context
        self.effort = effort
        self.grid: Grid = domain_of(context, "")
        self.judge = Judge(Forward(margin_of(context.network), self.grid))
        self.plan = Plan(seconds=effort.seconds)
        self.rng = np.random.default_rng(context.seed)
        self.rows: Integers = placed(context, self.grid)[0]
        self.first: SearchRecord = search(self.judge, self.plan, self.rng)

    def guardrail(self, action: Action) -> Mitigated:
        """Return a guardrail that stops at most the allowed share of the rows."""
        settings = Settings(samples=_SAMPLES, delta=least_difference(self.grid))
        outcome = guard(
            self.judge,
            self.first,
            self.plan,
            settings,
            self.rng,
            rows=self.rows,
            rounds=self.effort.rounds,
            most_stopped=self.effort.most_stopped,
            action=action,
        )
        spec = self.context.committed_spec
        rules = tuple(conditions(rule, self.grid) for rule in outcome.guardrail.rules)
        k = k_of(self.judge, self.rows, settings.clustering) if len(self.rows) else None
        found = [] if k is None else [on_rows(rule, self.rows, k) for rule in outcome.guardrail.rules]
        return Mitigated(
            GuardrailFile(
                FORMAT, VERSION, self.context.commitment, to_hex(spec.digest), action, rules, token_hex(SALT_BYTES)
            ),
            tuple(rule.text(self.grid) for rule in outcome.guardrail.rules),
            tuple(one for one in found if one is not None),
            outcome.stopped if len(self.rows) else None,
            self._state(self.judge, self.first, Guardrail(())),
            self._state(self.judge, outcome.searches[-1], outcome.guardrail),
        )

    def retrained(self, network: Network, rows: tuple[Floats, Floats], epochs: int) -> tuple[Network, State, State]:
        """Return the float network retrained on what searches find, with what they find before and after.

        `rows` are columns in the network's units, shape (n, n_x + n_s), and labels. Raises NotApplicableError for a
        network of two logits.
        """
        if len(network.biases[-1]) != 1:
            raise NotApplicableError("retraining is for networks of one logit")
        spec = self.context.spec
        judge = original_judge(network, self.judge, spec, 1)
        first = search(judge, self.plan, self.rng)
        settings = Retraining(epochs=epochs, seed=self.context.seed)
        moved, _ = debias(network, judge, rows, first, self.plan, settings, self.rng)
        after = original_judge(moved, self.judge, spec, 1)
        fresh = search(after, self.plan, self.rng)
        nothing = Guardrail(())
        return moved, self._state(judge, first, nothing), self._state(after, fresh, nothing)

    def _state(self, judge: Judge, search: SearchRecord, guardrail: Guardrail) -> State:
        """Return what a search found, with the shares of rows that are not stopped."""
        apart = flipped = None
        if len(self.rows):
            judged = judge.judge(self.rows)
            is_answered = ~guardrail.stops(self.rows)
            apart, flipped = (float((flags & is_answered).mean()) for flags in (judged.apart, judged.flipped))
        return State(search.max_k, search.mean_k, search.success_rate, apart, flipped)


def as_data(state: State) -> dict[str, Any]:
    """Return a state as JSON data."""
    return asdict(state)
