"""The shape of a dependence in a word, where it can be told."""
