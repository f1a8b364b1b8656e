"""What is tried to break the package: whole tables, altered files, faults, memory, threads, mutants, a long run."""
