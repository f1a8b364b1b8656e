"""What a scan found: in words, and as one page that opens in any browser without a network."""

from shearer.report.page import render_page
from shearer.report.sentences import summary_sentences

__all__ = ["render_page", "summary_sentences"]
