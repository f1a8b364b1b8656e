"""Networks of dependence, links that go through others, and causal graphs beside the data."""
