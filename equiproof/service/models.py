"""The committed models that decide: rows of the database, and their openings as this process holds them.

A name has one model that decides; a roll-over gives it another row, and decisions of the earlier one keep theirs.
A process looks at the rows again with every request that names a model, so that no restart is needed.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import ClassVar, NamedTuple

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from equiproof.certify.guardrail import GuardrailError, GuardrailFile
from equiproof.circuits import field as elements
from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.spec import Spec
from equiproof.prover.errors import KeyStoreError
from equiproof.prover.opening import Opening, OpeningError, load_opening
from equiproof.service.guardrails import Guardrails
from equiproof.service.keys import key_of, keys_in, link_keys_in, link_of, links_beside
from equiproof.service.settings import SHORT_NAME
from equiproof.service.store.tables import Certificate, Decision, Model


class ModelError(ValueError):
    """A model that cannot decide; one line naming it."""

    exit_code: ClassVar[int] = MISUSED


@dataclass(frozen=True)
class CommittedModel:
    """A row's id and name, the opening, the fingerprint of the key, "" for none, and the guardrail in front of it.

    The repr shows what is public.
    """

    id: str
    name: str
    opening: Opening
    key: str
    guardrail: GuardrailFile | None = field(default=None, repr=False)

    @property
    def spec(self) -> Spec:
        """The spec, which is public."""
        return self.opening.spec

    @property
    def commitment(self) -> str:
        """The model commitment in hexadecimal."""
        return elements.to_hex(self.opening.commitment)


class _Named(NamedTuple):
    """What a row says of the files of a model."""

    id: str
    name: str
    keys: str
    opening: str
    commitment: str


_DECIDING_MODEL = select(Model.id, Model.name, Model.keys, Model.opening, Model.commitment).where(
    Model.name == bindparam("name"), Model.retired.is_(None)
)
"""Asked for each decision; made here once, since making it takes longer than the answer."""


class Models:
    """Openings by the id of their row and its keys, each read once in a process; a missing key is looked for again.

    `guardrails` are those of the settings; a process that decides nothing needs none.
    """

    def __init__(self, guardrails: Guardrails | None = None) -> None:
        self._guardrails = guardrails or Guardrails()
        self._lock = Lock()
        self._known: dict[tuple[str, str], CommittedModel] = {}

    def deciding(self, session: Session, name: str) -> CommittedModel | None:
        """Return the model that decides under a name, or None; raises ModelError as `of` does."""
        row = session.connection().execute(_DECIDING_MODEL, {"name": name}).first()
        return None if row is None else self._loaded(_Named(*row))

    def of(self, session: Session, model_id: str) -> CommittedModel:
        """Return the model of a row; raises ModelError for a file that is missing, no opening, or not the row's.

        Raises it for a guardrail that does not fit the model, too: without it nothing is decided.
        """
        return self._loaded(session.get_one(Model, model_id))

    def _loaded(self, row: Model | _Named) -> CommittedModel:
        with self._lock:
            model = self._known.get((row.id, row.keys))
            if model is None or not model.key:
                opening = model.opening if model else _opening(row)
                key = key_of(opening, Path(row.keys), links_beside(row.opening))
                model = CommittedModel(
                    row.id, row.name, opening, key.fingerprint if key else "", self._guarded(opening)
                )
                if model.commitment != row.commitment:
                    raise ModelError(
                        f"{row.opening}: put the opening of the model {row.name} of this service back: this is another"
                    )
                self._known[row.id, row.keys] = model
            return model

    def _guarded(self, opening: Opening) -> GuardrailFile | None:
        try:
            return self._guardrails.of(opening)
        except GuardrailError as error:
            raise ModelError(str(error)) from None


_MISSING_OPENING = "put the opening of the model {name} back, or tell where it is by `equiproof service model add`"


def _opening(row: Model | _Named) -> Opening:
    """Read the opening of a row; raises ModelError in one line that names model and file."""
    try:
        return load_opening(Path(row.opening))
    except OSError as error:
        raise ModelError(f"{_MISSING_OPENING.format(name=row.name)}: {row.opening}: {error.strerror}") from None
    except OpeningError as error:
        raise ModelError(f"{_MISSING_OPENING.format(name=row.name)}: {error}") from None


@dataclass(frozen=True)
class Files:
    """Where a model's opening and keys are, and how many seconds a search may take."""

    opening: Path
    keys: Path
    max_seconds: float = 60.0


def all_models(session: Session) -> list[Model]:
    """Return the rows of all models by name, the one that decides first."""
    return sorted(
        session.scalars(select(Model)), key=lambda row: (row.name, row.retired is not None, -row.created, row.id)
    )


def add_model(session: Session, name: str, files: Files, now: int) -> Model:
    """Have a model decide under a name from now on, and retire the one before it; the same model again stays.

    A retired one stays retired: only where its files are is noted, for the decisions that it made. Raises OSError and
    OpeningError for its opening, ModelError for a name that cannot be, a model that is retired and was not moved, the
    file of another model's opening, and a folder without a key of certificates that were made: no letter or bundle
    could be put together any more.
    """
    if not SHORT_NAME.fullmatch(name):
        raise ModelError(f"model {name[:40]!r}: want small letters, digits and hyphens")
    commitment = elements.to_hex(load_opening(files.opening).commitment)
    twin = session.scalars(select(Model).where(Model.commitment == commitment)).first()
    moved = twin is not None and (twin.opening, twin.keys) != (str(files.opening), str(files.keys))
    if twin is not None and (twin.name != name or (twin.retired is not None and not moved)):
        raise ModelError(
            f"model {name}: commit anew to have another model: this commitment is that of {twin.name} already"
        )
    if twin is not None:
        links = links_beside(files.opening)
        stays = twin.keys == str(files.keys)
        if not stays or links_beside(twin.opening) != links:
            refuse_missing_key(session, twin, files.keys, links, stays=stays)
        twin.opening = str(files.opening)
        twin.keys = str(files.keys)
        twin.max_seconds = files.max_seconds
        return twin
    if other := session.scalars(select(Model).where(Model.opening == str(files.opening))).first():
        raise ModelError(
            f"put the opening of {other.commitment[:16]}... back to {files.opening}, and keep the new one in another "
            "file: this service has read it from there, and its decisions need it"
        )
    for before in session.scalars(select(Model).where(Model.name == name, Model.retired.is_(None))):
        before.retired = now
    row = Model(
        id=secrets.token_hex(16),
        name=name,
        commitment=commitment,
        opening=str(files.opening),
        keys=str(files.keys),
        max_seconds=files.max_seconds,
        created=now,
    )
    session.add(row)
    session.flush()
    return row


def refuse_missing_key(session: Session, row: Model, keys: Path, links: Path, *, stays: bool = False) -> None:
    """Raise ModelError for a folder that lacks a key under which there are certificates of a model.

    Raises it as well where the link of a kept one is not in the folder `links`, or the key that this names not there.
    Where the folder `stays` the one that it was, links alone are looked for.
    """
    query = select(Certificate.key_fingerprint).join(Decision, Decision.id == Certificate.decision_id)
    used = set(session.scalars(query.where(Decision.model_id == row.id).distinct()))
    known = {one.fingerprint: one for one in keys_in(keys)}
    if not stays and (absent := sorted(used - known.keys())):
        raise ModelError(f"{keys}: copy the key {absent[0][:16]}... there too: certificates of {row.name} are under it")
    for name in sorted(one for one in used & known.keys() if known[one].shape.kept):
        _refuse_missing_link(row, name, keys, links)


def _refuse_missing_link(row: Model, fingerprint: str, keys: Path, links: Path) -> None:
    """Raise ModelError unless the link of a kept key is in its folder, and the key for links that it names."""
    try:
        link = link_of(fingerprint, links)
    except KeyStoreError as error:
        raise ModelError(str(error)) from None
    if link is None:
        raise ModelError(
            f"{links}: copy the link of the key {fingerprint[:16]}... there too: certificates of {row.name} need it"
        )
    if (named := link.link_key.fingerprint) not in link_keys_in(keys):
        raise ModelError(f"{keys}: copy the key for links {named[:16]}... there too: links of {row.name} are under it")
