"""The input of an audit from options of the command line: a committed model or a model folder, and rows with labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec
import typer

from equiproof.cli.commands.common import load_data

if TYPE_CHECKING:
    from equiproof.audits.context import AuditContext
    from equiproof.audits.data import AuditRows
    from equiproof.certify.data.dataset import Dataset
    from equiproof.certify.ensemble import ScoredModel
    from equiproof.certify.models.comparison import Comparison
    from equiproof.certify.models.network import Network
    from equiproof.certify.network import QuantisedNetwork
    from equiproof.circuits.spec import Spec
    from equiproof.prover.opening import Opening

Split = Literal["test", "train", "all"]


class _Audited(NamedTuple):
    """A model without padding: `original` is its float model, if at hand, `committed` the spec with padding."""

    spec: Spec
    network: QuantisedNetwork
    commitment: str
    original: Network | None
    committed: Spec
    score: ScoredModel | None = None


@dataclass(frozen=True)
class Subject:
    """The options that select the model to audit and its rows.

    Without `opening`, the network of the folder `model` is audited; it has no commitment. The rows come from the file
    `rows`, whose column `label` may hold the true decisions, else from the data set `dataset`, else from the folder's.
    `linear` requests a linear model: fitted to the training rows of the data set, or to all of `rows` with `label`.
    """

    opening: Path | None
    model: Path | None
    rows: Path | None
    label: str | None
    dataset: str | None
    split: Split
    sample: int | None
    linear: bool
    data_dir: Path | None

    def refuse_misfits(self) -> None:
        """Raise typer.BadParameter for options that do not go together."""
        if self.opening is None and self.model is None:
            raise typer.BadParameter("name the model to audit: --opening FILE, or --model FOLDER")
        if self.rows is not None and self.dataset is not None:
            raise typer.BadParameter("--rows and --dataset both give the rows: leave one of them out")
        if self.label is not None and self.rows is None:
            raise typer.BadParameter("--label names a column of --rows: add --rows, or leave --label out")
        if self.linear and self.rows is not None and self.label is None:
            raise typer.BadParameter("--linear fits to the true decisions of --rows: name their column with --label")
        if self.linear and self.rows is None and self.dataset is None and self.model is None:
            raise typer.BadParameter("--linear needs rows to fit to: --rows with --label, --dataset or --model")

    def context(self, sensitive: Sequence[str], seed: int, max_seconds: float | None) -> AuditContext:
        """Load model and rows; raises the errors of their readers, and RowsError naming a row that does not fit."""
        from equiproof.audits.context import AuditContext
        from equiproof.audits.data import AuditRows, fit_linear, rows_of_data_set
        from equiproof.audits.errors import AuditError
        from equiproof.certify.data.rows import RowsError, unknown
        from equiproof.prover.opening import load_opening

        owned = None if self.opening is None else load_opening(self.opening)
        subject = self._model(owned)
        bare = AuditContext(
            network=subject.network,
            spec=subject.spec,
            commitment=subject.commitment,
            sensitive_features=tuple(sensitive),
            original=subject.original,
            seed=seed,
            max_seconds=max_seconds,
            score=subject.score,
            committed=subject.committed,
            compared=self._compared(owned),
        )  # here, so that a wrong name is refused before any row is read
        data = None if self.rows is not None else self._data(subject.committed)
        whole = self._rows(subject.spec, data)
        sample = whole.sampled(self.sample)
        training = AuditRows() if data is None else rows_of_data_set(data, "train")
        linear = fit_linear(whole if data is None else training, subject.spec) if self.linear else None
        context = replace(bare, rows=sample.rows, labels=sample.labels, linear=linear, training=training)
        try:
            _ = context.queries
        except AuditError as error:
            raise RowsError(f"{sample.source}: {error}{unknown(dict(sample.rows[0]), subject.spec)}") from None
        return context

    def _model(self, owned: Opening | None) -> _Audited:
        """Return the model, with its float model if a folder holds the one committed to."""
        from equiproof.certify.padding import same_model, without_columns
        from equiproof.circuits.field import to_hex
        from equiproof.prover.ensemble_folder import holds_ensemble, load_ensemble
        from equiproof.prover.model_folder import load_model

        if owned is None and self.model is not None and holds_ensemble(self.model):
            folder = load_ensemble(self.model)
            return _stepped(folder.quantised, folder.spec, "")
        if owned is not None and owned.own_scheme is not None:
            return _stepped(owned.score, owned.spec, to_hex(owned.commitment))
        model = None if self.model is None else load_model(self.model)
        if owned is not None:
            network, spec = without_columns(owned.network, owned.spec)
            if model is not None and same_model(model.quantised, network):
                return _Audited(spec, model.quantised, to_hex(owned.commitment), model.network, owned.spec)
            return _Audited(spec, network, to_hex(owned.commitment), None, owned.spec)
        if model is None:
            raise TypeError("refuse_misfits has not been called")
        return _Audited(model.spec, model.quantised, "", model.network, model.spec)

    def _compared(self, owned: Opening | None) -> Comparison | msgspec.UnsetType | None:
        """Return what opening and folder know of a comparison with the owner's own decisions."""
        from equiproof.prover.model_folder import compared_of, is_imported

        kept = None if owned is None else owned.compared
        if kept is None and self.model is not None:
            return compared_of(self.model) if is_imported(self.model) else msgspec.UNSET
        return kept

    def _rows(self, spec: Spec, data: Dataset | None) -> AuditRows:
        """Return the rows of the file or of the data set, if there are any."""
        from equiproof.audits.data import AuditRows, rows_of, rows_of_data_set
        from equiproof.certify.data.rows import read_rows

        if self.rows is not None:
            return rows_of(read_rows(self.rows, spec=spec), spec, str(self.rows), self.label)
        return AuditRows() if data is None else rows_of_data_set(data, self.split)

    def _data(self, spec: Spec) -> Dataset | None:
        """Return the data set, None if no option names one; raises RowsError if it does not fit the model."""
        from equiproof.certify.data.rows import RowsError
        from equiproof.circuits.spec import load_spec
        from equiproof.circuits.standard import committed_specs
        from equiproof.prover.model_folder import SPEC_FILE, load_model_data

        if self.dataset is not None:
            names = ",".join(feature.name for feature in spec.sensitive_features)
            data = load_data(self.dataset, self.data_dir, names)
            if data.spec.labels != spec.labels:
                raise RowsError(
                    f"{self.dataset}: its labels are {', '.join(data.spec.labels)}, the model decides "
                    f"{', '.join(spec.labels)}"
                )
            return data
        if self.model is None:
            return None
        own = load_spec(self.model / SPEC_FILE)
        if spec not in committed_specs(own):
            raise RowsError(f"{self.model}: not the model that {self.opening} commits to: the specs differ")
        return load_model_data(self.model, own, self.data_dir)


def _stepped(model: ScoredModel, spec: Spec, commitment: str) -> _Audited:
    """Return a score with the network that decides alike at all grid points; raises AuditError for one too large."""
    from equiproof.audits.errors import AuditError
    from equiproof.certify.models.ensembles.stepped import as_network
    from equiproof.certify.models.ensembles.unpadded import without_padding
    from equiproof.certify.network import NetworkError

    bare, own = without_padding(model, spec)
    try:
        return _Audited(own, as_network(bare), commitment, None, spec, bare)
    except NetworkError as error:
        raise AuditError(str(error)) from None
