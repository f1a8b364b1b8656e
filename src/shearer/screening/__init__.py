"""Screening: the dependence of all pairs and all triples of many variables at once."""

from shearer.screening.all_pairs import pairwise
from shearer.screening.all_triples import Triples, triples
from shearer.screening.conditional_pairs import PairwiseGiven
from shearer.screening.pairwise_result import Pairwise
from shearer.screening.shards import Shards, open_shards

__all__ = ["Pairwise", "PairwiseGiven", "Shards", "Triples", "open_shards", "pairwise", "triples"]
