"""The options of `verify` that make its policy, and the page that lists them."""

import json
import re

import pytest

from equiproof.verifier import combined, gain_policy, logged, policy, transcripts
from equiproof.verifier.errors import Reason
from tests.support import ROOT


def test_policies_are_documented(cli):
    """docs/policies.md has one line for each policy with its reason; the options that it names are the command's."""
    section = (ROOT / "docs" / "policies.md").read_text().partition("\n## ")[0]
    lines = re.findall(r"^\| `(\w+)\(.*?\)` \| (.*?) ?\| .*? \| (?:`([a-z-]+)`)?.*\|$", section, re.MULTILINE)
    both = vars(policy) | vars(combined) | vars(transcripts) | vars(logged) | vars(gain_policy)
    classes = {name: kind for name, kind in both.items() if isinstance(kind, type) and hasattr(kind, "check")}
    del classes["Policy"]
    reasons = {name: getattr(kind, "reason", getattr(kind, "reasons", ("",))[0]) for name, kind in classes.items()}
    assert {name: reason for name, _, reason in lines} == reasons
    # Transcripts of both keys of a kept model are refused for one reason.
    own = [reason for name, reason in reasons.items() if reason and name != "LinkTranscriptIs"]
    assert len(set(own)) == len(own)
    assert not set(own) & set(Reason)
    named = {option for _, options, _ in lines for option in re.findall(r"--[\w-]+", options)}
    assert len(named) >= 6
    offered = cli("verify", "--help").out + cli("gain", "verify", "--help").out
    assert all(option in offered for option in named)


@pytest.mark.parametrize(
    "text", ["", "income", "income=1", "=0:1", "income=0-1", "income=0:1e3", "income=2:1", "income=:", "income=0:1:2"]
)
def test_a_range_that_cannot_be_read_is_misuse(world, cli, text):
    """A range is NAME=LOW:HIGH in decimals, the lower end first."""
    cli(*world.verify(f"--ranges-within={text}")).complaint(2, "--ranges-within")


def test_a_range_is_named_once(world, cli):
    """Two ranges of one feature are misuse: neither silently replaces the other."""
    words = ["--ranges-within", "income=0:1", "--ranges-within", "income=0:2"]
    cli(*world.verify(*words)).complaint(2, "'income' has a range already")


def test_a_certificate_without_ranges_meets_both(world, cli):
    """A statement about all neighbors is accepted by both policies, and both are listed as made."""
    number = next(feature.name for feature in world.owned.spec.plain_features if feature.kind == "numeric")
    out = cli(*world.verify("--verbose", "--no-ranges", "--ranges-within", f"{number}=-5:2000000")).out
    assert "    + neighbors are not restricted to ranges\n" in out
    assert "    + neighbors are not restricted to ranges, so yours are included\n" in out


def test_a_range_of_an_unknown_feature_is_refused(world, cli):
    """A misspelled name would check nothing."""
    cli(*world.verify("--ranges-within", "incme=0:1")).complaint(1, "range for 'incme': the spec has no such number")


def policy_file(folder, **requires):
    """Write a policy file and return its path."""
    path = folder / "policy.json"
    path.write_text(json.dumps({"format": "equiproof-policy", "version": 2, "requires": requires}))
    return path


def test_a_policy_file_is_met_or_refused(world, cli, tmp_path):
    """The file's requirements are listed as checked, once, beside those of options; one that is not met refuses."""
    path = policy_file(tmp_path, no_ranges=True, setup="single-party")
    out = cli(*world.verify("--verbose", "--policy", path, "--no-ranges")).out
    assert out.count("    + neighbors are not restricted to ranges\n") == 1
    assert "  + the key's set-up is single-party\n" in out
    path = policy_file(tmp_path, any_of=[{"setup": "ceremony"}, {"min_radius": "1000"}])
    cli(*world.verify("--policy", path)).complaint(
        1, "none of 2 accepted policies is met", "the policy requires ceremony", "the policy requires 1000"
    )


def test_an_unsafe_policy_file_says_so(world, cli, tmp_path):
    """A file that requires nothing is named on the error stream; the certificate is verified as without a file."""
    path = policy_file(tmp_path)
    outcome = cli(*world.verify("--policy", path))
    assert outcome.code == 0
    assert f"{path}: an unsafe policy: it requires nothing" in outcome.err


def test_policy_files_that_are_none_are_misuse(world, cli, tmp_path):
    """A wrong field, another file, no file, and a file that needs what was not given: one line, exit 2."""
    cli(*world.verify("--policy", policy_file(tmp_path, min_radius="x"))).complaint(2, "policy.json", "min_radius")
    cli(*world.verify("--policy", policy_file(tmp_path, context={}), context=None)).complaint(2, "--context")
    cli(*world.verify("--policy", world.certificate)).complaint(2, "this is a certificate, want a policy")
    cli(*world.verify("--policy", tmp_path / "none.json")).complaint(2, "none.json")
