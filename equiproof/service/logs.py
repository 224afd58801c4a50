"""Logs: one JSON object a line, on standard error. What a line may hold is decided here, not where something failed.

Errors are named by their class and place. Their words stay out, since an error may repeat what an applicant gave; so do
the arguments of what libraries write.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from datetime import UTC, datetime
from typing import TextIO

OWN_LOGGER = "equiproof"
SERVER_LOGGER = "uvicorn"
"""The library whose own messages are shown: it tells of starting and stopping. Of their arguments only numbers are."""

MAX_PLACES = 20

_PLACEHOLDER = re.compile(r"%[-+ #0-9.]*[a-zA-Z]")


class Lines(logging.Formatter):
    """Writes a record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "from": record.name,
        }
        if _is(record, OWN_LOGGER):
            line["event"] = record.getMessage()
            line |= getattr(record, "fields", {})
        elif _is(record, SERVER_LOGGER):
            line["event"] = _counted(record)
        if record.exc_info and record.exc_info[1] is not None:
            line |= described(record.exc_info[1])
        return json.dumps(line, ensure_ascii=True)


def described(error: BaseException) -> dict[str, object]:
    """Return an error's class, and the places through which it came, the innermost last: no words, no values."""
    places = []
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        places.append(f"{trace.tb_frame.f_globals.get('__name__', '?')}.{code.co_qualname}:{trace.tb_lineno}")
        trace = trace.tb_next
    kind = type(error)
    return {"error": f"{kind.__module__}.{kind.__qualname__}", "at": places[-MAX_PLACES:]}


def configure(stream: TextIO | None = None) -> None:
    """Have everything that this process logs written as lines, to standard error unless a stream is given."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(Lines())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    for name in (OWN_LOGGER, SERVER_LOGGER):
        logging.getLogger(name).setLevel(logging.INFO)


def _counted(record: logging.LogRecord) -> str:
    """Return a library's message, with its arguments where all of them are numbers, such as that of a process."""
    arguments = record.args if isinstance(record.args, tuple) else ()
    if arguments and all(isinstance(one, int) for one in arguments):
        return record.getMessage()
    return _PLACEHOLDER.sub("...", str(record.msg))


def _is(record: logging.LogRecord, name: str) -> bool:
    return record.name == name or record.name.startswith(f"{name}.")
