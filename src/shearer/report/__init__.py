"""What a scan found: in words, in the terminal, as JSON, CSV and GraphML, and as one page for any browser."""

from shearer.report.page.render import render_page
from shearer.report.sentences import summary_sentences

__all__ = ["render_page", "summary_sentences"]
