"""What a report says in one screen: per audit a question, its answer and three numbers, then what to do next."""

from equiproof.audits.brief.head import Head, head
from equiproof.audits.brief.one import brief, counts, finding_words, judges, tag
from equiproof.audits.brief.parts import Brief, Figure, Run, Step, Tag

__all__ = [
    "Brief", "Figure", "Head", "Run", "Step", "Tag", "brief", "counts", "finding_words", "head", "judges",
    "tag",
]  # fmt: skip
