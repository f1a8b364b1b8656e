"""What a solver answers: a value, and how far it can be from the truth."""

from dataclasses import dataclass
from typing import Any

from shearer.data.arrays import to_float


@dataclass(frozen=True)
class Estimate:
    """A number with its bounds.

    Attributes
    ----------
    value : float or 0-d array
        The estimate, in the library of the data; differentiable where that library is.
    lower, upper : float
        The exact value for these data lies between them.
    certified : bool
        True if the bounds are a theorem (round-off included), False if they are statistical.
    route : str
        How it was computed.

    Examples
    --------
    >>> import shearer as sh
    >>> estimate = sh.Dependence(["a", "b", "a", "b"], ["u", "v", "u", "v"]).mutual_information()
    >>> estimate.value, estimate.certified, estimate.route
    (1.0, True, 'counts')
    """

    value: Any
    lower: float
    upper: float
    certified: bool
    route: str

    def __float__(self) -> float:
        """The value as a plain float."""
        return to_float(self.value)

    def __format__(self, spec: str) -> str:
        """The value in the given format."""
        return format(float(self), spec)

    def __round__(self, digits: int | None = None) -> float:
        """The value, rounded."""
        return round(float(self), digits)

    @property
    def width(self) -> float:
        """Distance between the bounds."""
        return self.upper - self.lower
