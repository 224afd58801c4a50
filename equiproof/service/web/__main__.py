"""`python -m equiproof.service.web SETTINGS`: answers requests until it is told to stop."""

from __future__ import annotations

import signal
import socket
import sys
from contextlib import ExitStack
from pathlib import Path
from threading import Event

import uvicorn

from equiproof.circuits.exit_codes import OK
from equiproof.service import logs
from equiproof.service.entrance import enter
from equiproof.service.origins import Origins
from equiproof.service.resident import settle
from equiproof.service.settings import Settings, SettingsError, load_settings
from equiproof.service.web.heads import bounded
from equiproof.service.web.serving import application

DRAIN_SECONDS = 30
"""How long requests that have begun may still take after SIGTERM."""

IDLE_SECONDS = 30


class Server(uvicorn.Server):
    """The server, which ends as well if it was told to stop before it listened to signals itself."""

    def __init__(self, config: uvicorn.Config, stopped: Event) -> None:
        super().__init__(config)
        self._stopped = stopped

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start; from here on signals are the server's, and `stopped` says whether one came before."""
        self.should_exit |= self._stopped.is_set()
        await super().startup(sockets)


def main(path: str) -> int:
    """Serve until SIGTERM or Ctrl-C, then let requests that have begun end; returns the exit code.

    Writes logs to standard error. Raises what settings, a vault or a database that cannot be used raise, each one line.
    """
    stopped = Event()
    # The server raises what it was sent once more when it has ended.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    logs.configure()
    with ExitStack() as stack:
        settings = load_settings(Path(path))
        server = Server(configured(settings, stack), stopped)
        listening = stack.enter_context(listener_of(settings))
        settle()
        server.run(sockets=[listening])
    return OK


def listener_of(settings: Settings) -> socket.socket:
    """Return a socket at the address to listen at, which several processes of a service share; raises SettingsError."""
    host, _, port = settings.listen.rpartition(":")
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if settings.web_processes > 1:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        listener.bind((host.strip("[]"), int(port)))
    except OSError as error:
        listener.close()
        raise SettingsError(f"listen = {settings.listen!r}: {error.strerror}") from None
    return listener


def configured(settings: Settings, stack: ExitStack) -> uvicorn.Config:
    """Return the server's configuration over settings; `stack` closes what the application holds.

    Headers about a proxy are not read here: who calls is known by the API key, whatever the address. The console reads
    X-Forwarded-For by `trusted_proxies` alone, and no variable of the environment widens these.
    """
    return uvicorn.Config(
        application(settings, stack),
        access_log=False,
        log_config=None,
        server_header=False,
        proxy_headers=False,
        lifespan="off",
        ws="none",
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=DRAIN_SECONDS,
        http=bounded(settings.limits, Origins(settings.trusted_proxies)),
        loop="uvloop",
    )


if __name__ == "__main__":
    sys.exit(enter("web", main))
