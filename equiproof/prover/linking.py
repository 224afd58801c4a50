"""A kept model under a loaded key, and the link that its owner publishes once for the key.

Certificates under a kept key all have one point of the model. The link shows that it is of the committed model; it is
made the first time that it is needed, and written beside the commitment. A second one is never published: the point
follows from opening and key, and another point would be a tag for some of the applicants.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from equiproof.circuits.field import ORDER, from_hex, to_bytes
from equiproof.circuits.files import FileExistsRefusedError, write_file
from equiproof.circuits.kept import key_element
from equiproof.ffi import backend
from equiproof.ffi.errors import MalformedInputError, RefusedError
from equiproof.prover.errors import KeyStoreError
from equiproof.prover.kept import link_blinding, mask
from equiproof.prover.keys import (
    KeyStore,
    StoredKey,
    StoredLinkKey,
    StoredTableKey,
    doubting,
    load_kept_verifying,
    load_verifying,
    prove_with,
)
from equiproof.prover.opening import Opening
from equiproof.prover.published import published_link
from equiproof.prover.witness.link import Linked as LinkSecrets
from equiproof.prover.witness.link import generate
from equiproof.prover.witness.model import words
from equiproof.verifier.certificate import KeyReference
from equiproof.verifier.link import LINK_FILE, LinkDocument, make_link


@dataclass(frozen=True)
class KeptModel:
    """A committed model under a kept key: what all its certificates show, and the secrets behind it.

    `point` is compressed. The repr shows nothing else: mask and blinding are as secret as the opening that they follow
    from.
    """

    opening: Opening = field(repr=False)
    key: StoredKey | StoredTableKey = field(repr=False)
    point: bytes

    @classmethod
    def of(cls, opening: Opening, key: StoredKey | StoredTableKey, loaded: backend.ProvingKey) -> KeptModel:
        """Compute the point of a model under a loaded key; raises KeyStoreError for a model of another shape."""
        numbers = [*words(opening.model, key.document.links), opening.commitment]
        own = mask(opening.blinding, opening.commitment, key.document.fingerprint)
        try:
            point = loaded.point(b"".join(map(to_element, numbers)), to_bytes(own))
        except MalformedInputError as error:
            raise KeyStoreError(f"{key.folder}: take the key of this model: {error}") from None
        return cls(opening, key, point)

    @cached_property
    def mask(self) -> bytes:
        """The mask of the point, which only the owner knows, in 32 bytes."""
        return to_bytes(mask(self.opening.blinding, self.opening.commitment, self.key.document.fingerprint))

    @cached_property
    def blinding(self) -> int:
        """What hides what is shown of the model, a field element."""
        return link_blinding(self.opening.blinding, self.opening.commitment, self.key.document.fingerprint)

    @cached_property
    def shown(self) -> int:
        """What the link and all certificates beside it show of the model, a field element."""
        return self.secrets.shown(self.key.document.links)

    @cached_property
    def secrets(self) -> LinkSecrets:
        """What the link is about."""
        # py_ecc, which the hash of a point takes, is loaded only for kept keys.
        from equiproof.verifier.curve import read_g1
        from equiproof.verifier.pairing import challenges

        (at,) = challenges((read_g1(self.point, "point"),))
        opening = self.opening
        return LinkSecrets(
            model=opening.model,
            model_blinding=opening.blinding,
            model_commitment=opening.commitment,
            spec_digest=opening.spec.digest,
            key=key_element(self.key.document.fingerprint),
            link_blinding=self.blinding,
            at=at,
        )

    def link(self, folder: Path) -> OwnLink:
        """Return the link of this model and key that a folder holds, made and written there if there is none.

        One that is made is verified before anyone sees it; one that was there when it is opened.
        Raises KeyStoreError for one that is not of this model, and where the owner has no key for links; OSError where
        the file cannot be written.
        """
        link_key = self._link_key
        path, link = self._published(folder)
        if link is None:
            made = self._made(link_key)
            with doubting(link_key.folder):
                OwnLink(path, made, link_key, self.key).open().close()
            path, link = self._publish(folder, path, made)
        return self.compared(path, link)

    def compared(self, path: Path, link: LinkDocument) -> OwnLink:
        """Return a published link with its keys; raises KeyStoreError unless it follows from opening and keys."""
        own = OwnLink(path, link, self._link_key, self.key)
        self._refuse_another(own)
        return own

    @cached_property
    def _link_key(self) -> StoredLinkKey:
        """The owner's key for links of this model; raises KeyStoreError where there is none."""
        return KeyStore(self.key.folder.parent, self.key.owner_secret).find_link_key(self.key.document.links)

    def _publish(self, folder: Path, path: Path, made: LinkDocument) -> tuple[Path, LinkDocument]:
        """Write a link that holds, and return the file and link of this key that are there then.

        Whoever was first has published it: another process may have made it meanwhile. It may also have taken the file
        for another key of the model; then this key's is another one. Raises KeyStoreError where it cannot be written.
        """
        while True:
            with suppress(FileExistsRefusedError):
                write_file(path, made.to_bytes())
            usual, link = self._published(folder)
            if link is not None:
                return usual, link
            if usual == path:
                raise KeyStoreError(
                    f"{path}: let nothing else stand there, and nothing remove the link: it is not there"
                )
            path = usual

    def _published(self, folder: Path) -> tuple[Path, LinkDocument | None]:
        """Return the file of this key's link; of one that is not there, where it is to be written."""
        fingerprint = self.key.document.fingerprint
        if (found := published_link(folder, fingerprint)) is not None:
            return found
        usual = folder / LINK_FILE
        # Another key of the same model has its own: the name follows from the key, so that two processes agree on it.
        return (folder / f"link-{fingerprint[:16]}.json" if usual.exists() else usual), None

    def _refuse_another(self, found: OwnLink) -> None:
        """Raise KeyStoreError for a published link that is not the one that follows from opening and keys."""
        path, link, secrets = found.path, found.document, self.secrets
        own = (to_bytes(secrets.model_commitment).hex(), to_bytes(secrets.spec_digest).hex(), self.point.hex())
        published = (link.model_commitment, link.spec_digest, link.point)
        if published != own or link.shown_element != self.shown:
            raise KeyStoreError(
                f"{path}: bring the opening that it was published with, keep each model in a folder of its own, or "
                "move it away with all its certificates: it is of another model or opening, and two links of one key "
                "would tell applicants apart"
            )
        links = found.link_key.document
        named = (KeyReference(links.fingerprint, links.setup), links.proof_system)
        if (link.link_key, link.proof_system) != named:
            # With the same point and the same number, a new one tells nobody apart.
            raise KeyStoreError(
                f"{path}: bring back the key for links that it names, or move it away, and one of the same point is "
                f"made: it is under another key than {found.link_key.folder}, and who verifies would refuse it"
            )

    def _made(self, link_key: StoredLinkKey) -> LinkDocument:
        """Prove the link."""
        secrets, document = self.secrets, link_key.document
        with link_key.load() as loaded:
            proof = prove_with(link_key.folder, loaded, generate(document.shape, secrets))
        return make_link(
            secrets.model_commitment,
            secrets.spec_digest,
            self.key.document.fingerprint,
            self.point,
            self.shown,
            KeyReference(document.fingerprint, document.setup),
            document.proof_system,
            proof,
        )


@dataclass(frozen=True)
class OwnLink:
    """The link that an owner published for a key, in its file, and the keys that it is checked under."""

    path: Path
    document: LinkDocument
    link_key: StoredLinkKey
    key: StoredKey | StoredTableKey

    def opened(self) -> backend.VerifyingKey:
        """Verify a published link, and return what verifies certificates beside it; KeyStoreError where it fails."""
        try:
            return self.open()
        except (RefusedError, MalformedInputError) as error:
            raise KeyStoreError(
                f"{self.path}: move it away, and one of the same point is made: its proof does not hold ({error})"
            ) from None

    def open(self) -> backend.VerifyingKey:
        """Verify the link as :meth:`opened`; raises RefusedError or MalformedInputError where it fails."""
        link, links, key = self.document, self.link_key, self.key
        about = (links.document.shape.digest, from_hex(link.model_commitment), from_hex(link.spec_digest))
        parts = b"".join(map(to_bytes, (*about, key_element(key.document.fingerprint))))
        with (
            load_verifying(links.folder, links.verifying, links.document.proof_system) as loaded,
            load_kept_verifying(key.folder, key.verifying) as kept,
        ):
            return kept.open(loaded, link.point_bytes, to_bytes(link.shown_element), link.proof_bytes, parts)


def published(opening: Opening, key: StoredKey, folder: Path) -> OwnLink | None:
    """Return the link of a kept key, made in the folder where the owner publishes if there is none; None otherwise.

    Raises as :meth:`KeptModel.link` does.
    """
    if not key.document.shape.kept:
        return None
    with key.load() as loaded:
        return KeptModel.of(opening, key, loaded).link(folder)


def standing(opening: Opening, key: StoredKey, folder: Path) -> OwnLink | None:
    """Return the link of a kept key that the owner published in a folder, compared with opening and keys; None else.

    Neither key is loaded: the proof, and the mask of the point, are left to :func:`checked`. Raises KeyStoreError where
    there is no link, for one that is not of this model, and where the owner has no key for links.
    """
    if not key.document.shape.kept:
        return None
    found = published_link(folder, key.document.fingerprint)
    if found is None:
        raise KeyStoreError(
            f"{folder}: have `equiproof prove` or `equiproof service model add` make the link of the kept key "
            f"{key.document.fingerprint[:16]}..., or bring it back: it is not there"
        )
    # By the link's own point: what certificates show follows from it, and from the opening.
    return KeptModel(opening, key, found[1].point_bytes).compared(*found)


def checked(opening: Opening, key: StoredKey, folder: Path) -> OwnLink | None:
    """Return the same link, checked whole: the point is the one that follows from the opening, and the proof holds.

    Raises as :func:`standing`, and for either.
    """
    if (own := standing(opening, key, folder)) is None:
        return None
    with key.load() as loaded:
        KeptModel.of(opening, key, loaded).compared(own.path, own.document)
    own.opened().close()
    return own


def to_element(number: int) -> bytes:
    """Return an integer modulo the field's order in 32 bytes."""
    return to_bytes(number % ORDER)
