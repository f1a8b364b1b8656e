"""Entropies of all pairs and triples: by tiles, by low rank, by eigenvalues."""
