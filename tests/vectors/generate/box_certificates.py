"""Verifications of box certificates: `box.json`, with a case for each that every program must judge alike.

A case differs from a base by whole files. Proofs are made under the set-up whose secrets are known, so that what a
verifier recomputes decides and not the proof.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import msgspec

from equiproof.circuits.field import to_hex
from equiproof.verifier import CertificateFormatError
from tests.box_cases import (
    BOX,
    COMMITMENT,
    DAYS,
    ENDS,
    KEY,
    LACKING,
    MARKED,
    MOVED,
    ONE_PERSON,
    OPENED,
    RANGED,
    SPEC,
    UNSTATED,
    VERIFYING,
    BoxCase,
    honest,
    judged,
)
from tests.pair_cases import ALL_PAIRED, fitting_pairs, unfit_pairs
from tests.vectors.vector import CONTEXT, certificate_base

FILE = "box.json"


def written() -> bytes:
    """Return the bytes of the file."""
    bases: dict[str, dict[str, dict[str, str]]] = {}
    listed = []
    for name, case in cases().items():
        bases[case.base] = in_text(base_of(case))
        listed.append({"name": name, "base": case.base} | told(case))
    return msgspec.json.format(msgspec.json.encode({"bases": bases, "cases": listed}), indent=1) + b"\n"


def told(case: BoxCase) -> dict[str, Any]:
    """Return a case as it is written: files that are not the base's, what is asked, and what Python says."""
    own = {name: data for name, data in case.files.items() if base_of(case).get(name) != data}
    asked = {"opened": case.opened, "label": case.label, "policy": case.policy or {}}
    if case.within is not None:
        asked["within"] = case.within
    found = judged(case)
    assert found.get("reason") == case.reason, found
    if "value" in found:
        said = {"verdict": "accept"} | {name: found["value"].get(name) for name in ("sentence", "ends", "answer")}
    else:
        verdict = "malformed" if found["exception"] == CertificateFormatError.__name__ else "reject"
        said = {"verdict": verdict, "exception": found["exception"], "reason": found["reason"]}
    return in_text(own) | asked | said


def base_of(case: BoxCase) -> dict[str, bytes]:
    """Return the files of a case's base."""
    return dict(BASES[case.base].files)


def in_text(files: dict[str, bytes]) -> dict[str, dict[str, str]]:
    """Return files by name, texts apart from bytes, which are in hexadecimal."""
    return {
        "text": {name: data.decode() for name, data in sorted(files.items()) if name != VERIFYING},
        "hex": {name: data.hex() for name, data in sorted(files.items()) if name == VERIFYING},
    }


BASES = {
    case.base: case
    for case in (
        honest(), honest(disclose=True), honest(SPEC, ONE_PERSON), honest(RANGED), honest(LACKING),
        honest(LACKING, UNSTATED), honest(LACKING, UNSTATED, disclose=True), honest(MARKED), honest(MARKED, UNSTATED),
        honest(of="trees"), honest(LACKING, UNSTATED, of="trees"), honest(of="open-trees"), honest(MOVED, DAYS),
        honest(of="network"), honest(MARKED, UNSTATED, of="network"), ALL_PAIRED,
    )
}  # fmt: skip
"""The honest certificates."""


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
    yield "padded-with-marks", replace(honest(MARKED), opened=True)
    yield "marked-as-missing", replace(honest(MARKED, UNSTATED), opened=True)
    yield "of-an-ensemble", replace(honest(of="trees"), opened=True)
    yield "of-an-ensemble-with-missing-values", replace(honest(LACKING, UNSTATED, of="trees"), opened=True)
    yield "of-an-ensemble-without-sets", replace(honest(of="open-trees"), opened=True)
    yield "of-a-network", replace(honest(of="network"), opened=True)
    yield "of-a-network-with-marks", replace(honest(MARKED, UNSTATED, of="network"), opened=True)
    yield "nothing-missing", replace(honest(LACKING), opened=True)
    yield "of-days-and-of-an-order", replace(honest(MOVED, DAYS), opened=True)


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
    yield "no-proof-under-an-unknown-key", one.but("wrong-length", proof="", key__fingerprint="a" * 64)
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
    data = honest().files[OPENED]
    for name, spelled in {
        "another-spelling": json.dumps(json.loads(data)).encode(),
        "name-twice": data.replace(b'"ends":{', b'"ends":{"income":[1,2],'),
    }.items():
        yield f"given-in-{name}", replace(honest().with_file(OPENED, spelled, reason="not-canonical"), opened=True)
    yield "given-reversed-within-a-step", boxed("given", "bad-query", ends=ENDS | {"income": ("30000.001", 30000)})
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


def changed_ensembles() -> Iterator[tuple[str, BoxCase]]:
    """Yield certificates about ensembles under keys of other shapes."""
    one = honest(of="trees")
    shape = one.document(KEY)["shape"]
    architecture = shape["architecture"]
    asked = architecture["categories"][0]
    choice = {name: value for name, value in asked.items() if name != "sets"}
    for name, fields in {
        "more-slices": {"slices": 3}, "wider-inputs": {"input_bits": 19}, "ball": {"scheme": "trees"},
        "ball-in-ranges": {"scheme": "trees-ranges"},
        **{
            f"category-{part}": {"architecture": architecture | {"categories": [asked | {part: value + 1}]}}
            for part, value in choice.items()
        },
        "category-with-sets": {"one_hot": [choice]}, "empty-categories": {"one_hot": []},
    }.items():  # fmt: skip
        yield f"trees-{name}", one.under("shape-differs", **fields)
    for name, fields in {
        "more-room": {"capacity": 32}, "less-slots": {"slots": 11}, "less-rows": {"rows": 8},
        "more-sets": {"architecture": architecture | {"categories": [asked | {"sets": 3}]}},
    }.items():  # fmt: skip
        yield f"trees-{name}", one.under("pairings-differ", **fields)
    for name, fields in {
        "ball-with-categories": {"scheme": "trees", "one_hot": [choice]},
        "no-slots": {"slots": None}, "no-rows": {"rows": None}, "many-slots": {"slots": 13},
        "many-rows": {"rows": 10}, "odd-room": {"capacity": 3}, "additive": {"scheme": "additive-box"},
        "no-nodes": {"architecture": {part: value for part, value in architecture.items() if part != "nodes"}},
    }.items():  # fmt: skip
        yield f"bad-trees-{name}", one.under("bad-shape", **fields)


def changed_open_ensembles() -> Iterator[tuple[str, BoxCase]]:
    """Yield certificates about ensembles without sets under keys of other categories."""
    one = honest(of="open-trees")
    choice = one.document(KEY)["shape"]["one_hot"][0]
    for name, listed in {
        "no-categories": None, "empty-categories": [], "category-twice": [choice, choice],
        **{f"category-{part}": [choice | {part: value + 1}] for part, value in choice.items()},
    }.items():  # fmt: skip
        yield f"open-trees-{name}", one.under("shape-differs", one_hot=listed)


def changed_networks() -> Iterator[tuple[str, BoxCase]]:
    """Yield certificates about networks under keys of other shapes."""
    one = honest(of="network")
    shape = one.document(KEY)["shape"]
    architecture = shape["architecture"]
    choice = shape["one_hot"][0]
    for name, fields in {
        "more-slices": {"slices": 3}, "wider-inputs": {"input_bits": 19}, "no-categories": {"one_hot": None},
        "category-twice": {"one_hot": [choice, choice]}, "ball": {"scheme": "branch", "one_hot": None},
        "ball-in-ranges": {"scheme": "branch-ranges", "one_hot": None},
        "gain": {"scheme": "gain", "one_hot": None},
        "more-columns": {"architecture": architecture | {"plain": 5}},
        "wider-weights": {"architecture": architecture | {"weight_bits": [19, 18, 18]}},
        **{f"category-{part}": {"one_hot": [choice | {part: value + 1}]} for part, value in choice.items()},
    }.items():  # fmt: skip
        yield f"network-{name}", one.under("shape-differs", **fields)
    # Widths of the first layers are those of the spec, whatever the sizes are.
    for name, fields in {"more-room": {"capacity": 32}, "odd-room": {"capacity": 17}}.items():
        yield f"network-{name}", one.under("pairings-differ", **fields)
    for name, fields in {
        "slots": {"slots": 5}, "rows": {"rows": 5}, "additive": {"scheme": "additive-box"},
        "trees": {"scheme": "trees-box"}, "ball-with-categories": {"scheme": "branch"},
        "gain-with-categories": {"scheme": "gain"}, "traversal": {"scheme": "traversal"},
        "no-layers": {"architecture": architecture | {"hidden": []}},
        "predicates": {"architecture": architecture | {"predicates": [1, 1]}},
        "missing": {"architecture": architecture | {"missing": True}},
        "one-width": {"architecture": architecture | {"bias_bits": [24]}},
        "many-neurons": {"architecture": architecture | {"hidden": [4000, 97]}},
    }.items():  # fmt: skip
        yield f"bad-network-{name}", one.under("bad-shape", **fields)
    lacking, own = honest(LACKING), one.document(BOX)["key"]["fingerprint"]
    yield (
        "network-of-missing-values",
        replace(lacking.but(None, key__fingerprint=own), reason="shape-differs").with_file(KEY, one.files[KEY]),
    )


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
        own = one.document(COMMITMENT)["model_commitment"]
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
    groups = (
        accepted, changed_statements, changed_demands, changed_boxes, changed_keys, changed_ensembles,
        changed_open_ensembles, changed_networks, fitting_pairs, unfit_pairs,
    )  # fmt: skip
    listed = [one for group in groups for one in group()]
    assert len(dict(listed)) == len(listed)
    return dict(listed)
