"""`equiproof verify`: hold a certificate to the trusted commitment, the trusted keys and a policy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equiproof.commands.common import CommitmentFile, ContextFile, Json, KeysFolder, load, tell

if TYPE_CHECKING:
    from circuits.spec import Spec
    from verifier import Verified

_CHECKED_BY = {"native": "by the native library", "python": "in plain Python"}


def verify(
    certificate: Annotated[Path, typer.Argument(help="The certificate file.")],
    commitment: CommitmentFile,
    keys: KeysFolder,
    query: Annotated[Path | None, typer.Option("--query", help="Your own data with its blinding.")] = None,
    context: ContextFile = None,
    min_radius: Annotated[str | None, typer.Option("--min-radius", help="The smallest radius you accept.")] = None,
    setup: Annotated[str | None, typer.Option("--setup", help="Demand a set-up: ceremony, universal.")] = None,
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
    from verifier import Verifier, parse_certificate, parse_commitment
    from verifier.checker import known
    from verifier.trust import TrustStore

    try:
        program = known(checker)
    except ValueError as error:
        raise typer.BadParameter(f"--checker: {error}") from None
    parsed, trusted = load(parse_certificate, certificate), TrustStore.open(keys)
    committed = load(parse_commitment, commitment)
    policy = _policy(committed.spec, query, context, min_radius, setup)
    with _named(certificate):
        verified = Verifier(committed, trusted, program).verify(parsed, policy)
    tell(as_json=as_json, document=_document(verified), text=_text(verified))


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Put the file's name before what is malformed in it."""
    from verifier import CertificateFormatError

    try:
        yield
    except CertificateFormatError as error:
        raise CertificateFormatError(f"{path}: {error}") from None


def _policy(spec: Spec, query: Path | None, context: Path | None, min_radius: str | None, setup: str | None) -> Any:
    """Build the policy that the options ask for; a query that does not fit the spec is malformed."""
    from circuits.spec import SpecError, decimal
    from verifier import AllOf, ForContext, ForQuery, MinRadius, SetupIs, parse_context, parse_query

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
    return AllOf(*demands)


def _document(verified: Verified) -> dict[str, Any]:
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
        "setup": verified.key.setup,
        "checks_made": list(verified.made),
        "checks_not_made": list(verified.not_made),
        "checker": verified.checker,
    }


def _text(verified: Verified) -> str:
    """Say what was verified, in the order in which people ask."""
    reading = verified.reading
    width = max(map(len, reading.features))
    lines = ["VERIFIED", f"  {reading.sentence()}", ""]
    if reading.radius_any == "0.000000":
        lines.append("This speaks about the applicant's own values; the radius is too small to state in units.")
    else:
        lines.append(f"Each of these alone may move by less than (together: within {reading.radius_any}):")
        lines += [f"  {name:<{width}}  {moved}" for name, moved in reading.features.items()]
    lines += ["", "Checked:", *(f"  + {check}" for check in verified.made)]
    lines += ["Not checked:", *(f"  - {check}" for check in verified.not_made)]
    lines += [f"Certificate {verified.identity}", f"Proof checked {_CHECKED_BY[verified.checker]}"]
    return "\n".join(lines)
