"""Spectra by low rank, with a certificate."""
