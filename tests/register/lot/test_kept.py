"""A period of a kept model: its links are fixed with its keys, and the certificates are checked beside them."""

import shutil

import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.register.lot import check
from equiproof.register.lot.documents import parse_period
from equiproof.register.lot.errors import LotError, LotRefusedError
from equiproof.register.lot.folder import PeriodLink
from equiproof.verifier import CertificateFormatError
from equiproof.verifier.link import LINK_FILE
from tests.cli.world import command
from tests.register.lot.kept_world import KEPT, LINK, OWN, answered, closed, log_of, reader
from tests.register.lot.world import AUDITOR, LENDER, LOG, OWNER
from tests.support import changed


@pytest.fixture
def log(tmp_path):
    """The period's log."""
    return log_of(tmp_path)


def test_a_certificate_counts_beside_the_periods_link(tmp_path, log):
    """The folder has the link and its key, and the period fixes it by its digest."""
    period = answered(tmp_path, log)
    found = check.check(check.read_close(period, reader(log), check.Pins()))
    assert sorted(one.verdict for one in found.judgements) == ["certified", "none", "none"]
    assert period.period.policy.links == (OWN.digest,)


@pytest.mark.parametrize("change", [{"shown": f"{7:064x}"}, {"point": f"{1:064x}"}, {"key": "ab" * 32}])
def test_another_link_in_the_folder_is_refused(tmp_path, log, change):
    """Whatever differs: the period names the file by its digest."""
    period = answered(tmp_path, log)
    (period.root / "link-1.json").write_bytes(changed(LINK, **change).to_bytes())
    with pytest.raises(LotRefusedError, match="put the keys there that the period names"):
        check.check(check.read_close(period, reader(log), check.Pins()))


def test_a_period_needs_every_link_in_its_log(tmp_path, log):
    """A kept key without its link, and a link that the log does not show as the owner's, close no period."""
    with pytest.raises(LotError, match="bring the link of the kept key"):
        closed(tmp_path, log, ())
    other = PeriodLink(changed(LINK, shown=f"{7:064x}"), OWN.key)
    with pytest.raises(LotError, match=f"register link {other.digest[:16]}"):
        closed(tmp_path, log, (other,))


def test_links_of_a_period_have_one_form(tmp_path, log):
    """Digests, each once, no more than keys, and no empty list."""
    period = closed(tmp_path, log).period
    for links in ((), (OWN.digest, OWN.digest), (OWN.digest.upper(),), (OWN.digest, "ab" * 32)):
        wrong = changed(period, policy=changed(period.policy, links=links))
        with pytest.raises(CertificateFormatError, match=r"policy\.links"):
            parse_period(canonical_bytes(wrong), "period")


def test_close_finds_the_link_beside_the_commitment(tmp_path, log):
    """Or takes the one that the option names."""
    (tmp_path / "parties").write_text(f"{LENDER.verifier.text}\n{AUDITOR.verifier.text}\n")
    (tmp_path / "log.pub").write_text(f"{LOG.verifier.text}\n")
    shutil.copy(KEPT / "commitment.json", tmp_path / "commitment.json")
    promised = ("--name", "March", "--owner", OWNER, "--min-radius", "0", "--share", "0.2", "--draw", "3")
    given = ("--log-key", tmp_path / "log.pub", "--parties", tmp_path / "parties", "--keys", KEPT / "keys")

    def words(name, commitment, *more):
        return ("lot", "close", tmp_path / name, log.root, *given, *promised, "--commitment", commitment, *more)

    assert command(*words("one", KEPT / "commitment.json")).code == 0
    command(*words("two", tmp_path / "commitment.json")).complaint(2, "bring the link")
    assert command(*words("two", tmp_path / "commitment.json", "--link", KEPT / LINK_FILE)).code == 0
    assert (tmp_path / "one" / "link-1.json").read_bytes() == (KEPT / LINK_FILE).read_bytes()
