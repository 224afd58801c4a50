"""Builds for tests are made once, as long as their sources stay the same."""

import pytest

from tests.kept import PLACE_VARIABLE
from tests.web import web


def test_a_build_is_made_once_and_whole(tmp_path, monkeypatch):
    """A build that failed leaves nothing that is taken for one; what was built is taken from then on."""
    monkeypatch.setenv(PLACE_VARIABLE, str(tmp_path))
    calls = []

    def build(folder):
        calls.append(folder)
        (folder / "a.js").write_text(f"{len(calls)}")
        if len(calls) == 1:
            raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        web.kept_build("test", build)
    for _ in range(2):
        assert [(path.name, path.read_text()) for path in web.kept_build("test", build).iterdir()] == [("a.js", "2")]


def test_sources_of_builds_are_what_they_read():
    """Scripts, styles, pages, tables and versions of packages; nothing that was installed."""
    listed = set(web.sources())
    assert {
        "web/verifier/src/index.ts", "web/verifier/build.mjs", "web/verifier/package-lock.json",
        "web/page/src/page.css", "web/applicant/src/applicant.html", "web/element/building.mjs",
        "go-gnark/verify/tables/words.json", "tests/web/inside.ts",
    } <= listed  # fmt: skip
    assert not [path for path in listed if "node_modules" in path or "/dist/" in path]
