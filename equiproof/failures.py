"""From exceptions to one line and an exit code; anything else is a fault of ours and keeps its traceback."""

from __future__ import annotations

import sys
import traceback

from circuits.text import plain

OK = 0
REFUSED = 1
MISUSED = 2
UNFAIR = 3
EXHAUSTED = 4
FAULT = 70
INTERRUPTED = 130

_CODES = {
    "audits.errors:AuditError": MISUSED,
    "bench.harness:BenchError": MISUSED,
    "verifier.errors:VerificationError": REFUSED,
    "verifier.errors:CertificateFormatError": MISUSED,
    "certify.branch.parameters:WidthError": MISUSED,
    "certify.branch.search:PrecisionError": EXHAUSTED,
    "certify.errors:SearchBudgetError": EXHAUSTED,
    "certify.errors:CapacityError": EXHAUSTED,
    "certify.errors:RunError": MISUSED,
    "certify.data.dataset:DataError": MISUSED,
    "certify.importing.errors:ModelImportError": MISUSED,
    "certify.training:TrainingError": MISUSED,
    "certify.network:NetworkError": MISUSED,
    "circuits.canonical:DocumentError": MISUSED,
    "circuits.spec:SpecError": MISUSED,
    "circuits.subcircuit:SubCircuitError": MISUSED,
    "ffi.errors:BackendError": MISUSED,
    "prover.files:FileExistsRefusedError": MISUSED,
    "prover.keys:KeyStoreError": MISUSED,
    "prover.opening:OpeningError": MISUSED,
    "equiproof.fetch:FetchError": MISUSED,
    "equiproof.rows:RowsError": MISUSED,
    "equiproof.failures:ExhaustedError": EXHAUSTED,
}


_ROOMS = ("audits", "bench", "certify", "circuits", "equiproof", "ffi", "prover", "verifier")

_BASE = ("msgspec", "py_ecc", "rfc8785", "rich", "typer")
_PROVE = ("_cffi_backend", "cffi", "daqp", "numpy")
_AUDIT = ("fairlearn", "highspy", "pgmpy")
"""Packages by the requirements that hold them; every other one is in those of training."""


class ExhaustedError(Exception):
    """A budget or a capacity that ended before the search did, told in the spec's units."""


def exit_code(error: BaseException) -> int | None:
    """Return the exit code of a user's mistake or a refusal, None for a fault of ours.

    Classes are looked up among the loaded modules: naming them costs no import, and one that was never loaded cannot
    have been raised.
    """
    for name, code in _CODES.items():
        if _is(error, name):
            return code
    return MISUSED if isinstance(error, OSError) or missing_package(error) else None


def _is(error: BaseException, name: str) -> bool:
    """Tell whether an error is of a class, named as in the table of codes."""
    module, _, kind = name.partition(":")
    return module in sys.modules and isinstance(error, getattr(sys.modules[module], kind))


def missing_package(error: BaseException) -> str | None:
    """Return the name of a package of others that is not installed, None for any other error."""
    if not isinstance(error, ModuleNotFoundError) or error.name is None:
        return None
    name = error.name.partition(".")[0]
    return None if name in _ROOMS or name in sys.stdlib_module_names else name


def _of_the_parser(error: BaseException) -> bool:
    """Tell whether the parser of the command line raised an error: it writes help, to standard output only."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    return bool(frames) and str(frames[-1].f_globals.get("__name__")).partition(".")[0] == "typer"


def one_line(error: BaseException) -> str:
    """Return what to tell the user."""
    package = missing_package(error)
    if package is not None:
        held = {"base": _BASE, "prove": _PROVE, "audit": _AUDIT}
        extra = next((name for name, packages in held.items() if package in packages), "train")
        return plain(
            f"{package} is not installed: this command needs the packages of requirements/{extra}.txt; "
            f"pip install -r requirements/{extra}.txt"
        )
    if _is(error, "prover.files:FileExistsRefusedError"):
        return plain(error.told("--force"))  # type: ignore[attr-defined]  # its class is looked up by name
    if isinstance(error, OSError) and error.filename is None and _of_the_parser(error):
        return plain(f"standard output: {error.strerror}")
    if isinstance(error, OSError) and error.filename is not None:
        return plain(f"{error.filename}: {error.strerror}")
    return plain(str(error))
