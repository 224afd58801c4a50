"""Keys whose shape has sets of the values of categories: honest ones, of another spec, and malformed ones."""

from __future__ import annotations

import base64
import copy
import hashlib
import json
from typing import Any

import msgspec

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.commitment import domain_digest
from equiproof.circuits.encodings.missing import Missing
from equiproof.circuits.field import to_hex
from equiproof.circuits.shape import additive_shape, ensemble_shape
from equiproof.circuits.spec import Spec
from equiproof.verifier import parse_certificate
from equiproof.verifier.documents import parse_key
from equiproof.verifier.errors import Reason
from equiproof.verifier.reading import Reading
from tests.support import GENDER, HOUSING, INCOME, SAVINGS, changed, spec_of
from tests.vectors.generate.additive_keys import ABSENT
from tests.vectors.generate.cases import KNOWN, Named, certificate_vector, document
from tests.vectors.vector import CERTIFICATE, COMMITMENT, KEY, VERIFYING

PURPOSE = changed(HOUSING, name="purpose", domain=("car", "home"))
FEATURES = (INCOME, changed(HOUSING, domain=("own", "rent", "free")), SAVINGS, PURPOSE, GENDER)
"""Columns 0 of the income, 1 to 3 of the home, 4 of ranks, 5 and 6 of the purpose; two of a sensitive category."""

SPEC = spec_of(*FEATURES, name="sets")
LACKING = spec_of(
    changed(INCOME, range=("0", "60000"), missing=Missing()),
    *(changed(one, missing=Missing()) for one in FEATURES[1:-1]),
    GENDER,
    name="sets",
    use_ranges=True,
)
"""The same with ranges, where everything but the gender may be missing."""

SETS = {1: 2, 5: 1}
SIZES, CAPACITY = ((12, 2), (5, 20), 8, 16), 16
AT = "shape.architecture.categories"


def vectors() -> Named:
    """Return the vectors of this family."""
    yield from honest()
    yield from unfitting()
    yield from malformed()


def shape_of(spec: Spec = SPEC, sets: dict[int, int] | None = None) -> Any:
    """Return the shape of an ensemble as a document; `sets` has how many sets, by the first column."""
    return json.loads(ensemble_shape(spec, *SIZES, CAPACITY, SETS if sets is None else sets).document)


def metadata(shape: Any) -> Any:
    """Return the metadata of a key of a shape."""
    return document(KEY) | {"shape": shape, "verifying_key": hashlib.sha256(KNOWN.key()).hexdigest()}


def store(shape: Any, spec: Spec = SPEC) -> dict[str, Any]:
    """Return the files of a certificate under a spec whose proof holds under a key of this shape."""
    key, certificate = parse_key(canonical_bytes(metadata(shape)), KEY), document(CERTIFICATE)
    certificate["statement"] |= {
        "spec_digest": to_hex(spec.digest),
        "domain_digest": to_hex(domain_digest(spec)),
        "radius_squared": 0,
    }
    certificate["key"]["fingerprint"] = key.fingerprint
    reading = Reading.of(spec, certificate["statement"]["label"], 0)
    certificate["reading"] = json.loads(canonical_bytes(reading))
    statement = parse_certificate(canonical_bytes(certificate), CERTIFICATE).to_statement()
    certificate["proof"] = base64.b64encode(KNOWN.forge(statement.digest(key.shape)).data()).decode()
    commitment = document(COMMITMENT) | {"spec": json.loads(canonical_bytes(spec))}
    return {
        KEY: metadata(shape),
        VERIFYING: KNOWN.key(),
        CERTIFICATE: certificate,
        COMMITMENT: commitment,
    }


def honest() -> Named:
    """Keys under the spec: how many sets are asked of which categories is the key's own."""
    why = "a key says of which categories the trees ask sets, and how many; the spec says the rest"
    for name, spec, sets in (
        ("none", SPEC, {}),
        ("of-two-categories", SPEC, SETS),
        ("of-the-last-category", SPEC, {5: 7}),
        ("as-many-as-there-are", SPEC, {1: 4095, 5: 1}),
        ("missing-and-ranges", LACKING, SETS),
    ):
        what = f"a key of an ensemble with sets: {name.replace('-', ' ')}"
        yield f"sets-{name}", certificate_vector("accept", what, why, files=store(shape_of(spec, sets), spec))


def unfitting() -> Named:
    """Categories that are not those of the spec."""
    why = "what stands in which columns follows from the spec: a circuit of other ones knows other people"
    own = shape_of()["architecture"]["categories"]
    home, purpose = own
    of = {"values": 2, "low": home["low"], "high": home["high"], "sets": 1}
    for name, categories in (
        ("first", [home | {"first": 0}, purpose]),
        ("values", [home | {"values": 2}, purpose]),
        ("low", [home | {"low": home["low"] - 1}, purpose]),
        ("high", [home, purpose | {"high": purpose["high"] - 1}]),
        ("low-and-high", [home | {"low": home["high"], "high": home["low"]}, purpose]),
        ("order", [purpose, home]),
        ("twice", [home, home, purpose]),
        ("twice-in-parts", [home | {"sets": 1}, home | {"sets": 1}, purpose]),
        ("numbers", [of | {"first": 0, "values": 1}, purpose]),
        ("ranks", [home, of | {"first": 4, "values": 1}, purpose]),
        ("sensitive", [home, purpose, of | {"first": 7}]),
        ("behind", [home, purpose, of | {"first": 2**53 - 1}]),
        ("empty", []),
    ):
        shape = shape_of()
        shape["architecture"]["categories"] = categories
        what = f"a key of an ensemble with sets of another spec: {name.replace('-', ' ')}"
        vector = certificate_vector("reject", what, why, Reason.SHAPE_DIFFERS, files=store(shape))
        yield f"sets-other-{name}", vector


def malformed() -> Named:
    """Sets that no circuit has, fields of another type, and sets of other models."""
    shapes, fields = Reason.BAD_SHAPE, Reason.WRONG_FIELDS
    bounds = f"{AT}: want at least 1 set of the values of each category, 4096 at most in all"
    for name, place, field, value, reason, message in (
        ("no-set", 0, "sets", 0, shapes, bounds),
        ("less-than-no-set", 1, "sets", -1, shapes, bounds),
        ("one-more", 1, "sets", 4095, shapes, bounds),
        ("huge", 0, "sets", 2**53 - 1, shapes, bounds),
        ("sets-absent", 0, "sets", ABSENT, fields, f"{AT}[0]"),
        ("sets-text", 0, "sets", "2", fields, f"{AT}[0].sets"),
        ("low-null", 1, "low", None, fields, f"{AT}[1].low"),
        ("width", 1, "width", 3, fields, f"{AT}[1]"),
    ):
        lie = shape_of()
        changed_at = lie["architecture"]["categories"][place]
        if value is ABSENT:
            del changed_at[field]
        else:
            changed_at[field] = value
        yield bad(name, reason, lie, message)
    lie = shape_of()
    lie["architecture"]["categories"] = None
    yield bad("null", fields, lie, AT)
    own = shape_of()["architecture"]["categories"]
    network = copy.deepcopy(document(KEY)["shape"])
    for name, shape, message in (
        ("of-a-network", network, "not a field of networks"),
        ("of-an-additive-model", _additive(SPEC), "not a field of additive"),
        ("of-an-additive-model-with-ranges", _additive(LACKING), "not a field of additive-ranges"),
    ):
        for empty in (False, True):
            shape["architecture"]["categories"] = [] if empty else own
            yield bad(f"{name}-empty" if empty else name, shapes, copy.deepcopy(shape), f"{AT}: {message}")


def _additive(spec: Spec) -> Any:
    """Return the shape of an additive model as a document."""
    return msgspec.json.decode(additive_shape(spec, (12, 2), 8, CAPACITY).document)


def bad(name: str, reason: Reason, shape: Any, field: str) -> Any:
    """Return a store with a malformed key; the message has `field`, its place and the refusal."""
    what = f"a key with sets of values: {name.replace('-', ' ')}"
    why = "a shape that fits two models, or none, selects nothing"
    return f"sets-{name}", certificate_vector("malformed", what, why, reason, field, files={KEY: metadata(shape)})
