"""Every policy that plain values stand for, by name: a module's `__all__` is all that makes its policies public."""

from typing import TYPE_CHECKING

from equiproof.circuits.policy_rows import by_argument
from equiproof.circuits.tables import TableError
from equiproof.verifier import combined, gain_policy, policy, transcripts
from equiproof.verifier.combined import *  # noqa: F403
from equiproof.verifier.gain_policy import *  # noqa: F403
from equiproof.verifier.policy import *  # noqa: F403
from equiproof.verifier.transcripts import *  # noqa: F403

if not TYPE_CHECKING:  # a type checker takes what is imported above, and cannot add lists of other modules
    __all__ = combined.__all__ + gain_policy.__all__ + policy.__all__ + transcripts.__all__


def policy_class(name: str) -> type:
    """Return a policy by its name in policies.json; raises TableError for an unknown one."""
    policy_type = globals().get(name)
    if not isinstance(policy_type, type):
        raise TableError(f"policies.json: {name}: no policy of equiproof.verifier has this name")
    return policy_type


for _row in by_argument().values():
    if _row.kind != "log":  # it is made of the terms and the proof of a log, which have a module of their own
        policy_class(_row.name)
