"""Packs the built program for one kind of processor; metadata stand in pyproject.toml."""

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel


class Built(Distribution):
    """A distribution of files that fit one kind of system."""

    def has_ext_modules(self) -> bool:
        """Say so, as for compiled modules."""
        return True


class Wheel(bdist_wheel):
    """A wheel of a program that needs nothing of Python, and on Linux no C library."""

    def get_tag(self) -> tuple[str, str, str]:
        """Return the tag: any Python 3, and on Linux whatever C library the system has."""
        system = super().get_tag()[2]
        if system.startswith("linux_"):
            machine = system.removeprefix("linux_")
            system = f"manylinux_2_17_{machine}.musllinux_1_1_{machine}"
        return "py3", "none", system


setup(distclass=Built, cmdclass={"bdist_wheel": Wheel})
