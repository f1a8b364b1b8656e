"""What a solver is: a way from a Gram operator to the entropy of K/n, with bounds."""

from abc import ABC, abstractmethod
from typing import ClassVar

from shearer.data.arrays import Array, as_scalar, to_float
from shearer.kernels.gram import Gram
from shearer.spectrum.estimate import Estimate
from shearer.spectrum.request import Request


class Solver(ABC):
    """A way to the entropy of K/n, with bounds."""

    #: What `Estimate.route` says.
    name: ClassVar[str]
    #: Why one would take it.
    reason: ClassVar[str]

    @abstractmethod
    def supports(self, gram: Gram, request: Request) -> bool:
        """True if this route is right for the operator and the order."""

    @abstractmethod
    def memory(self, gram: Gram, request: Request) -> int:
        """Bytes it allocates at its peak."""

    @abstractmethod
    def seconds(self, gram: Gram, request: Request) -> float:
        """Roughly how long it takes on one core of a current machine."""

    def forecast(self, gram: Gram, request: Request) -> float:
        """The same for a reader who asks: a look at a few hundred rows is allowed; infinity where it will not do."""
        return self.seconds(gram, request)

    @abstractmethod
    def solve(self, gram: Gram, request: Request) -> Estimate:
        """The entropy in bits."""

    def _estimate(self, value: Array, lower: float, upper: float) -> Estimate:
        """Bounds never exclude the value itself: rounding may move it past a bound that is tight."""
        number = to_float(value)
        return Estimate(as_scalar(value), min(lower, number), max(upper, number), True, self.name)
