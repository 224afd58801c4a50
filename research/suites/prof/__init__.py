"""PROF's tables II to IV: provable repairs of networks for one or several sensitive features."""
