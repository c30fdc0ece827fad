"""Statistics of labels: agreement, changes, what each annotator does."""
