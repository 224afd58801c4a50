"""The public files around a certificate, read strictly: commitment, query, context and key metadata.

Each is one JSON object with a format mark and a version. Parsers raise CertificateFormatError naming file and field.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, TypeVar, cast

import msgspec

from equiproof.circuits import field
from equiproof.circuits.canonical import DocumentError, canonical_bytes, parse, read_limited
from equiproof.circuits.categories import MAX_SETS
from equiproof.circuits.commitment import query_commitment
from equiproof.circuits.kinds import is_raw_row, kind_of, mistaken, mistaken_for
from equiproof.circuits.link_shape import LinkShape, link_shape
from equiproof.circuits.proof_systems import DEFAULT_PROOF_SYSTEM, ProofSystem
from equiproof.circuits.schemes import Relation, Scheme, scheme_of
from equiproof.circuits.shape import Shape
from equiproof.circuits.spec import JUMP_BITS, SCORE_BIAS_BITS, Spec, SpecError, checked
from equiproof.circuits.table_shape import TableShape
from equiproof.circuits.tables import say
from equiproof.verifier.errors import CertificateFormatError, Reason

T = TypeVar("T", bound="Document")
S = TypeVar("S", Shape, LinkShape, TableShape)

RawValue = str | int | float
"""A raw feature value: text, or a number as it prints."""

SetupKind = Literal["single-party", "ceremony", "universal"]
"""How a key was made; whoever ran a single-party set-up could forge proofs under it."""

Tools = Annotated[
    dict[Annotated[str, msgspec.Meta(min_length=1, max_length=64)], Annotated[str, msgspec.Meta(max_length=128)]],
    msgspec.Meta(max_length=16),
]
"""Versions of software by name. Nothing checks them, so they are short: not a place for text of somebody else's."""


class Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One of the project's files; `format` and `version` say which."""

    format: str
    version: int


class CommitmentDocument(Document, frozen=True, forbid_unknown_fields=True):
    """What an owner publishes once for all customers: the model commitment and the spec that it binds."""

    model_commitment: str
    spec: Spec


class QueryDocument(Document, frozen=True, forbid_unknown_fields=True):
    """What an applicant keeps: the raw non-sensitive features and the blinding that opens the query commitment.

    A feature that is missing, where the spec lets it be, is not there.
    """

    features: dict[str, RawValue]
    blinding: str

    def __repr__(self) -> str:
        """Show the features' names; their values and the blinding stay out of logs and tracebacks."""
        return f"QueryDocument(features={sorted(self.features)})"

    def row(self, spec: Spec) -> dict[str, RawValue | None]:
        """Return the features as a raw row, in which those that are missing are None."""
        return {feature.name: None for feature in spec.plain_features if feature.may_miss} | self.features

    def commitment(self, spec: Spec) -> int:
        """Return the query commitment that these features open; raises CertificateFormatError unless they fit the spec.

        Any name but those of non-sensitive features is refused: the commitment would not bind its value.
        """
        extra = set(self.features) - {feature.name for feature in spec.plain_features}
        if extra:
            raise CertificateFormatError(say("query.unknown_feature", feature=repr(min(extra)[:40])), Reason.BAD_QUERY)
        try:
            query = spec.encode(self.row(spec))
        except SpecError as error:
            raise CertificateFormatError(f"query: {error}", Reason.BAD_QUERY) from None
        return query_commitment(spec.input_bits, element(self.blinding, say("query.field_blinding")), query)


class PowersReference(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The powers of tau of a key: where they come from, and the digest of those that the key was made from.

    `source` is the chain digest of a ceremony's phase 1, or the digest of an imported file. Of an imported one nothing
    shows that anybody contributed.
    """

    origin: Literal["ceremony", "imported"]
    source: str
    digest: str


class DrawnBeacon(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A public random value: the source and the round that were named beforehand, and the value, in hexadecimal."""

    source: str
    round: int
    value: str


class KeyCeremony(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a key of kind `ceremony` was made: digests of the ceremony's file and steps, its beacon and its signers.

    `signers` are the verifier keys of those who contributed, in the order of their steps.
    """

    powers: PowersReference
    start: str
    steps: tuple[str, ...]
    beacon: DrawnBeacon
    signers: tuple[str, ...]


class KeyRecord(Document, Generic[S], frozen=True, forbid_unknown_fields=True):
    """The metadata of a key. Digests are SHA-256 in hexadecimal; `system_digest` is that of the compiled circuit.

    `ceremony` is absent from keys of other kinds than `ceremony`, and `powers` from those of other kinds than
    `universal`.
    """

    shape: S
    setup: SetupKind
    proof_system: ProofSystem
    system_digest: str
    constraints: int
    verifying_key: str
    proving_key: str
    tools: Tools
    ceremony: KeyCeremony | msgspec.UnsetType = msgspec.UNSET
    powers: PowersReference | msgspec.UnsetType = msgspec.UNSET

    @property
    def fingerprint(self) -> str:
        """The name by which certificates and policies know this key: SHA-256 over the canonical metadata."""
        return hashlib.sha256(KEY_TAG + canonical_bytes(self)).hexdigest()

    @property
    def transcript(self) -> str:
        """The transcript digest: SHA-256 over everything that a ceremony fixes; "" for a key without one.

        It covers the digests of both keys: one that covered the steps alone would fit any key, put beside them.
        """
        made_by = _MAKER_FIELDS.get(self.setup, "")
        if not made_by or getattr(self, made_by) is msgspec.UNSET:
            return ""
        fixed = {name: getattr(self, name) for name in (made_by, *_TRANSCRIPT_FIELDS)}
        return hashlib.sha256(b"equiproof.transcript.v2\x00" + canonical_bytes(fixed)).hexdigest()

    @property
    def maker(self) -> str:
        """What made this key, as a noun in a sentence."""
        return say("key.by_ceremony") if self.setup == "ceremony" else say("key.by_setup", setup=self.setup)

    @property
    def attestation(self) -> str:
        """The text that somebody signs who has checked the transcript of this key."""
        return f"equiproof-key-checked/v2\nfingerprint {self.fingerprint}\ntranscript {self.transcript}\n"


class KeyDocument(KeyRecord[Shape], frozen=True, forbid_unknown_fields=True):
    """The metadata of a key for certificates."""

    @property
    def links(self) -> LinkShape:
        """The shape of the links of its models, where it is a kept key."""
        return link_shape(self.shape)


class LinkKeyDocument(KeyRecord[LinkShape], frozen=True, forbid_unknown_fields=True):
    """The metadata of a key for links, which show that kept certificates are of the committed model."""


_MAKER_FIELDS: dict[SetupKind, str] = {"ceremony": "ceremony", "universal": "powers"}
"""By kind of set-up, the field that says how others took part: there in keys of this kind, and in no others."""

_TRANSCRIPT_FIELDS = ("proving_key", "shape", "system_digest", "verifying_key")
"""What a transcript makes beside that."""

LEAST_NONCE = 16
"""The fewest characters of a nonce, outer blanks aside."""

COMMITMENT = ("equiproof-commitment", 2)
QUERY = ("equiproof-query", 2)
KEY = ("equiproof-key", 2)

KEY_TAG = b"equiproof.key.v2\x00"
"""What stands before a key's metadata where their fingerprint is computed."""

KEY_FILE = "key.json"
LINK_KEY_FILE = "link-key.json"
"""The metadata of a key for links: by another name, since a folder of keys is read for those of certificates."""
VERIFYING_FILE = "verifying.key"
PROVING_FILE = "proving.key"
SIGNATURES_FILE = "signatures.note"
MAX_KEY_BYTES = 1 << 12
"""How much of a verifying key is read: each has the fixed length of its proof system, below 1 KiB."""

MAX_LAYERS = 64
MAX_NEURONS: dict[Scheme, int] = {"traversal": 240, "branch": 4096}
"""The most hidden layers, and by scheme the most hidden neurons in all of them, of a shape that has a circuit.

A gain compares two copies of a network, so its shape has half as many."""

MAX_PREDICATES = 4096
"""The most predicates, P_x and P_s together, of an additive shape that has a circuit."""

MAX_TREES = 4096
MAX_NODES = 1 << 16
"""The most trees, and the most nodes of all of them, of an ensemble's shape that has a circuit."""


def parse_document(data: bytes, kind: type[T], mark: tuple[str, int], where: str, *, only_canonical: bool = False) -> T:
    """Read one of the project's files; raises CertificateFormatError naming `where` and the field."""
    try:
        document = parse(data, kind, where, only_canonical=only_canonical)
    except DocumentError as error:
        other = mistaken(data, mark[0])
        raise CertificateFormatError(f"{where}: {other}" if other else str(error), error.reason) from None
    check_mark(document, mark, where)
    return document


def check_mark(document: Document, mark: tuple[str, int], where: str) -> None:
    """Refuse another format or version."""
    if (document.format, document.version) != mark:
        raise CertificateFormatError(
            say(
                "format.version_unknown",
                where=where,
                format=repr(document.format[:40]),
                version=document.version,
                known_format=repr(mark[0]),
                known_version=mark[1],
            ),
            Reason.OTHER_FORMAT,
        )


def parse_commitment(data: bytes, where: str) -> CommitmentDocument:
    """Read a commitment file; a spec with more than one meaning is refused."""
    document = parse_document(data, CommitmentDocument, COMMITMENT, where, only_canonical=True)
    element(document.model_commitment, say("format.field_model_commitment", where=where))
    try:
        checked(document.spec)
    except SpecError as error:
        raise CertificateFormatError(f"{where}: field spec: {error}", Reason.BAD_SPEC) from None
    return document


def parse_query(data: bytes, where: str) -> QueryDocument:
    """Read a query file."""
    try:
        document = parse_document(data, QueryDocument, QUERY, where, only_canonical=True)
    except CertificateFormatError as error:
        if not is_raw_row(data):
            raise
        raise CertificateFormatError(
            say("query.raw_features", where=where),
            error.reason,
        ) from None
    return check_query(document, where)


def load_commitment(path: str | Path) -> CommitmentDocument:
    """Read a commitment from a file; raises OSError or CertificateFormatError."""
    return parse_commitment(read_limited(Path(path)), str(path))


def load_query(path: str | Path) -> QueryDocument:
    """Read a query file; raises OSError or CertificateFormatError."""
    return parse_query(read_limited(Path(path)), str(path))


def check_query(document: QueryDocument, where: str) -> QueryDocument:
    """Return a query after checking its marks and its blinding."""
    check_mark(document, QUERY, where)
    element(document.blinding, f"{where}: field blinding")
    return document


def parse_key(data: bytes, where: str) -> KeyDocument:
    """Read key metadata; a model without a circuit is refused, and a kind of set-up without how it was made."""
    document = parse_document(data, KeyDocument, KEY, where, only_canonical=True)
    check_shape(document.shape, where)
    if document.shape.kept and document.proof_system != DEFAULT_PROOF_SYSTEM:
        raise CertificateFormatError(
            say("key.kept_proof_system", where=where, proof_system=document.proof_system), Reason.BAD_SHAPE
        )
    check_maker(document, where)
    return document


def parse_link_key(data: bytes, where: str) -> LinkKeyDocument:
    """Read the metadata of a key for links; raises as :func:`parse_key`."""
    document = parse_document(data, LinkKeyDocument, KEY, where, only_canonical=True)
    check_link_shape(document.shape, where)
    if document.proof_system != DEFAULT_PROOF_SYSTEM:
        raise CertificateFormatError(
            say("key.kept_proof_system", where=where, proof_system=document.proof_system), Reason.BAD_SHAPE
        )
    check_maker(document, where)
    return document


def check_maker(document: KeyRecord[S], where: str) -> None:
    """Raise CertificateFormatError for metadata that do not say of their kind of set-up how it was made."""
    for kind, name in _MAKER_FIELDS.items():
        has_field = getattr(document, name) is not msgspec.UNSET
        if has_field and document.setup != kind:
            raise CertificateFormatError(
                say("key.digest_superfluous", where=where, field=name, setup=document.setup), Reason.WRONG_FIELDS
            )
        if document.setup == kind and not has_field:
            raise CertificateFormatError(
                say("key.digest_missing", where=where, field=name, setup=kind),
                Reason.NO_TRANSCRIPT,
            )
    if document.setup == "universal" and document.proof_system == DEFAULT_PROOF_SYSTEM:
        raise CertificateFormatError(
            say("key.powers_alone", where=where, proof_system=document.proof_system), Reason.WRONG_FIELDS
        )


def check_shape(shape: Shape, where: str) -> None:
    """Raise CertificateFormatError, naming the field `shape` of a document, for a model without a circuit."""
    check = _check_additive if shape.additive else _check_network
    for name, right, message in check(shape):
        if not right:
            raise CertificateFormatError(f"{where}: field shape.{name}: {message}", Reason.BAD_SHAPE)


def check_link_shape(shape: LinkShape, where: str) -> None:
    """Raise CertificateFormatError as :func:`check_shape` for a shape of links: for an architecture of no circuit."""
    scheme: Relation = "trees" if shape.has_nodes else "additive" if shape.additive else "branch"
    # The least certificates of such models: their shape has the same rules for what is in that of a link.
    least = Shape(
        shape.format,
        shape.version,
        scheme,
        shape.architecture,
        slices=1,
        input_bits=shape.input_bits,
        input_fraction_bits=0,
        radius_bits=1,
        capacity=2,
        slots=1 if shape.additive else msgspec.UNSET,
        rows=1 if shape.has_nodes else msgspec.UNSET,
    )
    check_shape(least, where)
    rules = (
        (shape.node_words is not False, say("shape.missing_is_true")),
        (shape.has_nodes or shape.node_words is msgspec.UNSET, say("shape.of_kept_ensembles")),
    )
    for right, message in rules:
        if not right:
            raise CertificateFormatError(f"{where}: field shape.node_words: {message}", Reason.BAD_SHAPE)


def _check_network(shape: Shape) -> Iterator[tuple[str, bool, str]]:
    """Yield, for each rule of a network's shape, the field, whether it is kept, and the refusal."""
    a = shape.architecture
    most = MAX_NEURONS[scheme_of(shape.scheme)] // (2 if shape.gains else 1)
    yield "architecture.predicates", a.predicates is msgspec.UNSET, say("shape.not_of_networks")
    yield "slots", shape.slots is msgspec.UNSET, say("shape.not_of_networks")
    yield "architecture.nodes", a.nodes is msgspec.UNSET, say("shape.not_of_networks")
    yield "rows", shape.rows is msgspec.UNSET, say("shape.not_of_networks")
    yield "passed", not shape.visits, say("shape.not_of_networks")
    yield "one_hot", shape.boxes or shape.one_hot is msgspec.UNSET, say("shape.not_of_networks")
    yield "architecture.missing", a.missing is msgspec.UNSET, say("shape.not_of_networks")
    yield "architecture.categories", a.categories is msgspec.UNSET, say("shape.not_of_networks")
    layers = len(a.hidden)
    yield (
        "architecture.hidden",
        1 <= layers <= MAX_LAYERS,
        say("shape.layers_out_of_bounds", layers=layers, most=MAX_LAYERS),
    )
    sized = min(a.hidden) >= 1 and sum(a.hidden) <= most
    yield "architecture.hidden", sized, say("shape.sizes_out_of_bounds", most=most)
    yield "slices", shape.slices == 2 or not shape.gains, say("shape.want_two_rows")
    widths = len(a.bias_bits)
    yield "architecture.bias_bits", widths == layers + 1, f"{widths} widths, want {layers + 1}"


def _check_additive(shape: Shape) -> Iterator[tuple[str, bool, str]]:
    """Yield, for each rule of an additive model's shape, the field, whether it is kept, and the refusal."""
    a = shape.architecture
    missing = say("shape.field_missing", scheme=shape.scheme)
    foreign = say("shape.field_of_other_scheme", scheme=shape.scheme)
    yield "architecture.predicates", a.predicates is not msgspec.UNSET, missing
    roomless = shape.scheme == "additive-box"
    yield "slots", (shape.slots is msgspec.UNSET) == roomless, foreign if roomless else missing
    yield "one_hot", shape.boxes or shape.one_hot is msgspec.UNSET, foreign
    message = missing if shape.has_nodes else foreign
    yield "architecture.nodes", (a.nodes is not msgspec.UNSET) == shape.has_nodes, message
    yield "rows", (shape.rows is not msgspec.UNSET) == shape.has_nodes, message
    yield "passed", not shape.visits or (shape.has_nodes and shape.kept), say("shape.of_kept_ensembles")
    yield "architecture.missing", a.missing is not False, say("shape.missing_is_true")
    yield "architecture.categories", shape.has_nodes or a.categories is msgspec.UNSET, message
    sets = [one.sets for one in a.asked]
    in_bounds = min(sets, default=1) >= 1 and sum(sets) <= MAX_SETS
    yield "architecture.categories", in_bounds, say("shape.sets_out_of_bounds", most=MAX_SETS)
    yield "architecture.hidden", a.hidden == (), say("shape.no_layers")
    yield "architecture.logits", a.logits == 1, say("shape.one_score")
    yield "architecture.weight_bits", a.weight_bits == (JUMP_BITS,), say("shape.want_jump_width", bits=JUMP_BITS)
    yield (
        "architecture.bias_bits",
        a.bias_bits == (SCORE_BIAS_BITS,),
        say("shape.want_score_width", bits=SCORE_BIAS_BITS),
    )
    plain, sensitive = cast("tuple[int, int]", a.predicates)
    in_bounds = plain >= 1 and sensitive >= 0 and plain + sensitive <= MAX_PREDICATES
    yield (
        "architecture.predicates",
        in_bounds,
        say("shape.predicates_out_of_bounds", most=MAX_PREDICATES),
    )
    if not roomless:
        yield "slots", 1 <= shape.slot_count <= plain, say("shape.one_to_plain_predicates", most=plain)
    yield "capacity", shape.capacity >= 1 and shape.capacity.bit_count() == 1, say("shape.want_power_of_two")
    if shape.has_nodes:
        trees, nodes = a.node_counts
        in_bounds = 1 <= trees <= min(nodes, MAX_TREES) and nodes <= MAX_NODES
        yield (
            "architecture.nodes",
            in_bounds,
            say("shape.trees_out_of_bounds", trees=MAX_TREES, nodes=MAX_NODES),
        )
        yield "rows", 1 <= shape.row_count <= nodes, say("shape.one_to_nodes", most=nodes)
        passing = not shape.visits or 1 <= shape.passed_count <= nodes
        yield "passed", passing, say("shape.one_to_nodes", most=nodes)


def key_folders(store: Path, name: str = KEY_FILE) -> list[Path]:
    """List the key folders in a store, or the folder itself if it is a key; hidden folders are unfinished keys.

    `name` is that of their metadata: of keys for certificates, for links (LINK_KEY_FILE), or for tables.
    """
    if (store / name).is_file():
        return [store]
    return sorted(path.parent for path in store.glob(f"*/{name}") if not path.parent.name.startswith("."))


def parse_context(data: bytes, where: str) -> dict[str, str]:
    """Read a context: one flat JSON object of names and texts, such as a nonce, a policy and a date.

    A context needs a nonce; see :func:`check_context`.
    """
    return check_context(parse_texts(data, where), where)


def parse_texts(data: bytes, where: str) -> dict[str, str]:
    """Read what a context consists of, one flat JSON object of names and texts, with a nonce or without one yet."""
    try:
        context = parse(data, dict[str, str], where)
        # Of two equal names the first parser keeps the last; as pairs, both are there. Another spelling of a context is
        # allowed, so there is no canonical form that would refuse them.
        if len(json.loads(data, object_pairs_hook=list)) != len(context):
            raise CertificateFormatError(say("format.name_twice", where=where), Reason.REPEATED_NAME)
    except DocumentError as error:
        wrong = _not_a_context(data)
        raise CertificateFormatError(f"{where}: {wrong}" if wrong else str(error), error.reason) from None
    return context


def check_context(context: dict[str, str], where: str) -> dict[str, str]:
    """Return a context after checking that it holds texts and a "nonce" of at least 16 characters, outer blanks aside.

    The nonce is needed because a context's digest is public, and dates and policies can be guessed. Raises
    CertificateFormatError naming `where`.
    """
    if not all(isinstance(text, str) for pair in context.items() for text in pair):
        raise CertificateFormatError(f"{where}: want names and values that are text", Reason.WRONG_FIELDS)
    if len(context.get("nonce", "").strip()) < LEAST_NONCE:
        raise CertificateFormatError(say("query.nonce_too_short", where=where, least=LEAST_NONCE), Reason.WEAK_NONCE)
    return context


def _not_a_context(data: bytes) -> str:
    """Describe the first value that is not text, and how to write a number; "" unless the data is an object."""
    if other := mistaken_for(kind_of(data), say("format.a_context")):
        return other
    try:
        values = msgspec.json.decode(data, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return ""
    for name, value in values.items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            return f'field {name[:40]!r}: texts only, write "{value!r:.40}"'
        if not isinstance(value, str):
            return f"field {name[:40]!r}: texts only"
    return ""


def element(text: str, where: str) -> int:
    """Read a field element; raises CertificateFormatError naming `where`."""
    try:
        return field.from_hex(text)
    except field.FieldError as error:
        raise CertificateFormatError(f"{where}: {error}", Reason.BAD_ELEMENT) from None
