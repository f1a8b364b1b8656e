"""What statistics of pairs are under independence: exact moments, tails, and one p-value from several."""
