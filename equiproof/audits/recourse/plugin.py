"""The audit `recourse`: what can the refused change, what does it cost by group, and for whom does a value decide it?

Asked are rows that the model refuses for every listed value of the sensitive features, under the rules of change of
the spec: the search is that of `equiproof recourse`. Where some allowed change is granted for some listed values and
none for all of them, recourse depends on a sensitive value, which no certificate of the decision sees: that is a case.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from equiproof.audits.context import AuditContext
from equiproof.audits.counterexample import Counterexample
from equiproof.audits.intervals import rounded_down, rounded_up
from equiproof.audits.plugin import Option, settings
from equiproof.audits.presentation import in_words
from equiproof.audits.records import SMALL_GROUP, Cell, Finding
from equiproof.audits.recourse.asked import Answer, Request, within
from equiproof.audits.recourse.figures import estimates
from equiproof.audits.recourse.tables import tables, told
from equiproof.audits.recourse.told import OUTCOME, said
from equiproof.audits.report import AuditReport, StoppedAuditError
from equiproof.certify.many.point import Verdict
from equiproof.certify.recourse.search import Outcome, Witness
from equiproof.circuits.text import ends

_NAMED = 6
"""The most groups that a note names."""

_VERDICTS: dict[Outcome, Verdict] = {"way": "fair", "none": "fair", "dependent": "unfair", "undecided": "undecided"}
"""A way and a none hold whatever the listed values are."""

_WHY = {
    "seconds": "the time of the search ended",
    "room": "a key of boxes has too little room",
    "sets": "the model asks for sets of values of a category that is free",
    "ends": "only people between or beyond the values that the rules allow are decided otherwise",
}


class Recourse:
    """What the refused can do, by group, and rows whose recourse depends on a sensitive value.

    People must judge which difference of costs or shares is too large, so the model as a whole gets no verdict. The
    exception is a row whose recourse depends on a sensitive value: then the model is unfair, with a counterexample.
    """

    name = "recourse"
    version = "1"
    about = "What the refused can change: outcomes and costs by group, and whose recourse a sensitive value decides."
    needs = frozenset({"rows"})
    options: tuple[Option, ...] = (
        Option("rows", "the number of refused rows that are asked, drawn with the seed; 0 for all", 300),
        Option("seconds", "the time limit of each row, in seconds; 0 limits work instead of time", 5.0),
        Option("label", "the label that the refused ask for; empty: the last one", ""),
        Option("bands", "the number of bands of about equal size for numbers with more values", 4),
        Option("least-rows", "the least number of rows asked of a group that is compared with others", SMALL_GROUP),
    )

    def run(self, context: AuditContext) -> AuditReport:
        """Ask the refused; raises NotApplicableError for a spec without rules of change."""
        options = settings(self, context.options)
        request = Request(context, options)
        request.refuse_misfits()
        _ = request.drawn
        answers: list[Answer] = []
        is_stopped = False
        try:
            for answer in request.answers():
                answers.append(answer)  # noqa: PERF402  # kept one by one, for Ctrl-C
        except KeyboardInterrupt:
            is_stopped = True
        report = _report(request, answers)
        if is_stopped:
            raise StoppedAuditError(report)
        return report


def _report(request: Request, answers: Sequence[Answer]) -> AuditReport:
    """Return the report of what is known."""
    context = request.context
    figures = tuple(estimates(request, answers))
    depending = any(one.found.outcome == "dependent" for one in answers)
    nothing = bool(request.drawn) and not answers
    report = AuditReport(
        audit=Recourse.name,
        audit_version=Recourse.version,
        model=context.model,
        sensitive_features=context.sensitive_features,
        verdict="unfair" if depending else "undecided" if nothing else None,
        reason="the time ended before anybody was asked" if nothing else None,
        measures="cost of the cheapest way, in the units of the rules",
        settings=dict(request.chosen) | {"seed": context.seed, "max_seconds": context.max_seconds},
        findings=tuple(_finding(request, one) for one in sorted(answers, key=lambda one: one.row)),
        estimates=figures,
        tables=tuple(tables(request, answers, figures)),
        notes=tuple(_notes(request, answers)),
    )
    words = said(report)
    return report if words is None else msgspec.structs.replace(report, notes=(words.german, *report.notes))


def _finding(request: Request, answer: Answer) -> Finding:
    """Return what is known of a row."""
    found, witness = answer.found, answer.found.witness
    values: dict[str, Cell] = {OUTCOME: found.outcome}
    if found.ways:
        values |= {"cost": answer.most_cost, "changes": ", ".join(found.ways[0].changed)}
    if found.within is not None:
        values["none within percent"] = found.within
    if witness is not None:
        values |= dict(zip(("change", "granted for", "not granted for"), told(request, answer, witness), strict=True))
    return Finding(
        subject=f"row {answer.row + 1}",
        row=answer.row + 1,
        group=request.context.groups[answer.row],
        verdict=_VERDICTS[found.outcome],
        lower=None if answer.least is None else rounded_down(answer.least),
        upper=None if answer.most is None else rounded_up(answer.most),
        reason=None if found.why is None else _WHY[found.why],
        counterexample=None if witness is None else _counterexample(request.context, witness),
        seconds=round(found.seconds, 4),
        values=values,
    )


def _counterexample(context: AuditContext, witness: Witness) -> Counterexample:
    """Return the same allowed change under two listed values, of which it helps one."""
    query, table = context.spec.encode(witness.values), list(context.spec.domain_table)
    cases = [context.decided_input(query, table.index(row)) for row in (witness.granted, witness.refused)]
    shows = "after one allowed change the decision depends on the sensitive values, and no allowed change helps for all"
    return Counterexample(shows, tuple(cases))


def _notes(request: Request, answers: Sequence[Answer]) -> Iterator[str]:
    """Yield what readers of the numbers must know."""
    context, today = request.context, Counter(request.today)
    refused = today["refused"]
    if len(request.drawn) < refused:
        yield f"{len(request.drawn)} of {refused} refused rows are asked, drawn with the seed"
    if len(answers) < len(request.drawn):
        yield f"the run ended after {len(answers)} of {len(request.drawn)} rows, in the order of the draw"
    if today["unfair"]:
        yield (
            f"{today['unfair']} rows are decided both ways by the sensitive values and are not asked: the audit groups "
            "has a counterexample of each"
        )
    if today["tie"]:
        yield f"{today['tie']} rows are a tie for some listed value and are not asked"
    if reasons := Counter(_WHY[one.found.why] for one in answers if one.found.why is not None):
        yield f"undecided: {'; '.join(f'{count}, as {why}' for why, count in reasons.most_common())}"
    if part := sum(one.found.within is not None for one in answers):
        yield (
            f"for {part} of the undecided no change helps within a part of what numbers may change (`none within "
            "percent` of their findings); they count as undecided, since nothing is known beyond"
        )
    yield (
        "who has no way has no cost: medians are of all asked, with an unlimited cost for those without a way, and "
        "means of those with a way alone, other people in each group, so that no two means are compared"
    )
    yield "a difference between groups is shown where its interval lies above 0, and nothing is shown where it holds 0"
    features = tuple(feature.name for feature in context.spec.sensitive_features)
    if context.sensitive_features != features:
        groups = ", ".join(context.sensitive_features)
        yield f"groups are those of {groups}; a way is for all listed values of {', '.join(features)}"
    few = [
        f"{in_words(group.name)} ({count})"
        for group in request.groups
        if group.by and (count := len(within(group, answers))) < request.least_rows
    ]
    if few:
        named = ", ".join(ends(list(dict.fromkeys(few)), _NAMED))
        yield f"groups with fewer than {request.least_rows} rows asked have no part in differences: {named}"
