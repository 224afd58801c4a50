"""The library among processes: forks are refused, workers are spawned, Ctrl-C is heard, a missing library is named."""

import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from tests.support import ROOT

PREAMBLE = """
    import os, signal, sys
    # What a shell starts in the background ignores Ctrl-C, and so does what that starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # Of an editable installation, only the current directory counts.
    sys.meta_path[:] = [finder for finder in sys.meta_path if "Editable" not in str(finder)]
    from equiproof.circuits.shape import traversal_shape
    from equiproof.ffi import backend
    from equiproof.ffi.errors import BackendError
    from tests.support import LOANS

    SHAPE = traversal_shape(LOANS, (2, 2), 8).document
"""


def script(body, *, cwd=ROOT, timeout=60, **options):
    """Run a script in a fresh interpreter, and fail if it hangs."""
    code = textwrap.dedent(PREAMBLE) + textwrap.dedent(body)
    return subprocess.run(
        [sys.executable, "-c", code], cwd=cwd, capture_output=True, text=True, timeout=timeout, check=False, **options
    )


CALLS = (
    "backend.describe(SHAPE)",
    "backend.setup(SHAPE)",
    "backend.ProvingKey(SHAPE, b'')",
    "backend.VerifyingKey(b'')",
    "loaded.verify(bytes(32), bytes(196))",
    "loaded.close()",
)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_fork_of_a_loaded_library_is_refused(loans):
    """In a process forked after the library was loaded, every call raises BackendError instead of hanging."""
    done = script(
        f"""
        from pathlib import Path
        loaded = backend.VerifyingKey((Path({str(loans.key.folder)!r}) / "verifying.key").read_bytes())
        for call in {CALLS!r}:
            child = os.fork()
            if child == 0:
                try:
                    eval(call)
                except BackendError as error:
                    print(f"{{call}} refused: {{error}}", flush=True)
                    os._exit(7)
                os._exit(1)
            _, status = os.waitpid(child, 0)
            print(os.waitstatus_to_exitcode(status), flush=True)
        """
    )
    said = "refused: start workers by spawn: the native library was loaded before this process was forked"
    assert done.stdout.splitlines() == [line for call in CALLS for line in (f"{call} {said}", "7")], done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_fork_before_the_first_use_works():
    """Importing the binding loads nothing: a process forked before the first use has a library of its own."""
    done = script(
        """
        child = os.fork()
        if child == 0:
            os._exit(backend.describe(SHAPE).constraints > 0)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), backend.describe(SHAPE).constraints > 0)
        """
    )
    assert done.stdout.split() == ["1", "True"], done.stderr


def test_importing_the_binding_loads_no_library():
    """The rooms import without the compiled extension being loaded."""
    done = script("import equiproof.prover, equiproof.verifier\nprint('equiproof.ffi._native' in sys.modules)")
    assert done.stdout.strip() == "False", done.stderr


def test_spawned_workers_use_the_library(tmp_path):
    """Workers started by spawn use the library while the parent has it loaded."""
    worker = tmp_path / "spawned.py"
    worker.write_text(
        textwrap.dedent(PREAMBLE)
        + textwrap.dedent(
            """
            import multiprocessing

            def constraints(number):
                return backend.describe(SHAPE).constraints

            if __name__ == "__main__":
                own = backend.describe(SHAPE).constraints
                with multiprocessing.get_context("spawn").Pool(2) as pool:
                    print(set(pool.map(constraints, range(4))) == {own})
            """
        )
    )
    done = subprocess.run(
        [sys.executable, str(worker)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout.strip() == "True", done.stderr


def test_ctrl_c_is_heard_during_set_up():
    """SIGINT while keys are made raises KeyboardInterrupt at once, long before the set-up would end."""
    code = textwrap.dedent(PREAMBLE) + textwrap.dedent(
        """
        large = traversal_shape(LOANS, (8, 8), 512).document
        print("started", flush=True)
        try:
            backend.setup(large)
            print("finished", flush=True)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
            os._exit(0)
        """
    )
    child = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout.readline() == "started\n"
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=60)
    finally:
        child.kill()
    assert out == "interrupted\n"


def test_a_process_ends_while_the_library_works():
    """A process that was interrupted ends as any other does, without waiting for the library or crashing."""
    code = textwrap.dedent(PREAMBLE) + textwrap.dedent(
        """
        large = traversal_shape(LOANS, (8, 8), 512).document
        print("started", flush=True)
        backend.setup(large)
        """
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout.readline() == "started\n"
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=60)
    finally:
        child.kill()
    assert err.splitlines()[-1] == "KeyboardInterrupt"
    assert child.returncode in (-signal.SIGINT, 130, 1)


def test_a_missing_library_is_named(tmp_path):
    """Without the library, every use raises BackendError that says how to have it: in a checkout, how to build it."""
    (tmp_path / "requirements").mkdir()
    for folder in ("equiproof", "go-gnark/verify/tables", "tests"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    done = script(
        """
        import equiproof.ffi
        assert equiproof.ffi.__file__.startswith(os.getcwd()), equiproof.ffi.__file__
        print(backend.available())
        for call in (lambda: backend.describe(SHAPE), lambda: backend.VerifyingKey(b""), lambda: backend.setup(SHAPE)):
            try:
                call()
            except BackendError as error:
                print(error)
        """,
        cwd=tmp_path,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
    )
    lines = done.stdout.splitlines()
    assert lines[0] == "False", done.stderr
    assert len(lines) == 4
    assert all(line.startswith("the native library is not built: run `make build`") for line in lines[1:])


def test_counts_in_a_verifying_key_reserve_no_memory(loans):
    """A verifying key of half a kilobyte that announces billions of points is malformed and nothing worse."""
    places = (288, 388, 392, 396)
    done = script(
        f"""
        import resource
        from pathlib import Path
        resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 16 << 30))
        honest = (Path({str(loans.key.folder)!r}) / "verifying.key").read_bytes()
        for place in {places}:
            key = bytearray(honest)
            key[place : place + 4] = bytes([255] * 4)
            try:
                backend.VerifyingKey(bytes(key))
            except BackendError as error:
                print(place, "refused")
        """
    )
    assert done.stdout.splitlines() == [f"{place} refused" for place in places], done.stderr[:200]
