"""What every module may use and what needs no table: sentences, errors, numbers, charts."""
