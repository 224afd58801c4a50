"""`equiproof verify`: hold a certificate to the trusted commitment, the trusted keys and a policy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equiproof.commands.common import CommitmentFile, ContextFile, Json, KeysFolder, load, ranges_of, tell

if TYPE_CHECKING:
    from circuits.spec import Spec
    from verifier import Verified
    from verifier.documents import QueryDocument

_CHECKED_BY = {"native": "by the native library", "python": "in plain Python"}


def verify(
    certificate: Annotated[Path, typer.Argument(help="The certificate file.")],
    commitment: CommitmentFile,
    keys: KeysFolder,
    query: Annotated[Path | None, typer.Option("--query", help="Your own data with its blinding.")] = None,
    context: ContextFile = None,
    min_radius: Annotated[str | None, typer.Option("--min-radius", help="The smallest radius you accept.")] = None,
    setup: Annotated[
        str | None,
        typer.Option(
            "--setup",
            help="Demand a kind of set-up: single-party, the only one that is trusted today, ceremony or universal.",
        ),
    ] = None,
    checker: Annotated[
        str,
        typer.Option(
            "--checker",
            envvar="EQUIPROOF_CHECKER",
            help="What checks the proof: native, python, or auto: native where it is built.",
        ),
    ] = "auto",
    as_json: Json = False,
) -> None:
    """Verify a certificate. Exits 0 verified, 1 refused, 2 malformed or misused."""
    from verifier import ForQuery, Verifier, parse_certificate, parse_commitment
    from verifier.checker import known
    from verifier.trust import TrustStore

    try:
        program = known(checker)
    except ValueError as error:
        raise typer.BadParameter(f"--checker: {error}") from None
    parsed, trusted = load(parse_certificate, certificate), TrustStore.open(keys)
    committed = load(parse_commitment, commitment)
    policy = _policy(committed.spec, query, context, min_radius, setup)
    with _named(certificate), _mendable(checker):
        verified = Verifier(committed, trusted, program).verify(parsed, policy)
    own = next((demand.query for demand in policy.policies if isinstance(demand, ForQuery)), parsed.query)
    intervals = None if own is None else _intervals(verified, own)
    tell(as_json=as_json, document=_document(verified, intervals), text=_text(verified, intervals))


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Put the file's name before what is malformed in it."""
    from verifier import CertificateFormatError

    try:
        yield
    except CertificateFormatError as error:
        raise CertificateFormatError(f"{path}: {error}") from None


@contextmanager
def _mendable(checker: str) -> Iterator[None]:
    """Say of a native library that was asked for and is missing how to do without."""
    from ffi.errors import BackendError

    try:
        yield
    except BackendError as error:
        if checker != "native":
            raise
        raise BackendError(f"{error}, or leave out --checker to check the proof in plain Python") from None


def _policy(spec: Spec, query: Path | None, context: Path | None, min_radius: str | None, setup: str | None) -> Any:
    """Build the policy that the options ask for; a query that does not fit the spec is malformed."""
    from circuits.spec import SpecError, decimal
    from verifier import ForContext, ForQuery, MinRadius, SetupIs, parse_context, parse_query
    from verifier.policy import asked

    demands: list[Any] = []
    if query is not None:
        document = load(parse_query, query)
        with _named(query):
            document.commitment(spec)
        demands.append(ForQuery(document))
    if context is not None:
        demands.append(ForContext(load(parse_context, context)))
    if min_radius is not None:
        try:
            if decimal(min_radius, "--min-radius") < 0:
                raise typer.BadParameter(f"--min-radius: {min_radius} is below 0")
        except SpecError as error:
            raise typer.BadParameter(str(error)) from None
        demands.append(MinRadius(min_radius))
    if setup is not None:
        if setup not in ("single-party", "ceremony", "universal"):
            raise typer.BadParameter(f"{setup!r} is no kind of set-up: single-party, ceremony or universal")
        demands.append(SetupIs(setup))  # type: ignore[arg-type]  # one of the three literals
    return asked(demands)


def _document(verified: Verified, intervals: dict[str, str] | None) -> dict[str, Any]:
    """Return what was verified as data."""
    return {
        "verdict": "verified",
        "certificate": verified.identity,
        "statement": verified.reading.sentence(),
        "label": verified.reading.label,
        # The stated radius has one name in all output; only the certificate file spells it `radius_any`.
        "radius": verified.reading.radius_any,
        "radius_grid": verified.reading.radius,
        "radius_squared": verified.statement.radius_squared,
        "features": verified.reading.features,
        "intervals": intervals,
        "ranges": ranges_of(verified.reading),
        "setup": verified.key.setup,
        "checks_made": list(verified.made),
        "checks_not_made": list(verified.not_made),
        "checker": verified.checker,
    }


def _intervals(verified: Verified, own: QueryDocument) -> dict[str, str]:
    """Return, for each feature of the applicant, its value and the values among which it alone may move."""
    from circuits.units import interval, radius_of_any

    spec = verified.spec
    radius = radius_of_any(spec, verified.statement.radius_squared)
    return {
        feature.name: interval(spec, feature, radius, own.features[feature.name]) for feature in spec.plain_features
    }


def _text(verified: Verified, intervals: dict[str, str] | None) -> str:
    """Say what was verified, in the order in which people ask."""
    from verifier.reading import quoted

    reading = verified.reading
    width = max(map(len, reading.features))
    unaffected = ", ".join(
        f"{quoted(feature.name)} ({_values(feature.domain)})" for feature in verified.spec.sensitive_features
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
        lines += [f"  {name:<{width}}  {moved}" for name, moved in (intervals or reading.features).items()]
        if ranges := ranges_of(reading):
            lines += ["Only while each of them stays inside its range; nothing is said of anybody outside:"]
            lines += [f"  {name:<{width}}  {kept}" for name, kept in ranges.items()]
    sensitive = ", ".join(map(quoted, reading.sensitive))
    lines += ["", f"Sensitive are only: {sensitive}; every other feature counts as an ordinary one"]
    lines += ["", "Checked:", *(f"  + {check}" for check in verified.made)]
    lines += ["Not checked:", *(f"  - {check}" for check in verified.not_made)]
    lines += [f"Certificate {verified.identity}", f"Proof checked {_CHECKED_BY[verified.checker]}"]
    return "\n".join(lines)


def _values(domain: tuple[str, ...]) -> str:
    """Write the values of a sensitive feature, of many the first and the last."""
    from verifier.reading import quoted

    shown = [*map(quoted, domain)]
    return " / ".join(shown) if len(shown) <= 8 else f"{shown[0]} to {shown[-1]}, {len(shown)} values"
