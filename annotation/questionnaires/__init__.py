"""Questions about people: made and previewed, answered beside a study, and published in part."""
