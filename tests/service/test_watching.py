"""Alert rules and dashboard: each rule speaks when it should and not else, and names no unknown number."""

import json
import re
import subprocess

import yaml

from equiproof.service.numbers import NUMBERS
from equiproof.service.web.metrics import DATABASE_NUMBERS
from tests.service.programs import brought
from tests.support import ROOT

FOLDER = ROOT / "examples" / "operations"
RULES = FOLDER / "equiproof.rules.yml"
DASHBOARD = FOLDER / "equiproof.dashboard.json"
SUFFIXES = {"counter": ("_total",), "gauge": ("",), "histogram": ("_bucket", "_count")}
NAMED = {
    f"{name}{suffix}": number
    for name, number in (NUMBERS | DATABASE_NUMBERS).items()
    for suffix in SUFFIXES[number.kind]
}
"""Every number as Prometheus names it."""


def names(text):
    return set(re.findall(r"equiproof_[a-z_]+", text))


def number_of(name):
    """Return the name without what the steps and the count of a histogram have behind it."""
    return name.removesuffix("_bucket").removesuffix("_count")


def rules():
    return [rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]


def expressions():
    panels = json.loads(DASHBOARD.read_text())["panels"]
    shown = [target["expr"] for panel in panels for target in panel["targets"]]
    return [rule["expr"] for rule in rules()], shown


def test_each_rule_speaks_when_it_should():
    """And is silent about a service that works."""
    command = [brought("promtool"), "test", "rules", "equiproof.rules.test.yml"]
    done = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_each_rule_is_tried_both_ways():
    """A rule that is added has a case in which it speaks, and one in which it does not."""
    cases = [
        case
        for test in yaml.safe_load((FOLDER / "equiproof.rules.test.yml").read_text())["tests"]
        for case in test["alert_rule_test"]
    ]
    alerts = {rule["alert"] for rule in rules()}
    assert {case["alertname"] for case in cases if case.get("exp_alerts")} == alerts
    assert {case["alertname"] for case in cases if not case.get("exp_alerts")} == alerts


def test_rules_and_dashboard_name_numbers_that_there_are():
    """With labels that they have; the dashboard shows every number."""
    asked, shown = expressions()
    assert names(" ".join(asked)) <= NAMED.keys()
    assert names(" ".join(shown)) <= NAMED.keys()
    assert {*map(number_of, names(" ".join(shown)))} == {*map(number_of, NAMED)}
    for expression in (*asked, *shown):
        allowed = {"process", "le"}.union(*(NAMED[name].labels for name in names(expression)))
        used = re.findall(r'([a-z_]+)=~?"', expression)
        used += [one for group in re.findall(r"by \(([a-z_, ]+)\)", expression) for one in group.split(", ")]
        assert {*used} <= allowed, expression


def test_the_operators_page_names_numbers_that_there_are():
    """And every number that a rule asks for, so that whoever is woken finds what to do."""
    page = names((ROOT / "docs" / "operations.md").read_text())
    known = NAMED.keys() | NUMBERS.keys()
    assert page <= known
    asked = names(" ".join(expressions()[0]))
    assert {*map(number_of, asked)} <= {*map(number_of, page)}


def test_prometheus_reads_the_example():
    """Which asks where the numbers are, and names the rules."""
    example = FOLDER / "prometheus.yml"
    command = [brought("promtool"), "check", "config", "--syntax-only", example]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    document = yaml.safe_load(example.read_text())
    (job,) = document["scrape_configs"]
    assert (job.get("metrics_path", "/metrics"), [*job["authorization"]]) == ("/metrics", ["credentials_file"])
    assert document["rule_files"] == [RULES.name]
