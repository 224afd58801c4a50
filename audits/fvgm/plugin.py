"""The audit `fvgm`: group and causal fairness of a linear model under a Bayesian network of the features.

Its verdicts are on the linear model. For the committed network it only reports how often the two agree.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from equiproof.audits.context import AuditContext
from equiproof.audits.errors import AuditError, NotApplicableError
from equiproof.audits.fvgm.beside import RowMetrics, error_note, group_shares, shares_table
from equiproof.audits.fvgm.bounds import Bounds
from equiproof.audits.fvgm.budget import OutOfTimeError, check
from equiproof.audits.fvgm.influence import ranking
from equiproof.audits.fvgm.learning import CodingError
from equiproof.audits.fvgm.metrics import Shares, disparate_impact, shares
from equiproof.audits.fvgm.pipeline import Prepared, Rows, Settings, prepare
from equiproof.audits.fvgm.scaling import NotLinearError, Scores, scores_of
from equiproof.audits.fvgm.verification import Demands, Verification, limits, undecided
from equiproof.audits.intervals import share
from equiproof.audits.plugin import Option, settings
from equiproof.audits.records import SMALL, Cell, Estimate, Table
from equiproof.audits.report import AuditReport
from equiproof.certify.digits import percent

_COMPARED = 1000
"""Rows on which the linear and the committed model are compared."""

_CONDITIONED = {"yes": True, "no": False, "auto": None}

_NO_INFLUENCES = "influences of the features are not listed: the time limit was reached first"

_LINEAR = "the metrics and their verdicts are on the linear model, not on the committed one"


class GraphicalModel:
    """FVGM: verification of linear classifiers with graphical models."""

    name = "fvgm"
    version = "3"
    about = "group and causal fairness of a linear model over correlated features (Bayesian network, subset sums)"
    needs = frozenset({"rows", "linear"})
    options: tuple[Option, ...] = (
        Option("max-bins", "the most bins of a number", 10),
        Option("max-multiplier", "the largest multiplier of coefficients before rounding", 100),
        Option("max-parents", "the most parents of a feature in the network, not counting sensitive ones", 2),
        Option("conditioned", "sensitive features are parents of all others: yes, no, auto (by held-out rows)", "auto"),
        Option("mediators", "features through which influence is acceptable, separated by commas", ""),
        Option("edges", "bins of numbers, such as age=25;hours=20,40", ""),
        Option("least-rows", "the least number of rows of a compared group", SMALL),
        Option("least-impact", "the least disparate impact that is fair", "4/5"),
        Option("most-difference", "the largest fair difference in parity, odds and path-specific fairness", "1/10"),
    )

    def run(self, context: AuditContext) -> AuditReport:
        """Tune, learn, compute every metric and compare it with the demands; raises NotApplicableError and AuditError.

        Not applicable: no linear model of two classes over the spec's columns, fewer than 20 rows, fewer than two
        groups of enough rows.
        """
        options = settings(self, context.options)
        deadline = context.deadline()
        scores, rows, requested = _scores(context), _rows(context), _settings(options, context)
        demands = Demands(_fraction(options, "least-impact"), _fraction(options, "most-difference"))
        agreement = _agreement(context, scores, rows)
        try:
            prepared = prepare(scores, rows, requested, deadline=deadline)
        except CodingError as error:
            raise NotApplicableError(str(error)) from None
        except OutOfTimeError as error:
            wanted = limits(demands, labelled=context.labels is not None, mediated=bool(requested.mediators))
            nothing = RowMetrics({}).table(undecided(wanted, str(error)))
            return self._report(context, options, (agreement,), (nothing,), (_LINEAR, f"nothing was verified: {error}"))
        groups = prepared.groups(int(str(options["least-rows"])))
        if len(groups) < 2:
            raise NotApplicableError(
                f"{len(groups)} groups of {options['least-rows']} rows or more, but two are needed: give more rows, "
                "fewer sensitive features, or a smaller least-rows"
            )
        labels = None if context.labels is None else np.asarray(context.labels)
        found = Verification(prepared, groups, labels, demands, deadline).judgements()
        base = shares(prepared.linear, prepared.network, groups)
        accepted = scores.accepts(rows.X)
        compared = group_shares(prepared, base, accepted)
        metrics = RowMetrics.of(prepared, groups, accepted, labels, context.seed)
        influences = _influences(prepared, base, deadline)
        tables = (metrics.table(found), *influences, shares_table(compared))
        # Measure by measure, so that the groups of one measure stand below each other.
        of_groups = itertools.chain(*zip(*(one.estimates() for one in compared), strict=True))
        estimates = (agreement, *of_groups, *metrics.found.values())
        notes = (*_notes(context, prepared, groups), error_note(compared), *(() if influences else (_NO_INFLUENCES,)))
        return self._report(context, options, estimates, tables, notes)

    def _report(
        self,
        context: AuditContext,
        options: Mapping[str, Cell],
        estimates: tuple[Estimate, ...],
        tables: tuple[Table, ...],
        notes: tuple[str, ...],
    ) -> AuditReport:
        """Return the report; the committed model gets no verdict."""
        return AuditReport(
            audit=self.name,
            audit_version=self.version,
            model=context.model,
            sensitive_features=context.sensitive_features,
            measures="shares of groups that the linear model accepts (label 1), and metrics of them",
            settings={**options, "seed": context.seed, "max_seconds": context.max_seconds},
            estimates=estimates,
            tables=tables,
            notes=notes,
        )


def _scores(context: AuditContext) -> Scores:
    """Return the linear model's decision function; raises NotApplicableError for an unsuitable model."""
    if len(context.spec.labels) != 2:
        raise NotApplicableError(f"{len(context.spec.labels)} labels; this audit needs two")
    try:
        scores = scores_of(context.linear)
    except NotLinearError as error:
        raise NotApplicableError(str(error)) from None
    if list(context.linear.classes_) != [0, 1]:
        raise NotApplicableError("the linear model's classes are not 0 and 1, the numbers of the spec's labels")
    columns = context.spec.plain_columns + context.spec.sensitive_columns
    if len(scores.weights) != columns:
        raise NotApplicableError(
            f"the linear model has {len(scores.weights)} columns; want the spec's {columns}, sensitive ones last"
        )
    return scores


def _rows(context: AuditContext) -> Rows:
    """Return raw columns, and the matrix of the spec's columns that the linear model reads, in units of its scale."""
    spec = context.spec
    matrix = [
        [*query, *spec.domain_table[number]] for query, number in zip(context.queries, context.slices, strict=True)
    ]
    columns, blocks, place = {}, {}, 0
    for feature in (*spec.plain_features, *spec.sensitive_features):
        kind: Any = np.float64 if feature.kind == "numeric" else object
        columns[feature.name] = np.array([row[feature.name] for row in context.rows], dtype=kind)
        blocks[feature.name] = list(range(place, place + feature.width))
        place += feature.width
    try:
        return Rows(columns, np.array(matrix, dtype=np.float64) / spec.scale_unit, blocks, context.sensitive_features)
    except CodingError as error:
        raise NotApplicableError(str(error)) from None


def _settings(options: Mapping[str, Cell], context: AuditContext) -> Settings:
    """Read the options; raises AuditError for an invalid one."""
    names = {feature.name for feature in context.spec.features}
    mediators = tuple(part.strip() for part in str(options["mediators"]).split(",") if part.strip())
    edges: dict[str, list[float]] = {}
    for part in filter(None, str(options["edges"]).split(";")):
        name, _, numbers = part.partition("=")
        try:
            edges[name.strip()] = [float(number) for number in numbers.split(",")]
        except ValueError:
            raise AuditError(f"fvgm: option edges: {part[:40]!r}; want name=number,number") from None
    for name in (*mediators, *edges):
        if name not in names:
            raise AuditError(f"fvgm: no feature is called {name!r}; there are {', '.join(sorted(names))}")
    if both := sorted(set(mediators) & set(context.sensitive_features)):
        raise AuditError(f"fvgm: option mediators: {both[0]} is sensitive")
    conditioned = str(options["conditioned"])
    if conditioned not in _CONDITIONED:
        raise AuditError(f"fvgm: option conditioned: {conditioned[:40]!r}; want {', '.join(_CONDITIONED)}")
    return Settings(
        max_bins=_whole(options, "max-bins", 2), max_multiplier=_whole(options, "max-multiplier", 1), edges=edges,
        mediators=mediators, max_parents=_whole(options, "max-parents", 0), conditioned=_CONDITIONED[conditioned],
        seed=context.seed,
    )  # fmt: skip


def _whole(options: Mapping[str, Cell], name: str, least: int) -> int:
    """Read a whole number; raises AuditError if it is below `least`."""
    value = int(str(options[name]))
    if value < least:
        raise AuditError(f"fvgm: option {name}: {value}; want {least} or more")
    return value


def _fraction(options: Mapping[str, Cell], name: str) -> Fraction:
    """Read a fraction or decimal between 0 and 1; raises AuditError for anything else."""
    try:
        value = Fraction(str(options[name]))
    except (ValueError, ZeroDivisionError):
        value = Fraction(-1)
    if not 0 <= value <= 1:
        raise AuditError(f"fvgm: option {name}: {options[name]!r}; want a number between 0 and 1, such as 4/5")
    return value


def _agreement(context: AuditContext, scores: Scores, rows: Rows) -> Estimate:
    """Compare the linear with the committed model on rows drawn by the seed; a tie of the model is no agreement."""
    drawn = random.Random(context.seed).sample(range(len(rows.X)), min(_COMPARED, len(rows.X)))  # noqa: S311 - a sample
    accepted = scores.accepts(rows.X[drawn])
    table = context.spec.domain_table
    same = sum(
        context.decider.decide([*context.queries[row], *table[context.slices[row]]]) == int(own)
        for row, own in zip(drawn, accepted, strict=True)
    )
    return share("agreement of the linear model with the committed one", same, len(drawn))


def _influences(prepared: Prepared, base: Shares, deadline: float | None) -> tuple[Table, ...]:
    """Return the influence of each feature on the disparate impact; no table if the time limit is reached first."""

    def measured(linear: Any, network: Any) -> Bounds:
        """Return the disparate impact of the groups that are compared."""
        check(deadline, "influences were computed")
        return disparate_impact(shares(linear, network, base.groups))

    try:
        ranked = ranking(measured, prepared.linear, prepared.network)
    except OutOfTimeError:
        return ()
    rows = tuple((name, bounds.middle) for name, bounds in ranked)
    caption = "Influence on the disparate impact: negative if the feature lowers it"
    return (Table(caption, ("feature", "FIF"), rows),)


def _notes(context: AuditContext, prepared: Prepared, groups: tuple[Mapping[str, str], ...]) -> tuple[str, ...]:
    """Return notes on what was tuned, learned and left out."""
    edges = sum(len(chance.parents) for chance in prepared.network.chances)
    left_out = len(prepared.groups()) - len(groups)
    return (
        _LINEAR,
        f"accepted means {context.spec.labels[1]}",
        f"{prepared.bins} bins by {prepared.cut}, multiplier {prepared.multiplier}",
        f"whole weights agree with the linear model on {percent(prepared.agreement)} of the rows",
        f"the accepted share of each group differs by at most {percent(prepared.gap, 'up')} between the two",
        f"network of {len(prepared.network.chances)} features and {edges} edges, at most {prepared.parents} parents",
        prepared.choice.note,
        f"{left_out} groups have too few rows for a comparison",
    )
