"""Three variables: splits, and the three-way term of log-linear models."""
