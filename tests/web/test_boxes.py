"""The TypeScript verifier of box certificates comes to what Python comes to, in the same words."""

import json
import re

import msgspec
import pytest

from equiproof.circuits import tables
from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.categories import choices_of
from equiproof.circuits.field import to_hex
from equiproof.circuits.shape import (
    Shape,
    additive_shape,
    box_shape,
    ensemble_box_shape,
    ensemble_shape,
    follows_box,
    gain_shape,
    network_box_shape,
)
from equiproof.circuits.tables import say
from equiproof.prover import Opening
from equiproof.prover.box import BoxProver
from equiproof.verifier import (
    CertificateFormatError,
    parse_box,
    parse_certificate,
    parse_gain,
    parse_opened_box,
)
from equiproof.verifier.box import BoxReading
from equiproof.verifier.documents import parse_key
from equiproof.verifier.notes import Signer
from tests.box_cases import UNFIT as FOR_NOBODY
from tests.box_cases import judged
from tests.fuzz.mutator import mutated
from tests.gain_cases import CASES as GAINS
from tests.kept import kept_keys
from tests.pair_cases import ALL_PAIRED, drawn_pair
from tests.prover.additive_case import additive_model
from tests.soundness import box_lies
from tests.support import LOANS, RATES, key_of
from tests.vectors.vector import CERTIFICATE, COMMITMENT, CONTEXT, FOLDER, GAIN, KEY, QUERY, VERIFYING, certificate_base
from tests.verifier.logged_boxes import PINS, SINCE, proofs
from tests.verifier.logs import NOON
from tests.web.box_files import (
    BOX,
    CONTEXT_TEXTS,
    OPENED,
    PREDICATES,
    Case,
    drawn_ends,
    drawn_spec,
    files_of,
    metadata,
    opened_box,
    spoiled,
    statement_of,
)
from tests.web.test_agreement import REPEATED, TIMES, changed_document, generator, written
from tests.web.test_said import OPTIONS
from tests.web.web import spoken

OTHERWISE = re.compile(": want (64|a |text|an |no |one )|the field's order|JSON|too (large|long)|canonical|pairing")
"""What the other verifier says in words of its own: of bytes, a value's form, other documents, and pairings."""

SYSTEM = re.compile("(?<=-k[0-9])-[0-9a-f]{8}(?= proves)")
"""What ends the name of a shape in Python alone."""

ENDS = {"income": (29800, "30351.5"), "savings": ("none", "low"), "housing": ("own", "rent")}
OTHER_ENDS = ENDS | {"savings": ("none", "high")}
"""Of the spec of the lies about boxes."""

SPEC = box_lies.SPEC
OWN, OTHER = opened_box(ENDS), opened_box(OTHER_ENDS)


def own(**fields):
    """Return the files of the box of ENDS, with other parts of its statement where they are given."""
    return files_of(SPEC, OWN, statement_of(SPEC, OWN, **fields))


def edited(files, name, *changes):
    """Return files of which one document has other values at dotted paths."""
    found = json.loads(files[name])
    for path, value in changes:
        *way, last = path.split(".")
        inner = found
        for step in way:
            inner = inner[step]
        inner[last] = value
    return files | {name: canonical_bytes(found)}


def same(signing, case):
    """Assert that a case is verified with the same words, or refused for the same reason in the same line."""
    wanted, found = case.judged(), signing.ask("box", **case.asked())
    if "value" in wanted:
        # What is open is named without the options of a command.
        wanted["value"]["notMade"] = [OPTIONS.sub("", line) for line in wanted["value"]["notMade"]]
    elif wanted["exception"] == "TypeError":
        # A build gives classes other names.
        wanted["message"] = re.sub(r"^\w+", "a policy", wanted["message"])
    else:
        wanted["message"] = SYSTEM.sub("", wanted["message"])
    assert found == wanted, case
    return wanted


@pytest.fixture(scope="module")
def proven():
    """A certificate as the prover makes it, which discloses its box, with the files that it is verified with."""
    bias = 400
    opening = Opening.of(additive_model(SPEC, box_lies.PREDICATES, bias), SPEC, 11)
    key = key_of(kept_keys(), box_shape(SPEC, opening.additive.predicates))
    with BoxProver(opening, key) as prover:
        made = prover.prove(ENDS, "granted", CONTEXT_TEXTS, disclose=True)
    return {
        BOX: made.certificate.to_bytes(),
        OPENED: canonical_bytes(made.opened),
        COMMITMENT: opening.public(),
        CONTEXT: canonical_bytes(CONTEXT_TEXTS),
        KEY: canonical_bytes(key.document),
        VERIFYING: (key.folder / "verifying.key").read_bytes(),
    }


def test_what_the_prover_makes(signing, proven):
    """A certificate is verified in Python's words: with the box that it discloses, and the one that is asked for."""
    found = same(signing, Case(proven, {"context": True}, "granted"))["value"]
    assert found["ends"] == {"income": "29800 to 30351.5 EUR", "savings": "none / low", "housing": "own / rent"}
    assert sum("it is about the box in" in line for line in found["made"]) == 2
    without = {name: data for name, data in proven.items() if name != OPENED}
    assert same(signing, Case(without, {}))["value"]["ends"] == found["ends"]


def accepted():
    """Yield cases that are verified: each policy about boxes, what is asked for and what is not."""
    files = own()
    alone = {name: data for name, data in files.items() if name != OPENED}
    fingerprint = parse_key(files[KEY], KEY).fingerprint
    yield Case(alone, {})
    yield Case(files, {}, "granted")
    yield Case(files_of(SPEC, OWN, statement_of(SPEC, OWN, label=0)), {"context": True}, "declined")
    yield Case(files_of(SPEC, OWN, statement_of(SPEC, OWN), disclosed=OWN), {"covers": ["sex"]}, "granted")
    ensemble = metadata(ensemble_box_shape(SPEC, PREDICATES, (2, 5), 2, 3, 8))
    yield Case(files_of(SPEC, OWN, statement_of(SPEC, OWN), ensemble), {"context": True}, "granted")
    yield Case(alone, {"all_of": [{"key": fingerprint}, {"model": to_hex(1)}]})
    yield Case(alone, {"any_of": [{"setup": "ceremony"}, {"proof_system": "groth16-bn254", "setup": "single-party"}]})
    yield Case(files, {"context": True, "context_has": {"policy": "p"}, "not_older": [5, "2026-02-01"]}, "granted")


UNFIT = [
    ("income", (40000, 1)),
    ("income", ("1",)),
    ("income", (1, 2, 3)),
    ("income", ()),
    ("income", (1, "two")),
    ("savings", ("low", "none")),
    ("savings", ("low",)),
    ("housing", ("own", "own")),
    ("housing", ("own", "rent", "own")),
    ("housing", ("own", "free")),
    ("sex", ("f", "m")),
]
"""Values of one feature that are no ends."""


def refused():
    """Yield cases that are refused, with the reason."""
    files = own()
    alone = {name: data for name, data in files.items() if name != OPENED}
    yield "other-box", Case(files, {}, "declined")
    yield "other-box", Case(files, {}, "gr\tanted" * 9)
    yield "other-box", Case(files | {OPENED: canonical_bytes(OTHER)}, {}, "granted")
    yield "other-box", Case(files | {OPENED: canonical_bytes(opened_box(ENDS, 6))}, {"setup": "ceremony"})
    yield "other-box", Case(files_of(SPEC, OWN, statement_of(SPEC, OWN), disclosed=OTHER), {})
    yield "bad-query", Case(files | {OPENED: canonical_bytes(opened_box({"income": (1, 2)}))}, {})
    yield "bad-query", Case(edited(files, OPENED, ("ends.zoo", [])), {}, "granted")
    for name, values in UNFIT:
        yield "bad-query", Case(files | {OPENED: canonical_bytes(opened_box(ENDS | {name: values}))}, {})
    yield "other-setup", Case(alone, {"setup": "ceremony"})
    yield "too-few-signers", Case(files, {"signed_by": [[Signer.new("anna").verifier.text], 1]})
    yield "not-canonical", Case(files | {OPENED: files[OPENED] + b"\n"}, {})
    yield "not-canonical", Case(files | {OPENED: files[OPENED].replace(b'"ends":{', b'"ends":{"income":[1,2],')}, {})
    yield "other-model", Case(files, {"model": to_hex(2)}, "granted")
    yield "other-transcript", Case(files, {"transcript": "0" * 64})
    yield "features-not-covered", Case(alone, {"covers": ["age"]})
    yield "other-context", Case(own(context_digest=4), {"context": True})
    yield "context-lacks", Case(files, {"context_has": {"policy": "q"}})
    yield "too-old", Case(files, {"not_older": [5, "2027-02-01"]})
    yield "no-policy-met", Case(files, {"any_of": [{"setup": "ceremony"}, {"model": to_hex(2)}]})
    yield "model-differs", Case(own(model_commitment=2), {})
    yield "spec-differs", Case(own(spec_digest=3), {})
    yield "domain-differs", Case(own(domain_digest=3), {})
    yield "other-box", Case(own(box_commitment=3), {})
    yield "unknown-label", Case(edited(files, BOX, ("statement.label", 2)), {}, "granted")
    yield "out-of-range", Case(edited(files, BOX, ("statement.label", -1)), {})
    yield "out-of-range", Case(edited(files, BOX, ("statement.label", 1 << 14)), {})
    yield "words-differ", Case(edited(files, BOX, ("reading.label", "declined")), {}, "declined")
    yield "words-differ", Case(edited(files, BOX, ("reading.sensitive", ["sex", "age"])), {})
    yield "setup-differs", Case(edited(files, BOX, ("key.setup", "ceremony")), {})
    yield "key-not-trusted", Case(edited(files, BOX, ("key.fingerprint", "0" * 64)), {})
    yield (
        "proof-system-differs",
        Case(edited(files, BOX, ("proof_system", "plonk-bn254"), ("proof", "A" * 779 + "=")), {}),
    )
    yield "wrong-length", Case(edited(files, BOX, ("proof", "AAAA")), {})
    yield "not-base64", Case(edited(files, BOX, ("proof", "AAA")), {})
    yield "not-canonical", Case(edited(files, BOX, ("proof", "AAB=")), {})
    yield "bad-element", Case(edited(files, BOX, ("statement.box_commitment", "f" * 64)), {})
    yield "bad-element", Case(edited(files, OPENED, ("blinding", "f" * 64)), {})
    yield "other-format", Case(edited(files, OPENED, ("version", 1)), {})
    yield "other-format", Case(edited(files, BOX, ("version", 3)), {})
    yield "pairings-differ", Case(edited(own(context_digest=7), BOX, ("statement.context_digest", to_hex(8))), {})
    disclosed = files_of(SPEC, OWN, statement_of(SPEC, OWN), disclosed=OWN)
    yield "bad-element", Case(edited(disclosed, BOX, ("box.blinding", "f" * 64)), {})
    yield "other-format", Case(edited(disclosed, BOX, ("box.format", "equiproof-query")), {})
    yield from of_other_keys()


def of_other_keys():
    """Yield cases whose key proves something else, or is of others."""
    statement = statement_of(SPEC, OWN)
    shapes = [
        additive_shape(SPEC, PREDICATES, 2, 1), ensemble_shape(SPEC, PREDICATES, (2, 5), 2, 3, 8),
        ensemble_box_shape(GAPS, PREDICATES, (2, 5), 2, 3, 8), gain_shape(SPEC, (2,), 8), box_shape(GAPS, PREDICATES),
        msgspec.structs.replace(box_shape(SPEC, PREDICATES), capacity=2),
    ]  # fmt: skip
    for shape in shapes:
        yield "shape-differs", Case(files_of(SPEC, OWN, statement, metadata(shape)), {}, "granted")
    ceremony = {"powers": {"origin": "ceremony", "source": "0" * 64, "digest": "1" * 64}, "setup": "universal"}
    key = metadata(box_shape(SPEC, PREDICATES), proof_system="plonk-bn254", **ceremony)
    files = edited(own(), BOX, ("proof_system", "plonk-bn254"), ("proof", "A" * 779 + "="), ("key.setup", "universal"))
    files |= {KEY: canonical_bytes(key)}
    fingerprint = parse_key(files[KEY], KEY).fingerprint
    yield "no-transcript", Case(edited(files, BOX, ("key.fingerprint", fingerprint)), {}, "declined")


GAPS = msgspec.structs.replace(SPEC, name="others", features=(*SPEC.features[1:],))
"""A spec with a feature less."""


def test_cases_that_are_verified(signing):
    """Each part of what is verified is the same."""
    for case in accepted():
        assert "value" in same(signing, case), case


def test_cases_that_are_refused(signing):
    """The reason and the line are the same, and the first of several is the same one."""
    seen = set()
    for reason, case in refused():
        wanted, found = case.judged(), signing.ask("box", **case.asked())
        assert (wanted.get("reason"), found.get("reason")) == (reason, reason), (wanted, found)
        assert found["exception"] == wanted["exception"]
        if not (OTHERWISE.search(wanted["message"]) or REPEATED.search(wanted["message"])):
            # Which transcript is named in code there, and by an option here.
            assert found["message"] == SYSTEM.sub("", wanted["message"]) or reason == "no-transcript", reason
        seen.add(reason)
    assert len(seen) > 20


def test_drawn_pairs(signing):
    """Drawn rules, wishes and boxes, compared with a refusal, have the same verdict for the same reason."""
    rng, reasons = generator("drawn pairs"), set()
    for _ in range(80 * (TIMES or 1)):
        case, _ = drawn_pair(rng)
        files = {
            (KEY if name == "key.json" else VERIFYING if name == "verifying.key" else name): data
            for name, data in case.files.items()
        }
        found = signing.ask("box", files={name: data.hex() for name, data in files.items()}, policy={})
        assert found["reason"] == judged(case)["reason"], case.files
        reasons.add(found["reason"])
    assert len(reasons) >= 4


def test_a_refusal_needs_the_opened_box(signing):
    """Without it nobody sees what is compared: a mistake of the program, as in Python."""
    files = {name: data.hex() for name, data in ALL_PAIRED.files.items() if name != OPENED}
    files |= {KEY: files["key.json"], VERIFYING: files["verifying.key"]}
    found = signing.ask("box", files=files, policy={})
    assert (found["exception"], found["message"]) == ("TypeError", say("pair.box_missing"))


def test_vectors(signing):
    """Each case of tests/vectors/box.json has the verdict, the reason and the words that are written."""
    table = json.loads((FOLDER / "box.json").read_bytes())
    for case in table["cases"]:
        base = table["bases"][case["base"]]
        files = {name: text.encode().hex() for name, text in (base["text"] | case["text"]).items() if text is not None}
        files |= base["hex"] | case["hex"]
        files |= {KEY: files["key.json"], VERIFYING: files["verifying.key"]}
        if not case["opened"]:
            files.pop(OPENED, None)
        asked = {name: case[name] for name in ("label", "within") if case.get(name) is not None}
        found = signing.ask("box", files=files, policy=case["policy"], **asked)
        said = found.get("value", {})
        for part in ("sentence", "ends", "answer"):
            assert said.get(part) == case.get(part), (case["name"], part)
        assert (found.get("exception"), found.get("reason")) == (case.get("exception"), case.get("reason")), case[
            "name"
        ]
    assert len(table["cases"]) > 100


@pytest.mark.parametrize(
    "policy",
    [
        {"min_radius": "0"},
        {"no_ranges": True},
        {"query": True},
        {"any_of": [{"context": True}, {"all_of": [{"min_radius": "0"}]}]},
    ],
)
def test_policies_about_something_else(signing, policy):
    """A policy about a radius, a query or ranges is a mistake of the program, alone and in other policies."""
    files = own() | {QUERY: certificate_base("loans")[QUERY]}
    assert same(signing, Case(files, policy))["exception"] == "TypeError"


def test_logs(signing):
    """A log that holds the commitment, and one that dates the file; an entry of another kind does for neither."""
    files = own()
    found = proofs(files[BOX], files[COMMITMENT])
    log = {name: (PINS, proof.hex(), NOON) for name, proof in found.items()}
    said = same(signing, Case(files, {"log": log["commitment"]}, dated=log["box"]))["value"]
    assert f"holds its file, which witnesses had seen by {SINCE}" in said["made"][-1]
    for name in set(log) - {"commitment"}:
        assert same(signing, Case(files, {"log": log[name]}))["reason"] == "other-entry", name
    for name in set(log) - {"box"}:
        assert same(signing, Case(files, {}, dated=log[name]))["reason"] == "other-entry", name
    opened = files_of(SPEC, OWN, statement_of(SPEC, OWN), disclosed=OWN)
    assert same(signing, Case(opened, {}, dated=log["box"]))["reason"] == "other-entry"


def test_policies_of_users(package):
    """One that does not say that it judges box certificates does not, and neither does what is made of it."""
    assert package.call("of_boxes", [True, True]) == [True, True]
    assert package.call("of_boxes", [True, False]) == [False, False]


def test_what_follows_from_a_spec(package):
    """Commitments, digests and words of drawn boxes are equal; boxes that do not fit are refused in the same words."""
    rng, refusals, missing, compared = generator("boxes"), set(), 0, 0
    for _ in range(90 * (TIMES or 1)):
        spec = drawn_spec(rng)
        ends = drawn_ends(spec, rng)
        opened = opened_box(spoiled(ends, spec, rng) if rng.random() < 0.5 else ends, rng.getrandbits(250))
        label, shape = rng.randrange(2), box_shape(spec, (rng.randint(1, 9), rng.randint(0, 3)))
        text = canonical_bytes(opened).decode()
        found = package.ask("call", name="box_facts", words=[written(spec), text, shape.document.decode(), label])
        try:
            read = parse_opened_box(text.encode(), OPENED)
            wanted = {"value": facts(spec, read, statement_of(spec, read, label, **NUMBERS), shape)}
        except CertificateFormatError as error:
            wanted = {"exception": "CertificateFormatError", "reason": str(error.reason), "message": str(error)}
            refusals.add(re.sub("'[^']*'|\"[^\"]*\"|[0-9.]+", "", str(error))[:50])
        else:
            missing += "not stated" in wanted["value"]["ends"].values()
            compared += 1
        if REPEATED.search(wanted.get("message", "")):
            wanted["message"] = found["message"]
        assert found == wanted, (written(spec), text)
    assert TIMES or (compared > 30 and missing > 5 and len(refusals) > 6), (compared, missing, refusals)


NUMBERS = {"model_commitment": 1, "spec_digest": 2, "context_digest": 3}
"""The parts of a statement that follow from nothing."""


def facts(spec, opened, statement, shape):
    """Return what follows from a statement about an opened box, as Python has it."""
    reading = BoxReading.of(spec, statement.label)
    return {
        "domain_digest": to_hex(statement.domain_digest),
        "box_commitment": to_hex(statement.box_commitment),
        "statement_digest": to_hex(statement.digest(shape)),
        "reading": json.loads(canonical_bytes(reading)),
        "sentence": reading.sentence(),
        "ends": opened.sentences(spec),
    }


def test_numbers_as_they_print(package):
    """Whatever number an end is, its words are those of Python."""
    values = (0, 5, -3, 1.5, 0.0001, 0.00012, 0.00001, 0.000015, -0.00000025, 1e-10, "1e3", "007", 12345.678)
    spec = SPEC
    shape = box_shape(spec, PREDICATES).document.decode()
    for value in values:
        opened = opened_box(ENDS | {"income": (value, 30000)})
        found = package.call("box_facts", written(spec), canonical_bytes(opened).decode(), shape, 0)
        assert found["ends"] == parse_opened_box(canonical_bytes(opened), "it").sentences(spec), value


def test_shapes_that_fit(package):
    """A shape of boxes fits its spec, and with any number changed where Python says so; names are equal."""
    rng, fitting, choices = generator("shapes of boxes"), 0, 0
    for spec in (RATES, LOANS, FOR_NOBODY, *(drawn_spec(rng) for _ in range(15 * (TIMES or 1)))):
        predicates = rng.randint(1, 9), rng.randint(0, 3)
        shape, sets = box_shape(spec, predicates), {one.first: 1 for one in choices_of(spec)}
        ensemble = ensemble_box_shape(spec, predicates, (2, 5), 1, 3, 8, sets)
        own = [shape, ensemble, *([] if spec.has_absent else [network_box_shape(spec, (predicates[0], 2), 16)])]
        changed = [one for each in own for one in changed_shapes(msgspec.to_builtins(each))]
        found = package.call("fitting_boxes", written(spec), [json.dumps(one) for one in changed])
        for one, (fits, name) in zip(changed, found, strict=True):
            parsed = msgspec.convert(one, Shape)
            assert fits == follows_box(parsed, spec), one
            assert parsed.name[:-9] == name or not fits, one
            fitting += fits
        choices += shape.one_hot is not msgspec.UNSET
    assert fitting >= 30
    assert choices > 3


def changed_shapes(own):
    """Return a shape, and ones with a number, a category or the relation changed."""
    changed = [own, *(own | {name: own[name] + 1} for name, value in own.items() if isinstance(value, int))]
    for name, value in own["architecture"].items():
        if isinstance(value, bool) or not value:
            continue
        if name == "categories":
            changed.append(own | {"architecture": own["architecture"] | {name: value[1:]}})
            continue
        more = value + 1 if isinstance(value, int) else [*value[:-1], value[-1] + 1]
        changed.append(own | {"architecture": own["architecture"] | {name: more}})
    for at, choice in enumerate(own.get("one_hot", [])):
        for name in choice:
            others = [*own["one_hot"]]
            others[at] = choice | {name: choice[name] + 1}
            changed.append(own | {"one_hot": others})
        changed.append(own | {"one_hot": own["one_hot"][:at]})
    return [*changed, own | {"scheme": "additive", "slots": 1}, own | {"scheme": "trees"}]


def test_shapes_without_a_circuit(package):
    """A key of boxes with a field too many, too few or out of bounds is refused by the same rule."""
    shape = msgspec.to_builtins(box_shape(SPEC, PREDICATES))
    architecture = shape["architecture"]
    network = msgspec.to_builtins(gain_shape(SPEC, (2,), 8))
    ensemble = msgspec.to_builtins(ensemble_box_shape(SPEC, PREDICATES, (2, 5), 2, 3, 8))
    for one in (
        {"slots": 1}, {"slots": 0, "capacity": 3}, {"rows": 1}, {"capacity": 3}, {"capacity": 0},
        {"one_hot": []}, {"one_hot": [{"first": 0}]}, {"scheme": "additive"},
        {"scheme": "trees-box"}, {"scheme": "trees-box", "slots": 1},
        {"scheme": "additive", "slots": 1}, {"scheme": "trees", "slots": 1}, {"scheme": "trees"}, {"scheme": "branch"},
        *(
            {"architecture": architecture | more}
            for more in (
                {"predicates": [0, 1]}, {"predicates": [4096, 1]}, {"nodes": [1, 1]}, {"missing": False}, {"logits": 2},
                {"hidden": [1]}, {"weight_bits": [15]}, {"bias_bits": [24, 24]},
                {"categories": [{"first": 0, "values": 2, "low": 0, "high": 1, "sets": 1}]},
            )
        ),
        {"architecture": {name: value for name, value in architecture.items() if name != "predicates"}},
        ensemble, *(ensemble | one for one in ({"slots": 0}, {"rows": 9}, {"one_hot": shape["one_hot"]})),
        *({name: value for name, value in ensemble.items() if name != gone} for gone in ("slots", "rows")),
        *(wide | {"scheme": "branch-box"} for wide in (network, network | {"one_hot": shape["one_hot"]})),
        network | {"one_hot": shape["one_hot"]}, network | {"one_hot": shape["one_hot"], "rows": 1},
    ):  # fmt: skip
        data = canonical_bytes(metadata(one if "format" in one else shape | one))
        found = package.ask("read", kind="parseKey", data=data.hex())
        wanted = refusal(parse_key, data)
        if wanted.get("reason") == "wrong-fields":
            wanted["message"] = found["message"]  # a shape's form is refused in words of its own
        assert found == wanted, one


def refusal(parse, data):
    """Return how Python refuses a document, as the driver says it; where it does not, that nothing is returned."""
    try:
        parse(data, "parseKey")
    except CertificateFormatError as error:
        return {"exception": "CertificateFormatError", "reason": str(error.reason), "message": str(error)}
    return {"value": None}


PARSERS = {"parseBox": (parse_box, BOX), "parseOpenedBox": (parse_opened_box, OPENED), "parseKey": (parse_key, KEY)}


@pytest.mark.parametrize("kind", PARSERS)
def test_changed_documents(signing, proven, kind):
    """Both parsers read the same changed documents, and refuse the others for the same reason."""
    parse, name = PARSERS[kind]
    seeds = [proven[name], own()[name]]
    rng, seen = generator(f"boxes {kind}"), set()
    for _ in range(200 * (TIMES or 1)):
        data = rng.choice(seeds)
        data = (
            changed_document(data.decode(), rng).encode()
            if rng.random() < 0.7
            else mutated(data, rng.choice(seeds), rng)
        )
        wanted, found = refusal(parse, data), signing.ask("read", kind=kind, data=data.hex())
        assert (found.get("exception"), found.get("reason")) == (wanted.get("exception"), wanted.get("reason")), data
        seen.add(wanted.get("reason"))
    assert len(seen) >= 3


def test_changed_files(signing, proven):
    """Files with changed values are verified or refused alike: reason and line."""
    rng, seen = generator("changed boxes"), set()
    for _ in range(120 * (TIMES or 1)):
        name = rng.choice((BOX, BOX, OPENED, KEY))
        data = changed_document(proven[name].decode(), rng).encode()
        case = Case(proven | {name: data}, {"context": True}, rng.choice((None, "granted", "declined")))
        wanted, found = case.judged(), signing.ask("box", **case.asked())
        assert (found.get("exception"), found.get("reason")) == (wanted.get("exception"), wanted.get("reason")), data
        message = wanted.get("message", "")
        if not (OTHERWISE.search(message) or REPEATED.search(message) or wanted.get("reason") == "wrong-fields"):
            assert found.get("message", "") == SYSTEM.sub("", message), data
        seen.add(wanted.get("reason"))
    assert len(seen) >= 5


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_box_is_no_other_certificate(signing, language):
    """What takes one kind of certificate refuses the two others by their names, in Python's words."""
    data = {
        "parseCertificate": (parse_certificate, certificate_base("loans")[CERTIFICATE]),
        "parseGain": (parse_gain, GAINS["published-gain"].file(GAIN)),
        "parseBox": (parse_box, own()[BOX]),
    }
    with tables.speaking(language), spoken(signing, language):
        for kind, (parse, _) in data.items():
            for other, (_, one) in data.items():
                if other == kind:
                    continue
                with pytest.raises(CertificateFormatError) as caught:
                    parse(one, kind)
                found = signing.ask("read", kind=kind, data=one.hex())
                message = str(caught.value)
                assert (found["reason"], found["message"]) == ("wrong-fields", message), (kind, other)
                assert ("equiproof-box" in str(one)) == ("box verify" in message)
        damaged = own()[BOX][:-1]
        assert "box verify" not in signing.ask("read", kind="parseCertificate", data=damaged.hex())["message"]


def test_a_key_of_boxes_verifies_nothing_else(signing):
    """Certificates and gain certificates are refused for the key's shape."""
    key = metadata(box_shape(SPEC, PREDICATES))
    fingerprint = parse_key(canonical_bytes(key), KEY).fingerprint
    for command, name, base in (
        ("certificate", CERTIFICATE, certificate_base("loans")),
        ("gain", GAIN, {name: GAINS["published-gain"].file(name) for name in (GAIN, COMMITMENT, QUERY, CONTEXT)}),
    ):
        files = edited(base, name, ("key.fingerprint", fingerprint))
        files |= {KEY: canonical_bytes(key), VERIFYING: own()[VERIFYING]}
        answer = signing.ask(command, files={one: data.hex() for one, data in files.items()}, policy={})
        assert (answer["exception"], answer["reason"]) == ("ProofError", "shape-differs")
        assert "additive-box-" in answer["message"]
