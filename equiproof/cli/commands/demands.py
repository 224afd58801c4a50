"""What a relying party demands of certificates: the values of options of commands that verify, and their policy."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equiproof.circuits.policy_rows import by_argument
from equiproof.circuits.tables import say, written
from equiproof.cli.commands.common import load, naming_file
from equiproof.cli.commands.log_watch import typed_log_key
from equiproof.cli.console import remark

if TYPE_CHECKING:
    from equiproof.verifier import Own
    from equiproof.verifier.certificate import ProofFile
    from equiproof.verifier.documents import CommitmentDocument, QueryDocument
    from equiproof.verifier.facts import Policy
    from equiproof.verifier.link import LinkDocument
    from equiproof.verifier.logged import LogTerms
    from equiproof.verifier.programs import Choice
    from equiproof.verifier.trust import TrustStore

LeastSigners = Annotated[int | None, typer.Option("--least-signers", min=1, help=written("option.least_signers"))]
WitnessesFile = Annotated[
    Path | None,
    typer.Option(
        "--witnesses",
        help=written("option.witnesses"),
    ),
]
LeastWitnesses = Annotated[int | None, typer.Option("--least-witnesses", min=1, help=written("option.least_witnesses"))]
SmallestTree = Annotated[
    int | None,
    typer.Option("--smallest-tree", min=0, help=written("option.least_entries")),
]
LogDays = Annotated[
    int | None,
    typer.Option(
        "--max-log-age",
        metavar="DAYS",
        min=0,
        help=written("option.max_log_age"),
    ),
]
LogOwner = Annotated[str | None, typer.Option("--log-owner", metavar="NAME", help=written("option.log_owner"))]
PolicyFile = Annotated[
    Path | None,
    typer.Option("--policy", help=written("option.policy_file")),
]
OwnFirst = Annotated[
    list[str] | None, typer.Option("--first", metavar="NAME=VALUE", help="Require that this value gains.")
]
OwnSecond = Annotated[
    list[str] | None, typer.Option("--second", metavar="NAME=VALUE", help="Require that it is compared with this one.")
]
OwnLink = Annotated[
    Path | None,
    typer.Option(
        "--link",
        help="The link of a kept key, as its owner published it. Default: the one beside certificate or commitment.",
    ),
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
        raise typer.BadParameter(f"{by_argument()[error.name].option}: {error.reason}") from None


def own_link(link: Path | None, file: ProofFile, *folders: Path) -> LinkDocument | None:
    """Return the link that an option names, or the one of a certificate's key in the first folder that has one."""
    from equiproof.verifier.link import load_link
    from equiproof.verifier.presented import link_beside

    if link is not None:
        return load_link(link)
    return next((found for folder in folders if (found := link_beside(folder, file)) is not None), None)


def all_links(link: Path | None, keys: TrustStore, folder: Path) -> tuple[LinkDocument, ...]:
    """Return the link that an option names, or where a key needs one all those in the commitment's folder."""
    from equiproof.verifier.link import load_link
    from equiproof.verifier.presented import links_in

    if link is not None:
        return (load_link(link),)
    return links_in(folder) if keys.needs_links else ()


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
    query: QueryDocument | None,
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
    own = Own(query, made_for, log_proof=log_proof, now=now)
    file_policy = None if policy is None else _policy_of_file(policy, own)
    log = None if terms is None else (terms, log_proof, now)
    return both_policies(file_policy, policy_of_options(**plain, query=query, context=made_for, log=log))


def _policy_of_file(path: Path, own: Own) -> Policy:
    """Read a policy file; says so where it requires nothing."""
    import warnings

    from equiproof.circuits.canonical import read_limited
    from equiproof.verifier import UnsafeNoPolicy, parse_policy

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        policy = parse_policy(read_limited(path), str(path), own)
    if isinstance(policy, UnsafeNoPolicy):
        remark(say("policy.file_unsafe", path=str(path)))
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


def own_query(commitment: CommitmentDocument | None, path: Path | None) -> QueryDocument | None:
    """Read the applicant's query file; one that does not fit the spec is malformed."""
    from equiproof.verifier.documents import load_query

    if path is None:
        return None
    document = load_query(path)
    if commitment is not None:
        with naming_file(path):
            document.commitment(commitment.spec)
    return document


def digits(text: str | None) -> str | None:
    """Return digits as people type them from a page or a paper: in any case, with blanks between groups."""
    return None if text is None else "".join(text.split()).lower()


def compared(
    label: str | None, first: list[str], second: list[str]
) -> tuple[str, dict[str, str], dict[str, str]] | None:
    """Return what must be compared, None where no option says it; raises typer's own error for a part of it."""
    if label is None and not first and not second:
        return None
    if label is None or not first or not second:
        raise typer.BadParameter(say("gain.options_go_together"))
    return label, sensitive_values("first", first), sensitive_values("second", second)


def sensitive_values(option: str, texts: list[str]) -> dict[str, str]:
    """Read sensitive values such as "sex=male"; raises typer's own error for anything else."""
    values: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.rpartition("=")
        if not name or not equals or not value:
            raise typer.BadParameter(say("gain.assignment_malformed", option=option, value=repr(text)))
        if name in values:
            raise typer.BadParameter(say("gain.assignment_twice", option=option, value=repr(text), feature=repr(name)))
        values[name] = value
    return values
