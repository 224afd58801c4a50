"""Reports that two programs make of a certificate: shown later as what was said then, never believed.

As a program, `python -m equiproof.verifier.package_reports` adds the reports to a package: from standard input to
standard output. The report of the native library is left out where it is not built.
"""

from __future__ import annotations

import sys
import warnings
from dataclasses import replace
from datetime import UTC, datetime
from typing import Literal

from equiproof.circuits.canonical import canonical_bytes
from equiproof.ffi import backend
from equiproof.verifier.bundle import parse_bundle
from equiproof.verifier.errors import CertificateFormatError, VerificationError
from equiproof.verifier.facts import Policy
from equiproof.verifier.listed import digest
from equiproof.verifier.logged import shown_time
from equiproof.verifier.package import MAX_PACKAGE_BYTES, Package, parse_package
from equiproof.verifier.policy_file import Own, parse_policy
from equiproof.verifier.presented import Presented, of_bundle
from equiproof.verifier.programs import Checker
from equiproof.verifier.report import REPORT, Report


def report_of(bundle: bytes, policy: bytes, checker: Checker, now: int) -> bytes:
    """Return the report of one program on the certificate of a bundle; `now` is in POSIX seconds.

    A refusal is a report too. Raises CertificateFormatError for a bundle or a policy that is none, BackendError where
    the program is missing.
    """
    presented = of_bundle(parse_bundle(bundle, "bundle"), "bundle")
    policy_then = policy_at(policy, "policy", presented, now)
    try:
        verified = presented.verify(policy_then, checker=checker)
        verdict: tuple[Literal["verified", "refused"], str | None, str]
        verdict = ("verified", None, verified.reading.sentence())
    except (CertificateFormatError, VerificationError) as error:
        verdict = ("refused", str(error.reason), str(error))
    of = digest(presented.certificate.to_bytes()), digest(policy)
    return canonical_bytes(Report(*REPORT, checker, shown_time(now), *of, *verdict))


def policy_at(policy: bytes, where: str, presented: Presented, now: int) -> Policy:
    """Return a policy file's policy as of a time, for what came with the certificate itself."""
    today = datetime.fromtimestamp(now, UTC).date()
    own = Own(presented.query, presented.context, today, presented.log_proof, now)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a policy that requires nothing is shown as one
        return parse_policy(policy, where, own)


def with_reports(package: Package) -> Package:
    """Return a package with the reports of the programs that are there, as of the time at which it was made.

    Raises CertificateFormatError for a bundle or a policy that is none.
    """
    now = int(datetime.fromisoformat(package.made).timestamp())
    native = report_of(package.bundle, package.policy, "native", now) if backend.available() else None
    python = report_of(package.bundle, package.policy, "python", now)
    return replace(package, native_report=native, python_report=python)


if __name__ == "__main__":
    given = parse_package(sys.stdin.buffer.read(MAX_PACKAGE_BYTES + 1), "package")
    sys.stdout.buffer.write(with_reports(given).to_bytes())
