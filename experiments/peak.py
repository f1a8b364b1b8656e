"""How much memory a piece of work took at its peak."""

import resource
from contextlib import suppress
from pathlib import Path


class PeakMemory:
    """Peak of the process since it was made, where the system lets the mark be reset; since its start elsewhere."""

    def __init__(self) -> None:
        with suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5")

    def gib(self) -> float:
        """In GiB."""
        with suppress(OSError):
            for line in Path("/proc/self/status").read_text().splitlines():
                if line.startswith("VmHWM"):
                    return round(int(line.split()[1]) / 2**20, 3)
        return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 3)
