"""A run that was ended goes on from where it was: what is finished is kept, and never mixed with another run's."""

import errno
import os
import random
import signal
import stat
import subprocess
import sys
import time

import msgspec
import pytest

from equiproof.certify.errors import RunError
from equiproof.certify.many import portfolio
from equiproof.certify.many.certifier import Certifier
from equiproof.certify.many.portfolio import InterruptedRunError
from tests.support import LOANS, RATES, ROOT, applicant, network, spec_of

COUNT = 14
ONE_JOB_OR_TWO = pytest.mark.parametrize("jobs", [pytest.param(1, marks=pytest.mark.slow), 2])

LONG_RUN = """
import random, sys
from equiproof.certify.many.certifier import Certifier
from tests.certify.many.test_resume import long_run
certifier, rows = long_run(jobs=int(sys.argv[1]))
try:
    certifier.certify(rows, resume=sys.argv[2])
except KeyboardInterrupt as stop:
    print("finished", len(stop.finished), flush=True)
"""


def long_run(jobs):
    """Return a certifier and rows that take it some seconds, about equally long each."""
    rng = random.Random(2)
    model = network(RATES, (24, 16), seed=4, sensitivity=0.02)
    rows = [applicant(RATES, rng) for _ in range(COUNT)]
    limits = {"scheme": "traversal", "max_regions": 600, "max_seconds": None}
    return Certifier(model, RATES, **limits, jobs=jobs, progress=False), rows


def short_run(**parameters):
    """Return a certifier and twelve rows that take it no time."""
    rng = random.Random(3)
    model = network(LOANS, (4, 2), seed=4, sensitivity=2.0)
    rows = [applicant(LOANS, rng) for _ in range(12)]
    return Certifier(model, LOANS, **{"progress": False, "scheme": "traversal"} | parameters), rows


def untimed(results):
    """Return the points without what the machine decides."""
    return [msgspec.structs.replace(point, seconds=0.0) for point in results]


@pytest.fixture
def counted(monkeypatch):
    """Return a list that grows with every search."""
    searched, certify_point = [], portfolio.certify_point

    def counting(network, spec, query, limits):
        searched.append(query)
        return certify_point(network, spec, query, limits)

    monkeypatch.setattr(portfolio, "certify_point", counting)
    return searched


def begun(path, jobs, lines):
    """Start a long run in a process group of its own; return it once the file has so many finished points."""
    process = subprocess.Popen(
        [sys.executable, "-c", LONG_RUN, str(jobs), str(path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509  # shells may ignore it
    )
    deadline = time.monotonic() + 120
    while not path.exists() or path.read_bytes().count(b"\n") <= lines:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return process


def gone(group):
    """Tell whether no process of a group is left, after a while at most."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


@ONE_JOB_OR_TWO
@pytest.mark.slow
def test_a_run_that_was_killed_goes_on(tmp_path, counted, jobs):
    """Killed midway, a run leaves its finished points and no process; the rest is searched, and the results agree."""
    path = tmp_path / "run.jsonl"
    process = begun(path, jobs, 3)
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert gone(process.pid)
    kept = path.read_bytes().count(b"\n") - 1
    assert 3 <= kept < COUNT
    certifier, rows = long_run(jobs=1)
    results = certifier.certify(rows, resume=path)
    assert len(counted) == COUNT - kept
    counted.clear()
    again = certifier.certify(rows, resume=path)
    assert (counted, again) == ([], results)
    # Among the first six are points that the killed run kept and, in all likelihood, some that it did not.
    assert untimed(certifier.certify(rows[:6])) == untimed(results)[:6]


@ONE_JOB_OR_TWO
def test_ctrl_c_keeps_what_is_finished(tmp_path, jobs):
    """Ctrl-C reaches every process of a terminal: all end soon and quietly, and finished points are kept."""
    path = tmp_path / "run.jsonl"
    process = begun(path, jobs, 3)
    os.killpg(process.pid, signal.SIGINT)
    began = time.monotonic()
    out, err = process.communicate(timeout=60)
    assert time.monotonic() - began < 10
    kept = path.read_bytes().count(b"\n") - 1
    assert 3 <= kept < COUNT
    assert (process.returncode, out, err) == (0, f"finished {kept}\n", "")
    assert gone(process.pid)


def test_an_interrupted_run_hands_over_its_rows(monkeypatch):
    """Without a file, the exception holds what was finished, under the rows' own numbers."""
    certifier, rows = short_run()
    left, certify_point = [7], portfolio.certify_point

    def interrupted(*arguments):
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt
        return certify_point(*arguments)

    whole = certifier.certify(rows)
    monkeypatch.setattr(portfolio, "certify_point", interrupted)
    with pytest.raises(InterruptedRunError) as caught:
        certifier.certify(rows)
    assert isinstance(caught.value, KeyboardInterrupt)
    assert untimed(caught.value.finished) == untimed(whole)[:6]


def test_points_are_known_by_their_integers(tmp_path, counted):
    """Rows in another order, more rows and equal rows take over what is known; numbers are those of the new rows."""
    path = tmp_path / "run.jsonl"
    certifier, rows = short_run()
    first = certifier.certify(rows[:6], resume=path)
    assert len(counted) == 6
    other = certifier.certify([*rows[6:8], *rows[5::-1], rows[6]], resume=path)
    assert len(counted) == 8
    assert [point.row for point in other] == list(range(1, 10))
    assert untimed(other)[2].radius_squared == first[5].radius_squared
    assert msgspec.structs.replace(other[8], row=1) == other[0]


@pytest.mark.parametrize("cut", [1, 20, 10**9])
def test_a_torn_last_line_is_dropped(tmp_path, counted, cut):
    """What a death leaves of a line, or of the header, is no point: it is searched again."""
    path = tmp_path / "run.jsonl"
    certifier, rows = short_run()
    results = certifier.certify(rows, resume=path)
    data = path.read_bytes()
    last = data.rstrip(b"\n").rfind(b"\n") + 1
    path.write_bytes(data[: max(len(data) - cut, last)] if cut < 10**9 else data[:30])
    counted.clear()
    assert untimed(certifier.certify(rows, resume=path)) == untimed(results)
    assert len(counted) == (1 if cut < 10**9 else 12)
    assert path.read_bytes().count(b"\n") == 13


@pytest.mark.parametrize(
    "changed", ["model", "spec", "scheme", "max_regions", "max_leaves", "max_seconds", "capacity", "exact"]
)
def test_a_file_of_another_run_is_refused(tmp_path, changed):
    """Another model, spec or limit is named in one line, and the file stays as it is."""
    path = tmp_path / "run.jsonl"
    certifier, rows = short_run()
    certifier.certify(rows, resume=path)
    before = path.read_bytes()
    other = {
        "model": network(LOANS, (4, 2), seed=5),
        "spec": spec_of(*LOANS.features, name="other"),
        "scheme": "branch",
        "max_regions": 64,
        "max_leaves": 64,
        "max_seconds": 60.0,
        "capacity": 8,
        "exact": True,
    }
    with pytest.raises(RunError, match=f"{path.name}: .*another {changed}"):
        certifier.set_params(**{changed: other[changed]}).certify(rows, resume=path)
    assert path.read_bytes() == before


def test_a_run_of_scheme_branch_goes_on(tmp_path, counted):
    """Finished points of scheme branch are taken over as they are, and never by the other scheme."""
    path = tmp_path / "run.jsonl"
    certifier, rows = short_run(scheme="branch", capacity=4)
    first = certifier.certify(rows[:5], resume=path)
    whole = certifier.certify(rows, resume=path)
    assert (len(counted), whole[:5]) == (12, first)
    assert any(point.leaves for point in first)
    before = path.read_bytes()
    with pytest.raises(RunError, match="another scheme"):
        certifier.set_params(scheme="traversal", max_regions=64).certify(rows, resume=path)
    assert path.read_bytes() == before


def test_a_file_of_an_earlier_version_is_refused(tmp_path):
    """Lines of before there were two schemes are another format's: they are neither read nor appended to."""
    path = tmp_path / "run.jsonl"
    certifier, rows = short_run()
    certifier.certify(rows[:1], resume=path)
    data = path.read_bytes().replace(b'"version":2', b'"version":1').replace(b'"scheme":"traversal",', b"")
    path.write_bytes(data)
    with pytest.raises(RunError, match="another format"):
        certifier.certify(rows, resume=path)
    assert path.read_bytes() == data


@pytest.mark.parametrize("foreign", [b"income,housing\n1,own\n", b"{}\n", b"no line end", b"\xff\xfe\n", b"[1]\n"])
def test_a_foreign_file_is_never_touched(tmp_path, foreign):
    """A file that is something else is refused, and keeps its bytes and its mode."""
    path = tmp_path / "applicants.csv"
    path.write_bytes(foreign)
    path.chmod(0o644)
    certifier, rows = short_run()
    with pytest.raises(RunError, match="no file to resume from"):
        certifier.certify(rows, resume=path)
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (foreign, 0o644)


def test_a_damaged_line_is_named(tmp_path):
    """A line in the middle that is no point is no accident of a death: it is named, and nothing is written."""
    path = tmp_path / "run.jsonl"
    certifier, rows = short_run()
    certifier.certify(rows, resume=path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:3], b'{"query":[1]}\n', *lines[4:]]))
    path.chmod(0o644)
    with pytest.raises(RunError, match="line 4"):
        certifier.certify(rows, resume=path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


def test_the_file_is_for_its_owner_only(tmp_path):
    """It holds applicants' data: it is made, and made again, readable by the owner alone."""
    path = tmp_path / "run.jsonl"
    certifier, rows = short_run()
    certifier.certify(rows[:1], resume=path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o644)
    certifier.certify(rows, resume=path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_full_disk_names_the_file(tmp_path, monkeypatch):
    """If the disk has no room for a point, the error names the file given to resume."""

    def refusing(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    certifier, rows = short_run()
    monkeypatch.setattr(os, "write", refusing)
    with pytest.raises(OSError, match="No space left") as caught:
        certifier.certify(rows[:1], resume=tmp_path / "run.jsonl")
    assert caught.value.filename == str(tmp_path / "run.jsonl")


def test_two_runs_do_not_share_a_file(tmp_path):
    """While one run has the file, another is refused."""
    path = tmp_path / "run.jsonl"
    certifier, rows = short_run()
    header = portfolio.Header.of(certifier.model, LOANS, portfolio.Limits(scheme="traversal"))
    with portfolio.Journal(path, header), pytest.raises(RunError, match="another run"):
        certifier.certify(rows, resume=path)
    assert len(certifier.certify(rows, resume=path)) == 12


def test_what_is_no_file_is_refused(tmp_path):
    """A folder, a device or a path that leads nowhere is an error that names it."""
    certifier, rows = short_run()
    with pytest.raises(RunError, match="plain file"):
        certifier.certify(rows, resume=os.devnull)
    for path in (tmp_path, tmp_path / "nowhere" / "run.jsonl"):
        with pytest.raises(OSError, match=str(path)):
            certifier.certify(rows, resume=path)
