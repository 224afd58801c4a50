"""A PostgreSQL server for tests and measurements, in a temporary folder and behind a Unix socket.

`make postgres` brings its programs. They refuse to run as root, where they run as Debian's user
`postgres` or as nobody.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

USER = "equiproof"
START_SECONDS = 60

QUICK: Mapping[str, str] = {"fsync": "off", "full_page_writes": "off"}
"""For tests: what a killed server had acknowledged is still there, what a machine without power had need not be.

`synchronous_commit` stays on: without it a killed server forgets what it has acknowledged."""

_SMALL = {"shared_buffers": "16MB", "max_connections": "60", "max_wal_size": "64MB", "listen_addresses": ""}


class NoServerError(RuntimeError):
    """No PostgreSQL server could be started."""


def programs() -> Path | None:
    """Return the folder of initdb and postgres, None where there is none."""
    if (found := shutil.which("initdb")) is not None:
        return Path(found).resolve().parent
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[4]))
    return versions[-1].parent if versions else None


class Server:
    """A server from `start` on; use it as a context manager, or close it."""

    def __init__(self, settings: Mapping[str, str] = QUICK) -> None:
        """Make a new cluster and start its server; raises NoServerError."""
        if (found := programs()) is None:
            raise NoServerError("no PostgreSQL server")
        self._programs, self._settings = found, {**_SMALL, **settings}
        self.folder = Path(tempfile.mkdtemp(prefix="equiproof-pg-"))
        self._as: dict[str, Any] = _unprivileged(self.folder)
        self._process: subprocess.Popen[bytes] | None = None
        words = ("--auth=trust", f"--username={USER}", "--encoding=UTF8", "--locale=C", "--no-sync")
        made = subprocess.run(
            [found / "initdb", *words, "-D", self.folder / "data"],
            capture_output=True,
            check=False,
            cwd=self.folder,
            **self._as,
        )
        if made.returncode:
            self.close()
            raise NoServerError(f"initdb: {made.stderr.decode(errors='replace').strip()[-300:]}")
        self.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def address(self, database: str) -> str:
        """Return the address of a database, there or not."""
        return f"postgresql+psycopg://{USER}@/{database}?host={self.folder}"

    @property
    def process(self) -> int:
        """The id of the server's first process; raises NoServerError where it does not run."""
        if self._process is None:
            raise NoServerError("the server does not run")
        return self._process.pid

    def start(self, largest_file: int | None = None) -> None:
        """Start the server, and wait until it answers; it repairs what a killed one left. Raises NoServerError.

        None of its files grows beyond `largest_file` bytes, a multiple of 512, as if the disk were full.
        """
        limit = "unlimited" if largest_file is None else str(largest_file // 512)
        limited = ("sh", "-c", f'ulimit -S -f {limit}; exec "$@"', "sh")
        settings = [word for name, value in self._settings.items() for word in ("-c", f"{name}={value}")]
        with (self.folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                [*limited, self._programs / "postgres", "-D", self.folder / "data", "-k", self.folder, *settings],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                start_new_session=True,
                **self._as,
            )
        end = time.monotonic() + START_SECONDS
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > end:
                self.kill()
                raise NoServerError(f"the server did not start: {self.said()[-300:]}")
            time.sleep(0.02)

    def said(self) -> str:
        """Return the server's log."""
        return (self.folder / "server.log").read_text(errors="replace")

    def kill(self) -> None:
        """Kill every process of the server -9, the first one first: nobody is left to tell the others to end."""
        if self._process is not None:
            for process in (self._process.pid, *_children(self._process.pid)):
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            self._ended()

    def stop(self) -> None:
        """Stop the server at once: connections are cut, what was committed is kept."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
            self._ended()

    def close(self) -> None:
        """End the server, and remove its folder."""
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, statement: str, database: str = "postgres") -> str:
        """Run SQL by psql, and return what it prints, without a frame."""
        return self.call("psql", "-qtA", "-v", "ON_ERROR_STOP=1", "-c", statement, "-d", database)

    def call(self, program: str, *words: str | Path) -> str:
        """Call one of the programs on this server, and return what it prints; raises CalledProcessError."""
        command: list[str | Path] = [self._programs / program, "-h", self.folder, "-U", USER, *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    def _answers(self) -> bool:
        command: list[str | Path] = [self._programs / "pg_isready", "-q", "-h", self.folder]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    def _ended(self) -> None:
        if self._process is not None:
            self._process.wait(START_SECONDS)
        self._process = None


def _children(parent: int) -> list[int]:
    """Return the ids of a process's children, none where the system has no /proc: they end when they see it gone."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            _, _, fields = stat.read_text(errors="replace").rpartition(")")
            if int(fields.split()[1]) == parent:
                found.append(int(stat.parent.name))
    return found


def _unprivileged(folder: Path) -> dict[str, Any]:
    """Return how a process is started as somebody else where we are root, and give that user the folder."""
    if os.getuid() != 0:
        return {}
    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    owner = names.get("postgres") or names["nobody"]
    os.chown(folder, owner.pw_uid, owner.pw_gid)
    return {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
