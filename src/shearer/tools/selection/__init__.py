"""Features chosen by how much a target depends on them."""
