"""The report of a model as one self-contained HTML page: audits, applicants and radii."""

from equiproof.audits.html.page import CARDS, fitting, render

__all__ = ["CARDS", "fitting", "render"]
