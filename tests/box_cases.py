"""Box certificates that are proven for tests, changed ones, and what Python says: other programs are asked the same."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.categories import choices_of
from equiproof.circuits.commitment import table_digest
from equiproof.circuits.encodings.missing import Missing
from equiproof.circuits.field import to_hex
from equiproof.circuits.shape import box_shape
from equiproof.circuits.spec import Spec, SpecError
from equiproof.circuits.statement import BoxStatement
from equiproof.prover import Opening
from equiproof.prover.box import BoxProver
from equiproof.verifier import (
    AllOf,
    BoxVerifier,
    CertificateFormatError,
    CoversFeatures,
    ForContext,
    TranscriptIs,
    TrustStore,
    VerificationError,
    parse_box,
    parse_commitment,
    parse_context,
    parse_opened_box,
)
from equiproof.verifier.box import BoxReading
from equiproof.verifier.documents import KEY_TAG, parse_key
from equiproof.verifier.opened_box import OPENED_BOX, OpenedBox
from equiproof.verifier.trust import TrustedKey
from tests.kept import kept_keys
from tests.prover.additive_case import additive_model
from tests.soundness.box_lies import PREDICATES, SPEC
from tests.support import HOUSING, INCOME, SAVINGS, SEX, changed, key_of, no_policy, spec_of
from tests.vectors.vector import CONTEXT, certificate_base
from tests.web.specs import drawn

BOX, OPENED, COMMITMENT, KEY, VERIFYING = (
    "box.json", "opened.json", "commitment.json", "key.json", "verifying.key",
)  # fmt: skip
"""The names of the files of a case, beside that of its context."""

RANGED = spec_of(changed(INCOME, range=("0", "60000")), SAVINGS, HOUSING, SEX, name="ranged", use_ranges=True)
LACKING = spec_of(
    changed(INCOME, missing=Missing()),
    SAVINGS,
    changed(HOUSING, missing=Missing(de="keine Angabe")),
    SEX,
    name="lacking",
)
"""The same columns under a spec with ranges, and under one whose values may be missing."""

ENDS: dict[str, tuple[Any, ...]] = {
    "income": (20000, "30000.50"), "savings": ("none", "low"), "housing": ("own", "rent"),
}  # fmt: skip
ONE_PERSON: dict[str, tuple[Any, ...]] = {"income": (20000, 20000), "savings": ("low", "low"), "housing": ("rent",)}
UNSTATED: dict[str, tuple[Any, ...]] = {"income": (), "savings": ("none", "high"), "housing": ()}

Change = Callable[[Any], Any]


@dataclass(frozen=True)
class BoxCase:
    """Files by name, what is asked of the certificate, and the reason for which Python refuses it, None for none."""

    files: Mapping[str, bytes]
    reason: str | None = None
    opened: bool = False
    label: str | None = None
    policy: Mapping[str, Any] | None = None

    def document(self, name: str) -> dict[str, Any]:
        """Return a file as plain values."""
        found: dict[str, Any] = json.loads(self.files[name])
        return found

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
        return {"files": files, "policy": {"label": self.label, **(self.policy or {})}}


@cache
def proven(spec: Spec, ends: tuple[tuple[str, tuple[Any, ...]], ...], *, disclose: bool = False) -> BoxCase:
    """Return a certificate that everybody in a box is granted, with its files; made once in a process."""
    model = replace(additive_model(spec, PREDICATES, 300), absent=spec.absent if spec.has_absent else None)
    opening = Opening.of(model, spec, 11)
    key = key_of(kept_keys(), box_shape(spec, (12, 1)))
    context = certificate_base("loans")[CONTEXT]
    with BoxProver(opening, key) as prover:
        made = prover.prove(dict(ends), "granted", parse_context(context, CONTEXT), blinding=17, disclose=disclose)
    files = {
        BOX: made.certificate.to_bytes(), OPENED: canonical_bytes(made.opened), COMMITMENT: opening.public(),
        CONTEXT: context, **{name: (key.folder / name).read_bytes() for name in (KEY, VERIFYING)},
    }  # fmt: skip
    return BoxCase(files)


def honest(spec: Spec = SPEC, ends: Mapping[str, tuple[Any, ...]] = ENDS, *, disclose: bool = False) -> BoxCase:
    """Return an honest certificate about a box under a spec."""
    return proven(spec, tuple(ends.items()), disclose=disclose)


def accepted() -> Iterator[tuple[str, BoxCase]]:
    """Yield certificates that are verified."""
    one, shown = honest(), honest(disclose=True)
    demanded = {"context": True, "covers": ["sex"]}
    yield "alone", one
    yield "opened", replace(one, opened=True)
    yield "labelled", replace(one, label="granted")
    yield "demanded", replace(one, opened=True, label="granted", policy=demanded)
    yield "disclosed", shown
    yield "disclosed-and-opened", replace(shown, opened=True, policy={"covers": ["sex"]})
    yield "one-person", replace(honest(SPEC, ONE_PERSON), opened=True)
    yield "under-ranges", replace(honest(RANGED), opened=True)
    yield "missing-values", replace(honest(LACKING, UNSTATED, disclose=True), opened=True)
    yield "nothing-missing", replace(honest(LACKING), opened=True)
    spaced = json.dumps(one.document(OPENED) | {"ends": {**ENDS, "income": [2e4, 30000.5]}}, indent=1).encode()
    yield "opened-in-another-spelling", replace(one.with_file(OPENED, spaced), opened=True)


def changed_statements() -> Iterator[tuple[str, BoxCase]]:
    """Yield certificates with another statement, reading, key or proof."""
    one = honest()
    other = honest(SPEC, ONE_PERSON).document(BOX)
    for element, reason in (
        ("model_commitment", "model-differs"), ("spec_digest", "spec-differs"), ("domain_digest", "domain-differs"),
        ("box_commitment", "pairings-differ"), ("context_digest", "pairings-differ"),
    ):  # fmt: skip
        yield f"{element}-of-another", one.but(reason, **{f"statement__{element}": to_hex(5)})
        yield f"{element}-too-short", one.but("bad-element", **{f"statement__{element}": "5"})
        yield f"{element}-beyond-the-field", one.but("bad-element", **{f"statement__{element}": "f" * 64})
    yield "other-label", one.but("words-differ", statement__label=0)
    yield "other-label-in-words", one.but("pairings-differ", statement__label=0, reading__label="declined")
    yield "unknown-label", one.but("unknown-label", statement__label=2)
    yield "label-below-0", one.but("out-of-range", statement__label=-1)
    yield "label-of-no-spec", one.but("out-of-range", statement__label=1 << 14)
    yield "reading-of-another-label", one.but("words-differ", reading__label="declined")
    yield "reading-of-no-feature", one.but("words-differ", reading__sensitive=[])
    yield "reading-of-more-features", one.but("words-differ", reading__sensitive=["sex", "income"])
    yield "reading-of-a-certificate", one.but("wrong-fields", reading=lambda own: own | {"radius": "1"})
    yield "statement-of-a-certificate", one.but("wrong-fields", statement=lambda own: own | {"radius_squared": 0})
    yield "unknown-key", one.but("key-not-trusted", key__fingerprint="a" * 64)
    yield "other-setup", one.but("setup-differs", key__setup="ceremony")
    long = "A" * 776 + "AAA="
    yield "other-proof-system", one.but("proof-system-differs", proof_system="plonk-bn254", proof=long)
    yield "proof-of-another-system", one.but("wrong-length", proof=long)
    yield "no-proof", one.but("wrong-length", proof="")
    yield "proof-in-no-base64", one.but("not-base64", proof="?" * 264)
    yield "proof-in-another-spelling", one.but("not-canonical", proof=lambda own: own[:-2] + "B=")
    yield "proof-of-another-box", one.but("pairings-differ", proof=other["proof"])
    yield "proof-not-of-points", one.but("point-not-canonical", proof=lambda own: "AAAA" + own[4:])
    yield (
        "another-kind",
        one.but("wrong-fields", format="equiproof-certificate").with_file(
            BOX, certificate_base("loans")["certificate.json"]
        ),
    )
    yield "another-version", one.but("other-format", version=3)
    yield "in-another-spelling", one.with_file(BOX, json.dumps(one.document(BOX)).encode(), reason="not-canonical")


def changed_demands() -> Iterator[tuple[str, BoxCase]]:
    """Yield certificates that are not what is asked for."""
    one = honest()
    for name, label in (("other", "declined"), ("odd", "granted\x1b\u202e"), ("long", "g" * 60), ("empty", "")):
        yield f"{name}-label-wanted", replace(one, label=label, reason="other-box")
    yield (
        "other-context",
        replace(one.with_file(CONTEXT, {"nonce": "n" * 16}), policy={"context": True}, reason="other-context"),
    )
    yield "feature-not-covered", replace(one, policy={"covers": ["age"]}, reason="features-not-covered")
    yield "other-transcript", replace(one, policy={"transcript": "0" * 64}, reason="other-transcript")
    yield (
        "label-before-context",
        replace(
            one.with_file(CONTEXT, {"nonce": "n" * 16}), policy={"context": True}, label="declined", reason="other-box"
        ),
    )


def changed_boxes() -> Iterator[tuple[str, BoxCase]]:
    """Yield certificates with another opened box, given or disclosed."""
    for source in ("given", "disclosed"):
        for name, reason, ends in (
            ("wider", "other-box", {"income": (19000, "30000.50")}),
            ("one-value", "other-box", {"housing": ("own",)}),
            ("value-twice", "bad-query", {"housing": ("own", "own")}),
            ("unknown-value", "bad-query", {"housing": ("castle",)}),
            ("number-of-a-category", "bad-query", {"housing": (1,)}),
            ("no-number", "bad-query", {"income": ("x", 1)}),
            ("number-too-far", "bad-query", {"income": (20000, 10**9)}),
            ("unknown-feature", "bad-query", {"zeal": (1, 2), "age": (1, 2)}),
            ("sensitive-feature", "bad-query", {"sex": ("f", "m")}),
            ("reversed", "bad-query", {"income": (30000, 20000)}),
            ("ranks-reversed", "bad-query", {"savings": ("high", "none")}),
            ("one-end", "bad-query", {"income": (20000,)}),
            ("three-ends", "bad-query", {"savings": ("none", "low", "high")}),
            ("not-stated", "bad-query", {"income": ()}),
            ("not-stated-category", "bad-query", {"housing": ()}),
            ("feature-left-out", "bad-query", {"income": None}),
        ):
            all_ends = {feature: values for feature, values in (ENDS | ends).items() if values is not None}
            yield f"{source}-{name}", boxed(source, reason, ends=all_ends)
        yield f"{source}-other-blinding", boxed(source, "other-box", blinding=to_hex(18))
        yield f"{source}-bad-blinding", boxed(source, "bad-element", blinding="17")
        yield f"{source}-other-format", boxed(source, "other-format", format="equiproof-query")
        yield f"{source}-other-version", boxed(source, "other-format", version=1)
        yield f"{source}-no-list", boxed(source, "wrong-fields", ends=ENDS | {"income": 5})
        yield f"{source}-no-value", boxed(source, "wrong-fields", ends=ENDS | {"income": (True, None)})
    shown = honest(disclose=True)
    yield (
        "given-before-disclosed",
        replace(shown.but(None, OPENED, blinding=to_hex(18)).but("other-box", box__blinding=to_hex(19)), opened=True),
    )
    yield "out-of-its-range", replace(honest(RANGED).but("bad-query", OPENED, ends__income=(20000, 60001)), opened=True)
    yield "stated-as-missing", replace(honest(LACKING).but("other-box", OPENED, ends__income=()), opened=True)
    yield (
        "missing-as-stated",
        replace(honest(LACKING, UNSTATED).but("other-box", OPENED, ends__income=(1, 2)), opened=True),
    )


def boxed(source: str, reason: str, **fields: Any) -> BoxCase:
    """Return the honest certificate with other fields of its box, which is given or disclosed."""
    if source == "given":
        return replace(honest().but(reason, OPENED, **fields), opened=True)
    return honest(disclose=True).but(reason, **{f"box__{name}": value for name, value in fields.items()})


def changed_keys() -> Iterator[tuple[str, BoxCase]]:
    """Yield certificates under keys of other shapes, and under other specs."""
    one = honest()
    shape = one.document(KEY)["shape"]
    choice = shape["one_hot"][0]

    def of(reason: str, **fields: Any) -> BoxCase:
        return one.under(reason, architecture=shape["architecture"] | fields)

    for name, fields in {
        "more-slices": {"slices": 3}, "wider-inputs": {"input_bits": 19}, "finer-inputs": {"input_fraction_bits": 11},
        "wider-radius": {"radius_bits": 30}, "more-capacity": {"capacity": 2}, "no-categories": {"one_hot": None},
        "empty-categories": {"one_hot": []}, "category-twice": {"one_hot": [choice, choice]},
        "ball": {"scheme": "additive", "slots": 5, "one_hot": None},
        "ball-in-ranges": {"scheme": "additive-ranges", "slots": 5, "one_hot": None}, "of-version-3": {"version": 3},
        **{f"category-{part}": {"one_hot": [choice | {part: value + 1}]} for part, value in choice.items()},
    }.items():  # fmt: skip
        yield f"shape-{name}", one.under("shape-differs", **fields)
    yield "shape-more-columns", of("shape-differs", plain=5)
    yield "shape-more-sensitive", of("shape-differs", sensitive=2)
    yield "shape-of-missing-values", of("shape-differs", missing=True)
    yield "shape-of-other-predicates", of("pairings-differ", predicates=[13, 1])
    for name, fields in {
        "slots": {"slots": 5}, "rows": {"rows": 5}, "odd-capacity": {"capacity": 3}, "no-capacity": {"capacity": 0},
        "ball-without-slots": {"scheme": "additive", "one_hot": None},
        "ball-with-categories": {"scheme": "additive", "slots": 5}, "network": {"scheme": "branch"},
    }.items():  # fmt: skip
        yield f"bad-shape-{name}", one.under("bad-shape", **fields)
    for name, fields in {
        "nodes": {"nodes": [1, 1]}, "layers": {"hidden": [2]}, "logits": {"logits": 2}, "jumps": {"weight_bits": [17]},
        "bias": {"bias_bits": [25]}, "no-predicates": {"predicates": [0, 1]},
        "many-predicates": {"predicates": [4096, 1]},
        "missing": {"missing": False}, "sets": {"categories": [choice | {"sets": 1}]}, "no-sets": {"categories": []},
    }.items():  # fmt: skip
        yield f"bad-shape-{name}", of("bad-shape", **fields)
    no_counts = {name: value for name, value in shape["architecture"].items() if name != "predicates"}
    yield "bad-shape-without-predicates", one.under("bad-shape", architecture=no_counts)
    network = json.loads(certificate_base("loans")["keys/key/key.json"])["shape"]
    yield (
        "network-with-categories",
        one.keyed("bad-shape", one.document(KEY) | {"shape": network | {"one_hot": [choice]}}),
    )
    yield "shape-of-a-network", one.keyed("shape-differs", one.document(KEY) | {"shape": network})
    yield "other-verifying-key", one.with_file(VERIFYING, one.files[VERIFYING][:-1] + b"\0", reason="key-bytes-differ")
    for name, spec in {"ranges": RANGED, "missing-values": LACKING}.items():
        other = honest(spec)
        yield f"commitment-of-{name}", one.with_file(COMMITMENT, other.files[COMMITMENT], reason="model-differs")
        own = parse_commitment(one.files[COMMITMENT], COMMITMENT).model_commitment
        yield (
            f"spec-of-{name}",
            one.with_file(COMMITMENT, other.document(COMMITMENT) | {"model_commitment": own}, reason="spec-differs"),
        )
    lacking = honest(LACKING)
    yield (
        "key-of-nothing-missing",
        replace(lacking.but(None, key__fingerprint=one.document(BOX)["key"]["fingerprint"]), reason="shape-differs")
        .with_file(KEY, one.files[KEY])
        .with_file(VERIFYING, one.files[VERIFYING]),
    )


@cache
def cases() -> dict[str, BoxCase]:
    """Return all of them by name."""
    groups = (accepted, changed_statements, changed_demands, changed_boxes, changed_keys)
    listed = [one for group in groups for one in group()]
    assert len(dict(listed)) == len(listed)
    return dict(listed)


def judged(case: BoxCase) -> dict[str, Any]:
    """Return what Python says of a case: what was verified, or the exception, its reason and its line."""
    try:
        certificate = parse_box(case.files[BOX], BOX)
        opened = parse_opened_box(case.files[OPENED], OPENED) if case.opened else None
        commitment = parse_commitment(case.files[COMMITMENT], COMMITMENT)
        key = TrustedKey.of(parse_key(case.files[KEY], KEY), case.files[VERIFYING], b"", VERIFYING, KEY)
        verifier = BoxVerifier(commitment, TrustStore([key]), "native")
        found = verifier.verify(certificate, _policy(case), opened=opened, label=case.label)
    except (CertificateFormatError, VerificationError) as error:
        return {"exception": type(error).__name__, "reason": str(error.reason), "message": str(error)}
    said = {"identity": found.identity, "sentence": found.reading.sentence(), "ends": found.ends}
    return {"value": said | {"made": list(found.made), "notMade": list(found.not_made)}}


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
