"""The command line: composes the rooms, holds no mathematics. Nothing imports it."""
