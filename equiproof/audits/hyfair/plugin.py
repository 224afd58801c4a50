"""The audit plug-in `hyfair`: discrimination clusters of the committed network over its declared domain."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

import numpy as np

from equiproof.audits.context import AuditContext
from equiproof.audits.errors import AuditError, NotApplicableError
from equiproof.audits.hyfair.branch import Budget
from equiproof.audits.hyfair.ceiling import Ceiling, ceiling
from equiproof.audits.hyfair.clusters import PROPERTIES, Judge, Property
from equiproof.audits.hyfair.domain import domain_of, original_judge, placed
from equiproof.audits.hyfair.explain import Explanation, Settings, explain, least_difference
from equiproof.audits.hyfair.forward import Forward
from equiproof.audits.hyfair.grid import Grid, Integers
from equiproof.audits.hyfair.hybrid import Alternated, Limits, Settled, alternate, confirmed, settle
from equiproof.audits.hyfair.margin import margin_of
from equiproof.audits.hyfair.reporting import (
    Rows,
    domain_notes,
    estimates,
    explained,
    findings,
    k_note,
    label_notes,
    most_clusters,
    rules_note,
    rules_tables,
    search_table,
)
from equiproof.audits.hyfair.scores import MAX_BUCKETS
from equiproof.audits.hyfair.search import KINDS, Clustering, Kind, Plan
from equiproof.audits.plugin import Option, settings
from equiproof.audits.records import Cell, Finding
from equiproof.audits.report import AuditReport
from equiproof.certify.many.point import Verdict
from equiproof.certify.network import NetworkError
from equiproof.circuits.spec import Spec

MEASURES = (
    "k is the number of clusters of scores that the sensitive values alone give one applicant: by fixed buckets, or by "
    "gaps, where a cluster ends if the next score is further away. Scores apart and label flips are two "
    "separate properties. Scores are 1 / (1 + exp(-logit)); buckets and gaps are decided on the exact logits."
)


_START_ROWS = 16
"""How many rows a search for the largest k begins at."""


@dataclass(frozen=True)
class _Outcome:
    """All results, before they become a report.

    `split` is whether k by buckets is above 1 if no scores are apart.
    """

    settled: dict[Property, Settled]
    search: Alternated | None
    above: Ceiling | None
    split: Settled | None
    explanation: Explanation | None
    places: Integers
    numbers: tuple[int, ...]


class DiscriminationClusters:
    """k-discrimination (HyFair): whether sensitive values split any applicant's scores, into how many, and where."""

    name = "hyfair"
    version = "5"
    about = "discrimination clusters: how many distinct outcomes sensitive values alone can give one applicant"
    needs: frozenset[str] = frozenset()
    options: tuple[Option, ...] = (
        Option(
            "buckets", f"the number of buckets of the score, 2 to {MAX_BUCKETS:,}; a gap is wider than one bucket", 20
        ),
        Option("clustering", "the k to maximise: buckets or gaps", "buckets"),
        Option("search", f"the kind of search: {', '.join(KINDS)}", "anneal"),
        Option("search_seconds", "seconds of search for the largest k", 10.0),
        Option("solver_seconds", "seconds of the mixed-integer program per question", 10.0),
        Option("branch_seconds", "seconds of branch and bound per property", 30.0),
        Option("boxes", "the most boxes of branch and bound per property", 50_000),
        Option("ceiling_seconds", "seconds of branch and bound for an upper bound of the largest k by buckets", 10.0),
        Option(
            "decimals", "decimals of fractional numbers, as name=decimals with commas; those of the rows by default", ""
        ),
        Option("label", "of three or more labels, the one whose score is judged; the last by default", ""),
        Option("samples", "the number of neighbors for an explanation; 0 skips it", 5000),
        Option(
            "delta",
            "how much lower the mean k must be where a rule fails; 0 takes 1, or 0.5 for two joint values",
            0.0,
        ),
    )

    def run(self, context: AuditContext) -> AuditReport:
        """Judge both properties, search for the largest k and explain it.

        Raises NotApplicableError for an infinite domain.
        """
        begun = time.perf_counter()
        options = settings(self, context.options)
        grid = domain_of(context, str(options["decimals"]))
        label = _label(context.spec, str(options["label"]))
        judge = _judge(context, grid, options, label)
        outcome = self._outcome(context, judge, _scaled(options, context.max_seconds), label)
        clustering = cast("Clustering", options["clustering"])
        best = most_clusters(judge, outcome.search, outcome.places, clustering)
        properties = findings(
            context, judge, outcome.settled, best, outcome.split, Rows(outcome.places, outcome.numbers), label
        )
        verdict, reason = _whole(properties)
        found = explained(judge, outcome.explanation, outcome.places, clustering)
        return AuditReport(
            audit=self.name,
            audit_version=self.version,
            model=context.model,
            sensitive_features=context.sensitive_features,
            verdict=verdict,
            reason=reason,
            measures=MEASURES,
            settings={**options, "seed": context.seed, "max_seconds": context.max_seconds},
            findings=properties,
            estimates=estimates(context, judge, outcome.places, outcome.numbers, label),
            tables=(
                *search_table(judge, outcome.search, outcome.above),
                *rules_tables(grid, found),
            ),
            notes=(
                *domain_notes(context, grid, len(outcome.numbers)),
                *label_notes(context.spec, label),
                k_note(outcome.split, outcome.search, outcome.above, str(options["clustering"])),
                *rules_note(found),
            ),
            seconds=time.perf_counter() - begun,
        )

    def _outcome(self, context: AuditContext, judge: Judge, options: Mapping[str, Cell], label: int) -> _Outcome:
        """Settle, search and explain, one after the other."""
        rng = np.random.default_rng(context.seed)
        grid = judge.forward.grid
        limits = Limits(
            solver_seconds=_number(options, "solver_seconds"),
            branch=Budget(int(_number(options, "boxes")), _number(options, "branch_seconds")),
        )
        original = None if context.original is None else original_judge(context.original, judge, context.spec, label)
        settled: dict[Property, Settled] = {}
        places, numbers = placed(context, grid)
        for step, name in enumerate(PROPERTIES, start=1):
            settled[name] = settle(judge, name, grid.whole, limits, rng, places)
            if original is not None:
                settled[name] = confirmed(settled[name], judge, original, name, grid.whole, limits, rng, places)
            context.progress(step, 4)
        search = explanation = above = split = None
        boxes = int(_number(options, "boxes"))
        ceiling_seconds = _number(options, "ceiling_seconds")
        if settled["apart"].verdict == "fair":
            # Scores this close have one bucket's edge between them at most: k by buckets is 1 or 2.
            split = settle(judge, 1, grid.whole, Limits(branch=Budget(boxes, ceiling_seconds)), rng)
        elif _number(options, "search_seconds") > 0:
            plan = Plan(
                kind=cast("Kind", options["search"]),
                clustering=cast("Clustering", options["clustering"]),
                seconds=_number(options, "search_seconds"),
            )
            search = alternate(
                judge,
                plan,
                rng,
                solver_seconds=min(limits.solver_seconds, _number(options, "search_seconds")),
                seeds=_starts(judge, settled["apart"].counterexample, places, plan.clustering),
                pool=places if len(places) else None,
            )
            context.progress(3, 4)
            if options["clustering"] == "buckets":
                above = ceiling(judge, search.record.max_k, Budget(boxes, ceiling_seconds), context.seed)
            samples = int(_number(options, "samples"))
            if samples and len(search.record.top):
                delta = _number(options, "delta") or least_difference(grid)
                chosen = Settings(cast("Clustering", options["clustering"]), samples, delta=delta)
                explanation = explain(judge, search.record.top, chosen, rng)
        context.progress(4, 4)
        return _Outcome(settled, search, above, split, explanation, places, numbers)


def _starts(judge: Judge, counterexample: Integers | None, places: Integers, clustering: Clustering) -> Integers | None:
    """Return where a search begins: at the counterexample and at the rows of largest k; None without either."""
    starts = [] if counterexample is None else [counterexample[None]]
    if len(places):
        order = np.argsort(-getattr(judge.judge(places), clustering), kind="stable")
        starts.append(places[order[:_START_ROWS]])
    return np.concatenate(starts) if starts else None


def _label(spec: Spec, name: str) -> int:
    """Return the number of the label whose score is judged; raises AuditError for an unknown one."""
    if len(spec.labels) > 2 and not name:
        return len(spec.labels) - 1
    if name and (name not in spec.labels or len(spec.labels) <= 2):
        hint = "is for three or more labels" if len(spec.labels) <= 2 else f"there are {', '.join(spec.labels)}"
        raise AuditError(f"hyfair: option label: {name!r}: {hint}")
    return spec.labels.index(name) if name else 1


def _judge(context: AuditContext, grid: Grid, options: Mapping[str, Cell], label: int) -> Judge:
    """Return the judge of the committed network; raises AuditError for invalid options."""
    for name, names in (("search", KINDS), ("clustering", ("buckets", "gaps"))):
        if options[name] not in names:
            raise AuditError(f"hyfair: option {name}: {options[name]!r} is not one of {', '.join(names)}")
    if _number(options, "buckets") < 2:
        raise AuditError(f"hyfair: option buckets: want 2 or more, not {options['buckets']}")
    if _number(options, "buckets") > MAX_BUCKETS:
        raise AuditError(
            f"hyfair: option buckets: take at most {MAX_BUCKETS:,}, not {options['buckets']}: a logarithm is taken of "
            "each edge, and each box is compared with all of them"
        )
    try:
        return Judge(Forward(margin_of(context.network, label), grid), Fraction(1, int(_number(options, "buckets"))))
    except NetworkError as error:
        raise NotApplicableError(str(error)) from None


def _scaled(options: Mapping[str, Cell], max_seconds: float | None) -> dict[str, Cell]:
    """Return the options with their seconds scaled down so that their sum keeps to the budget."""
    costs = {"search_seconds": 2.0, "solver_seconds": 2.0, "branch_seconds": 2.0, "ceiling_seconds": 1.0}
    total = sum(times * _number(options, name) for name, times in costs.items())
    share = 1.0 if max_seconds is None or total <= max_seconds else max_seconds / total
    return {**options, **{name: share * _number(options, name) for name in costs}}


def _number(options: Mapping[str, Cell], name: str) -> float:
    """Return an option that is a number."""
    return float(cast("float", options[name]))


def _whole(findings: Sequence[Finding]) -> tuple[Verdict, str | None]:
    """Return the verdict on the model: fair if both properties are excluded, unfair if either has a counterexample."""
    verdicts = [one.verdict for one in findings]
    if "unfair" in verdicts:
        return "unfair", None
    if "undecided" in verdicts:
        return "undecided", "; ".join(f"{one.subject}: {one.reason}" for one in findings if one.reason)
    return "fair", None
