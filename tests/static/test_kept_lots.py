"""The static binary says of a kept model's period what `equiproof lot check` says, to the byte."""

import pytest

from equiproof.cli.main import run
from tests.register.lot.kept_world import LINK, answered, closed, log_of
from tests.static.build import said
from tests.support import changed


@pytest.fixture
def both(program, capsys, monkeypatch, tmp_path):
    """Say what command and binary say of a period in this folder, the same: exit code, and all that is printed."""
    monkeypatch.setenv("COLUMNS", "80")

    def call(period):
        words = [str(period.root), str(tmp_path / "log")]
        code = run(["lot", "check", *words, "--checker", "native"])
        out, err = capsys.readouterr()
        assert said(program, "lot", "check", *words) == (code, out, err)
        return code, out + err

    return call


def test_a_certificate_counts_beside_the_periods_link(both, tmp_path):
    """One of three decisions has a certificate."""
    code, text = both(answered(tmp_path, log_of(tmp_path)))
    assert (code, "1 certified" in text) == (0, True), text


@pytest.mark.parametrize("change", [{"shown": f"{7:064x}"}, {"point": f"{1:064x}"}, {"key": "ab" * 32}])
def test_another_link_in_the_folder_is_refused(both, tmp_path, change):
    """Whatever differs: the period names the file by its digest."""
    period = answered(tmp_path, log_of(tmp_path))
    (period.root / "link-1.json").write_bytes(changed(LINK, **change).to_bytes())
    code, text = both(period)
    assert (code, "put the keys there that the period names" in text) == (1, True), text


@pytest.mark.parametrize("name", ["link-1.json", "link-key-1.json", "link-verifying-1.key"])
def test_a_missing_file_ends_the_check(both, tmp_path, name):
    """Never a verdict without the link."""
    period = answered(tmp_path, log_of(tmp_path))
    (period.root / name).unlink()
    code, text = both(period)
    assert (code, name in text) == (2, True), text


@pytest.mark.parametrize("links", ["[]", '["AB"]', '["{0}","{0}"]', '["{0}","{1}"]', '["{1}"]'])
def test_links_of_a_period_have_one_form(both, tmp_path, links):
    """Digests, each once, no more than keys, no empty list; and those that the log shows."""
    period = closed(tmp_path, log_of(tmp_path))
    path = period.root / "period.json"
    own = period.period.policy.links[0]
    text = path.read_text().replace(f'"links":["{own}"]', f'"links":{links.format(own, "ab" * 32)}')
    path.write_text(text)
    assert both(period)[0] in (1, 2)
