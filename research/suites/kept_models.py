"""Kept models beside opened ones: certificates of all forms of one model, in one run on one machine.

A model has these parts, in this order: `NAME-model` trains and commits it, `NAME-opened` and `NAME-kept` make its keys,
of some ensembles `NAME-visiting`, too, and `NAME-proofs` proves certificates of all forms in turn and checks those of
the first two. What a part hands to the next lies in a folder of the build. Each form is proven by a process of its own,
which holds nothing else: its memory is that of a lender's.
"""

from __future__ import annotations

import multiprocessing
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from bench.branch.proofs import Found
from bench.harness import BenchError, apart, peak_megabytes, set_up, spread
from bench.parts import BaseQuestion, Options, Plan
from bench.sample import shuffled
from equiproof.certify.data import load
from equiproof.certify.traversal.search import Counterexample
from equiproof.circuits import field
from equiproof.circuits.link_shape import link_shape
from equiproof.circuits.shape import kept_shape
from equiproof.ffi import backend
from equiproof.prover import KeyStore
from equiproof.prover.evidence import find_evidence
from equiproof.prover.keys import StoredKey, prove_with
from equiproof.prover.linking import KeptModel
from equiproof.prover.opening import Opening, parse_opening
from equiproof.prover.prove import state
from equiproof.prover.witness.model import words
from equiproof.prover.witness.relation import AnyEvidence, Secrets, generate
from equiproof.verifier import TrustStore
from equiproof.verifier.documents import PROVING_FILE
from equiproof.verifier.link import parse_link
from equiproof.verifier.linked import LinkClaim, Linked, opened
from equiproof.verifier.programs import Checker, VerifyingKey
from equiproof.verifier.programs import load as load_checker
from equiproof.verifier.trust import TrustedKey
from research.suites.kept_cases import CASES, COUNTED, FORMS, KEPT, OPENED, Case, Counted, Form

PLACE = Path(__file__).resolve().parents[2] / "build" / "kept-models"
OPENING, LINKS = "opening.json", "links"

NATIVE_REPEATS, PLAIN_REPEATS, BATCH_REPEATS = 51, 5, 5


@dataclass(frozen=True)
class Question(BaseQuestion):
    """A batch of `points` certificates, and `pairs` proofs of each form, each round of another fair test applicant.

    `seconds` limits each search for evidence. The batch repeats the proofs of the pairs: each is read and folded with
    random numbers of its own, so that a check does not notice.
    """

    points: int = 1000
    seconds: float = 10.0
    jobs: int = 1
    pairs: int = 5


@dataclass(frozen=True)
class Claim:
    """A statement digest in 32 bytes, and its proof."""

    digest: bytes
    proof: bytes


@dataclass(frozen=True)
class Timed:
    """A proof of one form, and the seconds of its witness and of the proof itself."""

    claim: Claim
    witness_s: float
    prove_s: float


def plan(data_dir: Path | None, options: Options, question: Question | None = None, place: Path = PLACE) -> Plan:
    """Return a part for each shape that is counted, and those of each model; `place` is where keys stay meanwhile.

    Raises BenchError for several processes: proofs are timed.
    """
    options.one_by_one("kept", "proofs and checks")
    asked = options.of(question or Question())
    parts: dict[str, Callable[[], Mapping[str, Any]]] = {
        f"count-{name}": partial(apart, count, shape, data_dir) for name, shape in COUNTED.items()
    }
    for name, case in CASES.items():
        folder = place / name
        parts[f"{name}-model"] = partial(apart, model, case, folder, data_dir)
        parts |= {f"{name}-{form}": partial(apart, keys, case, folder, form) for form in case.forms}
        parts[f"{name}-proofs"] = partial(proofs, case, folder, asked, data_dir)
    return Plan(asked.as_data(), parts)


def count(counted: Counted, data_dir: Path | None) -> dict[str, Any]:
    """Count the constraints of both forms of a shape, and of its link; `opened` is None where it is not counted."""
    shape = counted.shape(data_dir)
    forms = {OPENED: shape if counted.opened else None, KEPT: kept_shape(shape), "link": link_shape(shape)}
    return {name: None if one is None else backend.describe(one.document).constraints for name, one in forms.items()}


def model(case: Case, folder: Path, data_dir: Path | None) -> dict[str, Any]:
    """Train and commit a model, whose opening stays in the folder; return its sizes and the number of its words."""
    opening = case.opening(data_dir)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / OPENING).write_bytes(opening.secret())
    return {"sizes": list(opening.sizes), "words": len(words(opening.model, case.shape(opening)))}


def keys(case: Case, folder: Path, form: Form) -> dict[str, Any]:
    """Make the keys of one form in the folder; with kept ones those of links, in the same seconds of set-up."""
    shape = case.shape(_opening(folder), form)
    place = folder / form
    shutil.rmtree(place, ignore_errors=True)
    made = set_up(str(place), shape)
    if form != OPENED:
        key = KeyStore(place).find_link_key(link_shape(shape))
        made |= {
            "link_constraints": key.document.constraints,
            "link_key_mb": (key.folder / PROVING_FILE).stat().st_size / 1e6,
        }
    rounded = {name: round(made[name], 2) for name in made if name.endswith(("_s", "_mb"))}
    return made | rounded | {"setup_mb": round(peak_megabytes(), 1)}


def proofs(case: Case, folder: Path, question: Question, data_dir: Path | None) -> dict[str, Any]:
    """Make the link, prove all forms in turn, and check the first two; raises BenchError where keys are missing."""
    for form in case.forms:
        _key(folder, form)
    found = apart(applicants, case, folder, question, data_dir)
    figures = apart(link, folder)
    made, memory = in_turn(folder, case.forms, found)
    claims = {form: [one.claim for one in timed] for form, timed in made.items()}
    for form, timed in made.items():
        figures[form] = {
            **spread("witness_s", [one.witness_s for one in timed], 4),
            **spread("prove_s", [one.prove_s for one in timed], 3),
            "prove_s_all": [round(one.prove_s, 3) for one in timed],
            "peak_mb": round(memory[form], 1),
            "proof_bytes": max(len(one.claim.proof) for one in timed),
        }
    return figures | {"checks": apart(checks, folder, claims, question.points)}


def applicants(case: Case, folder: Path, question: Question, data_dir: Path | None) -> list[Found]:
    """Return the first fair ones of random test applicants, with evidence; BenchError where there are too few.

    Balls are those of the form that proves least: of one that visits nodes none passes more than it has room for.
    """
    opening = _opening(folder)
    data, shape = load(case.dataset, data_dir), case.shape(opening, case.forms[-1])
    found: list[Found] = []
    for number in shuffled(list(data.test), question.seed):
        query = data.spec.encode(data.rows[number])
        outcome = find_evidence(opening, shape, query, question.seconds, None)
        if not isinstance(outcome, Counterexample):
            found.append((query, outcome.evidence))
        if len(found) == question.pairs:
            return found
    raise BenchError(f"{case.words}: want {question.pairs} test applicants who are treated fairly, not {len(found)}")


def link(folder: Path) -> dict[str, Any]:
    """Make the link as a first proof does: load the key for links, prove, verify, and write the file."""
    opening, key = _opening(folder), _key(folder, KEPT)
    place = folder / LINKS
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    with key.load() as loaded:
        own = KeptModel.of(opening, key, loaded)
        begun = time.perf_counter()
        made = own.link(place)
        seconds = time.perf_counter() - begun
    return {
        "link_s": round(seconds, 2),
        "link_mb": round(peak_megabytes(), 1),
        "link_bytes": made.path.stat().st_size,
    }


def in_turn(
    folder: Path, forms: Sequence[Form], found: Sequence[Found]
) -> tuple[dict[Form, list[Timed]], dict[Form, float]]:
    """Prove every applicant in all forms, one form after the other, and return the proofs and peak MB of each form.

    A round that is not counted comes first. The form that begins is another one in every round.
    """
    context = multiprocessing.get_context("spawn")
    made: dict[Form, list[Timed]] = {form: [] for form in forms}
    with ExitStack() as stack:
        workers = {form: stack.enter_context(ProcessPoolExecutor(1, context)) for form in forms}
        for form, worker in workers.items():
            worker.submit(_load, folder, form).result()
        for number, (query, evidence) in enumerate([found[0], *found]):
            first = number % len(forms)
            for form in (*forms[first:], *forms[:first]):
                one = workers[form].submit(_prove, query, evidence).result()
                if number:
                    made[form].append(one)
        memory = {form: worker.submit(peak_megabytes).result() for form, worker in workers.items()}
    return made, memory


class _Worker:
    """One form's key, loaded in a process that does nothing but prove under it."""

    def __init__(self, folder: Path, form: Form) -> None:
        self.opening, self.key = _opening(folder), _key(folder, form)
        # Kept with the worker: the key is freed with the stack, and both end with the process.
        self._open = ExitStack()
        self.loaded = self._open.enter_context(self.key.load())
        self.own = KeptModel.of(self.opening, self.key, self.loaded) if form != OPENED else None

    def prove(self, query: tuple[int, ...], evidence: AnyEvidence) -> Timed:
        """Bind a statement, fill the witness, and prove it."""
        own, shape = self.own, self.key.document.shape
        begun = time.perf_counter()
        blinding = field.random()
        shown, hiding, mask = (None, None, None) if own is None else (own.shown, own.blinding, own.mask)
        statement = replace(state(self.opening, evidence, query, blinding, {}), shown=shown)
        witness = generate(shape, statement, Secrets.of(self.opening, query, blinding, hiding), evidence)
        filled = time.perf_counter()
        proof = prove_with(self.key.folder, self.loaded, witness, mask)
        proven = time.perf_counter()
        return Timed(Claim(field.to_bytes(statement.digest(shape)), proof), filled - begun, proven - filled)


_WORKING: list[_Worker] = []
"""The worker of this process."""


def _load(folder: Path, form: Form) -> None:
    """Load the key of this process."""
    _WORKING.append(_Worker(folder, form))


def _prove(query: tuple[int, ...], evidence: AnyEvidence) -> Timed:
    """Prove under the key of this process."""
    return _WORKING[0].prove(query, evidence)


def checks(folder: Path, claims: Mapping[Form, Sequence[Claim]], batch: int) -> dict[str, Any]:
    """Time the checks of both forms in turn, in milliseconds.

    `native` and `python` check a proof under loaded keys, beside a known link. `first` loads the keys in plain Python
    and checks the link as well. `batch` is for one of so many certificates that are checked in one call.
    """
    trusted, claim = _trusted(folder)
    found: dict[str, Any] = {}
    checkers: tuple[tuple[Checker, int], ...] = (("native", NATIVE_REPEATS), ("python", PLAIN_REPEATS))
    for checker, repeats in checkers:
        loaded: dict[Form, VerifyingKey] = {
            OPENED: _opened_form(checker, trusted),
            KEPT: opened(checker, claim).key,
        }
        found[checker] = _in_turn({form: partial(_one, loaded[form], claims[form][0]) for form in FORMS}, repeats)
        if checker == "native":
            times = _in_turn({form: partial(_many, loaded[form], claims[form], batch) for form in FORMS}, BATCH_REPEATS)
            found["batch"] = {name: round(value / batch, 4) for name, value in times.items()}
    first: dict[Form, Callable[[], None]] = {
        OPENED: lambda: _one(_opened_form("python", trusted), claims[OPENED][0]),
        KEPT: lambda: _one(_anew(claim), claims[KEPT][0]),
    }
    return found | {"first": _in_turn(first, PLAIN_REPEATS)}


def _in_turn(calls: Mapping[Form, Callable[[], None]], repeats: int) -> dict[str, float]:
    """Time calls in turn, after one of each to warm up; return the median milliseconds of each."""
    times: dict[Form, list[float]] = {form: [] for form in calls}
    for number in range(repeats + 1):
        for form, call in calls.items():
            begun = time.perf_counter()
            call()
            if number:
                times[form].append(1000 * (time.perf_counter() - begun))
    return {form: spread("ms", values, 3)["ms"] or 0.0 for form, values in times.items()}


def _one(key: VerifyingKey, claim: Claim) -> None:
    """Check one proof; raises RefusedError unless it holds."""
    key.verify(claim.digest, claim.proof)


def _many(key: VerifyingKey, claims: Sequence[Claim], batch: int) -> None:
    """Check a batch in one call; raises BenchError unless all hold: a refusal takes another time."""
    repeated = [claims[number % len(claims)] for number in range(batch)]
    refusals = key.verify_many([one.digest for one in repeated], [one.proof for one in repeated])
    if any(refusal is not None for refusal in refusals):
        raise BenchError("a certificate of the batch was not verified")


def _opened_form(checker: Checker, key: TrustedKey) -> VerifyingKey:
    """Load the key whose certificates open the model."""
    return load_checker(checker, key.document.proof_system, key.verifying)


def _anew(claim: LinkClaim) -> VerifyingKey:
    """Check a link in plain Python as if for the first time, and return what checks certificates beside it."""
    opened.cache_clear()
    return opened("python", claim).key


def _trusted(folder: Path) -> tuple[TrustedKey, LinkClaim]:
    """Return the key of the opened form as a verifier has it, and the link beside its keys."""
    key = TrustStore.open(folder / OPENED).find(_key(folder, OPENED).document.fingerprint)
    store = TrustStore.open(folder / KEPT)
    (path,) = (folder / LINKS).iterdir()
    document = parse_link(path.read_bytes(), path.name)
    beside = store.find_link_key(document.link_key.fingerprint)
    return key, Linked(document, beside, store.find(document.key)).claim


def _opening(folder: Path) -> Opening:
    """Read the opening; raises BenchError where the part that makes it was not measured."""
    path = folder / OPENING
    if not path.is_file():
        raise BenchError(f"measure part {folder.name}-model first: {path} is missing")
    return parse_opening(path.read_bytes(), OPENING)


def _key(folder: Path, form: Form) -> StoredKey:
    """Return the key of a form; raises BenchError where the part that makes it was not measured."""
    found = KeyStore(folder / form).all() if (folder / form).is_dir() else []
    if not found:
        raise BenchError(f"measure part {folder.name}-{form} first: there is no key in {folder / form}")
    return found[0]
