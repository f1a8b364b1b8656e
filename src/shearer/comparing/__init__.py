"""Which columns and which dependences differ between tables or groups of rows."""

from shearer.comparing.comparison import compare
from shearer.comparing.comparison_result import Comparison
from shearer.comparing.profile import Profile
from shearer.comparing.profiling import profile_of

__all__ = ["Comparison", "Profile", "compare", "profile_of"]
