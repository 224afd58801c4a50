"""What a relying party demands of certificates: the options of commands that verify, and the policy that they make."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equiproof.circuits.tables import say
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
NoRangesFlag = Annotated[bool, typer.Option("--no-ranges", help=say("option.no_ranges"))]
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
        help=say("option.setup"),
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
        help=say("option.signed_by"),
    ),
]
LeastSigners = Annotated[int | None, typer.Option("--least-signers", min=1, help=say("option.least_signers"))]
LogKeyText = Annotated[
    str | None,
    typer.Option(
        "--log-key",
        metavar="KEY",
        help=say("option.log_key"),
    ),
]
WitnessesFile = Annotated[
    Path | None,
    typer.Option(
        "--witnesses",
        help=say("option.witnesses"),
    ),
]
LeastWitnesses = Annotated[int | None, typer.Option("--least-witnesses", min=1, help=say("option.least_witnesses"))]
SmallestTree = Annotated[
    int | None,
    typer.Option("--smallest-tree", min=0, help=say("option.least_entries")),
]
LogDays = Annotated[
    int | None,
    typer.Option(
        "--max-log-age",
        metavar="DAYS",
        min=0,
        help=say("option.max_log_age"),
    ),
]
LogOwner = Annotated[str | None, typer.Option("--log-owner", metavar="NAME", help=say("option.log_owner"))]
PolicyFile = Annotated[
    Path | None,
    typer.Option("--policy", help=say("option.policy_file")),
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
        err.print(say("policy.file_unsafe", path=str(path)), markup=False)
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
            raise typer.BadParameter(say("option.signers_without_keys"))
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
        raise typer.BadParameter(say("option.witnesses_without_keys"))
    if key is None:
        others = {"--witnesses": witnesses, "--smallest-tree": smallest, "--max-log-age": days, "--log-owner": owner}
        for option, value in others.items():
            if value is not None:
                raise typer.BadParameter(say("option.log_key_missing", option=option))
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
            raise typer.BadParameter(say("option.range_malformed", value=repr(text)))
        if name in ranges:
            raise typer.BadParameter(say("option.range_twice", value=repr(text), feature=repr(name)))
        ranges[name] = (low, high)
    return ranges
