"""A policy from plain values, as a command line, a form or a JSON request has them.

policies.json has the arguments and the kind of value that each takes; here a value of each kind becomes a policy.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, get_args

from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.field import from_hex
from equiproof.circuits.policy_rows import PolicyRow, by_argument
from equiproof.circuits.proof_systems import PROOF_SYSTEMS
from equiproof.circuits.spec import SpecError, decimal
from equiproof.circuits.tables import say
from equiproof.verifier.combined import AllOf, UnsafeNoPolicy
from equiproof.verifier.documents import SetupKind
from equiproof.verifier.errors import CertificateFormatError
from equiproof.verifier.facts import Policy
from equiproof.verifier.logged import LogTerms
from equiproof.verifier.policies import policy_class


class RequirementError(ValueError):
    """A value that is no requirement: `name` is the argument of :func:`policy_of`, `reason` says what is wrong."""

    exit_code: ClassVar[int] = MISUSED

    def __init__(self, name: str, reason: str) -> None:
        """Keep the parts beside the line."""
        super().__init__(f"{name}: {reason}")
        self.name = name
        self.reason = reason

    def __reduce__(self) -> tuple[type[RequirementError], tuple[str, str]]:
        """Support pickling by the parts: the line alone does not make the error again."""
        return RequirementError, (self.name, self.reason)


@dataclass(frozen=True)
class RequirementValues:
    """What is required, in plain values by the arguments of :func:`policy_of`; None, False and no ranges are nothing.

    Raises TypeError for an unknown argument.
    """

    given: Mapping[str, Any]

    def __post_init__(self) -> None:
        """Keep a copy that cannot be changed, of what requires something."""
        rows = by_argument()
        if unknown := [name for name in self.given if name not in rows]:
            raise TypeError(f"policy_of() got an unexpected keyword argument {unknown[0]!r}")
        given = {name: value for name, value in self.given.items() if _requires(rows[name], value)}
        object.__setattr__(self, "given", MappingProxyType(given))

    def policy(self) -> Policy:
        """Return one policy that requires all of it, as :func:`policy_of`."""
        # Policies are checked in the order of the table, which decides which of several reasons is given.
        policies = [_policy(row, self.given[name]) for name, row in by_argument().items() if name in self.given]
        if policies:
            return AllOf(*policies)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return UnsafeNoPolicy()


def policy_of(**values: Any) -> Policy:
    """Return one policy that requires everything given; each argument stands for one class of :mod:`.policies`.

    The arguments are those of go-gnark/verify/tables/policies.json, which `help` shows too, and of these kinds:

    - a decimal (`min_radius`, `min_gain`) is exact text, as are the ends of `ranges_within`; a flag is True or False;
    - digits (`model_commitment`, `key_fingerprint`, `transcript`) are 64 hexadecimal ones;
    - `setup` is a kind of set-up, `proof_system` a proof system, `query` a QueryDocument, `context` texts by name;
    - `signed_by` is verifier keys and how many of them must have signed;
    - `log` is what is demanded of a log, a log proof, and the time in POSIX seconds;
    - `gain_of` is a label with two rows of sensitive values; names are a sequence of texts.

    `min_gain` and `gain_of` are for gain certificates, and ranges and logs for others. Without any argument it is
    UnsafeNoPolicy, without its warning: a caller that builds a policy from optional values shows its user the checks
    that were not made. Raises RequirementError naming the argument whose value is refused, CertificateFormatError for a
    context that can be guessed, and TypeError for another argument.
    """
    return RequirementValues(values).policy()


policy_of.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
    [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False if row.kind == "flag" else None)
        for name, row in by_argument().items()
    ],
    return_annotation=Policy,
)


def _requires(row: PolicyRow, value: Any) -> bool:
    """Return whether a value of an argument requires anything."""
    if row.kind in ("flag", "ranges"):
        return bool(value)
    return value is not None


def _policy(row: PolicyRow, value: Any) -> Policy:
    """Return the policy of a value."""
    policy = _OF_ARGUMENT.get(row.argument) or _OF_KIND[row.kind]
    try:
        return policy(row, value)
    except CertificateFormatError:
        raise
    except ValueError as error:
        raise RequirementError(row.argument, str(error)) from None


def _simple(row: PolicyRow, value: Any) -> Policy:
    """Require the value as it is; its class says what it refuses."""
    made: Policy = policy_class(row.name)(value)
    return made


def _flag(row: PolicyRow, _: bool) -> Policy:
    """Require what needs no value."""
    made: Policy = policy_class(row.name)()
    return made


def _several(row: PolicyRow, values: Sequence[Any]) -> Policy:
    """Require several values that belong together."""
    made: Policy = policy_class(row.name)(*values)
    return made


def _decimal(row: PolicyRow, text: str) -> Policy:
    """Require a number in exact decimal text."""
    try:
        return _simple(row, text)
    except SpecError:
        raise ValueError(say("value.not_decimal", value=repr(text[:40]))) from None


def _least_radius(row: PolicyRow, text: str) -> Policy:
    """Require a radius that is not below 0."""
    made = _decimal(row, text)
    if decimal(text, row.argument) < 0:
        raise ValueError(f"{text} is below 0")
    return made


def _setup(row: PolicyRow, setup: str) -> Policy:
    """Require one of the kinds of set-up."""
    kinds = get_args(SetupKind)
    if setup not in kinds:
        raise ValueError(
            say("policy.setup_unknown", setup=repr(setup[:40]), known=", ".join(kinds[:-1]), last=kinds[-1])
        )
    return _simple(row, setup)


def _system(row: PolicyRow, proof_system: str) -> Policy:
    """Require one of the proof systems."""
    if proof_system not in PROOF_SYSTEMS:
        raise ValueError(f"{proof_system[:40]!r} is not {' or '.join(PROOF_SYSTEMS)}")
    return _simple(row, proof_system)


def _element(row: PolicyRow, digits: str) -> Policy:
    """Require a field element in hexadecimal digits."""
    from_hex(digits)
    return _simple(row, digits)


def _digest(row: PolicyRow, digits: str) -> Policy:
    """Require a SHA-256 in hexadecimal digits."""
    if len(digits) != 64 or set(digits) - set("0123456789abcdef"):
        raise ValueError(say("format.want_digest"))
    return _simple(row, digits)


def _signers(row: PolicyRow, accepted: tuple[Sequence[str], int]) -> Policy:
    """Require signatures of those who checked the key's transcript."""
    keys, least = accepted
    return _several(row, (tuple(keys), least))


def _logged(_: PolicyRow, demand: tuple[LogTerms, bytes, int]) -> Policy:
    """Require that a log holds the commitment."""
    terms, proof, now = demand
    return terms.policy(proof, now)


def _names(row: PolicyRow, names: Sequence[str]) -> Policy:
    """Require names, such as those of features."""
    return _simple(row, tuple(names))


_OF_KIND: Mapping[str, Callable[[PolicyRow, Any], Policy]] = {
    "query": _simple,
    "context": _simple,
    "decimal": _decimal,
    "flag": _flag,
    "ranges": _simple,
    "setup": _setup,
    "proof_system": _system,
    "digits": _digest,
    "signers": _signers,
    "compared": _several,
    "log": _logged,
    "names": _names,
}
"""How a value of each kind becomes a policy; ValueError says what is wrong with it."""

_OF_ARGUMENT: Mapping[str, Callable[[PolicyRow, Any], Policy]] = {
    "min_radius": _least_radius,
    "model_commitment": _element,
}
"""The arguments that refuse more than their kind does."""
