"""How much memory a computation may take, and the refusal when it would take more."""

import os
import re
from functools import cache
from pathlib import Path, PurePath

from shearer._validate import check_positive, describe, message, value_error

_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}
# Where the machine does not tell its size, a budget that a small laptop has to spare.
_FALLBACK_BYTES = 2 * 10**9
# Of version 2 and of version 1 of control groups; "max", or a number beyond all machines: none.
_LIMIT_FILES = ("memory.max", "memory.high", "memory.limit_in_bytes")
_NO_LIMIT = 2**63 - 1


class MemoryBudgetError(MemoryError, ValueError):
    """A computation was refused before allocating because it needs more memory than allowed."""


def parse_memory(memory: str | float | None) -> int:
    """Turn ``"2GB"``, a number of bytes or None (half of what this process may have) into bytes.

    Examples
    --------
    >>> parse_memory("2GB"), parse_memory("1.5 MiB"), parse_memory(1000)
    (2000000000, 1572864, 1000)
    """
    if memory is None:
        return _half_of_machine()
    if not isinstance(memory, str):
        return int(check_positive("memory", memory, " of bytes"))
    match = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*([a-zA-Z]*)\s*", memory)
    if match is None or match[2].upper() not in _UNITS:
        raise value_error("memory", 'bytes or a size such as "2GB" or "500MiB"', describe(memory))
    return int(check_positive("memory", float(match[1]) * _UNITS[match[2].upper()], " of bytes"))


def format_bytes(count: float) -> str:
    """Write a size for a reader.

    Examples
    --------
    >>> format_bytes(3.2e9)
    '3.2 GB'
    """
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} TB"


def require(needed: int, budget: int, purpose: str, options: str) -> None:
    """Refuse, before anything is allocated, what does not fit the budget."""
    if needed > budget:
        got = f"{purpose}, which needs {format_bytes(needed)}"
        raise MemoryBudgetError(message("memory", f"at most {format_bytes(budget)}", got, options))


def _half_of_machine() -> int:
    try:
        machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        machine = 2 * _FALLBACK_BYTES
    return min(machine, control_group_limit()) // 2


@cache
def control_group_limit(root: str = "/") -> int:
    """Bytes that the control groups of this process allow, as containers and schedulers set them; else a large number.

    Parameters
    ----------
    root : str
        Where the system's files are.
    """
    limits = [_NO_LIMIT]
    for hierarchy, group in _control_groups(root):
        folder = Path(root, "sys/fs/cgroup", hierarchy)
        # Inside a container the group is named as outside, and its files are at the top: every level that is there.
        levels = [folder / group, *(folder / group).parents[: len(PurePath(group).parts)]]
        limits += [_limit_in(level / name) for level in levels for name in _LIMIT_FILES]
    return min(limits)


def _control_groups(root: str) -> list[tuple[str, str]]:
    """Folder of the hierarchy that counts memory, and the group in it, of both versions of control groups."""
    try:
        lines = Path(root, "proc/self/cgroup").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:  # not on every system
        return []
    found = []
    for line in lines:
        _, controllers, group = [*line.split(":", 2), "", ""][:3]
        group = "/".join(part for part in group.split("/") if part not in ("", ".."))
        if not controllers:
            found += [("", group), ("unified", group)]
        elif "memory" in controllers.split(","):
            found.append(("memory", group))
    return found


def _limit_in(path: Path) -> int:
    try:
        text = path.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return _NO_LIMIT
    return int(text) if text.isdigit() and int(text) > 0 else _NO_LIMIT
