"""Compiles the binding for any Python from 3.11 on; metadata stand in pyproject.toml."""

from setuptools import setup

setup(cffi_modules=["_build.py:for_wheel"], options={"bdist_wheel": {"py_limited_api": "cp311"}})
