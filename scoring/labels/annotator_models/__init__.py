"""Models of annotators: labels that allow for how well each person labels."""
