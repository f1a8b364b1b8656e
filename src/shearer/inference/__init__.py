"""Tests of independence, by exact permutation moments without permutations, or by permutations for any measure."""

from shearer.inference.adjust import adjusted_mutual_information
from shearer.inference.answers import Component, ConditionalResult, TestResult
from shearer.inference.independence import independence_test
from shearer.inference.intervals.confidence import confidence_interval
from shearer.inference.permutation.local import conditional_test
from shearer.inference.permutation.permuted import permutation_test
from shearer.inference.pvalue import adjusted_pvalues
from shearer.inference.threeway.interaction import InteractionResult, interaction_test

__all__ = [
    "Component",
    "ConditionalResult",
    "InteractionResult",
    "TestResult",
    "adjusted_mutual_information",
    "adjusted_pvalues",
    "conditional_test",
    "confidence_interval",
    "independence_test",
    "interaction_test",
    "permutation_test",
]
