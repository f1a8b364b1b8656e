"""Properties that are found once, without a lock.

Up to Python 3.11 `functools.cached_property` computes under one lock for all instances of a class: threads wait for
each other, and a child that is forked while another thread is inside waits for ever. Here, as from Python 3.12 on,
two threads that ask at once may both compute, and the first to finish is kept.
"""

import functools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from functools import cached_property as cached_property
else:

    class CachedProperty(functools.cached_property):
        """A property that is found once for each instance.

        Examples
        --------
        >>> class Rows:
        ...     @cached_property
        ...     def total(self):
        ...         print("added up")
        ...         return 6
        >>> rows = Rows()
        >>> rows.total, rows.total
        added up
        (6, 6)
        """

        def __get__(self, instance: Any, owner: Any = None) -> Any:
            """The value, found if it is not there."""
            if instance is None:
                return self
            return instance.__dict__.setdefault(self.attrname, self.func(instance))

    cached_property = CachedProperty
