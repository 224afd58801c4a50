"""The first screen says what the reports say: the people, how the audits ended, and what to do next."""

import pytest

from equiproof.audits.brief import brief, counts, finding_words, head, judges, tag
from equiproof.audits.brief.parts import apart
from equiproof.audits.intervals import share
from equiproof.audits.records import Estimate, Finding, Table
from equiproof.audits.runner import AuditRun, Failure
from tests.audits.made import context, pair, report
from tests.certify.hand_made import by_sex
from tests.support import changed

WHERE = context(by_sex())


def people(unfair: int, fair: int, undecided: int = 0) -> tuple[Finding, ...]:
    """Return so many findings about rows."""
    kinds = ["unfair"] * unfair + ["undecided"] * undecided + ["fair"] * fair
    return tuple(
        Finding(
            subject=f"row {row}", row=row, verdict=kind, reason="a tie" if kind == "undecided" else None,
            counterexample=pair(WHERE) if kind == "unfair" else None,
        )
        for row, kind in enumerate(kinds, start=1)
    )  # fmt: skip


def groups(unfair: int = 11, fair: int = 109, undecided: int = 0):
    """Return a report of the audit of groups on so many people."""
    total = unfair + fair + undecided
    women, men = (("sex", "f"),), (("sex", "m"),)
    estimates = (
        share("selection rate (granted)", 79, 120),
        share("selection rate (granted)", 32, 51, group=women),
        share("selection rate (granted)", 47, 69, group=men),
        share("counterfactual share", unfair, total),
        share("counterfactual share", unfair, total, group=women),
    )
    verdict = "unfair" if unfair else None
    return report(
        WHERE, audit="groups", verdict=verdict, findings=people(unfair, fair, undecided), estimates=estimates, tables=()
    )


def prof(unfair: int = 9, after: float = 0.0, accuracy=(0.85, 0.825), **fields):
    """Return a report of the audit of repairs on a hundred people."""
    rows = [
        ("IDI, share of 100 findings", unfair / 100, after),
        ("CUR, share of 80 repair points", 0.5, 0.0),
        ("IDI-S, share of 1000 random inputs", 0.0115, 2e-5),
    ]
    if accuracy is not None:
        rows.append(("accuracy over 500 rows that the repair did not see", *accuracy))
    tables = (Table("before and after the repair", ("measure", "before", "after"), tuple(rows)),)
    verdict = "unfair" if unfair else "fair"
    known = {"settings": {"relaxed": ""}, "estimates": (), "tables": tables, "notes": ()} | fields
    return report(WHERE, audit="prof", verdict=verdict, findings=people(unfair, 100 - unfair), **known)


def run(*reports, failures=()):
    """Return a run of these reports."""
    return AuditRun(model=WHERE.model, reports=reports, failures=tuple(failures))


def steps(*reports, failures=()):
    """Return what to do next."""
    return [str(step) for step in head(run(*reports, failures=failures)).steps]


def test_people_come_first():
    """How many of the people looked at a sensitive feature decides alone, whatever the other audits are."""
    first = head(run(report(WHERE), groups(), prof()))
    assert first.claim == "For 11 of the 120 people looked at, the decision changes with sex alone."
    assert first.below == "3 audits ran: 3 found such cases, 0 failed."


@pytest.mark.parametrize(
    ("counted", "claim"),
    [
        ((0, 120, 0), "For none of the 120 people looked at does the decision change with sex alone."),
        ((0, 118, 2), "For 118 of the 120 people looked at, the decision does not change with sex alone. For 2, it is"),
        (
            (0, 0, 120),
            "For any of the 120 people looked at, it is not known whether the decision changes with sex alone.",
        ),
        ((0, 0, 1), "For the one person looked at, it is not known whether the decision changes with sex alone."),
        ((1, 0, 0), "For the one person looked at, the decision changes with sex alone."),
    ],
)
def test_nobody_is_claimed_who_was_not_found(counted, claim):
    """None is said only of those who were looked at, and ties stay open."""
    assert head(run(groups(*counted))).claim.startswith(claim)


def test_without_people_the_claim_is_about_cases():
    """An audit of a domain looks at no person; a run without audits at nothing."""
    assert head(run(report(WHERE))).claim == "Cases were found."
    assert head(run(report(WHERE, verdict=None, findings=()))).claim == "No person was looked at one by one."
    assert head(run()).claim == "No audit was run."


def test_repaired_people_stand_in_for_those_of_groups():
    """Where the audit of groups was not run, the repair points are the people; not where others may differ, too."""
    assert head(run(prof())).claim == "For 9 of the 100 people looked at, the decision changes with sex alone."
    assert head(run(prof(settings={"relaxed": "income=5"}))).claim == "Cases were found."


def test_what_to_do_next():
    """Cases go to a person, a repair says what it costs, a wide interval asks for more people."""
    assert steps(groups(), prof()) == [
        "Let a person decide the 11: they get no certificate.",
        "Try a repair: it leaves none of 100 here, for 2.5 points of accuracy.",
        "Audit more people: with 120, the share may be 5 to 16 %.",
        "Audit again after the repair, on others.",
    ]


def test_without_layers_there_is_no_repair_to_try():
    """A score of scheme trees has inputs and a logit alone: the page names what can be done in place of a repair."""
    some = run(groups())
    scored = AuditRun(model=changed(some.model, layers=(4, 1)), reports=some.reports, failures=())
    assert [str(step) for step in head(scored).steps] == [
        "Let a person decide the 11: they get no certificate.",
        "Train anew without sex, or weigh its values alike: repairs are for networks.",
        "Audit more people: with 120, the share may be 5 to 16 %.",
        "Audit again after that, on others.",
    ]


def test_a_repair_says_what_it_costs():
    """Points of accuracy are lost, won, or neither, or not known without labels; some people may be left."""
    said = "Try a repair: it leaves"
    assert f"{said} 2 of 100 here, and costs no accuracy." in steps(prof(after=0.02, accuracy=(0.5, 0.5)))
    assert f"{said} none of 100 here, and adds 1 point of accuracy." in steps(prof(accuracy=(0.8, 0.81)))
    assert f"{said} none of 100 here, for 1.1 points of accuracy." in steps(prof(accuracy=(0.811, 0.8)))
    assert f"{said} none of 100 here." in steps(prof(accuracy=None))


def test_accuracy_on_rows_that_were_fitted_is_not_told():
    """A report of an older version has such a measure: it says nothing of what the repair costs, or adds."""
    made = prof()
    (table,) = made.tables
    rows = (*table.rows[:2], ("accuracy over the rows that the repair was fitted to", 0.70, 0.82))
    seen = changed(made, tables=(Table(table.caption, table.columns, rows),))
    assert "Try a repair: it leaves none of 100 here." in steps(seen)
    assert [figure.what for figure in brief(made).figures].count("right decisions, of 500 it did not see") == 1
    assert not any("right decisions" in figure.what for figure in brief(seen).figures)


def test_a_gap_between_groups_is_to_be_explained():
    """A ratio of shares below four fifths asks for a reason, whoever is decided by a sensitive value alone."""
    made, name = groups(), "disparate impact by sex (granted)"
    text = "Explain the gap: granted for 62.7 % of sex = f, and 68.1 % of sex = m, a ratio of 0.79 (0.6 to 1.1)."
    for ratio, asked in ((0.79, True), (0.8, False)):
        impact = Estimate(measure=name, value=ratio, lower=0.6, upper=1.1, n=51, method="MOVER-R")
        found = steps(changed(made, estimates=(*made.estimates, impact)))
        assert (f"{text} No repair aims at it." in found) == asked
        assert asked or not any("gap" in one for one in found)


def test_a_ratio_of_one_label_asks_for_no_reason_for_the_shares_of_another():
    """Of three labels, the ratio that is low belongs to the shares that are nearer: those are told, with the label."""
    rates = {"granted": ((600, 1000), (700, 1000)), "sent back": ((20, 1000), (40, 1000))}
    groups_of = ((("sex", "f"),), (("sex", "m"),))
    estimates = tuple(
        share(f"selection rate ({label})", *counts, group=group)
        for label, both in rates.items()
        for group, counts in zip(groups_of, both, strict=True)
    )
    ratios = [
        Estimate(measure=f"disparate impact by sex ({label})", value=value, n=1000, method="MOVER-R")
        for label, value in (("granted", 600 / 700), ("sent back", 0.5))
    ]
    joint = Estimate(measure="disparate impact by sex and race (granted)", value=0.1, n=40, method="MOVER-R, all pairs")
    made = groups()
    found = steps(changed(made, estimates=(*made.estimates[-2:], *estimates, *ratios, joint)))
    assert [one for one in found if "gap" in one] == [
        "Explain the gap: sent back for 2.0 % of sex = f, and 4.0 % of sex = m, a ratio of 0.5. No repair aims at it."
    ]


def test_what_people_would_get_otherwise_is_said():
    """Of two labels, each with its number; of a decision that is unknown, nothing."""
    made = groups(2, 10)
    told = [
        changed(one, values={"decision": label})
        for one, label in zip(made.findings, ("granted", "declined"), strict=False)
    ]
    found = (*told, *made.findings[2:])
    answer = brief(changed(made, findings=found)).answer
    assert answer.endswith(
        "With another value, 1 would get declined instead of granted, and 1 would get granted instead of declined."
    )


def test_nothing_found_asks_for_nothing_but_certificates():
    """Where nothing was found among many people there is no repair and nobody to decide."""
    assert steps(groups(0, 5000)) == ["Certify: how far does each of these decisions hold?"]


def test_failures_and_budgets_are_steps():
    """What failed comes first, with its reason; what was undecided asks for time."""
    found = steps(
        report(WHERE, verdict="undecided", reason="100 nodes"), failures=[Failure("bad", "failed", "ValueError: x")]
    )
    assert found == ["See why the audit bad failed: ValueError: x", "Give the audit made more time: 100 nodes"]


def test_groups_in_short():
    """The share with its interval in whole percents, and the two groups that are furthest apart."""
    short = brief(groups())
    assert (short.tag, short.question) == ("cases found", "Does sex alone change a decision?")
    assert short.answer == "Yes, for 11 of the 120 people looked at. Each case was computed again, exactly."
    assert [(one.value, one.what) for one in short.figures] == [
        ("11 of 120", "change with sex alone (5 to 16 %)"),
        ("62.7 %", "granted, of 51, sex = f (49 to 75 %)"),
        ("68.1 %", "granted, of 69, sex = m (56 to 78 %)"),
    ]
    assert brief(groups(0, 120)).answer.startswith("No, for none of the 120 people")
    assert tag(groups(0, 120)) == "no case found"
    assert tag(groups(0, 119, 1)) == "undecided"
    assert "For 1, it is not known" in brief(groups(0, 119, 1)).answer


def test_a_repair_in_short():
    """Before and after, and that others were not tried."""
    short = brief(prof())
    assert (
        short.answer
        == "9 of 100 are decided by sex alone; repaired, none. Of others, only the rows and random inputs were tried."
    )
    assert [one.value for one in short.figures] == ["9 → 0", "1.2 → 0.002 %", "85.0 → 82.5 %"]
    assert brief(prof(tables=())).answer == "9 of 100 are decided by sex alone; no repair was found."
    assert brief(prof(0)).answer == "There is nothing to mend: none of 100 is decided by sex alone."
    assert "than a similar person" in brief(prof(settings={"relaxed": "income=5"})).answer


@pytest.mark.parametrize(
    ("judged", "answer"),
    [
        (0, "It is not known whether any of 100 is decided by sex alone."),
        (40, "None of 40 that were judged is decided by sex alone. Of 60, it is not known."),
    ],
)
def test_people_who_were_not_judged_are_nobody_to_mend(judged, answer):
    """Where time ended first, nothing is said of those whose turn did not come."""
    findings = people(0, judged, 100 - judged)
    late = report(
        WHERE, audit="prof", verdict="undecided", reason="the time ended", findings=findings, settings={"relaxed": ""},
        estimates=(), tables=(), notes=(),
    )  # fmt: skip
    assert brief(late).answer == answer
    assert [(one.value, one.what) for one in brief(late).figures] == [
        ("0 of 100", "decided by sex"), (f"{100 - judged} of 100", "not known"),
    ]  # fmt: skip


def test_a_repair_is_counted_on_the_people_of_the_findings():
    """What is left is of the findings, not of repair points; where time ended before all were counted, it says so."""
    assert "; repaired, 2. " in brief(prof(after=0.02)).answer
    for rows in ((), (("IDI, share of 40 findings", 0.1, 0.0),)):
        table = Table("before and after the repair", ("measure", "before", "after"), (*rows, ("CUR, share", 0.5, 0.0)))
        short = brief(prof(tables=(table,)))
        assert short.answer == "9 of 100 are decided by sex alone; a repair was found, and not counted on them."
        assert [one.value for one in short.figures] == ["9 of 100"]
        assert "repair: a change of the model that mends these decisions." in str(steps(prof(tables=(table,))))


def test_properties_are_no_people():
    """The findings of the audit of clusters are two properties of a domain, one of them with a search."""
    found = (
        Finding(subject="scores apart by more than 0.05", verdict="unfair", counterexample=pair(WHERE)),
        Finding(subject="label flips", verdict="undecided", reason="30 s"),
    )
    columns = ("largest k", "at most", "sensitive assignments")
    made = report(
        WHERE, audit="hyfair", findings=found, estimates=(), tables=(Table("search", columns, ((2, None, 6),)),)
    )
    assert counts(made) == [("unfair", 1, "of 2 properties"), ("undecided", 1, "of 2 properties")]
    short = brief(made)
    assert short.answer == (
        "Into two levels of the score. Some get scores more than 0.05 apart; there is an example: one of any "
        "combination of values. Not known: another label (30 s)."
    )
    assert [(one.value, one.what) for one in short.figures] == [("2 of 6", "levels of the score were found")]
    fair = tuple(changed(one, verdict="fair", counterexample=None, reason=None) for one in found)
    assert brief(changed(made, verdict="fair", findings=fair)).answer.startswith("Not at all, in the whole domain")


def test_an_audit_that_measures_calls_nobody_unfair():
    """Its findings have words of their own, and judge nobody."""
    made = report(WHERE, audit="pba", verdict=None)
    assert not judges(made)
    assert finding_words(made)["unfair"] == "surer"
    assert "unfair" not in finding_words(report(WHERE, verdict=None)).values()
    assert finding_words(report(WHERE))["unfair"] == "unfair"


def test_reports_of_another_form_are_told_in_general_words():
    """A plug-in of the same name, or an older version, is told as any other is."""
    bare = {"verdict": None, "findings": (), "tables": (), "estimates": ()}
    for name in ("groups", "hyfair", "prof", "pba", "fvgm"):
        assert brief(report(WHERE, audit=name, **bare)).question == f"What does the audit {name} find?"
    for name in ("groups", "hyfair", "prof", "pba", "fvgm"):
        assert brief(report(WHERE, audit=name)).figures


def test_three_numbers_at_most():
    """Of many estimates the first three are shown, in percent where they are shares."""
    many = tuple(Estimate(measure=f"rate {n}", value=0.5, n=40, method="exact") for n in range(15))
    assert [one.value for one in brief(report(WHERE, verdict=None, estimates=many)).figures] == ["50.0 %"] * 3


def test_groups_are_compared_by_one_label():
    """Of three labels, the one whose groups are furthest apart; never two labels of two groups."""
    rates = {"refuse": (0.9, 0.8), "review": (0.05, 0.15), "accept": (0.05, 0.4)}
    estimates = [
        Estimate(measure=f"selection rate ({label})", group=(("sex", sex),), value=rate, n=100, method="Wilson")
        for label, values in rates.items()
        for sex, rate in zip("fm", values, strict=True)
    ]
    assert [one.value for one in apart(estimates, "selection rate (")] == [0.05, 0.4]
    assert {one.measure for one in apart(estimates, "selection rate (")} == {"selection rate (accept)"}


def test_groups_of_one_feature_are_compared():
    """The least of one feature and the largest of another overlap: people belong to both."""
    rates = {("sex", "f"): 0.4, ("sex", "m"): 0.6, ("age", "old"): 0.2, ("age", "young"): 0.5}
    estimates = [
        Estimate(measure="selection rate (granted)", group=(group,), value=rate, n=100, method="Wilson")
        for group, rate in rates.items()
    ]
    assert [one.group for one in apart(estimates, "selection rate (")] == [(("age", "old"),), (("age", "young"),)]
