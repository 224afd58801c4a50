"""The owner's key store: one folder per shape, written whole or not at all."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, NotRequired, TypedDict, TypeVar

from equiproof.circuits.canonical import MAX_DOCUMENT_BYTES, DocumentError, canonical_bytes, read_regular
from equiproof.circuits.files import FileExistsRefusedError, write_folder
from equiproof.circuits.link_shape import LinkShape, link_shape
from equiproof.circuits.proof_systems import DEFAULT_PROOF_SYSTEM, ProofSystem
from equiproof.circuits.schemes import Scheme, key_kind
from equiproof.circuits.shape import Shape
from equiproof.circuits.spec import Spec
from equiproof.ffi import backend
from equiproof.ffi.errors import BackendError, MalformedInputError, RefusedError, UnsatisfiedError
from equiproof.prover.errors import KeyStoreError
from equiproof.prover.key_choice import rank, serves, serves_box, serves_gain
from equiproof.prover.opening import Opening
from equiproof.prover.owner import MARK_FILE, mark, ready_secret, require_mark
from equiproof.prover.published import linked
from equiproof.prover.version import tools
from equiproof.verifier.documents import (
    KEY,
    KEY_FILE,
    LINK_KEY_FILE,
    PROVING_FILE,
    VERIFYING_FILE,
    KeyCeremony,
    KeyDocument,
    LinkKeyDocument,
    PowersReference,
    SetupKind,
    key_folders,
    parse_key,
    parse_link_key,
)
from equiproof.verifier.errors import CertificateFormatError, ProofError
from equiproof.verifier.table_files import TABLE_KEY_FILE, TableKeyDocument

LEAST_ROOM = 1 << 20
ROOM_PER_CONSTRAINT = 1 << 10
"""Bytes of a proving key at most: about 450 for each constraint, 900 where the domain is twice as long as needed."""


D = TypeVar("D", KeyDocument, LinkKeyDocument, TableKeyDocument)


@dataclass(frozen=True)
class _Stored(Generic[D]):
    """A pair of keys in its folder, and the file of the owner's secret that marks it (None: the usual one)."""

    folder: Path
    document: D
    owner_secret: Path | None = None
    metadata: ClassVar[str]

    def summary(self) -> dict[str, Any]:
        """Return where the keys are, their fingerprint, how they were made and their constraints, as JSON data."""
        return {
            "key": str(self.folder),
            "fingerprint": self.document.fingerprint,
            "setup": self.document.setup,
            "proof_system": self.document.proof_system,
            "constraints": self.document.constraints,
        }

    @property
    def verifying(self) -> bytes:
        """The verifying key's bytes, the ones that the metadata names."""
        return self._read(VERIFYING_FILE, self.document.verifying_key, MAX_DOCUMENT_BYTES)

    @contextmanager
    def load(self) -> Iterator[backend.ProvingKey]:
        """Load the proving key.

        Raises KeyStoreError for a key that was not made by the owner (before any of its bytes are read), for other
        bytes, and for another circuit than the metadata names.
        """
        # Before any byte of the key is parsed: a key that somebody else made could give the model away.
        self.require_mark()
        proving = self._read(PROVING_FILE, self.document.proving_key, most_bytes(self.document.constraints))
        document = self.document
        with load_proving(self.folder, document.shape.document, proving, document.proof_system) as prover:
            # The library compiles the circuit anew: a proof under the key of an older version would not verify.
            if prover.system_digest != self.document.system_digest:
                raise KeyStoreError(
                    f"{self.folder}: make it again with `equiproof setup --force`: of another version of the circuit"
                )
            yield prover

    def require_mark(self) -> None:
        """Raise KeyStoreError unless the owner made this key."""
        require_mark(self.folder, self.document.fingerprint, self.owner_secret)

    def _read(self, name: str, digest: str, most: int) -> bytes:
        """Read a file that the metadata names by its digest; of one that is too long, no more than tells that."""
        path = self.folder / name
        try:
            data = read_regular(path, most)
        except DocumentError as error:
            raise KeyStoreError(str(error)) from None
        except OSError as error:
            raise KeyStoreError(
                f"{path}: make the key again with `equiproof setup --force`: {error.strerror}"
            ) from None
        if hashlib.sha256(data).hexdigest() != digest:
            raise KeyStoreError(f"{path}: make it again with --force: damaged, not the key that {self.metadata} names")
        return data


class StoredKey(_Stored[KeyDocument]):
    """A pair of keys for certificates."""

    metadata = KEY_FILE


class StoredLinkKey(_Stored[LinkKeyDocument]):
    """A pair of keys for links."""

    metadata = LINK_KEY_FILE


class StoredTableKey(_Stored[TableKeyDocument]):
    """A pair of keys for counts over tables."""

    metadata = TABLE_KEY_FILE


def most_bytes(constraints: int) -> int:
    """Return how many bytes of a proving key for so many constraints are read."""
    return LEAST_ROOM + ROOM_PER_CONSTRAINT * constraints


def load_proving(folder: Path, circuit: bytes, proving: bytes, proof_system: ProofSystem) -> backend.ProvingKey:
    """Load the proving key of a folder; raises KeyStoreError naming its file for bytes that are no such key.

    Metadata and key of a foreign folder may agree and both be made up: the digest alone does not make a key.
    """
    try:
        return backend.ProvingKey(circuit, proving, proof_system)
    except BackendError as error:
        raise _unusable(folder / PROVING_FILE, error) from None


def load_verifying(folder: Path, verifying: bytes, proof_system: ProofSystem) -> backend.VerifyingKey:
    """Load the verifying key of a folder; raises KeyStoreError naming its file for bytes that are no such key."""
    try:
        return backend.VerifyingKey(verifying, proof_system)
    except BackendError as error:
        raise _unusable(folder / VERIFYING_FILE, error) from None


def load_kept_verifying(folder: Path, verifying: bytes) -> backend.KeptVerifyingKey:
    """Load the verifying key of a kept key's folder, as :func:`load_verifying`."""
    try:
        return backend.KeptVerifyingKey(verifying)
    except BackendError as error:
        raise _unusable(folder / VERIFYING_FILE, error) from None


def prove_with(folder: Path, key: backend.ProvingKey, witness: bytes, mask: bytes | None = None) -> bytes:
    """Prove a witness under the loaded key of a folder; raises as :meth:`equiproof.ffi.backend.ProvingKey.prove`.

    `mask` is that of a kept model. Where the key itself prevents the proof, raises KeyStoreError naming its file.
    """
    try:
        return key.prove(witness) if mask is None else key.prove_kept(witness, mask)
    except (UnsatisfiedError, MalformedInputError):
        raise
    except BackendError as error:
        raise _unusable(folder / PROVING_FILE, error) from None


@contextmanager
def doubting(folder: Path) -> Iterator[None]:
    """Turn the refusal of a proof that was just made into KeyStoreError, naming the proving key's file.

    The witness satisfied the circuit, so a key that is a pair with the verifying key would have given a proof that
    holds.
    """
    try:
        yield
    except (RefusedError, MalformedInputError, ProofError, CertificateFormatError) as error:
        raise _unusable(folder / PROVING_FILE, error) from None


def _unusable(path: Path, error: Exception) -> KeyStoreError:
    """Say that the bytes of a key's file are not one, and how to go on."""
    return KeyStoreError(f"{path}: remove the folder, and make the key again: not usable as a key ({error})")


@dataclass(frozen=True)
class GivenPowers:
    """Checked powers for the domain of one circuit, as the library's `setup` takes them, and where they come from."""

    data: bytes
    reference: PowersReference


class Metadata(TypedDict):
    """What the metadata of every key says beside the circuit that it is for.

    `powers` that of `universal` keys only, `ceremony` that of those of a ceremony.
    """

    setup: SetupKind
    proof_system: ProofSystem
    system_digest: str
    constraints: int
    verifying_key: str
    proving_key: str
    tools: dict[str, str]
    powers: NotRequired[PowersReference]
    ceremony: NotRequired[KeyCeremony]


def key_document(shape: Shape | LinkShape, metadata: Metadata) -> tuple[KeyDocument | LinkKeyDocument, str]:
    """Return the metadata of a key for certificates, or of one for links, and the name of its file."""
    if isinstance(shape, LinkShape):
        return LinkKeyDocument(format=KEY[0], version=KEY[1], shape=shape, **metadata), LINK_KEY_FILE
    return KeyDocument(format=KEY[0], version=KEY[1], shape=shape, **metadata), KEY_FILE


def set_up(
    circuit: bytes, proof_system: ProofSystem = DEFAULT_PROOF_SYSTEM, powers: GivenPowers | None = None
) -> tuple[Metadata, dict[str, bytes]]:
    """Make the keys of a circuit's document on this machine; return their metadata and files.

    From the `powers` of others, which are checked, it is a `universal` set-up, and everybody makes the same keys;
    otherwise it is a `single-party` one. Raises KeyStoreError for a document without a circuit, and for powers that are
    wrong or of no use to the proof system.
    """
    if powers is not None and not powers.data:
        raise KeyStoreError("powers: empty, and the library would draw fresh ones")
    try:
        keys = backend.setup(circuit, proof_system, b"" if powers is None else powers.data)
    except MalformedInputError as error:
        raise KeyStoreError(str(error)) from None
    metadata = Metadata(
        setup="single-party" if powers is None else "universal",
        proof_system=proof_system,
        system_digest=keys.description.system_digest,
        constraints=keys.description.constraints,
        verifying_key=hashlib.sha256(keys.verifying).hexdigest(),
        proving_key=hashlib.sha256(keys.proving).hexdigest(),
        tools=tools(),
    )
    if powers is not None:
        metadata["powers"] = powers.reference
    return metadata, {PROVING_FILE: keys.proving, VERIFYING_FILE: keys.verifying}


class KeyStore:
    """Keys by shape under one folder.

    `owner_secret` is the file of the secret that marks the owner's keys, by default that of
    :func:`equiproof.prover.owner.default_secret`.
    """

    def __init__(self, folder: Path, owner_secret: Path | None = None) -> None:
        self._folder = folder
        self._owner_secret = owner_secret

    def setup(
        self,
        shape: Shape,
        *,
        proof_system: ProofSystem = DEFAULT_PROOF_SYSTEM,
        powers: GivenPowers | None = None,
        force: bool = False,
    ) -> StoredKey:
        """Make the keys of a shape on this machine, and store them in a folder of the shape and the proof system.

        Under a kept shape, make those of its links as well, unless they are there: they serve all shapes of the model.
        `powers` are as in :func:`set_up`. Raises FileExistsRefusedError where there are such keys (unless `force`),
        KeyStoreError for a shape without a circuit, and for powers that are wrong.
        """
        folder = self.place(shape, proof_system, force=force)
        # Before the keys, which take long: a secret that cannot be read shows in a moment.
        secret = ready_secret(self._owner_secret)
        metadata, files = set_up(shape.document, proof_system, powers)
        document = KeyDocument(format=KEY[0], version=KEY[1], shape=shape, **metadata)
        if shape.kept:
            self.set_up_links(link_shape(shape), secret)
        files |= {KEY_FILE: canonical_bytes(document), MARK_FILE: mark(document.fingerprint, secret)}
        write_folder(folder, files, secret=(MARK_FILE,), force=force)
        return StoredKey(folder, document, self._owner_secret)

    def set_up_links(self, shape: LinkShape, secret: bytes) -> None:
        """Make the keys of links of a shape, unless the owner's own are there and are of this version of the circuit.

        Links are published for long, so that nothing but this replaces their keys.
        """
        folder = self._folder / shape.name
        if folder.exists():
            try:
                key = self.find_link_key(shape)
                if key.document.system_digest == backend.describe(shape.document).system_digest:
                    return
            except KeyStoreError:
                pass  # damaged, or of somebody else
        metadata, files = set_up(shape.document)
        document, name = key_document(shape, metadata)
        files |= {name: canonical_bytes(document), MARK_FILE: mark(document.fingerprint, secret)}
        write_folder(folder, files, secret=(MARK_FILE,), force=True)

    def find_link_key(self, shape: LinkShape) -> StoredLinkKey:
        """Return the key for links of a shape; raises KeyStoreError for none, or one not made by the owner."""
        for folder in key_folders(self._folder, LINK_KEY_FILE):
            path = folder / LINK_KEY_FILE
            try:
                key = StoredLinkKey(folder, parse_link_key(read_regular(path), str(path)), self._owner_secret)
            except (CertificateFormatError, DocumentError) as error:
                raise KeyStoreError(str(error)) from None
            if key.document.shape == shape:
                key.require_mark()
                return key
        raise KeyStoreError(
            f"{self._folder}: make the keys again with `equiproof setup --kept --force`: there is none for links of "
            f"this model ({shape.name})"
        )

    def place(self, shape: Shape, proof_system: ProofSystem, *, force: bool = False) -> Path:
        """Return the folder of such keys; raises FileExistsRefusedError where it is there (unless `force`)."""
        folder = self._folder / _folder_name(shape, proof_system)
        if folder.exists() and not force:
            raise FileExistsRefusedError(folder)
        return folder

    def all(self) -> list[StoredKey]:
        """List the stored keys; raises KeyStoreError for a folder whose metadata cannot be read."""
        keys = []
        for folder in key_folders(self._folder):
            path = folder / KEY_FILE
            try:
                keys.append(StoredKey(folder, parse_key(read_regular(path), str(path)), self._owner_secret))
            except (CertificateFormatError, DocumentError) as error:
                raise KeyStoreError(str(error)) from None
        return keys

    def find(
        self,
        spec: Spec,
        sizes: tuple[int, ...],
        capacity: int | None,
        scheme: Scheme | None = None,
        *,
        links: Path | None = None,
    ) -> StoredKey:
        """Return the key for a model's sizes under a spec; raises KeyStoreError for none, or one not made by the owner.

        `sizes` are a network's hidden layers; with scheme trees the numbers of predicates, P_x and P_s.

        Of several it is the one of the largest capacity; of equal ones that of scheme `branch`, whose leaves each
        prove more than a region does, then a kept one, and then the one of the first proof system: a folder with one
        key selects it. Where `links` is given, the folder in which the owner publishes, kept keys without a link there
        are left out.
        """
        return self._best(
            lambda key: serves(key, spec, sizes, capacity, scheme) and (links is None or linked(key, links)),
            lambda: self._none(spec, sizes, capacity, scheme, links),
        )

    def find_for(
        self, opening: Opening, capacity: int | None = None, scheme: Scheme | None = None, *, links: Path | None = None
    ) -> StoredKey:
        """Return the key for a committed model, as :meth:`find`; its own scheme where it is an additive model.

        Raises KeyStoreError for a scheme that is not for this kind of model, too.
        """
        own = opening.own_scheme
        if scheme is not None and (scheme == "trees") != (own == "trees"):
            kind, fitting_scheme = ("a network", "branch") if own is None else ("an additive model", own)
            raise KeyStoreError(f"scheme {scheme}: the opening is of {kind}; want --scheme {fitting_scheme}")
        return self.find(opening.spec, opening.sizes, capacity, own or scheme, links=links)

    def find_gain(self, opening: Opening, capacity: int | None = None) -> StoredKey:
        """Return the key for gains of a committed network: of several that of the largest capacity, as :meth:`find`.

        Raises KeyStoreError for a model of another kind, too.
        """
        if opening.own_scheme is not None:
            raise KeyStoreError(f"gain: networks only, and the opening is of {opening.kind}")
        return self._best(
            lambda key: serves_gain(key, opening.spec, opening.sizes, capacity),
            lambda: self._no_gain(opening, capacity),
            " --gain",
        )

    def find_box(self, opening: Opening) -> StoredKey:
        """Return the key for boxes of a committed model: the one with most room, as :meth:`find`."""
        return self._best(
            lambda key: serves_box(key, opening.spec, opening.sizes, opening.own_scheme),
            lambda: (
                f"{self._folder}: make a key with `equiproof setup --box`: there is none for boxes of this model, made "
                f"under exactly this spec ({opening.spec.name})"
            ),
            " --box",
        )

    def _best(
        self, fitting: Callable[[KeyDocument], bool], complaint: Callable[[], str], option: str = ""
    ) -> StoredKey:
        """Return the best of the fitting keys; raises KeyStoreError for none, or one not made by the owner.

        `option` is what `setup` takes to make such a key.
        """
        if not self._folder.is_dir():
            raise KeyStoreError(
                f"{self._folder}: make one with `equiproof setup{option}`: there is no such folder of keys"
            )
        candidates = [key for key in self.all() if fitting(key.document)]
        if not candidates:
            raise KeyStoreError(complaint())
        key = max(candidates, key=lambda one: rank(one.document))
        key.require_mark()
        return key

    def _no_gain(self, opening: Opening, capacity: int | None) -> str:
        """Say that a key of gains is missing, and how to make it."""
        options = f"--hidden {_listed(opening.sizes)}" + f" --capacity {capacity}" * bool(capacity)
        return (
            f"{self._folder}: no key of gains for this model, made under exactly this spec ({opening.spec.name}): it "
            f"needs {options}; make one with `equiproof setup --gain`"
        )

    def _none(
        self, spec: Spec, hidden: tuple[int, ...], capacity: int | None, scheme: Scheme | None, links: Path | None
    ) -> str:
        """Say which key is missing, which ones are there, and how to make it."""
        if any(serves(key.document, spec, hidden, capacity, scheme) for key in self.all()):
            return (
                f"{links}: bring back the link of the kept key, or make it with `equiproof service model add`: this "
                f"model has keys in {self._folder} that need one only, and it is not there"
            )
        if scheme == "trees":
            return (
                f"{self._folder}: no key of scheme trees for {_listed(hidden)} predicates made under exactly this spec"
            )
        scheme = "branch" if spec.use_ranges else scheme
        stored_shapes = [key.document.shape for key in self.all()]
        shapes = sorted(
            {(shape.architecture.hidden, key_kind(shape.scheme), shape.capacity) for shape in stored_shapes}
        )
        list_of_shapes = ", ".join(
            f"{_listed(sizes) or 'an additive model'} ({kind}, K = {room})" for sizes, kind, room in shapes[:6]
        )
        stock = f"there are {list_of_shapes}{', and more' * (len(shapes) > 6)}" if shapes else "the folder holds no key"
        options = f"--hidden {_listed(hidden)}"
        options += f" --scheme {scheme}" * bool(scheme) + f" --capacity {capacity}" * bool(capacity)
        same_sizes = any(
            sizes == hidden and capacity in (None, room) and (kind == scheme if scheme else kind != "gain")
            for sizes, kind, room in shapes
        )
        under_spec = f", made under exactly this spec ({spec.name})" if same_sizes else ""
        return (
            f"{self._folder}: no key for this model: it needs {options}{under_spec}; {stock}; "
            "make one with `equiproof setup`"
        )


def _folder_name(shape: Shape, proof_system: ProofSystem) -> str:
    """Return the name of the folder of keys."""
    return shape.name if proof_system == DEFAULT_PROOF_SYSTEM else f"{shape.name}-{proof_system}"


def _listed(sizes: tuple[int, ...]) -> str:
    """Write layer sizes as the command line takes them."""
    return ",".join(map(str, sizes))
