"""All suites by name."""

from shearer.yardstick import (
    suite_change,
    suite_conditional,
    suite_independence,
    suite_interaction,
    suite_scaling,
    suite_strength,
    suite_tables,
)
from shearer.yardstick.known_design import Suite

SUITES: dict[str, Suite] = {
    module.SUITE.name: module.SUITE
    for module in (
        suite_independence,
        suite_conditional,
        suite_interaction,
        suite_change,
        suite_strength,
        suite_tables,
        suite_scaling,
    )
}
