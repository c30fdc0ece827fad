"""The four papers' studies in steps: at full size for `make papers`, at a tenth for the tests.

Each module but `__main__` and `steps` is one paper and has `steps(folder, scale)`.
"""
