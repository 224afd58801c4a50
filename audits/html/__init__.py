"""The report of a model as one page: every audit, every applicant and every radius in a file that needs no other."""

from audits.html.page import CARDS, fitting, render

__all__ = ["CARDS", "fitting", "render"]
