"""From a query to a certificate: search, evidence, witness, proof, and doubt.

`Prover.prove` takes seven steps. (1) The raw row becomes integers under the spec. (2) The search of the key's scheme
finds evidence of the largest radius that fits its capacity, or a counterexample. (3) The plaintext checker passes it.
(4) Query and context are bound into the statement. (5) The witness is filled. (6) The proof is made. (7) The finished
certificate, read back from its own bytes, is verified before anyone sees it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field
from typing import Any

from equiproof.certify.documents import capacities, distance_text, radius_text, ranges
from equiproof.certify.traversal.search import Counterexample, Search
from equiproof.certify.trees.evidence import AdditiveEvidence
from equiproof.circuits import field
from equiproof.circuits.commitment import domain_digest, query_commitment
from equiproof.circuits.schemes import scheme_of
from equiproof.circuits.spec import Spec
from equiproof.circuits.statement import Statement, context_digest
from equiproof.prover.evidence import AnySearch, Progress, find_evidence
from equiproof.prover.opening import Opening
from equiproof.prover.proving import Clock, Proving, bound_context, query_of
from equiproof.prover.version import tools
from equiproof.prover.witness.relation import AnyEvidence, Secrets, generate
from equiproof.verifier.certificate import Certificate, make_certificate, parse_certificate
from equiproof.verifier.documents import KeyDocument, QueryDocument


@dataclass(frozen=True)
class Proven:
    """A certificate with what the applicant needs to check it, and what the owner wants to know about it.

    `seconds` has the wall time of certify, witness, prove and verify; `key` says under which key it was proven. The
    repr shows the certificate and the seconds: the query is the applicant's, and search and evidence reveal something
    about the weights.
    """

    certificate: Certificate
    query: QueryDocument = dataclass_field(repr=False)
    search: AnySearch = dataclass_field(repr=False)
    evidence: AnyEvidence = dataclass_field(repr=False)
    seconds: dict[str, float]
    spec: Spec = dataclass_field(repr=False)
    key: KeyDocument = dataclass_field(repr=False)

    def document(self) -> dict[str, Any]:
        """Return the figures of the proof as a JSON document; `flip` is rounded up.

        Of scheme traversal it has the regions of the evidence and the radius of each capacity; of the others the
        leaves, the least known distance of a wrong decision, and what ended the search. Under a spec with levels these
        are None: each of them would tell more of the exact radius than the certificate does.
        """
        search = self.search
        reading = self.certificate.reading
        shape = self.key.shape
        if isinstance(search, Search):
            size = {"regions": self.evidence.size, "capacities": capacities(self.spec, search)}
        else:
            flip = None if search.upper is None else distance_text(self.spec, search.upper, up=True)
            size = {"leaves": self.evidence.size, "flip": flip, "complete": search.complete, "ended": search.ended}
        if self.spec.levels:
            size = dict.fromkeys(size)
        return {
            "verdict": "fair",
            "statement": reading.sentence(),
            "label": reading.label,
            "radius": radius_text(self.spec, self.evidence.radius_squared),
            "radius_squared": self.evidence.radius_squared,
            "ranges": ranges(self.spec),
            "scheme": scheme_of(shape.scheme),
            "capacity": shape.capacity,
            **size,
            "constraints": self.key.constraints,
            "proof_bytes": len(self.certificate.proof_bytes),
            "certificate_bytes": len(self.certificate.to_bytes()),
            "seconds": {name: round(value, 4) for name, value in self.seconds.items()},
        }


class Prover(Proving):
    """Proves decisions of one committed model fair under one key; see :class:`.proving.Proving`."""

    def prove(
        self,
        row: Mapping[str, Any],
        context: Mapping[str, str] | None = None,
        *,
        blinding: int | None = None,
        disclose: bool = False,
        max_seconds: float | None = None,
        progress: Progress | None = None,
    ) -> Proven | Counterexample:
        """Prove the decision about one applicant fair at the largest radius that fits the key.

        `row` holds the raw non-sensitive features; sensitive ones are ignored. `context` is what the certificate is
        made for, nothing in particular where it is left out. `blinding` hides the applicant's data in the statement: a
        fresh one where it is left out, that of the query file where a receipt has fixed it (:mod:`.receipts`); one for
        two applicants would show where their data are the same. `disclose` writes the applicant's data into the
        certificate. Raises SpecError for a row that :meth:`.Opening.encode` refuses, CertificateFormatError for a
        context that no policy would demand, FieldError for a blinding outside the field, and as
        :func:`equiproof.prover.evidence.find_evidence` does.
        """
        # A context that no policy would accept is refused before the search, which may take minutes.
        made_for = bound_context(context)
        clock = Clock()
        integers = self.opening.encode(row)
        outcome = find_evidence(self.opening, self.key.document.shape, integers, max_seconds, progress)
        if isinstance(outcome, Counterexample):
            return outcome
        evidence = outcome.evidence
        clock.lap("certify")
        blinding = field.random() if blinding is None else blinding
        query = query_of(self.opening, row, blinding)
        certificate = self._certify(integers, evidence, made_for, blinding, query if disclose else None, clock)
        return Proven(certificate, query, outcome.search, evidence, clock.seconds, self.opening.spec, self.key.document)

    def certify(
        self,
        row: Mapping[str, Any],
        evidence: AdditiveEvidence,
        context: Mapping[str, str] | None = None,
        *,
        blinding: int | None = None,
        disclose: bool = False,
    ) -> tuple[Certificate, QueryDocument]:
        """Prove evidence about one applicant that is at hand; return the certificate and the applicant's query file.

        The evidence must be of an additive model under a key of scheme trees. The parameters are those of
        :meth:`prove`, and it raises as that; UnsatisfiedError for evidence that proves nothing.
        """
        made_for = bound_context(context)
        integers = self.opening.encode(row)
        blinding = field.random() if blinding is None else blinding
        query = query_of(self.opening, row, blinding)
        return self._certify(integers, evidence, made_for, blinding, query if disclose else None, Clock()), query

    def _certify(
        self,
        integers: tuple[int, ...],
        evidence: AnyEvidence,
        context: dict[str, str],
        blinding: int,
        disclosed: QueryDocument | None,
        clock: Clock,
    ) -> Certificate:
        """Bind the statement, fill the witness, prove, and doubt, (4) to (7)."""
        statement = replace(state(self.opening, evidence, integers, blinding, context), shown=self._shown)
        witness = self._witness(statement, integers, blinding, evidence)
        clock.lap("witness")
        proof = self._prove(witness)
        clock.lap("prove")
        certificate = self._certificate(statement, proof, disclosed)
        self._doubt(parse_certificate(certificate.to_bytes(), "own certificate"), statement)
        clock.lap("verify")
        return certificate

    def _witness(self, statement: Statement, integers: tuple[int, ...], blinding: int, evidence: AnyEvidence) -> bytes:
        """Fill the wires (5)."""
        secrets = Secrets.of(self.opening, integers, blinding, self._link_blinding)
        return generate(self.key.document.shape, statement, secrets, evidence)

    def _certificate(self, statement: Statement, proof: bytes, query: QueryDocument | None) -> Certificate:
        """Write the certificate of a proof."""
        proof_system = self.key.document.proof_system
        return make_certificate(statement, self.opening.spec, self._reference, proof_system, proof, tools(), query)


def state(
    opening: Opening,
    evidence: AnyEvidence,
    integers: tuple[int, ...],
    blinding: int,
    context: dict[str, str],
) -> Statement:
    """Bind model, spec, domain, query, result and context together (4)."""
    spec = opening.spec
    return Statement(
        model_commitment=opening.commitment,
        spec_digest=spec.digest,
        domain_digest=domain_digest(spec),
        query_commitment=query_commitment(spec.input_bits, blinding, integers),
        label=evidence.label,
        radius_squared=evidence.radius_squared,
        context_digest=context_digest(context),
    )
