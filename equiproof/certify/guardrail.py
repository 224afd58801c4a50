"""Guardrails as files: rules in raw units in front of one committed model, and who fulfils one.

A rule is a list of conditions on non-sensitive features, all of which must hold. Numbers are compared as exact
decimals. The file names the commitment and the spec of the model that it was made for. Its digest commits to the rules
and, by the salt, shows nothing of them: the lending service puts it into the context of every decision.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Literal

import msgspec

from equiproof.circuits import field
from equiproof.circuits.canonical import DocumentError, canonical_bytes, parse
from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.numbers import NumberError, read_number
from equiproof.circuits.spec import Feature, Spec, SpecError, decimal

FORMAT = "equiproof-guardrail"
VERSION = 1

SALT_BYTES = 32
_SALT = re.compile("[0-9a-f]{64}")

Action = Literal["refuse", "refer"]


class GuardrailError(ValueError):
    """A guardrail that does not fit; one line naming rule and feature."""

    exit_code: ClassVar[int] = MISUSED


class Condition(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A condition on one feature: a number from `least` to `most`, either may be left out, or one of `values`.

    Raw values are read as encodings read them, so that no other spelling of a number passes. Of a missing value, None,
    none holds.
    """

    feature: str
    least: str | None = None
    most: str | None = None
    values: tuple[str, ...] = ()

    def holds(self, value: object) -> bool:
        """Return whether a raw value fulfils it; raises NumberError."""
        if value is None:
            return False
        if self.values:
            return str(value) in self.values
        number = read_number(value)
        return (self.least is None or number >= Fraction(self.least)) and (
            self.most is None or number <= Fraction(self.most)
        )


class GuardrailFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """A guardrail: what happens instead of an automatic answer, and the rules.

    `commitment` is that of the model, empty for one that is not committed yet; `spec_digest` that of its spec. `salt`
    is 32 random bytes in hexadecimal, without which few rules could be guessed from the digest.
    """

    format: str
    version: int
    commitment: str
    spec_digest: str
    action: Action
    rules: tuple[tuple[Condition, ...], ...]
    salt: str

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the file, in hexadecimal."""
        return hashlib.sha256(self.to_bytes()).hexdigest()

    def stops(self, row: Mapping[str, Any]) -> int | None:
        """Return the number, from 1, of the first rule that a raw row fulfils, None if it fulfils none.

        Raises GuardrailError naming a feature that the row does not have or that is no number.
        """
        for number, rule in enumerate(self.rules, start=1):
            if all(_holds(one, row, number) for one in rule):
                return number
        return None

    def to_bytes(self) -> bytes:
        """Return the file, in canonical form."""
        return canonical_bytes(self)


def parse_guardrail(data: bytes, where: str, spec: Spec) -> GuardrailFile:
    """Read a guardrail for a spec; raises GuardrailError or DocumentError in one line for anything else."""
    guardrail = read_guardrail(data, where)
    refuse_misfit(guardrail, where, spec)
    return guardrail


def read_guardrail(data: bytes, where: str) -> GuardrailFile:
    """Read a guardrail whose spec is not known yet, for `refuse_misfit`; raises as `parse_guardrail`."""
    guardrail = parse(data, GuardrailFile, where, only_canonical=True)
    if (guardrail.format, guardrail.version) != (FORMAT, VERSION):
        raise DocumentError(f"{where}: want {FORMAT} version {VERSION}", "wrong-fields")
    if not _SALT.fullmatch(guardrail.salt):
        raise GuardrailError(f"{where}: field salt: want 64 lower-case hexadecimal digits")
    return guardrail


def read_referring(data: bytes, where: str) -> GuardrailFile:
    """Read a guardrail that decisions may stand behind: it leaves people to a person, and names a committed model.

    Raises as `read_guardrail`, and GuardrailError for any other.
    """
    guardrail = read_guardrail(data, where)
    if guardrail.action != "refer":
        raise GuardrailError(f"{where}: field action: want refer; `equiproof mitigate --action refer` writes it")
    if not guardrail.commitment:
        raise GuardrailError(f"{where}: field commitment: of no committed model; mitigate by its --opening")
    return guardrail


def refuse_misfit(guardrail: GuardrailFile, where: str, spec: Spec) -> None:
    """Raise GuardrailError naming rule and feature unless a guardrail was made for this spec."""
    if guardrail.spec_digest != field.to_hex(spec.digest):
        raise GuardrailError(
            f"{where}: field spec_digest: make the guardrail again for this model: it was made for another spec"
        )
    features = {feature.name: feature for feature in spec.plain_features}
    for number, rule in enumerate(guardrail.rules, start=1):
        if not rule:
            raise GuardrailError(f"{where}: rule {number} has no condition, and would stop everyone")
        for one in rule:
            if fault := _fault(one, features.get(one.feature)):
                raise GuardrailError(f"{where}: rule {number}: feature {one.feature[:40]!r} {fault}")


def _fault(condition: Condition, feature: Feature | None) -> str | None:
    """Return why a condition does not fit its feature, None if it does."""
    if feature is None:
        return "is not one of the spec's non-sensitive features"
    if feature.kind != "numeric":
        if not condition.values or condition.least is not None or condition.most is not None:
            return "is a category: want values"
        unknown = [value for value in condition.values if value not in feature.domain]
        return f"has no value {unknown[0][:40]!r}" if unknown else None
    ends = [end for end in (condition.least, condition.most) if end is not None]
    if condition.values or not ends:
        return "is a number: want least, most, or both"
    try:
        numbers = [decimal(end, "end") for end in ends]
    except SpecError:
        return "has an end that is no decimal"
    return "has ends in the wrong order" if numbers != sorted(numbers) else None


def _holds(condition: Condition, row: Mapping[str, Any], number: int) -> bool:
    """Return whether a row fulfils a condition of rule `number`."""
    if condition.feature not in row:
        raise GuardrailError(f"rule {number}: feature {condition.feature!r} is missing in the row")
    try:
        return condition.holds(row[condition.feature])
    except NumberError:
        raise GuardrailError(f"rule {number}: feature {condition.feature!r} is no number in the row") from None
