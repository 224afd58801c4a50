"""PROF as an audit; what it runs is imported when it runs, since that needs PyTorch."""

from __future__ import annotations

from equiproof.audits.context import AuditContext
from equiproof.audits.errors import NotApplicableError
from equiproof.audits.plugin import Option, settings
from equiproof.audits.prof.clock import Clock
from equiproof.audits.prof.metrics import SAMPLES
from equiproof.audits.report import AuditReport


class ProvableRepair:
    """Provable repair of individual fairness: every row is judged exactly, and a repair is tried and measured.

    What is repaired, and what is kept, are training rows where these are at hand: their labels, or the model's own
    decisions if labels are unknown. Otherwise both are drawn from the rows that are judged. What the repair does to the
    findings is counted. Accuracy is measured on rows that no step saw, and on none where there are no such rows.
    """

    name = "prof"
    version = "5"
    about = "provable repair: rows decided by sensitive values alone, and a change of the network against it"
    needs = frozenset({"rows"})
    options: tuple[Option, ...] = (
        Option("points", "the most rows that are judged, and repair points, each drawn with the seed", 100),
        Option("sets", "how step 2 bounds the features: points, symbolic or concrete", "symbolic"),
        Option("steps", "gradient descent steps of step 1; 0 skips it", 200),
        Option("last_layer", "whether step 2 may change the last layer: yes, or no for step 1 alone", "yes"),
        Option("least_kept", "the least share of the kept rows that step 2 has to keep right, such as 0.8", "0"),
        Option("relaxed", "plain features that may differ, too, such as age=2,income=500, in raw units or ranks", ""),
        Option("samples", "the number of random inputs for IDI-S; 0 skips it, with `relaxed` 1000 at most", SAMPLES),
    )

    def run(self, context: AuditContext) -> AuditReport:
        """Judge the repair points and try the repair; raises AuditError for invalid options."""
        clock = Clock.of(context.max_seconds)  # what is imported below takes seconds, too
        options = settings(self, context.options)
        context.refuse_score("prof repairs the layers of a network, and this model has none")
        context.refuse_marks()
        if len(context.sensitive_features) < len(context.spec.sensitive_features):
            raise NotApplicableError(
                "a repair needs all sensitive features of the spec together: leave --sensitive out"
            )
        from equiproof.audits.prof.run import Run

        return Run(self, context, options, clock).report()
