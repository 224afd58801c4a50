"""Log proofs, entries and receipts in TypeScript: the verdicts of the vectors, and the tree as the reference has it."""

import base64
import json
from types import SimpleNamespace

import pytest

from equiproof.circuits.statement import Statement
from equiproof.verifier.checkpoint import CheckpointError, parse_checkpoint
from equiproof.verifier.documents import load_commitment
from equiproof.verifier.entries import MAX_ENTRY_BYTES, parse_entry
from equiproof.verifier.errors import CertificateFormatError, PolicyError
from equiproof.verifier.logged import BoxDated, ForReceipt
from equiproof.verifier.merkle import (
    EMPTY_ROOT,
    MAX_PROOF_BYTES,
    MAX_SIZE,
    MerkleError,
    check_consistency,
    check_inclusion,
)
from equiproof.verifier.receipt import parse_receipt
from tests.support import ROOT
from tests.vectors.generate import log as made
from tests.verifier.logs import CARL, LOG
from tests.verifier.test_logged import GOOD, LOANS, changed_terms, named, terms
from tests.verifier.test_merkle import CONSISTENCY, INCLUSION, OTHER, other_paths
from tests.web.test_said import OPTIONS

VECTORS = json.loads((ROOT / "tests" / "vectors" / "log.json").read_text())
ACCEPTED = [one for one in VECTORS["entries"] if one["exception"] is None]


def verdict(answer):
    """Return exception and reason of an answer."""
    return answer.get("exception"), answer.get("reason")


@pytest.mark.parametrize("vector", VECTORS["logged"], ids=named)
def test_log_proofs(package, vector):
    """Every log proof has its verdict, and where it is accepted, what it shows."""
    answer = package.call("logged", vector["pins"], vector["proof"], vector["now"], vector["digest"])
    assert verdict(answer) == (vector["exception"], vector["reason"]), answer
    if "found" in vector:
        assert answer["value"] == vector["found"]


@pytest.mark.parametrize("vector", VECTORS["receipts"], ids=named)
def test_receipts(package, vector):
    """Every receipt has its verdict about a statement, and of its log proof."""
    answer = package.call("receipt", vector["receipt"], vector)
    assert verdict(answer) == (vector["exception"], vector["reason"]), answer


@pytest.mark.parametrize("vector", VECTORS["boxes"], ids=named)
def test_box_certificates(package, vector):
    """A log dates a file by the entry of its kind alone, and says since when in Python's words."""
    answer = package.call("box_dated", vector["pins"], vector["proof"], vector["now"], vector["file"])
    assert verdict(answer) == (vector["exception"], vector["reason"]), answer
    dated = BoxDated(terms(vector["pins"]).pins(), vector["proof"].encode(), vector["now"])
    try:
        wanted = {"value": dated.made(dated.judge(vector["file"].encode()))}
    except (CertificateFormatError, PolicyError) as error:
        wanted = {"message": OPTIONS.sub("", str(error))}
    assert wanted.items() <= answer.items()


def test_a_log_without_witnesses_dates_nothing(package):
    """It states no time."""
    vector = VECTORS["boxes"][0]
    pins = vector["pins"] | {"witnesses": [], "least": 0}
    answer = package.call("box_dated", pins, vector["proof"], vector["now"], vector["file"])
    assert (answer["exception"], answer["message"]) == ("RangeError", "a date needs witnesses: a log states no time")


def test_salt_of_a_receipt(package):
    """A salt has 64 digits: one more in front or behind, or one less, is refused, as in Python."""
    vector = next(one for one in VECTORS["receipts"] if one["exception"] is None)
    fields = json.loads(vector["receipt"])
    salt = fields["salt"]
    for other in ("0" + salt, "g" + salt, salt + "0", salt + "\n", salt[1:]):
        text = json.dumps(fields | {"salt": other}, sort_keys=True, separators=(",", ":"))
        with pytest.raises(CertificateFormatError) as refused:
            parse_receipt(text.encode(), "receipt")
        answer = package.call("receipt", text, vector)
        assert verdict(answer) == ("CertificateFormatError", str(refused.value.reason)), other
        assert answer["message"] == str(refused.value)


@pytest.mark.parametrize("vector", VECTORS["entries"], ids=named)
def test_entries(package, vector):
    """Every entry has its verdict."""
    answer = package.call("entry", vector["entry"])
    assert verdict(answer) == (vector["exception"], vector["reason"]), answer


def entry_said(text):
    """Return what Python answers about an entry, as the inside of the package does."""
    try:
        return {"value": parse_entry(text.encode(), "entry").kind}
    except CertificateFormatError as error:
        return {"exception": "CertificateFormatError", "reason": str(error.reason), "message": str(error)}


@pytest.mark.parametrize("kind", sorted({json.loads(one["entry"])["kind"] for one in ACCEPTED}))
def test_each_field_of_an_entry(package, kind):
    """Digests of another spelling, and reasons that are long or of several lines, are refused in every kind."""
    seen = set()
    for fields in (json.loads(one["entry"]) for one in ACCEPTED):
        if fields["kind"] != kind:
            continue
        for name, value in [(name, value) for name, value in fields.items() if isinstance(value, str)]:
            for other in (value[:-1], value.upper(), "g" + value[1:], value + "\n", value * 4, f"{value}\x85", ""):
                text = json.dumps(fields | {name: other}, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
                answer, wanted = package.call("entry", text), entry_said(text)
                assert verdict(answer) == verdict(wanted), text
                # What Python repeats as an escape may be a blank there.
                if name not in ("format", "kind") and "\\" not in wanted.get("message", ""):
                    assert answer.get("message") == wanted.get("message"), text
                seen.add((name, wanted.get("reason")))
    assert {name for name, reason in seen if reason} >= set(fields_of_digits(kind))


@pytest.mark.parametrize("more", [0, 1])
def test_the_longest_entry(package, more):
    """So many bytes are read and refused for what they say; one more is not read."""
    text = '{"format":"' + "x" * (MAX_ENTRY_BYTES - 13 + more) + '"}'
    assert len(text) == MAX_ENTRY_BYTES + more
    answer = package.call("entry", text)
    assert verdict(answer) == verdict(entry_said(text))
    assert (answer["reason"] == "too-long") == bool(more)


def fields_of_digits(kind):
    """Return the fields of an entry that hold digests."""
    return [name for name, value in json.loads(next(
        one["entry"] for one in ACCEPTED if json.loads(one["entry"])["kind"] == kind
    )).items() if isinstance(value, str) and len(value) == 64]  # fmt: skip


def test_what_a_log_shows_is_said_as_in_python(package):
    """Of a commitment's entry and of a receipt's."""
    policy = terms(GOOD["pins"]).policy(GOOD["proof"].encode(), GOOD["now"])
    loans = load_commitment(LOANS / "commitment.json")
    about = SimpleNamespace(model_commitment=int(loans.model_commitment, 16))
    wanted = list(policy.check(SimpleNamespace(statement=about, spec=loans.spec)))
    assert package.call("log_check", GOOD["pins"], GOOD["proof"], GOOD["now"], GOOD["digest"]) == wanted
    vector = next(one for one in VECTORS["receipts"] if one["exception"] is None and "pins" in one)
    receipt = parse_receipt(vector["receipt"].encode(), "receipt")
    logged = ForReceipt(receipt, pins=terms(vector["pins"]).pins(), proof=vector["proof"].encode(), now=vector["now"])
    parts = dict.fromkeys(Statement.__match_args__, 0)
    statement = Statement(**parts | {name: stated(value) for name, value in vector["statement"].items()})
    wanted = list(logged.check(SimpleNamespace(statement=statement)))
    assert package.call("receipt_check", vector["receipt"], vector) == wanted


def stated(value):
    """Return a value of a statement: a field element by its digits, or a number."""
    return int(value, 16) if isinstance(value, str) else value


@pytest.mark.parametrize("owner", [None, "Example Bank"])
@pytest.mark.parametrize("alone", [False, True])
def test_what_stays_open_is_said_as_in_python(package, alone, owner):
    """But for the names of options."""
    changes = {"owner": owner} | ({"witnesses": [], "least": 0, "max_days": None} if alone else {})
    policy = changed_terms(**changes).policy(GOOD["proof"].encode(), GOOD["now"])
    wanted = [line.replace(" (--log-owner)", "").replace(" (--witnesses)", "") for line in policy.still_open()]
    assert package.call("still_open", GOOD["pins"] | changes, GOOD["proof"], GOOD["now"]) == wanted


@pytest.mark.parametrize(
    "changes",
    [
        {"least": 0}, {"least": 4}, {"least": 1.5}, {"smallest_tree": -1}, {"max_days": -1}, {"key": "x"},
        {"witnesses": [], "least": 0}, {"witnesses": [], "least": 1, "max_days": None},
        {"witnesses": [GOOD["pins"]["witnesses"][0]] * 2}, {"witnesses": [LOG.verifier.text], "least": 1},
    ],
)  # fmt: skip
def test_pins_that_mean_nothing_are_refused(package, changes):
    """The same pins as in Python are no pins."""
    answer = package.call("logged", GOOD["pins"] | changes, GOOD["proof"], GOOD["now"], GOOD["digest"])
    assert answer["exception"] in ("RangeError", "NoteError")


def python_judged(pins, proof):
    """Return what Python answers about a log proof, as the inside of the package does; None for one that holds."""
    try:
        terms(pins).policy(proof.encode(), GOOD["now"]).judge(GOOD["digest"])
    except (CertificateFormatError, PolicyError) as error:
        return type(error).__name__, str(error.reason), str(error)
    except ValueError as error:
        return "RangeError", None, str(error)
    return None


def judged(package, pins, proof):
    """Return what the package answers, in the same form."""
    found = package.call("logged", pins, proof, GOOD["now"], GOOD["digest"])
    return None if "value" in found else (found["exception"], found["reason"], found["message"])


def test_bounds_of_pins(package):
    """Each number at its bound and one beyond, where nothing else refuses: in the words of Python."""
    alone = {"witnesses": []}
    seen = []
    for changes in (
        *({"least": least} for least in range(-1, 6)), *(alone | {"least": least} for least in (-1, 0, 1)),
        *({"smallest_tree": size} for size in (-1, 0, 1, 7, 8, 2**62, 2**63)),
    ):  # fmt: skip
        pins = GOOD["pins"] | {"max_days": None} | changes
        wanted = python_judged(pins, GOOD["proof"])
        assert judged(package, pins, GOOD["proof"]) == wanted, changes
        seen.append(wanted and wanted[0])
    assert seen == [
        "RangeError", "RangeError", None, None, None, "RangeError", "RangeError", "RangeError", None, "RangeError",
        "RangeError", None, None, None, "PolicyError", "PolicyError", "RangeError",
    ]  # fmt: skip


def test_the_largest_tree_is_one_that_may_be_demanded(package):
    """It is beyond the numbers of JavaScript: it comes as text."""
    pins = GOOD["pins"] | {"max_days": None}
    for size in (MAX_SIZE, MAX_SIZE + 1):
        wanted = python_judged(pins | {"smallest_tree": size}, GOOD["proof"])
        assert wanted[0] == ("PolicyError" if size == MAX_SIZE else "RangeError")
        assert judged(package, pins | {"smallest_tree": str(size)}, GOOD["proof"]) == wanted


@pytest.mark.parametrize("time", [0, 1, MAX_SIZE, MAX_SIZE + 1, (1 << 64) - 1])
def test_times_of_cosignatures(package, time):
    """The last time that there is counts as one that is not yet; one behind it is no time, in the words of Python."""
    proof = made.REGISTER.proof(made.AT, [(CARL, time)]).data.decode()
    pins = GOOD["pins"] | {"least": 1, "max_days": None}
    wanted = python_judged(pins, proof)
    assert judged(package, pins, proof) == wanted
    assert (wanted and wanted[1]) == ("other-log" if time > MAX_SIZE else "too-few-witnesses" if time > 1 else None)


def test_lengths_of_signatures(package):
    """A signature, of the log or of a witness, that has a byte more or fewer is refused, in the words of Python."""
    head, _, signatures = GOOD["proof"].rpartition("\n\n")
    lines = signatures.splitlines()
    assert len(lines) == 4
    for at, line in enumerate(lines):
        start, _, encoded = line.rpartition(" ")
        data = base64.b64decode(encoded)
        for other in (data[:4], data[:12], data[:-1], data + b"\0", data[:-64], data + data[-64:]):
            longer = [*lines[:at], f"{start} {base64.b64encode(other).decode()}", *lines[at + 1 :]]
            proof = "\n".join([f"{head}\n", *longer, ""])
            wanted = python_judged(GOOD["pins"], proof)
            assert wanted is not None, line
            assert judged(package, GOOD["pins"], proof) == wanted, (line, len(other))


@pytest.mark.parametrize("more", [0, 1])
def test_the_longest_log_proof(package, more):
    """A byte more than the most is said to be too long, and nothing of it is read; Python says the same."""
    proof = "x" * (MAX_PROOF_BYTES + more)
    wanted = python_judged(GOOD["pins"], proof)
    assert judged(package, GOOD["pins"], proof) == wanted
    assert (str(MAX_PROOF_BYTES) in wanted[-1]) == bool(more)


ROOTS = [base64.b64encode(bytes(length)).decode() for length in (31, 32, 33)]
CHECKPOINTS = [
    *(f"example.org/log\n{size}\n{root}\n" for size in (0, 1) for root in (*ROOTS, "", "x")),
    f"example.org/log\n0\n{base64.b64encode(EMPTY_ROOT).decode()}\n",
    *(f"example.org/log\n{size}\n{ROOTS[1]}\n" for size in ("", "01", "-1", "1.5", MAX_SIZE, MAX_SIZE + 1, "9" * 40)),
    "", "example.org/log", "example.org/log\n1",
    *(f"example.org/log\n1\n{ROOTS[1]}{end}" for end in ("", "\nmore", "\n\n")),
]  # fmt: skip


def test_checkpoints(package):
    """The text of a checkpoint has one spelling, and that of an empty log one root; others are refused as in Python."""
    seen = set()
    for text in CHECKPOINTS:
        try:
            wanted = {"value": str(parse_checkpoint(text).size)}
        except CheckpointError as error:
            wanted = {"message": str(error)}
        answer = package.call("checkpoint", text)
        assert {name: answer.get(name) for name in wanted} == wanted, (text, answer)
        seen.add(wanted.get("message", "").partition(",")[0])
    assert len(seen) >= 5


def test_inclusion(package):
    """The reference's proofs hold, and changed ones fail with the words of Python."""
    cases = []
    for leaf, index, size, path, root in INCLUSION[::3] + INCLUSION[-6:]:
        cases += [
            (leaf, index, size, path, root),
            (leaf, index + 1, size, path, root),
            (OTHER, index, size, path, root),
        ]
        cases += [(leaf, index, size, other, root) for other in other_paths(path)[:6]]
        # Of no hash but of other lengths, two parts of an inner node could be split in two ways.
        cases += [(leaf[:-1], index, size, path, root), (leaf, index, size, [one + b"\0" for one in path], root)]
    asked = [[leaf.hex(), str(at), str(size), [one.hex() for one in path], root.hex()]
             for leaf, at, size, path, root in cases]  # fmt: skip
    assert package.call("inclusions", asked) == [said(check_inclusion, *case) for case in cases]


def test_consistency(package):
    """The same of trees that follow each other."""
    cases = []
    for old, new, path in CONSISTENCY[::2]:
        cases += [(old, new, path), (new, old, path), (old, (new[0], OTHER), path), ((old[0], OTHER), new, path)]
        cases += [(old, new, other) for other in other_paths(path)[:6]]
    asked = [[str(old[0]), old[1].hex(), str(new[0]), new[1].hex(), [one.hex() for one in path]]
             for old, new, path in cases]  # fmt: skip
    assert package.call("consistencies", asked) == [said(check_consistency, *case) for case in cases]


def said(check, *words):
    """Return what Python says of a proof, None where it holds."""
    try:
        return check(*words)
    except MerkleError as error:
        return str(error)
