"""What every module may use and what needs no table: sentences, errors, the clock, numbers, texts, charts."""
