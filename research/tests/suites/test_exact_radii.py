"""Exact GeoCert where the kept results of the networks of Fairify know no exact radius."""

import pytest

from bench import kept
from bench.fairify_networks import NETWORKS as ALL
from research.suites.exact_radii import NETWORKS, shares, unknown


def test_applicants_are_those_that_the_page_counts():
    """Of 45 applicants the kept results know 26 exact radii; shares without a search are those of the table."""
    parts = kept.load("fairify")["parts"]
    assert [len(unknown(parts[name])) for name in NETWORKS] == [11, 3, 5]
    assert set(NETWORKS) <= set(ALL)
    part = parts["GC-5"]
    assert min(shares(part, [])) == pytest.approx(0.0159, abs=1e-4)
    assert min(shares(part, [{"applicant": 9, "most": 0.2686}, {"applicant": 0, "most": 0.1708}])) > 0.2
