"""Other people's measures of dependence under one call shape."""

__all__: list[str] = []
