"""What a report says about rounding: verdicts are about the committed integers, which stand for a float model.

Rounding can make a model fair that was not, where what a sensitive column does rounds away, and can move a flip to
another applicant. So "fair" names the rounding beside it, and where the float model is at hand, each counterexample is
decided by it, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import msgspec
import numpy as np

from equiproof.audits.context import AuditContext
from equiproof.audits.counterexample import Counterexample, DecidedInput, assignment
from equiproof.audits.report import AuditReport
from equiproof.certify.digits import percent
from equiproof.certify.models.fidelity import rounded_up
from equiproof.certify.models.network import Network
from equiproof.circuits.spec import Spec
from equiproof.circuits.text import ends

_MAX_LISTED = 5


def with_rounding(report: AuditReport, context: AuditContext) -> AuditReport:
    """Return a report with notes on rounding, as far as its verdicts need any."""
    notes = []
    if report.verdict == "fair" or report.having("fair"):
        notes += _beside_fair(context)
    if context.original is not None:
        notes += _replayed(report, context.original, context.spec)
    return msgspec.structs.replace(report, notes=(*report.notes, *notes)) if notes else report


def holds(counterexample: Counterexample, original: Network, spec: Spec) -> bool | None:
    """Return whether the float model, too, decides the cases of a counterexample differently.

    It is given the same rounded columns. None where the cases do not differ in their decisions: what such a
    counterexample shows is about scores.
    """
    if len({case.label for case in counterexample.cases}) < 2:
        return None
    columns = np.array([_columns(case, spec) for case in counterexample.cases])
    return len(set(original.decide(columns, float(spec.threshold)).tolist())) > 1


def _beside_fair(context: AuditContext) -> list[str]:
    """Return the rounding of the committed model in words."""
    sentence = (
        f'"fair" is about the committed integers: inputs in steps of 2^-{context.spec.input_fraction_bits} of a scale, '
        f"{_steps(context)}"
    )
    if context.score is not None:
        return [f"{sentence}; `inspect` says how far they depart from the model before rounding"]
    if context.rounding is None:
        return [f"{sentence}; how far they depart from the float model is not known here: give its folder with --model"]
    shares = ", ".join(f"{percent(share, 'up')} of {name}" for name, share in _largest(context.rounding.weight_loss))
    bound = rounded_up(context.rounding.logit_bound)
    return [f"{sentence}; these lose {shares} (of the column's weight), and no logit moves by more than {bound}"]


def _steps(context: AuditContext) -> str:
    """Return how finely the committed model's own numbers are rounded."""
    if context.score is not None:
        return f"values of the score in steps of 2^-{context.score.value_fraction_bits}"
    steps = sorted({f"2^-{bits}" for bits in context.network.weight_fraction_bits}, key=len)
    return f"weights in steps of {', '.join(steps)}"


def _largest(losses: Mapping[str, float]) -> Sequence[tuple[str, float]]:
    """Return the columns that lose most."""
    return sorted(losses.items(), key=lambda item: -item[1])[:_MAX_LISTED]


def _replayed(report: AuditReport, original: Network, spec: Spec) -> list[str]:
    """Return how many counterexamples the float model confirms, and which it does not."""
    held = {
        finding.subject: holds(finding.counterexample, original, spec)
        for finding in report.findings
        if finding.counterexample is not None
    }
    decided = [subject for subject, answer in held.items() if answer is not None]
    refuted = [subject for subject in decided if not held[subject]]
    if not decided:
        return []
    counts = f"{len(decided) - len(refuted)} of {len(decided)}"
    sentence = f"{counts} counterexamples with different decisions hold in the float model, too"
    if not refuted:
        return [sentence]
    return [f"{sentence}; not {', '.join(ends(refuted, _MAX_LISTED))}: there rounding alone decides"]


def _columns(case: DecidedInput, spec: Spec) -> list[float]:
    """Return the columns of a case in the spec's units."""
    number = next(n for n, values in enumerate(spec.domain_values) if assignment(spec, values) == case.sensitive)
    integers = [*map(Fraction, case.inputs), *map(Fraction, spec.domain_table[number])]
    return [float(value / spec.scale_unit) for value in integers]
