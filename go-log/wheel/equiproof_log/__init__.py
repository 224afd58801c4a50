"""Holds the program `equiproof-log`, which equiproof finds here; nothing here is meant to be imported."""
