"""`equiproof verify`: check a certificate against the trusted commitment, the trusted keys and a policy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equiproof.cli.commands.common import CommitmentFile, ContextFile, Json, KeysFolder, below_each_other, load, tell
from equiproof.cli.console import err

if TYPE_CHECKING:
    from equiproof.circuits.spec import Spec
    from equiproof.verifier import Verified
    from equiproof.verifier.documents import QueryDocument
    from equiproof.verifier.policy import Policy
    from equiproof.verifier.programs import Choice

_POINTER = "; the list is below"
_CHECKED_BY = {"native": "by the native library", "python": "in plain Python"}

QueryFile = Annotated[Path | None, typer.Option("--query", help="Your own query file: your data and its blinding.")]
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


def verify(
    certificate: Annotated[Path, typer.Argument(help="The certificate file.")],
    commitment: CommitmentFile,
    keys: KeysFolder,
    query: QueryFile = None,
    context: ContextFile = None,
    min_radius: MinRadiusText = None,
    no_ranges: NoRangesFlag = False,
    ranges_within: RangesWithinTexts = None,
    setup: SetupText = None,
    transcript: TranscriptText = None,
    signed_by: SignersFile = None,
    least_signers: LeastSigners = None,
    policy: PolicyFile = None,
    checker: CheckerText = "auto",
    as_json: Json = False,
) -> None:
    """Verify a certificate.

    Lists the checks performed and those left to you. Exits 0 if the certificate is verified, 1 if it is refused, and 2
    for a malformed file or wrong usage.
    """
    from equiproof.verifier import RequirementError, Verifier, parse_certificate, parse_context, policy_of
    from equiproof.verifier.documents import load_commitment
    from equiproof.verifier.trust import TrustStore

    program = _program(checker)
    parsed, trusted = load(parse_certificate, certificate), TrustStore.open(keys)
    committed = load_commitment(commitment)
    own = _own_query(committed.spec, query)
    made_for = None if context is None else load(parse_context, context)
    demanded = None if policy is None else _of_file(policy, own, made_for)
    try:
        options = policy_of(
            query=own,
            context=made_for,
            min_radius=min_radius,
            no_ranges=no_ranges,
            ranges_within=_read_ranges(ranges_within or []),
            setup=setup,
            transcript=transcript,
            signed_by=_signers(signed_by, least_signers),
        )
    except RequirementError as error:
        raise typer.BadParameter(f"--{error.name.replace('_', '-')}: {error.reason}") from None
    with _named(certificate), _mendable(checker):
        verified = Verifier(committed, trusted, program).verify(parsed, _both(demanded, options))
    document = verified.document(own or parsed.query)
    tell(as_json=as_json, document=document, text=_text(verified, document))


def _program(checker: str) -> Choice:
    """Return the program that checks proofs; raises typer's own error for an unknown one."""
    from equiproof.verifier.programs import known

    try:
        return known(checker)
    except ValueError as error:
        raise typer.BadParameter(f"--checker: {error}") from None


def _of_file(path: Path, query: QueryDocument | None, context: Mapping[str, str] | None) -> Policy:
    """Read a policy file; says so where it requires nothing."""
    import warnings

    from equiproof.circuits.canonical import read_limited
    from equiproof.verifier import Own, UnsafeNoPolicy, parse_policy

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        policy = parse_policy(read_limited(path), str(path), Own(query, context))
    if isinstance(policy, UnsafeNoPolicy):
        err.print(f"{path}: an unsafe policy: it requires nothing, so any true certificate meets it", markup=False)
    return policy


def _both(demanded: Policy | None, options: Policy) -> Policy:
    """Return the policy of file and options; what both require is checked once."""
    from equiproof.verifier import AllOf

    if demanded is None or not isinstance(demanded, AllOf):
        return options
    if not isinstance(options, AllOf):
        return demanded
    return AllOf(demanded, *(one for one in options.policies if one not in demanded.policies))


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Name the file in errors about what is malformed in it."""
    from equiproof.verifier import CertificateFormatError

    try:
        yield
    except CertificateFormatError as error:
        raise CertificateFormatError(f"{path}: {error}", error.reason) from None


@contextmanager
def _mendable(checker: str) -> Iterator[None]:
    """Say how to do without a native library that was requested and is missing."""
    from equiproof.ffi.errors import BackendError

    try:
        yield
    except BackendError as error:
        if checker != "native":
            raise
        raise BackendError(f"{error}, or leave out --checker to check the proof in plain Python") from None


def _own_query(spec: Spec, path: Path | None) -> QueryDocument | None:
    """Read the applicant's query file; one that does not fit the spec is malformed."""
    from equiproof.verifier.documents import load_query

    if path is None:
        return None
    document = load_query(path)
    with _named(path):
        document.commitment(spec)
    return document


def _signers(path: Path | None, least: int | None) -> tuple[list[str], int] | None:
    """Read the signers whose word is accepted, and how many of them suffice."""
    if path is None:
        if least is not None:
            raise typer.BadParameter("--least-signers: of whom? Name their keys with --signed-by")
        return None
    from equiproof.circuits.canonical import read_limited
    from equiproof.verifier.notes import MAX_NOTE_BYTES, parse_keys

    keys = parse_keys(read_limited(path, MAX_NOTE_BYTES).decode("utf-8", "replace"), str(path))
    return [key.text for key in keys], least or len(keys)


def _read_ranges(texts: list[str]) -> dict[str, tuple[str, str]]:
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


def _text(verified: Verified, document: dict[str, Any]) -> str:
    """Write what was verified, the decision first."""
    from equiproof.circuits.names import quoted
    from equiproof.circuits.units import in_short

    reading, intervals = verified.reading, document["intervals"]
    unaffected = ", ".join(
        f"{quoted(feature.name)} ({in_short(feature.domain, _POINTER)})" for feature in verified.spec.sensitive_features
    )
    lines = [
        "VERIFIED",
        f"Decision: {quoted(reading.label)}",
        f"Not affected by: {unaffected}",
        f"  {reading.sentence()}",
        "",
    ]
    if reading.radius_any == "0.000000":
        lines.append("This speaks about the applicant's own values; the radius is too small to state in units.")
    else:
        alone = "Each of these alone may move by less than"
        if intervals is not None:
            alone = "Your values, and between what each of them alone may move"
        lines.append(f"{alone} (together: within {reading.radius_any}):")
        lines += below_each_other(intervals or reading.features)
        if ranges := document["ranges"]:
            lines += ["Only while each of them stays inside its range; nothing is said of anybody outside:"]
            lines += below_each_other(ranges)
    sensitive = ", ".join(map(quoted, reading.sensitive))
    lines += ["", f"Sensitive are only: {sensitive}; every other feature counts as an ordinary one"]
    lines += ["", "Checked:", *(f"  + {check}" for check in verified.made)]
    lines += ["Not checked:", *(f"  - {check}" for check in verified.not_made)]
    lines += [f"Certificate {verified.identity}", f"Proof checked {_CHECKED_BY[verified.checker]}"]
    return "\n".join(lines)
