"""PROF's table II on networks at hand: repair of one sensitive feature at a time."""
