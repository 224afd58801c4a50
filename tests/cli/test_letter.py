"""`equiproof letter`: a page about a certificate that verifies, with what its sender wrote, and no page otherwise."""

import stat

import pytest


def test_a_letter_is_about_the_certificate(world, cli, tmp_path):
    """The page has the decision, the applicant's own values and the certificate's name, for its owner's eyes only."""
    more = ("--link", "https://lender.example/a", "--reference", "2026-11-0398", "--date", "2026-11-20")
    document = cli(*world.letter(tmp_path, *more, "--json")).document
    page = (tmp_path / "letter.html").read_text()
    assert document["label"] in page
    assert "20 November 2026" in page
    assert f"https://lender.example/a#{document['certificate']}" in page
    assert document["certificate"] == cli(*world.verify("--json")).document["certificate"]
    assert stat.S_IMODE((tmp_path / "letter.html").stat().st_mode) == 0o600


def test_what_lies_beside_the_certificate_is_found(world, cli, tmp_path):
    """Without options, commitment, key and details are those beside the certificate; the page is in German."""
    words = world.letter(tmp_path, "--language", "de", commitment=None, key=None, query=None, context=None)
    cli(*words).complaint(2, "--commitment")  # the trip keeps it in another folder
    assert cli(*words, "--commitment", world.commitment).code == 0
    assert "Unser Modell hat entschieden" in (tmp_path / "letter.html").read_text()


def test_nothing_is_written_about_what_does_not_verify(world, cli, tmp_path):
    """A certificate about other data is refused, and no page is left behind."""
    cli(*world.letter(tmp_path, query=world.other_query)).complaint(1)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("more", "named"),
    [
        (("--date", "20.11.2026"), "--date: '20.11.2026' is not a date"),
        (("--date", "20261120"), "--date"),
        (("--link", "http://lender.example"), "https://"),
        (("--reference", "a\nb"), "reference"),
        (("--lender", "\u202eA"), "lender"),
        (("--language", "fr"), "--language: 'fr'"),
    ],
)
def test_wrong_values_are_named(world, cli, tmp_path, more, named):
    """What cannot stand on the page is refused in one line, before anything is written."""
    cli(*world.letter(tmp_path, *more)).complaint(2, named)
    assert not list(tmp_path.iterdir())


def test_a_letter_is_not_overwritten(world, cli, tmp_path):
    """A page that is there stays, unless --force."""
    assert cli(*world.letter(tmp_path)).code == 0
    cli(*world.letter(tmp_path)).complaint(2, "exists", "--force")
    assert cli(*world.letter(tmp_path, "--force")).code == 0


def test_a_letter_needs_the_details(world, cli, tmp_path):
    """Without the applicant's details there is no letter; the line names the option."""
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / "certificate.json").write_bytes(world.certificate.read_bytes())
    words = world.letter(tmp_path, certificate=alone, query=None)
    cli(*words).complaint(2, "--query")
