"""From a person and two sensitive values to a gain certificate: search, evidence, witness, proof, and doubt.

The steps are those of :mod:`.prove`. The search maximises the gain that it can prove
within a radius, or the radius within which it can prove a gain.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import Any

import msgspec

from equiproof.certify.documents import radius_text
from equiproof.certify.gain import Case, GainError, GainSearch, farthest, first_of, most
from equiproof.certify.traversal.search import Counterexample
from equiproof.circuits import field
from equiproof.circuits.assignments import row_of
from equiproof.circuits.commitment import pair_digest, query_commitment
from equiproof.circuits.levels import gains, shown, shown_gain
from equiproof.circuits.spec import Spec, SpecError, decimal
from equiproof.circuits.statement import GainStatement, context_digest
from equiproof.circuits.units import squared_radius
from equiproof.prover.levelled import on_level
from equiproof.prover.opening import Opening
from equiproof.prover.proving import Clock, Proving, bound_context, query_of
from equiproof.prover.version import tools
from equiproof.prover.witness.relation import Secrets, generate
from equiproof.verifier.documents import KeyDocument, QueryDocument
from equiproof.verifier.gain import GainCertificate, gain_text, make_gain, parse_gain


@dataclass(frozen=True)
class Sought:
    """What is to be proven: for one label, the gain with the sensitive values `first` in place of `second`.

    Both hold a value of each sensitive feature. Exactly one of `radius` and `least_gain` is given, as decimal text: the
    search then is for the largest gain up to that radius, or for the largest radius of that gain in log odds.
    """

    label: str
    first: Mapping[str, str]
    second: Mapping[str, str]
    radius: str | None = None
    least_gain: str | None = None

    def __post_init__(self) -> None:
        """Raise SpecError unless there is one number, and it is one."""
        if (self.radius is None) == (self.least_gain is None):
            raise SpecError("gain: want a radius or a least gain, and not both")
        decimal(self.radius or self.least_gain or "0", "radius" if self.least_gain is None else "least gain")

    def case(self, opening: Opening, integers: tuple[int, ...]) -> Case:
        """Return the case of a search; raises SpecError for a label or values that the spec lacks."""
        spec = opening.spec
        if self.label not in spec.labels:
            raise SpecError(f"label {self.label[:40]!r} is unknown: want one of {', '.join(spec.labels)}")
        first, second = (_row(spec, which, getattr(self, which)) for which in ("first", "second"))
        if first == second:
            raise SpecError("first and second are the same values: a value gains nothing against itself")
        return Case(opening.network, spec, integers, first, second, spec.labels.index(self.label))

    def search(self, case: Case, max_leaves: int, max_seconds: float | None) -> GainSearch:
        """Search; raises SpecError for a radius beyond the spec's largest, and GainError."""
        unit = case.network.logit_fraction_bits
        if self.radius is not None:
            limit = shown(case.spec, squared_radius(case.spec, decimal(self.radius, "radius")))
            if not isinstance(case.spec.levels, msgspec.UnsetType):
                own = gains(case.spec, unit)
                return first_of(case, own, limit, max_leaves=max_leaves, max_seconds=max_seconds)
            return most(case, limit, max_leaves=max_leaves, max_seconds=max_seconds)
        # Rounded up: what is proven then is at least the gain that was asked for.
        least = math.ceil(decimal(self.least_gain or "0", "least gain") * (1 << unit))
        if case.gain < least:
            here = gain_text(case.gain, unit)
            raise GainError(
                f"the gain at the person's own data is {here}, below {self.least_gain}: want no more than it"
            )
        if shown_gain(case.spec, least, unit) != least:
            listed = ", ".join(("0", *(case.spec.gain_levels or ())))
            raise SpecError(
                f"least gain: want one of the spec's levels {listed}, or its negative, not {self.least_gain}"
            )
        found = on_level(
            case.spec,
            max_seconds,
            lambda largest, seconds: farthest(
                case, least, max_leaves=max_leaves, max_radius_squared=largest, max_seconds=seconds
            ),
        )
        if isinstance(found, Counterexample):
            raise AssertionError("a gain that holds at the query is decided there")
        return found


@dataclass(frozen=True)
class GainProven:
    """A gain certificate with the query file of the person it is about, and what its owner wants to know.

    `seconds` has the wall time of certify, witness, prove and verify. The repr shows the certificate and the seconds:
    the query is the person's, and the search reveals something about the weights.
    """

    certificate: GainCertificate
    query: QueryDocument = dataclass_field(repr=False)
    search: GainSearch = dataclass_field(repr=False)
    seconds: dict[str, float]
    spec: Spec = dataclass_field(repr=False)
    key: KeyDocument = dataclass_field(repr=False)

    def document(self) -> dict[str, Any]:
        """Return the figures of the proof as a JSON document; `gain_here` is that at the person's own data.

        It is the owner's: the certificate shows no more of it than that it is at least the gain.
        """
        certificate = self.certificate
        evidence = self.search.evidence
        fields = certificate.statement
        reading = certificate.reading
        return {
            "verdict": "gain",
            "statement": reading.sentence(evidence.least_gain),
            "label": reading.label,
            "first": reading.first,
            "second": reading.second,
            "gain": reading.gain,
            "gain_here": gain_text(self.search.gain, fields.logit_fraction_bits),
            "least_gain": fields.least_gain,
            "logit_fraction_bits": fields.logit_fraction_bits,
            "radius": radius_text(self.spec, evidence.radius_squared),
            "radius_squared": evidence.radius_squared,
            "capacity": self.key.shape.capacity,
            "leaves": evidence.size,
            "constraints": self.key.constraints,
            "proof_bytes": len(certificate.proof_bytes),
            "certificate_bytes": len(certificate.to_bytes()),
            "seconds": {name: round(value, 4) for name, value in self.seconds.items()},
        }


class GainProver(Proving):
    """Proves gains of one committed network under one key of relation `gain`; see :class:`.proving.Proving`."""

    def prove(
        self,
        row: Mapping[str, Any],
        sought: Sought,
        context: Mapping[str, str] | None = None,
        *,
        blinding: int | None = None,
        disclose: bool = False,
        max_seconds: float | None = None,
    ) -> GainProven:
        """Prove what is sought for one person, as far as the key's room allows.

        `row`, `context`, `blinding` and `disclose` are as in :meth:`.prove.Prover.prove`. Raises SpecError for a row,
        a label, values or a number that the spec refuses, CertificateFormatError for a context that no policy would
        demand, GainError where no gain is shown, and as :func:`.certify.gain.farthest` does.
        """
        made_for = bound_context(context)
        clock = Clock()
        integers = self.opening.encode(row)
        case = sought.case(self.opening, integers)
        search = sought.search(case, self.key.document.shape.capacity, max_seconds)
        clock.lap("certify")
        blinding = field.random() if blinding is None else blinding
        query = query_of(self.opening, row, blinding)
        statement = self._state(case, search, blinding, made_for)
        witness = self._witness(case, search, statement, blinding)
        clock.lap("witness")
        proof = self._prove(witness)
        clock.lap("prove")
        document = self.key.document
        rows = (case.first, case.second)
        certificate = make_gain(
            statement,
            rows,
            case.spec,
            self._reference,
            document.proof_system,
            proof,
            tools(),
            query if disclose else None,
        )
        self._doubt(parse_gain(certificate.to_bytes(), "own certificate"), statement)
        clock.lap("verify")
        return GainProven(certificate, query, search, clock.seconds, case.spec, document)

    def _state(self, case: Case, search: GainSearch, blinding: int, context: dict[str, str]) -> GainStatement:
        """Bind model, spec, rows, query, result and context together."""
        spec = case.spec
        evidence = search.evidence
        return GainStatement(
            model_commitment=self.opening.commitment,
            spec_digest=spec.digest,
            domain_digest=pair_digest(spec, case.first, case.second),
            query_commitment=query_commitment(spec.input_bits, blinding, case.query),
            label=evidence.label,
            radius_squared=evidence.radius_squared,
            context_digest=context_digest(context),
            least_gain=evidence.least_gain,
            logit_fraction_bits=case.network.logit_fraction_bits,
            shown=self._shown,
        )

    def _witness(self, case: Case, search: GainSearch, statement: GainStatement, blinding: int) -> bytes:
        """Fill the wires; the table is the two rows, and no ranges restrict neighbors."""
        table = [case.spec.domain_table[row] for row in (case.first, case.second)]
        secrets = Secrets(case.network, self.opening.blinding, case.query, blinding, table, None, self._link_blinding)
        return generate(self.key.document.shape, statement, secrets, search.evidence)


def _row(spec: Spec, which: str, values: Mapping[str, str]) -> int:
    """Return the row of sensitive values; raises SpecError naming which of the two they are."""
    try:
        return row_of(spec, values)
    except SpecError as error:
        raise SpecError(f"{which}: {error}") from None
