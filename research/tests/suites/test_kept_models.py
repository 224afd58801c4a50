"""Kept models beside opened ones: a tiny network through all its parts, and what the tables say of demands."""

import json

import pytest

pytest.importorskip("sklearn")
from bench.harness import BenchError
from bench.parts import Options
from equiproof.certify.data import load
from equiproof.circuits.link_shape import link_shape
from equiproof.circuits.shape import branch_shape, kept_shape
from equiproof.ffi import backend
from research.suites import kept_cases, kept_models, kept_tables
from research.suites.kept_cases import Case, Counted, Demands

TINY = Case("a tiny network", "lending", (2,), Demands(1.0, 1.0, 1.0, 1.0, 2.0), capacity=4)

FORM = {"witness_s": 0.05, "prove_s": 2.0, "peak_mb": 600.0, "proof_bytes": 196}
PARTS = {
    "tiny-opened": {"constraints": 1000, "setup_s": 40.0, "setup_mb": 900.0, "key_mb": 80.0},
    "tiny-kept": {
        "constraints": 500, "setup_s": 50.0, "setup_mb": 700.0, "key_mb": 40.0,
        "link_constraints": 600, "link_key_mb": 50.0,
    },
    "tiny-proofs": {
        "opened": FORM, "kept": FORM | {"prove_s": 1.0, "peak_mb": 300.0, "proof_bytes": 228},
        "link_s": 5.0, "link_mb": 500.0, "link_bytes": 1200,
        "checks": {
            "native": {"opened": 2.0, "kept": 2.2}, "batch": {"opened": 0.5, "kept": 0.55},
            "python": {"opened": 900.0, "kept": 1000.0}, "first": {"opened": 900.0, "kept": 2000.0},
        },
    },
}  # fmt: skip
"""Parts that meet every demand."""

DEMANDS = Demands(0.5, 0.5, 0.5, 0.5, 1.1)


@pytest.fixture
def demanded(monkeypatch):
    """A model on each figure of which there is a demand, and which just meets those on ratios."""
    cases = {"tiny": Case("a tiny network", "lending", (2,), DEMANDS)}
    monkeypatch.setattr(kept_tables, "CASES", cases)
    monkeypatch.setattr(kept_cases, "CASES", cases)
    return cases


def judged(parts):
    """Return what the tables say of demands, by the figure; without a demand it is "-"."""
    lines = [line.split(" | ") for line in kept_tables.costs({"parts": parts}).splitlines()[2:]]
    (counted,) = kept_tables.constraints({"parts": parts}).splitlines()[2:]
    return {line[1]: line[-1].removesuffix(" |") for line in lines} | {"constraints": counted.split(" | ")[-1][:-2]}


def test_demands_that_are_met(demanded):
    """A figure that is exactly its demand meets it, and without a demand nothing is said."""
    verdicts = judged(PARTS)
    assert set(verdicts.values()) == {"yes", "-"}
    assert sum(verdict == "yes" for verdict in verdicts.values()) == 10


@pytest.mark.parametrize(
    ("part", "path", "value", "figure"),
    [
        ("tiny-kept", ("constraints",), 501, "constraints"),
        ("tiny-kept", ("link_constraints",), 601, "constraints"),
        ("tiny-kept", ("key_mb",), 40.1, "proving key, MB"),
        ("tiny-proofs", ("kept", "prove_s"), 1.01, "proof s"),
        ("tiny-proofs", ("kept", "peak_mb"), 301.0, "memory of a proof, MB"),
        ("tiny-proofs", ("kept", "proof_bytes"), 227, "proof, bytes"),
        ("tiny-proofs", ("link_bytes",), 1301, "link.json, bytes"),
        ("tiny-proofs", ("checks", "native", "kept"), 2.51, "native check, link known, ms"),
        ("tiny-proofs", ("checks", "batch", "kept"), 0.61, "one of a batch, ms"),
        ("tiny-proofs", ("checks", "python", "kept"), 1126.0, "plain Python, link known, ms"),
        ("tiny-proofs", ("checks", "first", "kept"), 2161.0, "plain Python, first certificate, ms"),
    ],
)
def test_a_demand_that_is_missed(demanded, part, path, value, figure):
    """One figure beyond its demand turns its own line to "no", and no other one."""
    parts = json.loads(json.dumps(PARTS))
    *outer, last = path
    at = parts[part]
    for name in outer:
        at = at[name]
    at[last] = value
    assert [name for name, verdict in judged(parts).items() if verdict == "no"] == [figure]


def test_demands_on_visited_nodes(monkeypatch):
    """A ratio and seconds of a proof are demanded apart; without the form, or unmeasured, there is no line."""
    passed = Case("trees", "lending", (2,), Demands(), passed=7, visiting=Demands(0.2, 0.4, seconds=0.8))
    monkeypatch.setattr(kept_tables, "CASES", {"tiny": passed, "other": Case("other", "lending", (2,), Demands())})
    kept = {name: value for name, value in PARTS["tiny-kept"].items() if not name.startswith("link")}
    parts = PARTS | {"tiny-visiting": kept | {"constraints": 200}}
    parts["tiny-proofs"] = PARTS["tiny-proofs"] | {"visiting": FORM | {"prove_s": 0.8}}

    def proof(parts):
        lines = kept_tables.visiting({"parts": parts}).splitlines()[2:]
        return len(lines), [line for line in lines if line.split(" | ")[1] in ("constraints", "proof s")]

    assert proof(parts) == (6, [
        "| trees, D 7 | constraints | 1,000 | 500 | 200 | 0.20 (0.2) | yes |",
        "| trees, D 7 | proof s | 2.00 | 1.00 | 0.80 (0.8) | 0.40 (0.4) | yes |",
    ])  # fmt: skip
    parts["tiny-proofs"]["visiting"]["prove_s"] = 0.81
    assert proof(parts)[1][1].endswith("| no |")
    assert proof(PARTS) == (0, [])


def test_parts_that_were_not_measured_have_no_line(demanded):
    """A model without its proofs has its constraints only, and one without its kept key nothing."""
    counted = {name: PARTS[name] for name in ("tiny-opened", "tiny-kept")}
    assert len(kept_tables.costs({"parts": counted}).splitlines()) == 2
    assert len(kept_tables.constraints({"parts": counted}).splitlines()) == 3
    assert len(kept_tables.constraints({"parts": {"tiny-opened": PARTS["tiny-opened"]}}).splitlines()) == 2


def test_parts_are_those_of_the_demands():
    """Four or five parts for each model, in the order in which they need each other; proofs are timed one by one."""
    parts = list(kept_models.plan(None, Options()).parts)
    for name in ("100-50", "300x6", "ebm-pairs"):
        at = parts.index(f"{name}-model")
        others = ("visiting",) * (name != "100-50")
        wanted = [f"{name}-{part}" for part in ("model", "opened", "kept", *others, "proofs")]
        assert parts[at : at + len(wanted)] == wanted
    assert {"count-100-50-32", "count-100-100", "count-200-200-200", "count-500-500"} <= set(parts)
    with pytest.raises(BenchError, match="one by one"):
        kept_models.plan(None, Options(jobs=2))


def test_counts_are_those_of_the_compiled_forms():
    """Opened, kept and link are three circuits; a shape whose opened form is too large has the other two."""
    shape = branch_shape(load("lending", None).spec, (2,), 4)
    forms = {"opened": shape, "kept": kept_shape(shape), "link": link_shape(shape)}
    counts = {name: backend.describe(one.document).constraints for name, one in forms.items()}
    assert kept_models.count(Counted("", lambda _: shape, Demands()), None) == counts
    partly = kept_models.count(Counted("", lambda _: shape, Demands(), opened=False), None)
    assert partly == counts | {"opened": None}


def test_shapes_without_data_are_the_pinned_ones():
    """The networks that are counted have the columns that their words name."""
    for name, columns in (("4-2", (18, 2)), ("100-100", (11, 2)), ("200-200-200", (6, 1)), ("500-500", (18, 2))):
        architecture = kept_cases.COUNTED[name].shape(None).architecture
        assert (architecture.plain, architecture.sensitive) == columns
        assert "({})".format(",".join(map(str, architecture.hidden))) in kept_cases.COUNTED[name].words


def test_a_part_needs_those_before_it(tmp_path):
    """The error names the part that was not measured."""
    with pytest.raises(BenchError, match="tiny-model first"):
        kept_models.keys(TINY, tmp_path / "tiny", "kept")
    with pytest.raises(BenchError, match="tiny-opened first"):
        kept_models.proofs(TINY, tmp_path / "tiny", kept_models.Question(), None)


@pytest.mark.slow
def test_a_tiny_model_is_proven_and_checked_in_both_forms(tmp_path, monkeypatch):
    """All four parts, in their order: proofs of both forms hold, alone and in a batch, and have their lengths."""
    for module in (kept_models, kept_tables, kept_cases):
        monkeypatch.setattr(module, "CASES", {"tiny": TINY})
    question = kept_models.Question(points=5, pairs=2)
    plan = kept_models.plan(None, Options(), question, tmp_path)
    parts = {name: part() for name, part in plan.parts.items() if name.startswith("tiny-")}
    kept, found = parts["tiny-kept"], parts["tiny-proofs"]
    assert kept["constraints"] < parts["tiny-opened"]["constraints"] < kept["constraints"] + kept["link_constraints"]
    assert [found[form]["proof_bytes"] for form in kept_models.FORMS] == [196, kept_cases.PROOF_BYTES]
    assert all(len(found[form]["prove_s_all"]) == 2 for form in kept_models.FORMS)
    assert found["link_bytes"] <= kept_cases.LINK_BYTES
    assert set(found["checks"]) == {"native", "batch", "python", "first"}
    assert min(value for times in found["checks"].values() for value in times.values()) > 0
    assert "| a tiny network | proof, bytes | 196 | 228 (228) | - | yes |" in kept_tables.costs({"parts": parts})
