"""The audit `fvgm`: group and causal fairness of the committed model under a Bayesian network of the features.

With a linear model beside it, that one is verified too, as the paper does it, and how often the two agree.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import msgspec
import numpy as np

from equiproof.audits.context import AuditContext
from equiproof.audits.data import not_stated
from equiproof.audits.errors import AuditError, NotApplicableError
from equiproof.audits.fvgm.additive import Sizes
from equiproof.audits.fvgm.budget import OutOfTimeError
from equiproof.audits.fvgm.clauses import Clauses
from equiproof.audits.fvgm.coding import NOT_STATED
from equiproof.audits.fvgm.learning import CodingError
from equiproof.audits.fvgm.pipeline import Grouped, Prepared, PreparedValues, Rows, Settings, prepare
from equiproof.audits.fvgm.population import Encoded, prepare_committed
from equiproof.audits.fvgm.scaling import NotLinearError, Scores, scores_of
from equiproof.audits.fvgm.sections import Compared, Features, Section, nothing, section
from equiproof.audits.fvgm.told import COMMITTED, said
from equiproof.audits.fvgm.verification import PATH, Demands
from equiproof.audits.gaps import ODDS
from equiproof.audits.intervals import CONFIDENCE, share
from equiproof.audits.plugin import Option, settings
from equiproof.audits.records import SMALL_GROUP, Cell, Estimate
from equiproof.audits.report import AuditReport
from equiproof.certify.digits import percent

_COMPARED_ROWS = 1000
"""Rows on which the linear and the committed model are compared."""

_CONDITIONING = {"yes": True, "no": False, "auto": None}

_LEAST_RESAMPLES = 50
"""Fewer resamples give no standard error worth showing."""

_LINEAR_MODEL = "linear model"


class GraphicalModel:
    """FVGM: verification of classifiers with graphical models.

    The committed model is audited itself: a tree as clauses, any other model over all joint values where these are few,
    and by drawing applicants from the network where they are not. A linear model beside it is verified as in the paper.
    """

    name = "fvgm"
    version = "8"
    about = "group and causal fairness over correlated features (Bayesian network): the committed model, a linear one"
    needs = frozenset({"rows"})
    options: tuple[Option, ...] = (
        Option("max-bins", "the most bins of a number", 10),
        Option("max-multiplier", "the largest multiplier of linear coefficients before rounding", 100),
        Option("max-parents", "the most parents of a feature in the network, not counting sensitive ones", 2),
        Option("conditioned", "sensitive features are parents of all others: yes, no, auto (by held-out rows)", "yes"),
        Option("mediators", "features through which influence is acceptable, separated by commas", ""),
        Option("edges", "bins of numbers, such as age=25;hours=20,40", ""),
        Option(
            "least-rows",
            "the least number of rows of a compared group, for equalized odds of each true label",
            SMALL_GROUP,
        ),
        Option("least-impact", "the least disparate impact that is fair", "4/5"),
        Option("most-difference", "the largest fair difference in parity, odds and path-specific fairness", "1/10"),
        Option("subsets", "sets of features whose joint influence is listed, such as income,housing;income,age", ""),
        Option("order", "influences that add up: the most features of a set that subsets does not name", 2),
        Option("values", "influences that add up: the most values of a feature, of numbers and categories", 3),
        Option("resamples", "influences that add up: how many resamples of the rows intervals are from", 100),
        Option("draws", "how many applicants are drawn for a share of the committed model", 50_000),
    )

    def run(self, context: AuditContext) -> AuditReport:
        """Learn networks, compute every metric and compare it with the demands; raises NotApplicableError, AuditError.

        Not applicable: more than two labels, fewer than 20 rows, fewer than two groups of enough rows; a linear model
        that is not one of two classes over the spec's columns.
        """
        options = settings(self, context.options)
        request = _Request(context, options, context.deadline())
        if len(context.spec.labels) != 2:
            raise NotApplicableError(f"{len(context.spec.labels)} labels; this audit needs two")
        scores = None if context.linear is None else _scores(context)
        request.refuse_misfits()
        parts = [request.committed()]
        agreement: tuple[Estimate, ...] = ()
        if scores is not None:
            agreement = (_agreement(context, scores, request.rows),)
            parts.append(request.linear(scores))
        report = AuditReport(
            audit=self.name,
            audit_version=self.version,
            model=context.model,
            sensitive_features=context.sensitive_features,
            measures="shares of groups that a model accepts (label 1), and metrics of them",
            settings={**options, "seed": context.seed, "max_seconds": context.max_seconds},
            estimates=(*agreement, *(one for part in parts for one in part.estimates)),
            tables=tuple(table for part in parts for table in part.tables),
            notes=(
                f"accepted means {context.spec.labels[1]}",
                *request.unmeasured,
                *(note for part in parts for note in part.notes),
            ),
        )
        words = said(report)
        return report if words is None else msgspec.structs.replace(report, notes=(*report.notes, words.german))


@dataclass(frozen=True)
class _Request:
    """The options of a run with what follows from them."""

    context: AuditContext
    options: Mapping[str, Cell]
    deadline: float | None

    @property
    def least_rows(self) -> int:
        """The least number of rows of a compared group."""
        return int(str(self.options["least-rows"]))

    @property
    def draws(self) -> int:
        """The number of applicants that are drawn for a share; raises AuditError if it is below 1."""
        return _whole(self.options, "draws", 1)

    @property
    def sizes(self) -> Sizes:
        """How finely influences that add up are told apart; raises AuditError for an invalid option."""
        return Sizes(
            _whole(self.options, "order", 1),
            _whole(self.options, "values", 2),
            _whole(self.options, "resamples", _LEAST_RESAMPLES),
            self.context.seed,
        )

    def refuse_misfits(self) -> None:
        """Raise AuditError for an invalid option, NotApplicableError for rows that no linear model can read."""
        _ = self.settings, self.draws, self.sizes, self.rows, self.asked(())

    @property
    def unmeasured(self) -> tuple[str, ...]:
        """Notes on the metrics that are not measured, and what they need."""
        notes = []
        if self.context.labels is None:
            notes.append(f"no {ODDS} was measured: it needs true labels")
        if not self.settings.mediators:
            notes.append(
                f"no causal metric was measured: {PATH} needs the features through which influence is "
                "acceptable, as --option fvgm.mediators=NAME,NAME"
            )
        return tuple(notes)

    @cached_property
    def settings(self) -> Settings:
        """The limits of tuning and learning; raises AuditError for an invalid option."""
        return _settings(self.options, self.context)

    @cached_property
    def encoded(self) -> Encoded:
        """The rows as the committed model reads them."""
        return _encoded(self.context)

    @cached_property
    def rows(self) -> Rows:
        """The same rows as a linear model reads them."""
        one = self.encoded
        unit = self.context.spec.scale_unit
        blocks = {name: list(places) for name, places in one.places.items()}
        try:
            return Rows(one.columns, one.matrix.astype(np.float64) / unit, blocks, one.sensitive)
        except CodingError as error:
            raise NotApplicableError(str(error)) from None

    def committed(self) -> Section:
        """Audit the committed model itself."""
        labelled = self.context.labels is not None
        preparation = partial(
            prepare_committed,
            self.encoded,
            self.settings,
            draws=self.draws,
            least=self.least_rows,
            labelled=labelled,
            deadline=self.deadline,
        )
        return self._section(COMMITTED, preparation, self.encoded.accepted)

    def linear(self, scores: Scores) -> Section:
        """Verify the linear model with whole weights."""
        preparation = partial(prepare, scores, self.rows, self.settings, deadline=self.deadline)
        return self._section(_LINEAR_MODEL, preparation, scores.accepts(self.rows.X))

    def asked(self, groups: tuple[Mapping[str, str], ...]) -> Compared:
        """Return what is asked of a model; raises AuditError for an invalid option."""
        options = self.options
        labels = self.context.labels
        demands = Demands(_fraction(options, "least-impact"), _fraction(options, "most-difference"), self.least_rows)
        truth = None if labels is None else np.asarray(labels)
        return Compared(groups, truth, demands, _subsets(options, self.context), self.deadline, self.sizes)

    def _section(self, model: str, preparation: Any, accepted: Any) -> Section:
        """Prepare a model and say what is found; all is undecided if the time limit is reached first."""
        try:
            prepared = preparation()
            content = section(model, prepared, accepted, self.asked(self._groups(prepared)))
        except CodingError as error:
            raise NotApplicableError(str(error)) from None
        except OutOfTimeError as error:
            return nothing(model, self.asked(()), error, mediated=bool(self.settings.mediators))
        about = _tuned(prepared) if isinstance(prepared, Prepared) else (_decided(prepared),)
        return Section(content.estimates, content.tables, (*about, *_learned(model, prepared, self), *content.notes))

    def _groups(self, prepared: Grouped) -> tuple[Mapping[str, str], ...]:
        """Return the groups with enough rows; raises NotApplicableError for fewer than two."""
        groups = prepared.groups(self.least_rows)
        if len(groups) < 2:
            raise NotApplicableError(
                "give more rows (of a data set, --split all), fewer sensitive features, or a smaller least-rows: two "
                f"groups are needed, and {len(groups)} have {self.least_rows} rows or more"
            )
        return groups

    def left_out(self, prepared: Grouped) -> int:
        """Return how many groups have too few rows."""
        return len(prepared.groups()) - len(self._groups(prepared))


def _scores(context: AuditContext) -> Scores:
    """Return the linear model's decision function; raises NotApplicableError for an unsuitable model."""
    if len(context.spec.labels) != 2:
        raise NotApplicableError(f"{len(context.spec.labels)} labels; this audit needs two")
    if (name := not_stated(context.spec, context.rows)) is not None:
        raise NotApplicableError(f"leave --linear out: some rows do not state {name[:80]!r}")
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


def _encoded(context: AuditContext) -> Encoded:
    """Return raw columns, and the matrix of the spec's columns that the committed model reads.

    A number that is missing is nan, a category a value of its own.
    """
    spec = context.spec
    matrix = [
        [*query, *spec.domain_table[number]] for query, number in zip(context.queries, context.slices, strict=True)
    ]
    columns = {}
    places = {}
    place = 0
    for feature in (*spec.plain_features, *spec.sensitive_features):
        kind: Any = np.float64 if feature.kind == "numeric" else object
        lacking = None if feature.kind == "numeric" else NOT_STATED
        values = [row[feature.name] for row in context.rows]
        columns[feature.name] = np.array([lacking if value is None else value for value in values], dtype=kind)
        places[feature.name] = tuple(range(place, place + feature.width))
        place += feature.width
    return Encoded(
        columns, np.array(matrix, dtype=np.int64), places, context.sensitive_features, context.decisions, context.score
    )


def _subsets(options: Mapping[str, Cell], context: AuditContext) -> tuple[Features, ...]:
    """Read sets of features; raises AuditError for an unknown or a sensitive one."""
    subsets = []
    for part in filter(None, str(options["subsets"]).split(";")):
        names = tuple(sorted({name.strip() for name in part.split(",") if name.strip()}))
        _known("subsets", names, context)
        subsets.append(names)
    return tuple(subsets)


def _settings(options: Mapping[str, Cell], context: AuditContext) -> Settings:
    """Read the options; raises AuditError for an invalid one."""
    mediators = tuple(part.strip() for part in str(options["mediators"]).split(",") if part.strip())
    edges: dict[str, list[float]] = {}
    for part in filter(None, str(options["edges"]).split(";")):
        name, _, numbers = part.partition("=")
        try:
            edges[name.strip()] = [float(number) for number in numbers.split(",")]
        except ValueError:
            raise AuditError(f"fvgm: option edges: {part[:40]!r}; want name=number,number") from None
    _known("edges", tuple(edges), context, sensitive=True)
    _known("mediators", mediators, context)
    conditioned = str(options["conditioned"])
    if conditioned not in _CONDITIONING:
        raise AuditError(f"fvgm: option conditioned: {conditioned[:40]!r}; want {', '.join(_CONDITIONING)}")
    return Settings(
        max_bins=_whole(options, "max-bins", 2),
        max_multiplier=_whole(options, "max-multiplier", 1),
        edges=edges,
        mediators=mediators,
        max_parents=_whole(options, "max-parents", 0),
        conditioned=_CONDITIONING[conditioned],
        seed=context.seed,
    )


def _known(option: str, names: Features, context: AuditContext, *, sensitive: bool = False) -> None:
    """Raise AuditError for a name that is no feature's, and for an audited sensitive one unless these are allowed."""
    features = {feature.name for feature in context.spec.features}
    for name in names:
        if name not in features:
            raise AuditError(
                f"fvgm: option {option}: no feature is called {name!r}; there are {', '.join(sorted(features))}"
            )
        if name in context.sensitive_features and not sensitive:
            raise AuditError(f"fvgm: option {option}: leave {name} out, which is sensitive")


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
    sample = random.Random(context.seed).sample(range(len(rows.X)), min(_COMPARED_ROWS, len(rows.X)))  # noqa: S311 - a sample
    accepted = scores.accepts(rows.X[sample])
    table = context.spec.domain_table
    same = sum(
        context.decider.decide([*context.queries[row], *table[context.slices[row]]]) == int(own)
        for row, own in zip(sample, accepted, strict=True)
    )
    return share("agreement of the linear model with the committed one", same, len(sample))


def _tuned(prepared: Prepared) -> tuple[str, ...]:
    """Return notes on the whole weights of the linear model."""
    return (
        f"{prepared.bins} bins by {prepared.cut}, multiplier {prepared.multiplier}",
        f"whole weights agree with the linear model on {percent(prepared.agreement)} of the rows",
        f"the accepted share of each group differs by at most {percent(prepared.gap, 'up')} between the two",
    )


def _decided(prepared: PreparedValues) -> str:
    """Return how shares of the committed model are known."""
    model = prepared.classifier
    network = prepared.network
    if isinstance(model, Clauses):
        return "the committed model is one tree: its shares under the network are exact fractions"
    if all(model.enumerates(network, group) for group in prepared.groups()):
        return "shares of the committed model under the network are added up over all joint values, without chance"
    return (
        f"shares of the committed model under the network are of {model.draws:,} applicants drawn from it: each is "
        f"decided exactly, and the intervals of all shares hold together with {percent(CONFIDENCE)}, verdicts too"
    )


def _learned(model: str, prepared: Prepared | PreparedValues, request: _Request) -> tuple[str, ...]:
    """Return notes on the network and on what was left out."""
    edges = sum(len(chance.parents) for chance in prepared.network.chances)
    allowed = prepared.parents if isinstance(prepared, Prepared) else prepared.settings.max_parents
    return (
        f"{model}: network of {len(prepared.network.chances)} features and {edges} edges, at most {allowed} parents",
        f"{request.left_out(prepared)} groups have too few rows for a comparison",
    )
