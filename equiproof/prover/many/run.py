"""A run over many applicants: rows go out to workers, files and lines of the manifest come back, one after the other.

Only this process writes. A row's files are there whole before its line is: so a run that is killed anywhere leaves
either a row that counts or one that the next run makes again.
"""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

import msgspec

from equiproof.certify.errors import RunError
from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.files import FileExistsRefusedError, write_files, write_folder
from equiproof.prover.many.applicants import Applicant
from equiproof.prover.many.engines import Engine
from equiproof.prover.many.examine import Examiner
from equiproof.prover.many.manifest import APPLICANTS, MANIFEST_FILE, Header, Manifest, digests
from equiproof.prover.many.task import Made, Task
from equiproof.prover.receipts import CONTEXT_FILE, GUARDRAIL, PROOF_FILE, QUERY_FILE, RECEIPT_FILE

CERTIFICATE_FILE = "certificate.json"

Files = Callable[[Applicant, Made], Mapping[str, bytes]]
"""Returns the files of a fair row by name under APPLICANTS: all in one folder of the applicant's, or none in any."""

Tally = Callable[[Counter[str], int], None]
"""Called with the verdicts so far and the number of all rows."""

_MOST_NAMED = 10
"""How many rows an error lists by number."""

_UNFINISHED_NAME = re.compile(r"\..+\.[0-9a-f]{16}")


@dataclass(frozen=True)
class Run:
    """Everything that was checked before: the applicants, in the order of their rows, and where their files go."""

    folder: Path
    header: Header
    applicants: Sequence[Applicant]
    examiner: Examiner

    @contextmanager
    def manifest(self, *, resume: bool) -> Iterator[Manifest]:
        """Hold the folder's manifest, made where there is none.

        Raises FileExistsRefusedError for a folder with anything in it unless `resume`, RunError for another run's,
        OSError where nothing can be written.
        """
        path = self.folder / MANIFEST_FILE
        self.folder.mkdir(parents=True, exist_ok=True)
        if not resume and any(self.folder.iterdir()):
            way_out = "go on with --resume, or name another folder" if path.exists() else "name an empty folder"
            raise FileExistsRefusedError(path if path.exists() else self.folder, way_out)
        if not path.exists() and any(self.folder.iterdir()):
            raise FileExistsRefusedError(self.folder, "it holds no manifest to resume from: name another folder")
        with Manifest(path, self.header) as manifest:
            _remove_unfinished(self.folder / APPLICANTS)
            manifest.drop_lost(self.folder / APPLICANTS)
            try:
                yield manifest
            finally:
                if not manifest.entries and not (self.folder / APPLICANTS).exists():
                    path.unlink(missing_ok=True)  # nothing has begun, so the next run needs no --resume

    def missing(self, manifest: Manifest) -> list[Applicant]:
        """Return the applicants that the manifest does not have yet."""
        return [one for one in self.applicants if one.row not in manifest.entries]

    def go(self, manifest: Manifest, engine: Engine, files: Files, tally: Tally) -> None:
        """Have all missing rows proven but those that a guardrail stopped.

        Raises the errors of the engine and of the examiner.
        """
        missing = self.missing(manifest)
        applicant_of = {one.row: one for one in missing}
        verdicts: Counter[str] = Counter(entry.verdict for entry in manifest.entries.values())
        tally(verdicts, len(self.applicants))
        # A dictionary for its order: rows that a guardrail stopped are written first, in the order of the table.
        stopped_rows = {one.row: None for one in missing if one.fixed is not None and one.fixed.stopped}
        tasks = (_task(one) for one in missing if one.row not in stopped_rows)
        with closing(engine(tasks)) as results:
            for made in chain((Made(row, "undecided", {}, reason=GUARDRAIL) for row in stopped_rows), results):
                applicant = applicant_of.pop(made.row)
                self._keep(manifest, applicant, made, files)
                verdicts[made.verdict] += 1
                tally(verdicts, len(self.applicants))
        if applicant_of:
            raise RunError(_unfinished(list(applicant_of)))

    def _keep(self, manifest: Manifest, applicant: Applicant, made: Made, files: Files) -> None:
        """Write a row's files, then its line."""
        entry = self.examiner.entry(applicant, made, datetime.now(UTC).isoformat(timespec="seconds"))
        if made.verdict == "fair":
            # The files first: a line says that they are there, and a run that is killed before it writes them again.
            written = files(applicant, made)
            _write(self.folder, written)
            entry = msgspec.structs.replace(entry, files=digests(written))
        manifest.append(entry)


def _task(one: Applicant) -> Task:
    """Return what a worker is told of an applicant."""
    return Task(one.row, one.features, one.context, None if one.fixed is None else one.fixed.blinding)


def _unfinished(rows: Sequence[int]) -> str:
    """Say which rows no worker finished."""
    named = ", ".join(map(str, rows[:_MOST_NAMED])) + ", ..." * (len(rows) > _MOST_NAMED)
    count = "1 row" if len(rows) == 1 else f"{len(rows):,} rows"
    return (
        f"no worker finished {count} ({named}): those that tried were ended, perhaps for lack of memory; "
        "try again with --resume, and fewer jobs or workers"
    )


def plain_files(applicant: Applicant, made: Made) -> dict[str, bytes]:
    """Return certificate, query file and context of a row, in a folder of the applicant's; a receipt where one is."""
    named = {
        CERTIFICATE_FILE: made.certificate,
        QUERY_FILE: made.query,
        CONTEXT_FILE: canonical_bytes(applicant.context),
    }
    if (fixed := applicant.fixed) is not None:
        named[RECEIPT_FILE] = canonical_bytes(fixed.receipt)
        if fixed.proof is not None:
            named[PROOF_FILE] = fixed.proof
    return {f"{applicant.name}/{name}": data for name, data in named.items()}


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write the files of a row by their names under `applicants`, all of them or none.

    What a run left that was killed before it wrote the row's line is replaced. All are the applicant's own and secret,
    but for the certificate.
    """
    paths = {folder / APPLICANTS / name: data for name, data in files.items()}
    (above,) = {path.parent for path in paths}
    if above.name == APPLICANTS:
        write_files(paths, secret=paths, force=True)
        return
    named = {path.name: data for path, data in paths.items()}
    write_folder(above, named, secret=named.keys() - {CERTIFICATE_FILE}, force=True)


def _remove_unfinished(folder: Path) -> None:
    """Remove folders that a killed run had not finished; those of single files are the writer's own to settle."""
    with suppress(FileNotFoundError):
        for path in folder.iterdir():
            if _UNFINISHED_NAME.fullmatch(path.name) and path.is_dir():
                shutil.rmtree(path)
