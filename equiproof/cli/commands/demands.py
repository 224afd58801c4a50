"""What a relying party demands of certificates: the options of commands that verify, and the policy that they make."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equiproof.cli.commands.common import load
from equiproof.cli.commands.log_watch import typed_log_key
from equiproof.cli.console import err

if TYPE_CHECKING:
    from equiproof.verifier import Own
    from equiproof.verifier.facts import Policy
    from equiproof.verifier.logged import LogTerms
    from equiproof.verifier.programs import Choice

MinRadiusText = Annotated[
    str | None,
    typer.Option(
        "--min-radius",
        help="Refuse certificates with a smaller radius than this, in the spec's units (0.1: a tenth of a feature's "
        "scale). Without it, any radius passes, even 0.",
    ),
]
NoRangesFlag = Annotated[
    bool, typer.Option("--no-ranges", help="Refuse certificates that cover only neighbors inside ranges.")
]
RangesWithinTexts = Annotated[
    list[str] | None,
    typer.Option(
        "--ranges-within",
        metavar="NAME=LOW:HIGH",
        help="For certificates that cover only neighbors inside ranges: the values that the certified range of a "
        "numeric feature must include, such as income=0:90000. Repeat the option for each numeric feature.",
    ),
]
SetupText = Annotated[
    str | None,
    typer.Option(
        "--setup",
        help="Require this kind of set-up: single-party, ceremony or universal. A key of the last two also needs "
        "--transcript or --signed-by.",
    ),
]
TranscriptText = Annotated[
    str | None,
    typer.Option(
        "--transcript", help="Accept a key of others by this transcript digest, which `keys check` printed for you."
    ),
]
SignersFile = Annotated[
    Path | None,
    typer.Option(
        "--signed-by",
        help="Accept a key of others if these signers state that they checked it: their verifier keys, one a line.",
    ),
]
LeastSigners = Annotated[
    int | None, typer.Option("--least-signers", min=1, help="How many of --signed-by suffice. Default: all.")
]
LogKeyText = Annotated[
    str | None,
    typer.Option(
        "--log-key",
        metavar="KEY",
        help="Require that this public log holds the commitment: the verifier key of the log, or "
        "a file with that line.",
    ),
]
WitnessesFile = Annotated[
    Path | None,
    typer.Option(
        "--witnesses",
        help="Whose word you take that the log shows everybody the same: verifier keys of witnesses, one a line.",
    ),
]
LeastWitnesses = Annotated[
    int | None, typer.Option("--least-witnesses", min=1, help="How many of --witnesses suffice. Default: all.")
]
SmallestTree = Annotated[
    int | None,
    typer.Option("--smallest-tree", min=0, help="Refuse log proofs of a log with fewer entries than you saw before."),
]
LogDays = Annotated[
    int | None,
    typer.Option(
        "--max-log-age",
        metavar="DAYS",
        min=0,
        help="Refuse log proofs older than this by the witnesses' clocks: a later withdrawal is not seen.",
    ),
]
LogOwner = Annotated[
    str | None, typer.Option("--log-owner", metavar="NAME", help="Require this name of the owner in the log.")
]
PolicyFile = Annotated[
    Path | None,
    typer.Option("--policy", help="A policy file: what every certificate must meet, in addition to other options."),
]
CheckerText = Annotated[
    str,
    typer.Option(
        "--checker",
        envvar="EQUIPROOF_CHECKER",
        help="What checks the proof: native, python, or auto (native if available, otherwise python).",
    ),
]


def policy_of_options(**values: Any) -> Policy:
    """Return the policy of the options; raises typer's own error naming the one whose value is refused."""
    from equiproof.verifier import RequirementError, policy_of

    try:
        return policy_of(**values)
    except RequirementError as error:
        option = "log-key" if error.name == "log" else error.name.replace("_", "-")
        raise typer.BadParameter(f"--{option}: {error.reason}") from None


def chosen_program(checker: str) -> Choice:
    """Return the program that checks proofs; raises typer's own error for an unknown one."""
    from equiproof.verifier.programs import known

    try:
        return known(checker)
    except ValueError as error:
        raise typer.BadParameter(f"--checker: {error}") from None


def required_policy(
    policy: Path | None,
    plain: Mapping[str, Any],
    context: Path | None,
    log_proof: bytes,
    terms: LogTerms | None,
) -> Policy:
    """Return the policy of the file, if there is one, and of the options; `plain` are values of options.

    `log_proof` is empty for none. Raises as :func:`policy_of_options`.
    """
    from equiproof.verifier import Own, parse_context

    made_for = None if context is None else load(parse_context, context)
    now = int(time.time())
    own = Own(plain.get("query"), made_for, log_proof=log_proof, now=now)
    file_policy = None if policy is None else _policy_of_file(policy, own)
    log = None if terms is None else (terms, log_proof, now)
    return both_policies(file_policy, policy_of_options(**plain, context=made_for, log=log))


def _policy_of_file(path: Path, own: Own) -> Policy:
    """Read a policy file; says so where it requires nothing."""
    import warnings

    from equiproof.circuits.canonical import read_limited
    from equiproof.verifier import UnsafeNoPolicy, parse_policy

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        policy = parse_policy(read_limited(path), str(path), own)
    if isinstance(policy, UnsafeNoPolicy):
        err.print(f"{path}: an unsafe policy: it requires nothing, so any true certificate meets it", markup=False)
    return policy


def both_policies(file_policy: Policy | None, options: Policy) -> Policy:
    """Return the policy of file and options; what both require is checked once."""
    from equiproof.verifier import AllOf

    if file_policy is None or not isinstance(file_policy, AllOf):
        return options
    if not isinstance(options, AllOf):
        return file_policy
    return AllOf(file_policy, *(one for one in options.policies if one not in file_policy.policies))


@contextmanager
def mendable(checker: str) -> Iterator[None]:
    """Say how to do without a native library that was requested and is missing."""
    from equiproof.ffi.errors import BackendError

    try:
        yield
    except BackendError as error:
        if checker != "native":
            raise
        raise BackendError(f"{error}, or leave out --checker to check the proof in plain Python") from None


def accepted_signers(path: Path | None, least: int | None) -> tuple[list[str], int] | None:
    """Read the signers whose word is accepted, and how many of them suffice."""
    if path is None:
        if least is not None:
            raise typer.BadParameter("--least-signers: of whom? Name their keys with --signed-by")
        return None
    from equiproof.circuits.canonical import read_limited
    from equiproof.verifier.notes import MAX_NOTE_BYTES, parse_keys

    keys = parse_keys(read_limited(path, MAX_NOTE_BYTES).decode("utf-8", "replace"), str(path))
    return [key.text for key in keys], least or len(keys)


def log_terms(
    key: str | None,
    witnesses: Path | None,
    least: int | None,
    smallest: int | None,
    days: int | None,
    owner: str | None,
) -> LogTerms | None:
    """Return what the options demand of a log; raises typer's own error for one that is nothing without another."""
    from equiproof.verifier.logged import LogTerms

    if witnesses is None and least is not None:
        raise typer.BadParameter("--least-witnesses: of whom? Name their keys with --witnesses")
    if key is None:
        others = {"--witnesses": witnesses, "--smallest-tree": smallest, "--max-log-age": days, "--log-owner": owner}
        for option, value in others.items():
            if value is not None:
                raise typer.BadParameter(f"{option}: of which log? Name its key with --log-key")
        return None
    return LogTerms(typed_log_key(key), _witnesses(witnesses), least, 1 if smallest is None else smallest, days, owner)


def _witnesses(path: Path | None) -> tuple[str, ...]:
    """Read the keys of witnesses."""
    from equiproof.circuits.canonical import read_limited
    from equiproof.verifier.notes import MAX_NOTE_BYTES, parse_keys

    if path is None:
        return ()
    keys = parse_keys(read_limited(path, MAX_NOTE_BYTES).decode("utf-8", "replace"), str(path), witnesses=True)
    return tuple(key.text for key in keys)


def named_ranges(texts: list[str]) -> dict[str, tuple[str, str]]:
    """Read the values of --ranges-within, such as "income=0:90000"; raises typer's own error for anything else."""
    ranges: dict[str, tuple[str, str]] = {}
    for text in texts:
        name, equals, ends = text.rpartition("=")
        low, colon, high = ends.partition(":")
        if not name or not equals or not colon:
            raise typer.BadParameter(f"--ranges-within {text!r}: want NAME=LOW:HIGH, such as income=0:90000")
        if name in ranges:
            raise typer.BadParameter(f"--ranges-within {text!r}: {name!r} has a range already")
        ranges[name] = (low, high)
    return ranges
