"""What a scan found: as text in the terminal, as JSON, CSV and GraphML."""
