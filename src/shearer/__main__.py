"""`python -m shearer`."""

from shearer.cli import main

main()
