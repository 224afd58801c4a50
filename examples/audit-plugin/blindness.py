"""An audit of your own: does the model use the sensitive features at all?

    pip install --no-deps --no-build-isolation ./examples/audit-plugin
    equiproof audit run blindness --opening my/owner/opening.json --model my/model

If no sensitive value changes what the first layer computes, later layers cannot distinguish people either: the model is
fair to everybody, and comparing integers proves it. Otherwise rows are tried one by one. The first row with another
decision under other sensitive values is a counterexample. If there is no such row, nothing is known.
"""

from __future__ import annotations

from collections.abc import Sequence

from equiproof.audits.context import AuditContext
from equiproof.audits.counterexample import Counterexample
from equiproof.audits.plugin import Option, settings
from equiproof.audits.records import Cell, Finding
from equiproof.audits.report import AuditReport


class Blindness:
    """Proves that a model cannot distinguish people by sensitive features, or shows that it does.

    "Undecided" is an answer too: the weights exist, but no row shows that they matter.
    """

    name = "blindness"
    version = "1"
    about = "Whether the model can distinguish people by sensitive features at all."
    needs: frozenset[str] = frozenset()
    options = (Option("people", "how many rows are tried at most", 1000),)

    def run(self, context: AuditContext) -> AuditReport:
        """Compare what the first layer makes of every sensitive value, then try rows."""
        chosen = settings(self, context.options)
        seeing = _seeing(context)
        tried = context.queries[: int(chosen["people"] or 0)] if seeing else ()
        counterexample = _counterexample(context, tried)
        values: dict[str, Cell] = {"neurons that see": len(seeing), "rows tried": len(tried)}
        if not seeing:
            finding = Finding(subject="the model", verdict="fair", values=values)
        elif counterexample is not None:
            finding = Finding(subject="the model", verdict="unfair", counterexample=counterexample, values=values)
        else:
            see = f"{len(seeing)} of {context.network.layers[0].outputs} neurons see sensitive features"
            reason = f"{see}, and none of {len(tried)} rows is decided otherwise"
            finding = Finding(subject="the model", verdict="undecided", reason=reason, values=values)
        return AuditReport(
            audit=self.name,
            audit_version=self.version,
            model=context.model,
            sensitive_features=context.sensitive_features,
            verdict=finding.verdict,
            reason=finding.reason,
            settings=chosen,
            findings=(finding,),
        )


def _seeing(context: AuditContext) -> list[int]:
    """Return the first layer's neurons whose sum differs between counterparts: if for one input, then for all."""
    first, spec = context.network.layers[0], context.spec
    parts = [[_dot(weights[spec.plain_columns :], values) for weights in first.weights] for values in spec.domain_table]
    return [
        neuron
        for neuron in range(first.outputs)
        if any(len({parts[number][neuron] for number in others}) > 1 for others in context.counterparts)
    ]


def _counterexample(context: AuditContext, queries: Sequence[tuple[int, ...]]) -> Counterexample | None:
    """Return the first query with another decision under other values of the chosen features."""
    for done, query in enumerate(queries, start=1):
        context.progress(done, len(queries))
        for others in dict.fromkeys(context.counterparts):
            cases = [context.decided_input(query, number) for number in others]
            decided = {case.label: case for case in cases if case.label is not None}
            if len(decided) > 1:
                return Counterexample("the sensitive features alone decide", tuple(decided.values())[:2])
    return None


def _dot(weights: Sequence[int], values: Sequence[int]) -> int:
    """Return a sum of products."""
    return sum(weight * value for weight, value in zip(weights, values, strict=True))
