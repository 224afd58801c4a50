"""Box certificates that are proven for tests, changed ones, and what Python says: other programs are asked the same."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import msgspec

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.categories import choices_of
from equiproof.circuits.commitment import table_digest
from equiproof.circuits.encodings.missing import Missing
from equiproof.circuits.field import to_hex
from equiproof.circuits.shape import Shape, box_shape, ensemble_box_shape, network_box_shape
from equiproof.circuits.spec import Spec, SpecError
from equiproof.circuits.statement import BoxStatement, context_digest
from equiproof.prover import Opening
from equiproof.prover.box import BoxProver
from equiproof.verifier import (
    AllOf,
    BoxVerifier,
    CertificateFormatError,
    CoversFeatures,
    ForContext,
    Refusal,
    TranscriptIs,
    TrustStore,
    VerificationError,
    parse_box,
    parse_certificate,
    parse_commitment,
    parse_context,
    parse_opened_box,
    parse_query,
    parse_wishes,
)
from equiproof.verifier.box import BoxReading, make_box
from equiproof.verifier.certificate import KeyReference
from equiproof.verifier.documents import KEY_TAG, parse_key
from equiproof.verifier.opened_box import OPENED_BOX, OpenedBox
from equiproof.verifier.programs import Choice
from equiproof.verifier.trust import TrustedKey
from tests.kept import kept_keys
from tests.prover.additive_case import additive_model
from tests.soundness.box_lies import PREDICATES, SPEC
from tests.support import HOUSING, INCOME, SAVINGS, SEX, changed, key_of, no_policy, spec_of
from tests.vectors.generate.cases import KNOWN
from tests.vectors.vector import CONTEXT, certificate_base
from tests.web.specs import drawn

BOX, OPENED, COMMITMENT, KEY, VERIFYING = (
    "box.json", "opened.json", "commitment.json", "key.json", "verifying.key",
)  # fmt: skip
REFUSAL, QUERY, WISHES = "refusal.json", "query.json", "wishes.json"
"""The names of the files of a case, beside that of its context."""

RANGED = spec_of(changed(INCOME, range=("0", "60000")), SAVINGS, HOUSING, SEX, name="ranged", use_ranges=True)
LACKING = spec_of(
    changed(INCOME, missing=Missing()),
    SAVINGS,
    changed(HOUSING, missing=Missing(de="keine Angabe")),
    SEX,
    name="lacking",
)
MARKED = spec_of(
    changed(INCOME, missing=Missing(mark=True)), SAVINGS, changed(HOUSING, missing=Missing(mark=True)), SEX,
    name="marked", pad_to=9,
)  # fmt: skip
"""The same features under a spec with ranges, and under specs whose values may be missing, with and without marks."""
MOVED = spec_of(
    changed(INCOME, name="moved", unit="days", whole=True, start="2000-01-31"),
    SAVINGS,
    HOUSING,
    SEX,
    name="moved",
)
"""The same with days since one, which are dates in words."""
UNFIT = spec_of(INCOME, changed(HOUSING, scale="0.000001"), SEX, name="unfit")
"""A spec that lists a category whose columns fit its integers for nobody."""

ENDS: dict[str, tuple[Any, ...]] = {
    "income": (20000, "30000.50"), "savings": ("none", "low"), "housing": ("own", "rent"),
}  # fmt: skip
ONE_PERSON: dict[str, tuple[Any, ...]] = {"income": (20000, 20000), "savings": ("low", "low"), "housing": ("rent",)}
DAYS: dict[str, tuple[Any, ...]] = {"moved": (0, 366), "savings": ("none", "high"), "housing": ("rent",)}
UNSTATED: dict[str, tuple[Any, ...]] = {"income": (), "savings": ("none", "high"), "housing": ()}


@dataclass(frozen=True)
class BoxCase:
    """Files by name, what is asked of the certificate, and the reason for which Python refuses it, None for none.

    Files that were not changed are those of the honest certificate `base`.
    """

    files: Mapping[str, bytes]
    base: str
    reason: str | None = None
    opened: bool = False
    label: str | None = None
    policy: Mapping[str, Any] | None = None
    within: int | None = None

    def document(self, name: str) -> dict[str, Any]:
        """Return a file as plain values."""
        found: dict[str, Any] = json.loads(self.files[name])
        return found

    def opened_box(self) -> OpenedBox:
        """Return the opened box."""
        return parse_opened_box(self.files[OPENED], OPENED)

    def with_file(self, name: str, document: Any, **fields: Any) -> BoxCase:
        """Return the case with another file, bytes or plain values."""
        data = document if isinstance(document, bytes) else canonical_bytes(document)
        return replace(self, files={**self.files, name: data}, **fields)

    def but(self, reason: str | None, name: str = BOX, **fields: Any) -> BoxCase:
        """Return the case with other fields of a file: by their path, with `__` between its names."""
        document = self.document(name)
        for path, value in fields.items():
            *outer, last = path.split("__")
            part = document
            for step in outer:
                part = part[step]
            part[last] = value(part[last]) if callable(value) else value
        return self.with_file(name, document, reason=reason)

    def under(self, reason: str | None, **shape: Any) -> BoxCase:
        """Return the case under a key whose shape has other fields, which the certificate names; None drops a field."""
        metadata = self.document(KEY)
        fields = metadata["shape"] | shape
        return self.keyed(
            reason, metadata | {"shape": {name: value for name, value in fields.items() if value is not None}}
        )

    def keyed(self, reason: str | None, metadata: dict[str, Any]) -> BoxCase:
        """Return the case under a key with these metadata, which the certificate names."""
        name = hashlib.sha256(KEY_TAG + canonical_bytes(metadata)).hexdigest()
        return self.but(reason, key__fingerprint=name).with_file(KEY, metadata)

    def asked(self) -> dict[str, Any]:
        """Return the case as programs are asked: files in hexadecimal, and what is demanded."""
        files = {name: data.hex() for name, data in self.files.items() if name != OPENED or self.opened}
        return {"files": files, "policy": {"label": self.label, "within": self.within or 0, **(self.policy or {})}}


@cache
def _known_key() -> bytes:
    """Return the verifying key whose secrets are known."""
    return KNOWN.key()


@cache
def _forged(digest: int) -> bytes:
    """Return a proof of a statement under the known secrets."""
    return KNOWN.forge(digest).data()


@cache
def _honest(
    spec: Spec, ends: tuple[tuple[str, tuple[Any, ...]], ...], label: int, *, disclose: bool, of: str, proven: bool
) -> BoxCase:
    """Return :func:`honest`; made once in a process."""
    shape, context = SHAPES[of](spec), certificate_base("loans")[CONTEXT]
    opened = OpenedBox(OPENED_BOX[0], OPENED_BOX[1], dict(ends), to_hex(17))
    statement = BoxStatement(
        model_commitment=spec.digest + 1, spec_digest=spec.digest, domain_digest=table_digest(spec),
        box_commitment=opened.commitment(spec), label=label,
        context_digest=context_digest(parse_context(context, CONTEXT)),
    )  # fmt: skip
    metadata = json.loads(certificate_base("loans")[f"keys/key/{KEY}"])
    metadata |= {"shape": json.loads(shape.document), "verifying_key": hashlib.sha256(_known_key()).hexdigest()}
    key = parse_key(canonical_bytes(metadata), KEY)
    made = make_box(
        statement, spec, KeyReference(key.fingerprint, key.setup), key.proof_system,
        _forged(statement.digest(shape) if proven else 0), {"equiproof": "0.1.0"}, opened if disclose else None,
    )  # fmt: skip
    commitment = {
        "format": "equiproof-commitment", "version": 2, "model_commitment": to_hex(statement.model_commitment),
        "spec": msgspec.to_builtins(spec),
    }  # fmt: skip
    files = {
        BOX: made.to_bytes(), OPENED: canonical_bytes(opened), COMMITMENT: canonical_bytes(commitment),
        CONTEXT: context, KEY: canonical_bytes(key), VERIFYING: _known_key(),
    }  # fmt: skip
    stated = "".join(f"-{values[0]}" for _, values in ends if values)
    return BoxCase(files, f"{spec.name}{stated}{'-disclosed' * disclose}{of and f'-{of}'}")


def honest(
    spec: Spec = SPEC,
    ends: Mapping[str, tuple[Any, ...]] = ENDS,
    label: int = 1,
    *,
    disclose: bool = False,
    of: str = "",
    proven: bool = True,
) -> BoxCase:
    """Return a certificate about a box under a spec that is verified: its proof is of the set-up of known secrets.

    It is about an additive model, or one `of` "trees" with sets, "open-trees" without, or a "network". If it is not
    `proven`, its proof is of another statement: enough for what is refused before, and sooner made.
    """
    return _honest(spec, tuple(ends.items()), label, disclose=disclose, of=of, proven=proven)


def of_trees(spec: Spec) -> Shape:
    """Return the shape of boxes of an ensemble, which asks two sets of the spec's first category."""
    sets = {one.first: 2 for one in choices_of(spec)[:1]}
    return ensemble_box_shape(spec, (12, 1), (3, 9), 12, 9, 16, sets)


SHAPES: dict[str, Callable[[Spec], Shape]] = {
    "": lambda spec: box_shape(spec, (12, 1)),
    "trees": of_trees,
    "open-trees": lambda spec: ensemble_box_shape(spec, (12, 1), (3, 9), 12, 9, 16),
    "network": lambda spec: network_box_shape(spec, (4, 2), 16),
}
"""By what a certificate is about, the shape of its key."""


def proven(spec: Spec, ends: Mapping[str, tuple[Any, ...]] = ENDS, *, disclose: bool = False) -> BoxCase:
    """Return one that a prover made, of an additive model under a key of an own set-up."""
    model = replace(additive_model(spec, PREDICATES, 300), absent=spec.absent if spec.has_absent else None)
    opening = Opening.of(model, spec, 11)
    key = key_of(kept_keys(), box_shape(spec, (12, 1)))
    context = certificate_base("loans")[CONTEXT]
    with BoxProver(opening, key) as prover:
        made = prover.prove(ends, "granted", parse_context(context, CONTEXT), disclose=disclose)
    files = {
        BOX: made.certificate.to_bytes(), OPENED: canonical_bytes(made.opened), COMMITMENT: opening.public(),
        CONTEXT: context, **{name: (key.folder / name).read_bytes() for name in (KEY, VERIFYING)},
    }  # fmt: skip
    return BoxCase(files, "proven")


def judged(case: BoxCase, checker: Choice = "native") -> dict[str, Any]:
    """Return what Python says of a case: what was verified, or the exception, its reason and its line."""
    try:
        certificate = parse_box(case.files[BOX], BOX)
        opened = parse_opened_box(case.files[OPENED], OPENED) if case.opened else None
        commitment = parse_commitment(case.files[COMMITMENT], COMMITMENT)
        key = TrustedKey.of(parse_key(case.files[KEY], KEY), case.files[VERIFYING], b"", VERIFYING, KEY)
        verifier = BoxVerifier(commitment, TrustStore([key]), checker)
        refusal = _refusal(case)
        found = verifier.verify(certificate, _policy(case), opened=opened, label=case.label, refusal=refusal)
    except (CertificateFormatError, VerificationError) as error:
        return {"exception": type(error).__name__, "reason": str(error.reason), "message": str(error)}
    said = {"identity": found.identity, "sentence": found.reading.sentence(), "ends": found.ends}
    said |= {} if found.pair is None else {"answer": found.pair.sentence}
    return {"value": said | {"made": list(found.made), "notMade": list(found.not_made)}}


def _refusal(case: BoxCase) -> Refusal | None:
    """Return what the box of a case is compared with, None where nothing is given."""
    files = case.files
    if REFUSAL not in files:
        return None
    wishes = parse_wishes(files[WISHES], WISHES) if WISHES in files else None
    return Refusal(parse_certificate(files[REFUSAL], REFUSAL), parse_query(files[QUERY], QUERY), wishes, case.within)


def _policy(case: BoxCase) -> Any:
    """Return the policy of a case."""
    wanted = case.policy or {}
    demands = [
        *([ForContext(parse_context(case.files[CONTEXT], CONTEXT))] if "context" in wanted else []),
        *([CoversFeatures(wanted["covers"])] if "covers" in wanted else []),
        *([TranscriptIs(wanted["transcript"])] if "transcript" in wanted else []),
    ]
    return AllOf(*demands) if demands else no_policy()


def drawn_box(spec: Spec, rng: random.Random) -> dict[str, Any]:
    """Return an opened box as plain values; some do not fit the spec."""
    ends: dict[str, list[Any]] = {}
    for feature in spec.plain_features:
        if rng.random() < 0.1:
            ends[feature.name] = []
        elif feature.kind == "categorical":
            ends[feature.name] = rng.sample(feature.domain, rng.randint(1, len(feature.domain)))
            if feature.width == 1 and rng.random() < 0.9:
                places = sorted(rng.randrange(len(feature.domain)) for _ in range(2))
                ends[feature.name] = [feature.domain[place] for place in places]
        else:
            mean = float(feature.mean)
            near = (feature.mean, mean, int(mean), *(feature.range or ()), 5, 0.5, 0.0001, "7.50")
            pair = [rng.choice(near) for _ in range(2)]
            ends[feature.name] = sorted(pair, key=float) if rng.random() < 0.9 else pair
    return {"format": OPENED_BOX[0], "version": OPENED_BOX[1], "ends": ends, "blinding": to_hex(rng.getrandbits(250))}


def single_score(rng: random.Random) -> Spec:
    """Return a drawn spec of one score, whose categories have the integers of their width."""
    while True:
        spec = changed(drawn(rng), logits=1, labels=("declined", "granted"))
        try:
            choices_of(spec)
        except SpecError:
            continue
        return spec


def expected_box(spec: Spec, box: OpenedBox, label: int) -> dict[str, Any]:
    """Return digests and words of a statement about a box whose other parts are 1 to 4, under 3 and 2 predicates."""
    statement = BoxStatement(
        model_commitment=1, spec_digest=2, domain_digest=table_digest(spec), box_commitment=box.commitment(spec),
        label=label, context_digest=4,
    )  # fmt: skip
    reading = BoxReading.of(spec, label)
    return {
        "table_digest": to_hex(statement.domain_digest),
        "box_commitment": to_hex(statement.box_commitment),
        "statement_digest": to_hex(statement.digest(box_shape(spec, (3, 2)))),
        "reading": json.loads(canonical_bytes(reading)),
        "sentence": reading.sentence(),
        "ends": box.sentences(spec),
    }
