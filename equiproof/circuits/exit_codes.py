"""What an error means for whoever gave the order: the exit codes of the command line, documented in docs/answers.md.

Every error class that can reach a user has one of these as its attribute `exit_code`, so that any front end (the
command line, a service, a notebook) reads the same meaning off the error itself. An error without the attribute is a
fault of the program. `equiproof.ffi`, which imports nothing of ours, writes the number.
"""

from __future__ import annotations

OK = 0
"""Done; for a verification: verified."""

REFUSED = 1
"""Well formed, and refused by a verification."""

MISUSED = 2
"""A malformed file, wrong arguments, a missing or damaged key, or a missing package or library."""

UNFAIR = 3
"""Unfair, with a counterexample. This is a result and no error, so no class carries it."""

EXHAUSTED = 4
"""A budget or a capacity ended first: nothing is known about fairness."""

FORKED = 5
"""A public log has signed two histories, or went back; both signed checkpoints are kept as evidence."""

FAULT = 70
"""A fault of the program, with its stack trace."""

INTERRUPTED = 130
"""Interrupted by the user."""
