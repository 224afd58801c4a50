"""Group and causal fairness of linear and CNF classifiers under a Bayesian network of the features (FVGM)."""
