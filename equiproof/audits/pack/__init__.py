"""What a validator of models reads of a committed model: one printable document, and a model card for machines."""

from equiproof.audits.pack.card import card
from equiproof.audits.pack.content import Content, content

__all__ = ["Content", "card", "content"]
