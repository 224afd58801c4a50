"""The report of a model as one self-contained HTML page: audits, applicants and radii."""

from equiproof.audits.html.page import fitting, render
from equiproof.audits.html.sections import CARDS

__all__ = ["CARDS", "fitting", "render"]
