"""Statistics of best-worst answers: counting scores, reliability, agreement, rankings."""
