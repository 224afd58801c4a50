"""The changelog is read at a glance: releases with their days, and entries of one line that lead to a page."""

import re
import tomllib
from itertools import pairwise

from packaging.version import Version

from tests.support import ROOT

TEXT = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
RELEASE = re.compile(r"## (\d+\.\d+\.\d+(?:rc\d+)?) \((\d{4}-\d{2}-\d{2})\)")


def test_releases_have_their_days_newest_first():
    """Beside what is unreleased, a heading is a release and its day; the newest is the project's version."""
    headings = [line for line in TEXT.splitlines() if line.startswith("## ") and line != "## Unreleased"]
    found = [RELEASE.fullmatch(line) for line in headings]
    assert all(found), headings
    releases = [(Version(match[1]), match[2]) for match in found]
    assert all(one > other for one, other in pairwise(releases))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert releases[0][0] == Version(project["version"])


def test_an_entry_is_one_line_with_a_link():
    """Details are on the page that it leads to."""
    _, _, body = TEXT.partition("\n## ")
    entries = [line for line in body.splitlines() if line.startswith("- ")]
    assert entries
    assert not [line for line in entries if len(line) > 180 or not re.search(r"\]\([\w./#-]+\)", line)]
    assert not re.search(r"^- .*\n +\S", body, re.MULTILINE), "an entry goes on below"
