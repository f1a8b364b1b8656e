"""scikit-learn estimators built on dependence."""

__all__: list[str] = []
