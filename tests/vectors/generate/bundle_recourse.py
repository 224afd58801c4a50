"""Bundles of refused applicants with their recourse: what is verified with the refusal, and every lie about it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from functools import cache

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.commitment import domain_digest
from equiproof.circuits.field import from_hex, to_hex
from equiproof.circuits.shape import additive_shape
from equiproof.circuits.statement import Statement
from equiproof.verifier.certificate import KeyReference, make_certificate
from equiproof.verifier.documents import parse_key, parse_query
from equiproof.verifier.errors import Reason
from equiproof.verifier.policy import ForQuery
from tests.box_cases import BOX, COMMITMENT, CONTEXT, KEY, OPENED, QUERY, VERIFYING, WISHES, BoxCase
from tests.pair_cases import ALL_PAIRED, RULED, WANTED, none, proven, way
from tests.vectors.generate.cases import KNOWN
from tests.vectors.vector import certificate_base

Files = dict[str, bytes]
Case = Iterator[tuple[str, str, str, str | None, str | None, dict[str, bytes | None]]]

WAYS = (way(income=(39000, 50000)), way(housing=("own",), debt=(0, 750)))


@cache
def refused() -> Files:
    """Return the files of the refusal in a bundle: its proof is of the set-up of known secrets."""
    files = ALL_PAIRED.files
    query, shape = parse_query(files[QUERY], QUERY), additive_shape(RULED, (12, 1), 3, 2)
    stated = ALL_PAIRED.document(BOX)["statement"]
    statement = Statement(
        model_commitment=from_hex(stated["model_commitment"]), spec_digest=RULED.digest,
        domain_digest=domain_digest(RULED), query_commitment=query.commitment(RULED), label=0, radius_squared=16,
        context_digest=from_hex(stated["context_digest"]),
    )  # fmt: skip
    metadata = json.loads(certificate_base("loans")[f"keys/key/{KEY}"])
    metadata |= {"shape": json.loads(shape.document), "verifying_key": hashlib.sha256(KNOWN.key()).hexdigest()}
    key = parse_key(canonical_bytes(metadata), KEY)
    proof = KNOWN.forge(statement.digest(shape)).data()
    reference = KeyReference(key.fingerprint, key.setup)
    made = make_certificate(statement, RULED, reference, key.proof_system, proof, {"equiproof": "0.1.0"}, None)
    return {
        "certificate.json": made.to_bytes(), "commitment.json": files[COMMITMENT],
        "key/metadata.json": canonical_bytes(key), "key/verifying.key": KNOWN.key(),
        "query.json": files[QUERY], "context.json": canonical_bytes(json.loads(files[CONTEXT])),
    }  # fmt: skip


def answer(name: str, case: BoxCase) -> Files:
    """Return the files of a box that is proven, by their roles."""
    made = proven(case)
    return {name: made.files[BOX], f"{name}_box": made.files[OPENED]}


def base() -> Files:
    """Return the files of a bundle with two ways."""
    files = dict(refused())
    key = ALL_PAIRED.files
    files |= {"recourse/key/metadata.json": key[KEY], "recourse/key/verifying.key": key[VERIFYING]}
    for number, case in enumerate(WAYS, start=1):
        certificate, opened = answer("way", case).values()
        at = f"recourse/way-{number}"
        files |= {f"{at}/certificate.json": certificate, f"{at}/opened.json": opened}
    return files


NO_WAYS: dict[str, bytes | None] = dict.fromkeys(("way_1", "way_1_box", "way_2", "way_2_box"))


def accepted() -> Case:
    """What is verified: ways, a none, and a none within somebody's wishes."""
    why = "a box is verified with the refusal beside which it lies"
    yield "recourse", "two ways", why, None, None, {}
    yield "recourse-none", "that no change helps", why, None, None, NO_WAYS | answer("none", ALL_PAIRED)
    wished = none(WANTED)
    changed = NO_WAYS | answer("none", wished) | {"wishes": wished.files[WISHES]}
    yield "recourse-within-wishes", "that no change helps within the wishes", why, None, None, changed


def refused_cases() -> Case:
    """Lies about a refused applicant, and files of others."""
    why = "each box is one that the rules say for whom the refusal is about"
    first, second = (answer(f"way_{number}", case) for number, case in enumerate(WAYS, start=1))
    wished = none(WANTED)
    beyond = answer("way_1", way(income=(39000, 60000)))
    other = WAYS[0].document(QUERY) | {"blinding": to_hex(8)}
    for name, what, reason, file, changed in (
        ("other-box", "the opened box of another way", Reason.OTHER_BOX, "recourse/way-1/certificate.json",
         {"way_1_box": second["way_2_box"]}),
        ("beyond-the-rules", "a way beyond the end that the rules allow", Reason.CAP_EXCEEDED,
         "recourse/way-1/certificate.json", beyond),
        ("none-smaller", "a none of less than the rules allow, without the wishes", Reason.BOX_TOO_SMALL,
         "recourse/none/certificate.json", NO_WAYS | answer("none", wished)),
        ("way-called-none", "a way in the place of a none", Reason.OTHER_BOX, "recourse/none/certificate.json",
         NO_WAYS | {"none": first["way_1"], "none_box": first["way_1_box"]}),
        ("none-called-way", "a none in the place of a way", Reason.OTHER_BOX, "recourse/way-1/certificate.json",
         answer("way_1", ALL_PAIRED)),
        ("unproven", "a way whose proof is of another statement", Reason.PAIRINGS_DIFFER,
         "recourse/way-2/certificate.json", {"way_2": WAYS[1].files[BOX], "way_2_box": WAYS[1].files[OPENED]}),
        ("key-of-decisions", "the decision's key in place of that of boxes", Reason.KEY_NOT_TRUSTED,
         "recourse/way-1/certificate.json", {"box_key": refused()["key/metadata.json"]}),
        ("other-applicant", "the query of somebody else", ForQuery.reason, None, {"query": canonical_bytes(other)}),
    ):  # fmt: skip
        yield f"recourse-{name}", what, why, reason, file, changed


def malformed() -> Case:
    """Files of a recourse that are missing, and files that are none of ours."""
    why = "what a recourse is verified with is in the bundle, or the bundle is none"
    for role, file in (
        ("query", "query.json"),
        ("box_key", "recourse/key/metadata.json"),
        ("box_verifying_key", "recourse/key/verifying.key"),
        ("way_1", "recourse/way-1/certificate.json"),
        ("way_2_box", "recourse/way-2/opened.json"),
    ):
        name = role.replace("_", "-")
        yield f"recourse-without-{name}", f"no {name}", why, Reason.WRONG_FILES, file, {role: None}
    file = "recourse/none/certificate.json"
    yield "recourse-empty", "a key of boxes and no box", why, Reason.WRONG_FILES, file, NO_WAYS
    why = "what is inside is read as strictly as a file beside it"
    box = base()["recourse/way-1/certificate.json"]
    for name, reason, changed, file in (
        ("spaced", Reason.NOT_CANONICAL, {"way_1": box + b" "}, "recourse/way-1/certificate.json"),
        ("of-a-decision", Reason.WRONG_FIELDS, {"way_1": refused()["certificate.json"]},
         "recourse/way-1/certificate.json"),
        ("a-certificate-for-the-box", Reason.WRONG_FIELDS, {"way_1_box": box}, "recourse/way-1/opened.json"),
        ("wishes", Reason.NOT_JSON, {"wishes": b""}, "recourse/wishes.json"),
    ):  # fmt: skip
        yield f"recourse-content-{name}", name.replace("-", " "), why, reason, file, changed
