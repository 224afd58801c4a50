"""The secret file of an additive model or an ensemble of trees, and the commitment to it."""

from __future__ import annotations

import msgspec

from equiproof.certify.additive import AdditiveModel, EnsembleError
from equiproof.certify.ensemble import EnsembleModel, NodeTable, ScoredModel, sets_of
from equiproof.certify.models.comparison import Comparison
from equiproof.certify.models.ensembles.gaps import Gap
from equiproof.certify.models.ensembles.rays import Ray, read_fraction
from equiproof.circuits.categories import MAX_SETS
from equiproof.circuits.commitment import PackError, additive_commitment, ensemble_commitment
from equiproof.circuits.shape import MAX_PREDICATES, additive_architecture
from equiproof.circuits.spec import Spec


class NodesDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The trees in level order, as :class:`equiproof.certify.ensemble.NodeTable` has them.

    `sets` has of each category of which sets are asked its first column, and the bits of the sets.
    """

    roots: int
    predicates: tuple[int, ...]
    kinds: tuple[tuple[int, int], ...]
    values: tuple[int, ...]
    highs: tuple[int, ...] | msgspec.UnsetType = msgspec.UNSET
    sets: tuple[tuple[int, tuple[tuple[int, ...], ...]], ...] | msgspec.UnsetType = msgspec.UNSET

    def __repr__(self) -> str:
        """Show the sizes only."""
        return f"NodesDocument({self.roots} trees, {len(self.predicates)} nodes)"


class ScoredDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The secret file: (column, threshold, jump) of each predicate, the bias, the blinding, an ensemble's `nodes`.

    `value_fraction_bits` is the scale of jumps, bias and leaves. `gaps` are columns with the ends of two rays, each
    with whether its end belongs to it.
    """

    format: str
    version: int
    predicates: tuple[tuple[int, int, int], ...]
    bias: int
    value_fraction_bits: int
    blinding: str
    spec: Spec
    nodes: NodesDocument | msgspec.UnsetType = msgspec.UNSET
    gaps: tuple[tuple[int, str, bool, str, bool], ...] | msgspec.UnsetType = msgspec.UNSET
    compared: Comparison | msgspec.UnsetType = msgspec.UNSET

    @property
    def sizes(self) -> tuple[int, ...]:
        """What :func:`score_sizes` returns of the model, without making it."""
        nodes = self.nodes
        if isinstance(nodes, msgspec.UnsetType):
            return self._counted(self.spec.plain_columns)
        sets = [(first, len(members)) for first, members in nodes.sets or ()]
        plain = self.spec.plain_columns + sum(count for _, count in sets)
        return (
            *self._counted(plain),
            nodes.roots,
            len(nodes.predicates),
            *(number for pair in sets for number in pair),
        )

    def _counted(self, plain: int) -> tuple[int, int]:
        """Return the numbers of predicates of plain columns, which are so many, and of sensitive ones."""
        first = sum(1 for column, _, _ in self.predicates if column < plain)
        return first, len(self.predicates) - first

    def __repr__(self) -> str:
        """Show the spec, which is public, and the number of predicates."""
        return f"ScoredDocument({len(self.predicates)} predicates, spec={self.spec!r})"


def document_of(
    model: ScoredModel,
    spec: Spec,
    mark: tuple[str, int],
    blinding: str,
    gaps: tuple[Gap, ...] = (),
    compared: Comparison | None = None,
) -> ScoredDocument:
    """Return the document of a model; `mark` is the format and its version, `blinding` in hexadecimal."""
    additive = model.additive if isinstance(model, EnsembleModel) else model
    predicates = tuple(zip(additive.columns, additive.thresholds, additive.jumps, strict=True))
    nodes: NodesDocument | msgspec.UnsetType = msgspec.UNSET
    if isinstance(model, EnsembleModel):
        table = model.nodes
        sets = tuple((one.category.first, one.members) for one in model.sets)
        nodes = NodesDocument(
            table.roots,
            table.predicates,
            table.kinds,
            table.values,
            table.highs or msgspec.UNSET,
            sets or msgspec.UNSET,
        )
    written = tuple((gap.column, str(gap.low.end), gap.low.closed, str(gap.high.end), gap.high.closed) for gap in gaps)
    return ScoredDocument(
        *mark,
        predicates,
        additive.bias,
        additive.value_fraction_bits,
        blinding,
        spec,
        nodes,
        written or msgspec.UNSET,
        compared or msgspec.UNSET,
    )


def gaps_of(document: ScoredDocument) -> tuple[Gap, ...]:
    """Return the gaps of a document; raises EnsembleError for a column that is not there and for other text."""
    if isinstance(document.gaps, msgspec.UnsetType):
        return ()
    if any(not 0 <= column < document.spec.plain_columns for column, *_ in document.gaps):
        raise EnsembleError(f"field gaps: a gap is of no column from 0 to {document.spec.plain_columns - 1}")
    return tuple(
        Gap(column, Ray(read_fraction(low), closed), Ray(read_fraction(high), other))
        for column, low, closed, high, other in document.gaps
    )


def model_of(document: ScoredDocument) -> ScoredModel:
    """Return the model of a document; raises EnsembleError."""
    spec = document.spec
    nodes = document.nodes
    sets = () if isinstance(nodes, msgspec.UnsetType) else sets_of(spec, nodes.sets or (), "nodes.sets")
    additive = AdditiveModel(
        columns=tuple(column for column, _, _ in document.predicates),
        thresholds=tuple(threshold for _, threshold, _ in document.predicates),
        jumps=tuple(jump for _, _, jump in document.predicates),
        bias=document.bias,
        plain=spec.plain_columns + sum(len(one.members) for one in sets),
        sensitive=spec.sensitive_columns,
        input_fraction_bits=spec.input_fraction_bits,
        value_fraction_bits=document.value_fraction_bits,
        absent=spec.absent if spec.has_absent else None,
        sets=sets,
    )
    if isinstance(nodes, msgspec.UnsetType):
        return additive
    highs = () if isinstance(nodes.highs, msgspec.UnsetType) else nodes.highs
    return EnsembleModel(additive, NodeTable(nodes.roots, nodes.predicates, nodes.kinds, nodes.values, highs))


def set_counts(model: ScoredModel) -> dict[int, int]:
    """Return how many sets a model asks of each category, by its first column."""
    return {one.category.first: len(one.members) for one in model.sets}


def score_sizes(model: ScoredModel) -> tuple[int, ...]:
    """Return P_x and P_s of a model, then T and N of an ensemble.

    Behind them stand, of each category of which nodes ask sets, its first column and how many.
    """
    nodes = model.nodes.sizes if isinstance(model, EnsembleModel) else ()
    return (*model.predicates, *nodes, *(number for pair in set_counts(model).items() for number in pair))


def scored_commitment(model: ScoredModel, spec: Spec, blinding: int) -> int:
    """Return the commitment of a model under a spec; raises EnsembleError where they do not fit."""
    _refuse_misfit(model, spec)
    additive = model.additive if isinstance(model, EnsembleModel) else model
    predicates = list(zip(additive.columns, additive.thresholds, additive.jumps, strict=True))
    try:
        if not isinstance(model, EnsembleModel):
            architecture = additive_architecture(spec, model.predicates)
            return additive_commitment(architecture, spec.digest, blinding, predicates, model.bias, spec.input_bits)
        nodes = [(place, *kinds) for place, kinds in zip(model.nodes.predicates, model.nodes.kinds, strict=True)]
        return ensemble_commitment(
            additive_architecture(spec, model.predicates, model.nodes.sizes, set_counts(model)),
            spec.digest,
            blinding,
            predicates,
            additive.bias,
            spec.input_bits,
            nodes,
            model.nodes.highs,
            model.nodes.values,
            [bit for one in model.sets for members in one.members for bit in members],
        )
    except PackError as error:
        raise EnsembleError(f"model: {error}") from None


def _refuse_misfit(model: ScoredModel, spec: Spec) -> None:
    """Raise EnsembleError for a model of other columns or scales, and for more predicates than circuits have."""
    if (model.stated, model.sensitive) != (spec.plain_columns, spec.sensitive_columns):
        raise EnsembleError(
            f"the model has {model.stated} and {model.sensitive} columns, "
            f"the spec wants {spec.plain_columns} and {spec.sensitive_columns}"
        )
    if model.input_fraction_bits != spec.input_fraction_bits:
        raise EnsembleError("model and spec disagree on input_fraction_bits")
    additive = model.additive if isinstance(model, EnsembleModel) else model
    if additive.absent != (spec.absent if spec.has_absent else None):
        raise EnsembleError("model and spec disagree on missing values: import the model again under this spec")
    if spec.logits != 1:
        raise EnsembleError(f"the model has one logit, the spec wants {spec.logits}")
    if not 1 <= model.predicates[0] <= sum(model.predicates) <= MAX_PREDICATES:
        raise EnsembleError(
            f"want at least one predicate of plain columns, at most {MAX_PREDICATES} together with those of sensitive "
            f"ones: the model has {model.predicates[0]} and {model.predicates[1]}"
        )
    if (sets := sum(set_counts(model).values())) > MAX_SETS:
        raise EnsembleError(
            f"train fewer or smaller trees: they ask {sets:,} sets of the values of categories, at most {MAX_SETS:,} "
            "have a circuit"
        )
