"""What concerns rooms above the one in which it happens: they connect to these signals.

Each is sent in the transaction in which it happens; what touches files waits for the commit.
"""

from django.dispatch import Signal

# Answers of assignments are withdrawn. With `held`: the assignments, of one annotator.
answers_withdrawn = Signal()
# Something that annotators gave is taken out of a study. With `study_id`.
data_erased = Signal()
# A study is deleted. With `study_id`.
study_deleted = Signal()
