"""The guardrails of the settings' policy: rules for whom a person decides, each in front of one committed model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from equiproof.certify.guardrail import GuardrailError, GuardrailFile, read_referring, refuse_misfit
from equiproof.circuits import field as elements
from equiproof.circuits.canonical import read_limited
from equiproof.prover.opening import Opening
from equiproof.service.settings import PolicySettings


@dataclass(frozen=True)
class Guardrails:
    """Guardrails by the commitment of their model, with the file that each was read from."""

    by_commitment: Mapping[str, tuple[str, GuardrailFile]] = field(default_factory=dict)

    @classmethod
    def load(cls, policy: PolicySettings) -> Guardrails:
        """Read those of a policy. Raises OSError and DocumentError for a file that is none.

        Raises GuardrailError for two of one model, for one of a model that is not committed, and for one that refuses
        instead of referring: the service answers every application.
        """
        by_commitment: dict[str, tuple[str, GuardrailFile]] = {}
        for file in policy.guardrails:
            guardrail = read_referring(read_limited(Path(file)), file)
            if guardrail.commitment in by_commitment:
                other = by_commitment[guardrail.commitment][0]
                raise GuardrailError(f"{file}: for the model of {other} already; leave one of them out")
            by_commitment[guardrail.commitment] = file, guardrail
        return cls(by_commitment)

    def of(self, opening: Opening) -> GuardrailFile | None:
        """Return the guardrail in front of a model, None where it has none; raises GuardrailError for a misfit."""
        if (entry := self.by_commitment.get(elements.to_hex(opening.commitment))) is None:
            return None
        file, guardrail = entry
        refuse_misfit(guardrail, file, opening.spec)
        return guardrail
