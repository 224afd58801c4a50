"""Times of an audit by lot, by the number of a period's receipts; 300 are drawn.

- draw: from the seed to the drawn places;
- bound: what three without a certificate show of all, with 95 % confidence;
- check: `equiproof lot check` of the whole period from its folder and the log's, in a process of its own, from start to
  exit: every entry of the log is read and hashed;
- static binary: `equiproof-verify lot check` in the same way, once `make static` has built it.

Of the last two, the largest memory too that the process has held, in MB (10^6 bytes).

The first drawn receipt has a certificate, so that what verifies one is loaded, and every other answer is "none": the
time that each adds, the suite `many` measures. The log is written by `equiproof-log`.
"""

from __future__ import annotations

import functools
import hashlib
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

from bench import log as logs
from bench.harness import BenchError, Progress, machine, nothing, spread
from bench.harness import table as markdown
from bench.many import BINARY
from bench.verify import GOLDEN, timed
from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.field import to_hex
from equiproof.circuits.statement import Statement
from equiproof.register.log import Log
from equiproof.register.lot import conduct
from equiproof.register.lot.answering import answer
from equiproof.register.lot.bound import at_least
from equiproof.register.lot.check import Pins, read_close
from equiproof.register.lot.close import Terms, close
from equiproof.register.lot.documents import time_text
from equiproof.register.lot.draw import drawn_places
from equiproof.register.lot.folder import PeriodFolder
from equiproof.register.lot.lottery import draw
from equiproof.verifier.certificate import parse_certificate
from equiproof.verifier.documents import key_folders, load_commitment
from equiproof.verifier.entries import ENTRY, CommitmentEntry, KeyEntry, commitment_digest
from equiproof.verifier.notes import Signer
from equiproof.verifier.receipt import RECEIPT, Receipt
from equiproof.verifier.trust import TrustedKey

SIZES = (10_000, 100_000, 1_000_000)
DRAWN, BAD, CONFIDENCE = 300, 3, Fraction("0.95")
OWNER = "Example Lending"

_LAUNCHER = """
import subprocess, sys
from resource import RUSAGE_CHILDREN, getrusage
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(getrusage(RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)
"""
LOANS = GOLDEN / "loans"
TIME = datetime(2026, 4, 1, 9, tzinfo=UTC)


def run(
    _data_dir: Path | None = None,
    progress: Progress = nothing,
    *,
    sizes: Sequence[int] = SIZES,
    repeats: int = 5,
    drawn: int = DRAWN,
) -> dict[str, Any]:
    """Measure one period of each size; raises BenchError where there is no log's writer, or a check fails."""
    if not logs.PROGRAM.is_file():
        raise BenchError("lot: no equiproof-log: call `make log`")
    results = []
    for done, size in enumerate(sizes, 1):
        with tempfile.TemporaryDirectory() as folder:
            calls, commands = _calls(Path(folder), size, drawn)
            for what, call in calls.items():
                results.append({"what": what, "receipts": size, **spread("ms", timed(call, repeats), 2)})
            for what, command in commands.items():
                checks = functools.partial(_checks, command)
                results.append(
                    {"what": what, "receipts": size, **spread("ms", timed(checks, repeats), 2), **_peak(command)}
                )
        progress(done, len(sizes))
    return {"suite": "lot", "repeats": repeats, "drawn": drawn, "results": results, "machine": machine()}


def _calls(folder: Path, size: int, drawn: int) -> tuple[dict[str, Callable[[], object]], dict[str, Sequence[str]]]:
    """Return the calls to time for a period of so many receipts, and the commands that are processes of their own."""
    period = _period(folder, size, drawn)
    seed = hashlib.sha256(b"seed").digest()
    words = ["lot", "check", str(period.root), str(folder / "log"), "--json"]
    calls: dict[str, Callable[[], object]] = {
        "draw": lambda: drawn_places(seed, size, drawn),
        "bound": lambda: at_least(size, drawn, min(BAD, drawn), CONFIDENCE),
    }
    commands: dict[str, Sequence[str]] = {"check": [sys.executable, "-m", "equiproof", *words]}
    if BINARY.is_file():
        commands["static binary"] = [str(BINARY), *words]
    return calls, commands


def _checks(command: Sequence[str]) -> str:
    """Check a period, and return what is printed; raises BenchError unless it holds."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BenchError(f"lot: {done.stderr.strip()}")
    return done.stdout


def _peak(command: Sequence[str]) -> dict[str, float]:
    """Return the largest memory of a check, `peak_mb`.

    A process of this one would begin with the maximum of this one; that of a small process begins with little.
    """
    kilobytes = int(_checks([sys.executable, "-S", "-c", _LAUNCHER, *command]))
    return {"peak_mb": round(kilobytes * 1024 / 1e6, 1)}


def _period(folder: Path, size: int, drawn: int) -> PeriodFolder:
    """Write a log with so many receipts and a period of all of them, closed, drawn and answered."""
    signer, lender, auditor = Signer.new(logs.ORIGIN), Signer.new("lender"), Signer.new("auditor")
    (folder / "key").write_text(f"{signer.text}\n", encoding="utf-8")
    logs.program("init", folder / "log", "--origin", logs.ORIGIN, "--key", folder / "key")
    commitment = load_commitment(LOANS / "commitment.json")
    keys = [TrustedKey.read(one) for one in key_folders(LOANS / "keys")]
    known = [CommitmentEntry(*ENTRY, "commitment", OWNER, commitment_digest(commitment), "2026-01-01").data]
    known += [KeyEntry(*ENTRY, "key", OWNER, key.document.fingerprint, None).data for key in keys]
    certificate = LOANS / "certificate.json"
    receipts = functools.partial(_receipt, parse_certificate(certificate.read_bytes(), certificate.name).to_statement())
    given = b"".join(one + b"\n" for one in (*known, *(receipts(number).entry().data for number in range(size))))
    logs.program("append", folder / "log", "-", given=given)
    log = Log(str(folder / "log"), signer.verifier)
    terms = Terms("March 2026", OWNER, (lender.verifier, auditor.verifier), drawn, "0.1", "0")
    period = close(folder / "march", log, terms, commitment, keys)
    for step in (conduct.seal, conduct.open_seal):
        for who in (lender, auditor):
            step(period, who, folder / who.name, TIME)
    counted = read_close(period, log, Pins()).counted
    places = draw(period, counted)
    first = places.entries[0]
    owned = folder / "owned"
    owned.mkdir()
    (owned / "receipt.json").write_bytes(canonical_bytes(receipts(first - len(known))))
    (owned / certificate.name).write_bytes(certificate.read_bytes())
    period.write_answers(answer(period, counted.of(places.entries), places, owned, {}, lender, TIME))
    return period


def _receipt(statement: Statement, number: int) -> Receipt:
    """Return one of many receipts of a decision, with a salt of its own."""
    committed = (statement.model_commitment, statement.query_commitment, statement.context_digest)
    model, query, context = map(to_hex, committed)
    return Receipt(*RECEIPT, model, query, context, statement.label, time_text(TIME), f"{number:064x}")


def table(found: Mapping[str, Any]) -> str:
    """Write one line for each size."""
    columns = ("draw", "bound", "check", "static binary")
    cells = {(row["receipts"], row["what"]): row["ms"] for row in found["results"]}
    peaks = {(row["receipts"], row["what"]): row["peak_mb"] for row in found["results"] if "peak_mb" in row}
    sizes = sorted({size for size, _ in cells})
    head = ("receipts", "draw, ms", "bound, ms", "check, s", "static binary, s", "check, MB", "static binary, MB")
    rows = []
    for size in sizes:
        times = [_cell(what, cells.get((size, what))) for what in columns]
        rows.append((f"{size:,}", *times, *(str(peaks.get((size, what), "-")) for what in columns[2:])))
    return markdown(head, rows)


def _cell(what: str, milliseconds: float | None) -> str:
    """Return a time in its column's unit; a dash for what was not measured."""
    if milliseconds is None:
        return "-"
    return f"{milliseconds:.1f}" if what in ("draw", "bound") else f"{milliseconds / 1000:.2f}"
