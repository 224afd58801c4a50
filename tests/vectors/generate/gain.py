"""Verifications of gain certificates: `gain.json`, with a case for each that every program must judge alike.

A case differs from a published one in `tests/golden` by whole files. Proofs of other statements are made under the
set-up whose secrets are known, so that what a verifier recomputes decides and not the proof.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator

import msgspec

from equiproof.circuits.field import ORDER
from equiproof.circuits.levels import gains, squares
from equiproof.circuits.shape import branch_shape, gain_shape
from equiproof.verifier import GainOf, MinGain, MinRadius
from equiproof.verifier.errors import Reason
from tests.vectors.generate.gain_cases import (
    FEMALE,
    HIGHER,
    LOWER,
    MALE,
    GainVector,
    Policy,
    case,
    document,
    edited,
    forged,
    levelled,
    levelled_spec,
    restated,
    shape_of,
    spec_of,
    without,
)
from tests.vectors.vector import GAIN, GOLDEN, KEY, QUERY

FILE = "gain.json"


def written() -> bytes:
    """Return the bytes of the file."""
    cases = list(vectors())
    assert len({case.name for case in cases}) == len(cases)
    return msgspec.json.format(msgspec.json.encode({"cases": cases}), indent=1) + b"\n"


def vectors() -> Iterator[GainVector]:
    """Yield every case."""
    yield from true()
    yield from other_statements()
    yield from other_rows()
    yield from other_words()
    yield from unmet()
    yield from other_keys()
    yield from malformed_gains()
    yield from malformed_files()
    yield from levels()


def true() -> Iterator[GainVector]:
    """What must be verified."""
    why = "the proof holds for what the verifier recomputes, and the demands are met"
    for base, demanded in (
        (HIGHER, Policy(True, True, "0.5", "0.6193", ("declined", MALE, FEMALE))),
        (
            LOWER,
            Policy(
                True, True, "15.992187", "-0.25",
                ("reduced", {"age": "25", "gender": "f"}, {"gender": "m", "age": "60"}),
            ),
        ),
    ):  # fmt: skip
        yield case("accept", f"published-{base}", "a published one", why, base=base)
        yield case("accept", f"under-policies-{base}", "one under every policy", why, base=base, policy=demanded)
    shown = edited("query", document(QUERY))
    yield case("accept", "disclosed", "one that discloses the applicant's data", why, files={GAIN: shown})
    half = 1 << (shape_of().sizes.gain_bits - 1)
    for name, fields in {
        "gain-0": {"least_gain": "0"},
        "gain-1": {"least_gain": "1"},
        "gain-minus-1": {"least_gain": "-1"},
        "gain-largest": {"least_gain": str(half - 1)},
        "gain-least": {"least_gain": str(-half)},
        "unit-0": {"least_gain": "-7", "logit_fraction_bits": 0},
        "unit-largest": {"logit_fraction_bits": 4096},
        "radius-0": {"radius_squared": 0},
        "radius-too-small-to-state": {"radius_squared": 1},
        "radius-largest": {"radius_squared": spec_of().max_radius_squared},
    }.items():
        yield case("accept", name, name.replace("-", " "), why, files=forged(**fields))
    yield case("accept", "rows", "two other rows", why, base=LOWER, files=forged(LOWER, first=4, second=1))
    for name, least, unit, demanded in (("exact", 1, 1, "0.5"), ("at-0", 0, 9, "0"), ("below-0", -3, 1, "-1.5")):
        files = forged(least_gain=str(least), logit_fraction_bits=unit)
        yield case("accept", f"gain-{name}", "the gain demanded", why, files=files, policy=Policy(min_gain=demanded))


def other_statements() -> Iterator[GainVector]:
    """The owner changes a number after the proof, and the words with it; or states what no key proves."""
    why, stated = "the proof is for the digest of the whole statement", document(GAIN)["statement"]
    for name, fields in {
        "gain-one-larger": {"least_gain": str(int(stated["least_gain"]) + 1)},
        "gain-negative": {"least_gain": "-" + stated["least_gain"]},
        "gain-0-instead": {"least_gain": "0"},
        "unit-smaller": {"logit_fraction_bits": stated["logit_fraction_bits"] - 1},
        "label-flipped": {"label": 1},
        "rows-swapped": {"first": 0, "second": 1},
        "radius-one-larger": {"radius_squared": stated["radius_squared"] + 1},
        "query-commitment": {"query_commitment": f"{1:064x}"},
        "context-digest": {"context_digest": f"{1:064x}"},
    }.items():
        lie = {GAIN: restated(**fields)}
        yield case("reject", f"statement-{name}", name.replace("-", " "), why, Reason.PAIRINGS_DIFFER, files=lie)
    for name, reason in (
        ("model_commitment", Reason.MODEL_DIFFERS),
        ("spec_digest", Reason.SPEC_DIFFERS),
        ("domain_digest", Reason.DOMAIN_DIFFERS),
    ):
        lie = {GAIN: edited(f"statement.{name}", f"{5:064x}")}
        yield case(
            "reject", f"statement-{name.replace('_', '-')}", f"another {name}", "it is recomputed", reason, files=lie
        )
    why, half = "what the circuit holds to a width has no meaning beyond it", 1 << (shape_of().sizes.gain_bits - 1)
    for name, gain in (("above", half), ("below", -half - 1)):
        lie = forged(least_gain=str(gain))
        yield case(
            "reject", f"gain-{name}-its-width", f"a gain {name} its width", why, Reason.GAIN_TOO_LARGE, files=lie
        )
    beyond = restated(radius_squared=spec_of().max_radius_squared + 1)
    yield case(
        "reject", "radius-beyond", "a radius that no spec states", why, Reason.RADIUS_TOO_LARGE, files={GAIN: beyond}
    )
    lie = {GAIN: edited("statement.label", 2)}
    yield case(
        "reject",
        "label-unknown",
        "a label that the spec lacks",
        "labels are the spec's",
        Reason.UNKNOWN_LABEL,
        files=lie,
    )


def other_rows() -> Iterator[GainVector]:
    """The rows that are named are not those that were proven, or not two rows of the table."""
    why = "what the words compare must be what the digest binds"
    for name, path, value, reason in (
        ("second-is-the-first", "statement.second", 1, Reason.UNKNOWN_VALUES),
        ("first-beyond-the-table", "statement.first", 2, Reason.UNKNOWN_VALUES),
        ("second-beyond-the-table", "statement.second", 2**14 - 1, Reason.UNKNOWN_VALUES),
    ):
        yield case("reject", f"rows-{name}", f"rows: {name}", why, reason, files={GAIN: edited(path, value)})
    whole = document(GAIN, LOWER)
    whole["statement"] |= {"first": 5, "second": 0}
    yield case(
        "reject", "rows-named-in-another-order", "swapped", why, Reason.DOMAIN_DIFFERS, base=LOWER, files={GAIN: whole}
    )


def other_words() -> Iterator[GainVector]:
    """The numbers are the proven ones and the words are not."""
    for name, path, value in (
        ("label", "reading.label", "granted"),
        ("first", "reading.first", FEMALE),
        ("second", "reading.second", MALE),
        ("second-more", "reading.second", {"race": "x", "sex": "f"}),
        ("gain-rounded-up", "reading.gain", "0.619336"),
        ("gain-trimmed", "reading.gain", "0.62"),
        ("radius", "reading.radius", "9.000000"),
        ("radius-any", "reading.radius_any", "0.500001"),
        ("at-least", "reading.at_least", True),
        ("feature", "reading.features.income", "+- 44,200 EUR"),
    ):
        why, files = "people read the words; the verifier writes its own", {GAIN: edited(path, value)}
        yield case("reject", f"words-{name}", f"words: {name}", why, Reason.WORDS_DIFFER, files=files)


def unmet() -> Iterator[GainVector]:
    """A true certificate that is not enough, or about something or somebody else."""
    label, reason = "declined", GainOf.reason
    for name, demanded, wanted in (
        ("gain", Policy(min_gain="0.62"), MinGain.reason),
        ("radius", Policy(min_radius="0.51"), MinRadius.reason),
        ("label", Policy(gain_of=("granted", MALE, FEMALE)), reason),
        ("label-unknown", Policy(gain_of=("maybe", MALE, FEMALE)), reason),
        ("values-swapped", Policy(gain_of=(label, FEMALE, MALE)), reason),
        ("values-equal", Policy(gain_of=(label, MALE, MALE)), reason),
        ("value-unknown", Policy(gain_of=(label, {"sex": "x"}, FEMALE)), reason),
        ("feature-unknown", Policy(gain_of=(label, MALE, {"race": "f"})), reason),
        ("feature-not-sensitive", Policy(gain_of=(label, MALE | {"housing": "own"}, FEMALE)), reason),
        ("value-missing", Policy(gain_of=(label, {}, FEMALE)), reason),
    ):
        why = "a proof that holds is not all that a relying party needs"
        yield case("reject", f"policy-{name}", f"policy: {name}", why, wanted, exception="PolicyError", policy=demanded)
    files = forged(least_gain="1", logit_fraction_bits=1)
    why, demanded = "gains are compared exactly, not as they are shown", Policy(min_gain="0.5000000000000000000000001")
    yield case(
        "reject",
        "policy-gain-exact",
        "a little more",
        why,
        MinGain.reason,
        exception="PolicyError",
        files=files,
        policy=demanded,
    )
    why, demanded = "the text 0.000000 is also that of a gain above 0", Policy(min_gain="0.000001")
    files = forged(least_gain="1")
    yield case(
        "reject",
        "policy-gain-tiny",
        "less than shown",
        why,
        MinGain.reason,
        exception="PolicyError",
        files=files,
        policy=demanded,
    )
    other = {QUERY: edited("features.income", 1, file=QUERY)}
    yield case(
        "reject", "policy-query", "other data", "it is about one applicant", "other-query",
        exception="PolicyError", policy=Policy(query=True), files=other,
    )  # fmt: skip
    yield case(
        "reject", "policy-context", "another context", "it was made for one application", "other-context",
        exception="PolicyError", policy=Policy(context=True), files={"context.json": {"nonce": "0" * 16}},
    )  # fmt: skip


def other_keys() -> Iterator[GainVector]:
    """Keys that prove something else, or that are not the ones named."""
    spec, why = spec_of(), "a key of another circuit proves another statement"
    hidden, differs = shape_of().architecture.hidden, Reason.SHAPE_DIFFERS
    own = gain_shape(spec, hidden, 8)
    for name, shape in (
        ("branch", branch_shape(spec, hidden, 8)),
        ("other-spec", gain_shape(spec_of(LOWER), hidden, 8)),
        ("other-input-bits", msgspec.structs.replace(own, input_bits=spec.input_bits + 1)),
        ("other-radius-bits", msgspec.structs.replace(own, radius_bits=own.radius_bits + 1)),
    ):
        yield case("reject", f"key-{name}", f"a key: {name}", why, differs, files=forged(shape=shape))
    for name, shape in (("more-leaves", gain_shape(spec, hidden, 64)), ("deeper", gain_shape(spec, (3, 2, 4), 8))):
        yield case("accept", f"key-{name}", f"a key: {name}", "sizes are the key's own", files=forged(shape=shape))
    untrusted = edited("key.fingerprint", f"{5:064x}")
    why, exception = "what is trusted is the key and what it says", "UntrustedKeyError"
    yield case(
        "reject",
        "key-unknown",
        "a key that is not trusted",
        why,
        Reason.KEY_NOT_TRUSTED,
        exception=exception,
        files={GAIN: untrusted},
    )
    other = edited("key.setup", "ceremony")
    yield case(
        "reject", "key-set-up", "another set-up", why, Reason.SETUP_DIFFERS, exception=exception, files={GAIN: other}
    )
    for name, field, value in (
        ("three-rows", "slices", 3),
        ("one-row", "slices", 1),
        ("too-many-neurons", "hidden", [2049]),
    ):
        metadata = copy.deepcopy(document(KEY))
        place = metadata["shape"]["architecture"] if field == "hidden" else metadata["shape"]
        place[field] = value
        if field == "hidden":
            place |= {"weight_bits": [16, 16], "bias_bits": place["bias_bits"][:2]}
        why = "a shape that no circuit has must not select one"
        yield case("malformed", f"key-{name}", f"a key: {name}", why, Reason.BAD_SHAPE, files={KEY: metadata})


def malformed_gains() -> Iterator[GainVector]:
    """Numbers that are no integers in their one spelling, or that another number has the digest of."""
    why, least = "one number, one spelling", "statement.least_gain"
    for name, value in (
        ("plus", "+1"), ("zeros", "01"), ("minus-0", "-0"), ("point", "1.0"), ("empty", ""), ("blank", " 1"),
        ("line", "1\n"), ("exponent", "1e3"), ("arabic", "\u0661"), ("long", "1" * 81),
        ("hexadecimal", "0x1"), ("number", 680966893568),
    ):  # fmt: skip
        yield case(
            "malformed", f"gain-{name}", f"a gain: {name}", why, Reason.WRONG_FIELDS, files={GAIN: edited(least, value)}
        )
    proven, why = int(document(GAIN)["statement"]["least_gain"]), "the digest holds the residue of a gain"
    for name, path, value in (
        ("gain-plus-the-order", least, str(proven + ORDER)),
        ("gain-less-the-order", least, str(proven - ORDER)),
        ("gain-half-the-order", least, str(ORDER // 2 + 1)),
        ("gain-of-80-digits", least, "9" * 80),
        ("first-negative", "statement.first", -1),
        ("second-large", "statement.second", 2**14),
        ("unit-negative", "statement.logit_fraction_bits", -1),
        ("unit-large", "statement.logit_fraction_bits", 4097),
        ("label-negative", "statement.label", -1),
        ("radius-large", "statement.radius_squared", -1),
    ):
        yield case(
            "malformed", name, name.replace("-", " "), why, Reason.OUT_OF_RANGE, files={GAIN: edited(path, value)}
        )


def malformed_files() -> Iterator[GainVector]:
    """Files that are no gain certificates."""
    why = "a file has one form, and one kind"
    plain = (GOLDEN / HIGHER / GAIN).read_text()
    certificate = (GOLDEN / "loans" / "certificate.json").read_text()
    whole = edited("reading.ranges", {})
    for name, data, reason in (
        ("version-1", edited("version", 1), Reason.OTHER_FORMAT),
        ("format", edited("format", "equiproof-certificate"), Reason.OTHER_FORMAT),
        ("certificate", certificate, Reason.WRONG_FIELDS),
        ("pretty", plain.replace(",", ", "), Reason.NOT_CANONICAL),
        ("reordered", json.dumps(dict(reversed(document(GAIN).items())), separators=(",", ":")), Reason.NOT_CANONICAL),
        ("cut", plain[:-1], Reason.NOT_JSON),
        ("ranges", whole, Reason.WRONG_FIELDS),
        *(
            (f"without-{path.replace('.', '-').replace('_', '-')}", without(path), Reason.WRONG_FIELDS)
            for path in ("statement.first", "statement.least_gain", "statement.logit_fraction_bits", "reading.second")
        ),
        ("element", edited("statement.model_commitment", "f" * 64), Reason.BAD_ELEMENT),
        ("base64", edited("proof", "!"), Reason.NOT_BASE64),
        ("proof-short", edited("proof", "AAAA"), Reason.WRONG_LENGTH),
        ("query", edited("query", document(QUERY) | {"blinding": ""}), Reason.BAD_ELEMENT),
    ):
        yield case("malformed", f"file-{name}", name.replace("-", " "), why, reason, files={GAIN: data})


def levels() -> Iterator[GainVector]:
    """Certificates under a spec with levels, whose proofs hold: levels of both numbers, and others of either."""
    radius, unit = (
        squares(["0.25"], spec_of().input_fraction_bits)[0],
        document(GAIN)["statement"]["logit_fraction_bits"],
    )
    for name, gain in (("of-0", 0), ("of-a-gain", gains(levelled_spec(), unit)[-1]), ("of-a-loss", -(1 << unit >> 1))):
        why = "both numbers are levels of the spec"
        yield case("accept", f"level-{name}", f"a level {name}", why, files=levelled(radius, gain))
    why = "an exact number is an equation about the model"
    for name, stated, gain in (
        ("gain-larger", radius, 1),
        ("loss-larger", radius, -(1 << unit >> 1) - 1),
        ("radius-larger", radius + 1, 0),
        ("radius-smaller", radius - 1, 0),
    ):
        what = f"a level: {name.replace('-', ' ')}"
        yield case("reject", f"level-{name}", what, why, Reason.NOT_A_LEVEL, files=levelled(stated, gain))
    whole = levelled(radius, 1 << unit >> 1, ())
    why = "levels of gains that are not listed are 0 alone, so that no gain tells what the radii keep"
    yield case("reject", "level-gain-without-a-list", "a gain without levels", why, Reason.NOT_A_LEVEL, files=whole)
