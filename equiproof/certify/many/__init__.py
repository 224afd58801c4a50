"""Certification of many applicants: the estimator, its processes, its journal and its results."""
