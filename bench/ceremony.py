"""What a ceremony costs: the steps of both phases, the Lagrange form, and the check of the finished key.

Three signers make powers of tau of exactly a circuit's domain, then the circuit's key. Each case has a process of its
own. Every call is timed by the clock and by the processor time of the process, all its threads together: other work on
the machine changes the second less.
"""

from __future__ import annotations

import math
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

from bench.harness import Progress, apart, machine, nothing
from bench.harness import table as markdown
from bench.seeded import spec_of
from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.files import write_file, write_files, write_folder
from equiproof.circuits.shape import Shape, traversal_shape
from equiproof.ffi import ceremony as native
from equiproof.prover.ceremony import conduct
from equiproof.prover.ceremony.chain import check_folder
from equiproof.prover.ceremony.checked import CACHE_VARIABLE
from equiproof.prover.ceremony.documents import (
    BEACON,
    BEACON_FILE,
    FORM_BYTES,
    POWERS_BYTES,
    BeaconDocument,
    NamedBeacon,
)
from equiproof.prover.ceremony.folder import CeremonyFolder
from equiproof.prover.ceremony.key_check import check_key
from equiproof.prover.ceremony.powers import Powers, described, read_powers
from equiproof.prover.ceremony.rounds import KeyRounds, PowersRounds, Rounds
from equiproof.prover.ceremony.steps import header_for, parse_step, written
from equiproof.verifier.documents import PROVING_FILE, VERIFYING_FILE
from equiproof.verifier.notes import Signer

T = TypeVar("T")
Law = Callable[[float], float]

SIGNERS = tuple(Signer(name, name.encode().ljust(32, b".")) for name in ("anna", "ben", "carol"))
TERMS = conduct.Terms(tuple(signer.verifier for signer in SIGNERS), NamedBeacon("a benchmark", 0))
VALUE = "5e" * 32

ESTIMATED = 17
"""The power of the domain whose costs follow from the two that are measured."""

TARGET_S = 10
"""The most seconds that verifying a phase 2 of a domain of 2^14 may take beyond the Lagrange form."""

WHOLE, FORM = "phase 2: verify all steps and finish", "Lagrange form"

OPERATIONS = (
    "phase 1: contribute",
    "phase 1: verify one step",
    "phase 1: finish",
    FORM,
    "Lagrange form: check",
    "powers of tau and form: check",
    "phase 2: start",
    "phase 2: contribute",
    "phase 2: verify one step",
    "phase 2: finish",
    WHOLE,
    "`keys check`, both phases",
)


@dataclass(frozen=True)
class Case:
    """A circuit, by the model that its shape is for."""

    name: str
    shape: Shape


CASES = (
    Case("(1), 1 column, K = 4", traversal_shape(spec_of(1, 2), (1,), 4)),
    Case("(4,2), 19 columns, K = 32", traversal_shape(spec_of(19, 2), (4, 2), 32)),
)
"""The smallest model, and the FairProof paper's German (4,2): domains of 2^12 and 2^14, under scheme `traversal`."""


@dataclass
class Clock:
    """Seconds that calls took, by their names: by the clock, and of processor time."""

    taken: dict[str, list[tuple[float, float]]] = field(default_factory=dict)

    def __call__(self, what: str, call: Callable[..., T], *arguments: object) -> T:
        """Make a call, and keep what it took."""
        begun, used = time.perf_counter(), time.process_time()
        made = call(*arguments)
        self.taken.setdefault(what, []).append((time.perf_counter() - begun, time.process_time() - used))
        return made

    @property
    def costs(self) -> dict[str, dict[str, float]]:
        """The medians of each kind of call, and how many there were."""
        return {
            what: {
                "wall_s": round(median(wall for wall, _ in all_taken), 3),
                "cpu_s": round(median(cpu for _, cpu in all_taken), 3),
                "calls": len(all_taken),
            }
            for what, all_taken in self.taken.items()
        }


def run(_data_dir: Path | None, progress: Progress = nothing, *, cases: Sequence[Case] = CASES) -> dict[str, Any]:
    """Measure both cases; `load` has the machine's load of one minute before, between and after them."""
    results, load = [], [round(os.getloadavg()[0], 1)]
    for done, case in enumerate(cases, start=1):
        results.append(apart(_alone, case))
        load.append(round(os.getloadavg()[0], 1))
        progress(done, len(cases))
    return {"suite": "ceremony", "machine": machine(), "load": load, "signers": len(SIGNERS), "results": results}


def _alone(case: Case) -> dict[str, Any]:
    """Measure a case in this process, which keeps its record of checks beside the ceremony."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ[CACHE_VARIABLE] = f"{folder}/checked"
        return measured(case, Path(folder))


def measured(case: Case, at: Path) -> dict[str, Any]:
    """Hold both phases in a folder, and return their costs.

    The variable EQUIPROOF_CHECKED must name `checked` in this folder.
    """
    clock = Clock()
    power, constraints, _ = native.circuit_power(case.shape.document)
    powers = first_phase(clock, at / "powers", power)
    place = second_phase(clock, at, case.shape, powers)
    # Whoever checks a key has seen nothing of it before.
    shutil.rmtree(at / "checked")
    clock(OPERATIONS[-1], check_key, place, at / "key", at / "powers")
    return {
        "case": case.name,
        "power": power,
        "constraints": constraints,
        "costs": {what: clock.costs[what] for what in OPERATIONS},
        "bytes": {
            "step of phase 1": (at / "powers" / "0001.step").stat().st_size,
            "powers of tau": (at / "powers" / POWERS_BYTES).stat().st_size,
            FORM: (at / "powers" / FORM_BYTES).stat().st_size,
            "step of phase 2": (at / "key" / "0001.step").stat().st_size,
            "proving key": (place / PROVING_FILE).stat().st_size,
            "verifying key": (place / VERIFYING_FILE).stat().st_size,
        },
    }


def first_phase(clock: Clock, path: Path, power: int) -> Powers:
    """Hold a phase 1 in a new folder, and make and check its powers of tau and their Lagrange form."""
    folder = conduct.begin_powers(path, power, TERMS)
    _held(clock, "phase 1", folder, PowersRounds(power))
    transcript = check_folder(folder)
    data = clock("phase 1: finish", conduct.sealed, transcript)
    powers = clock(FORM, described, power, data, "ceremony", transcript.digest)
    clock("Lagrange form: check", native.lagrange_check, power, data, powers.form)
    write_files({path / name: content for name, content in powers.files.items()})
    return clock("powers of tau and form: check", read_powers, path)


def second_phase(clock: Clock, at: Path, shape: Shape, powers: Powers) -> Path:
    """Hold a phase 2 in the folder `key`, from powers checked before, and return the folder of the finished key."""
    folder = conduct.begin_key(at / "key", shape, powers, TERMS)
    rounds = KeyRounds(shape.document, powers)
    clock("phase 2: start", lambda: rounds.start)
    _held(clock, "phase 2", folder, rounds)
    place = at / "keys" / shape.name
    write_folder(place, clock(WHOLE, _finished, clock, folder))
    return place


def _finished(clock: Clock, folder: CeremonyFolder) -> dict[str, bytes]:
    """Check a closed phase 2, and return the files of its key."""
    transcript = check_folder(folder)
    _, files = clock("phase 2: finish", conduct.made_key, transcript)
    return files


def _held(clock: Clock, phase: str, folder: CeremonyFolder, rounds: Rounds) -> None:
    """Contribute as every signer, verify each step, and close the phase."""
    last, head = None, folder.ceremony.digest
    for index, signer in enumerate(SIGNERS, start=1):
        step = clock(f"{phase}: contribute", rounds.contribute, last)
        clock(f"{phase}: verify one step", rounds.verify, last, step)
        data = written(header_for(folder.ceremony, index, head, signer.name, len(step)), step, signer)
        write_file(folder.step(index), data)
        last, head = step, parse_step(data, str(folder.step(index)), len(step)).digest
    beacon = BeaconDocument(format=BEACON[0], version=BEACON[1], after=head, value=VALUE)
    write_file(folder.path / BEACON_FILE, canonical_bytes(beacon))


def times(found: Mapping[str, Any]) -> str:
    """Write one line for each operation: seconds in both domains, and an estimate in a larger one."""
    both = found["results"]
    rows = []
    for what in OPERATIONS:
        law = _n_log_n if what == FORM else _n
        measured_s = (f"{of['costs'][what][name]:.2f}" for of in both for name in ("cpu_s", "wall_s"))
        estimated = _beyond(law, [(1 << of["power"], of["costs"][what]["cpu_s"]) for of in both])
        rows.append((what, *measured_s, f"{estimated:,.0f}", "N log N" if law is _n_log_n else "N"))
    heads = (f"2^{of['power']}: {name} s" for of in both for name in ("processor", "clock"))
    return markdown(("what", *heads, f"2^{ESTIMATED}: processor s, estimate", "law"), rows)


def sizes(found: Mapping[str, Any]) -> str:
    """Write one line for each file: bytes in both domains, and an estimate in a larger one."""
    both = found["results"]
    rows = []
    for name in both[0]["bytes"]:
        ends = [(1 << of["power"], of["bytes"][name]) for of in both]
        rows.append((name, *(f"{count:,}" for _, count in ends), f"{_beyond(_n, ends):,.0f}"))
    heads = (f"2^{of['power']}: bytes" for of in both)
    return markdown(("file", *heads, f"2^{ESTIMATED}: bytes, estimate"), rows)


def target(found: Mapping[str, Any]) -> str:
    """Compare verifying the phase 2 of the larger domain with its target, and name the load."""
    large, load = found["results"][-1], ", ".join(f"{one:g}" for one in found["load"])
    cost = large["costs"][WHOLE]
    verdict = "met" if cost["wall_s"] <= TARGET_S else "missed"
    return (
        f"Verifying phase 2 of a 2^{large['power']} circuit (start, {found['signers']} steps, finish) takes "
        f"{cost['wall_s']:.1f} s by the clock beyond the Lagrange form, {cost['cpu_s']:.1f} s of processor time, "
        f"against a target of {TARGET_S} s by the clock: {verdict} under this load. "
        f"The load before, between and after the two measurements was {load} on {found['machine']['cores']} cores, "
        "their own part included."
    )


def circuits(found: Mapping[str, Any]) -> str:
    """Name the circuits that were measured."""
    rows = [(f"2^{of['power']}", of["case"], f"{of['constraints']:,}") for of in found["results"]]
    return markdown(("domain", "model", "constraints"), rows)


def _n(size: float) -> float:
    return size


def _n_log_n(size: float) -> float:
    return size * math.log2(size)


def _beyond(law: Law, ends: Sequence[tuple[int, float]]) -> float:
    """Return the value in the estimated domain of the line through two values, measured in domains of two sizes."""
    (first, low), (second, high) = ((law(size), value) for size, value in ends)
    return high + (high - low) / (second - first) * (law(1 << ESTIMATED) - second)
