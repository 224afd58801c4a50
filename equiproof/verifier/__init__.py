"""The relying party's side: reading a certificate, judging it against a policy, checking its proof."""

from typing import TYPE_CHECKING

from equiproof.verifier import interface, policies
from equiproof.verifier.interface import *  # noqa: F403
from equiproof.verifier.policies import *  # noqa: F403

if not TYPE_CHECKING:  # a type checker takes what is imported above, and cannot add lists of other modules
    __all__ = interface.__all__ + policies.__all__
