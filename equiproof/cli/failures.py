"""From exceptions to one line and an exit code. Any other exception is a fault of ours and keeps its traceback."""

from __future__ import annotations

import errno
import re
import sys
import traceback
from pathlib import Path

from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.files import FileExistsRefusedError
from equiproof.circuits.tables import written
from equiproof.circuits.text import brief

_ROOMS = ("bench", "equiproof")

_DISTRIBUTIONS = {"_cffi_backend": "cffi", "sklearn": "scikit-learn"}
"""Distributions whose modules have another name; a missing module cannot be looked up."""

_REQUIREMENT = re.compile(r"""(?P<name>[A-Za-z0-9._-]+)[^;]*(;.*\bextra == ["'](?P<extra>[^"']+)["'])?""")

_TORCH = ("train", "audit", "dev")
"""The extras that hold torch."""

_CHAIN = ("prove", "recourse", "demo", "train", "audit")
"""The extra `audit`, and before it those of which it holds every package."""

_AUDITING = ("audit", "audit_compare", "audit_pack", "audit_page", "mitigate", "repair")
"""Modules of commands that need the extra `audit`, also where what is missed first is in a smaller extra."""

_REQUIREMENTS = Path(__file__).parents[2] / "requirements"
"""The folder of pinned requirements, which only a checkout has."""


_REMEDIES = {
    errno.EPERM: "name another place, or run this as the owner of the file",
    errno.EROFS: "name a place that can be written",
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), "free some space, or name a place on another disk"),
    errno.EFBIG: "raise the limit of a file's size, or name a place on another disk",
    errno.ENAMETOOLONG: "take a shorter name",
    errno.EMFILE: "allow more open files (ulimit -n)",
    errno.ENFILE: "close other programs",
    errno.ENOTEMPTY: "name an empty folder",
    errno.EBUSY: "end the program that holds it",
    errno.EIO: "check the disk, or name a place on another one",
}
"""What to do about errors of the system, which say only what happened."""

_SAID_ALIKE = {
    errno.ENOENT: lambda: written("system.not_there"),
    errno.EISDIR: lambda: written("system.is_a_folder"),
    errno.ENOTDIR: lambda: written("system.not_a_folder"),
    errno.EACCES: lambda: written("system.not_permitted"),
    errno.ELOOP: lambda: written("system.is_a_loop"),
}
"""The same about files that cannot be read, of which every program that verifies says it."""


def was_interrupted(error: BaseException) -> bool:
    """Tell whether an error is what somebody made of Ctrl-C, as Python does with errors while a class is built."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, KeyboardInterrupt):
            return True
        seen = seen.__cause__ or seen.__context__
    return False


def exit_code(error: BaseException) -> int | None:
    """Return the exit code of a user's mistake, a refusal or an exhausted budget; None for a fault of ours."""
    code = getattr(error, "exit_code", None)
    if isinstance(code, int):
        return code
    return MISUSED if isinstance(error, OSError) or missing_package(error) else None


def missing_package(error: BaseException) -> str | None:
    """Return the name of a third-party package that is not installed; None for any other error."""
    if not isinstance(error, ModuleNotFoundError) or error.name is None:
        return None
    name = error.name.partition(".")[0]
    return None if name in _ROOMS or name in sys.stdlib_module_names else name


def extra_of(package: str) -> str | None:
    """Return the extra of this package that requires another one, "" for the base, None where that is unknown.

    The metadata of the installation says so; a checkout that was never installed has none.
    """
    from importlib.metadata import PackageNotFoundError, requires  # its modules take megabytes

    try:
        lines = requires("equiproof") or ()
    except PackageNotFoundError:
        return None
    name = _normal(_DISTRIBUTIONS.get(package, package))
    requirements = (match for line in lines if (match := _REQUIREMENT.match(line)))
    return next((match["extra"] or "" for match in requirements if _normal(match["name"]) == name), None)


def _normal(name: str) -> str:
    """Return a distribution's name in the one spelling by which names are compared."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _of_the_parser(error: BaseException) -> bool:
    """Return whether the parser of the command line raised an error: it writes help, to standard output only."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    return bool(frames) and str(frames[-1].f_globals.get("__name__")).partition(".")[0] == "typer"


def lines(error: BaseException) -> list[str]:
    """Return the lines that the user sees: one, or one for each problem of a table."""
    problems = getattr(error, "problems", None)
    return [brief(line) for line in problems] if isinstance(problems, tuple) and problems else [one_line(error)]


def one_line(error: BaseException) -> str:
    """Return the line that the user sees."""
    package = missing_package(error)
    if package is not None:
        return brief(_missing(package, auditing=_of_an_audit(error)))
    if isinstance(error, FileExistsRefusedError):
        return brief(error.message("--force"))
    if isinstance(error, OSError) and error.strerror is not None:
        return brief(_of_the_system(error))
    return brief(str(error))


def _of_the_system(error: OSError) -> str:
    """Say what to do about an error of the system, what it is and of which file, where one is known."""
    where = "standard output" if error.filename is None and _of_the_parser(error) else error.filename
    code = error.errno or 0
    remedy = _SAID_ALIKE[code]() if code in _SAID_ALIKE else _REMEDIES.get(code)
    parts = (remedy, where, error.strerror)
    return ": ".join(str(part) for part in parts if part is not None)


def _of_an_audit(error: BaseException) -> bool:
    """Return whether a command of the extra `audit` raised an error."""
    modules = {f"{__package__}.commands.{name}" for name in _AUDITING}
    return any(frame.f_globals.get("__name__") in modules for frame, _ in traceback.walk_tb(error.__traceback__))


def _missing(package: str, *, auditing: bool) -> str:
    """Say that a package is missing, and how to install what the command needs."""
    extra = extra_of(package)
    if auditing and extra in _CHAIN:
        extra = _CHAIN[-1]
    if extra is None:
        return f"{package} is not installed, and this command needs it; README.md says how to install everything"
    if (_REQUIREMENTS / f"{extra or 'base'}.txt").is_file():
        own = f"requirements/{extra or 'base'}.txt"
        # torch's GPU libraries are pinned in a file of their own, so that pip can leave them out.
        options = f"--no-deps -r {own} -r requirements/gpu.txt" if extra in _TORCH else f"-r {own}"
        command = f"pip install {options}"
    else:
        own = f"equiproof[{extra}]" if extra else "equiproof"
        command = f"pip install '{own}'"
    return f"{package} is not installed: this command needs the packages of {own}; {command}"
