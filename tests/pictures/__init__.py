"""Every page of Likeness in every state worth seeing: to be looked at, and to be tested.

`make pictures` takes a picture of each; the browser tests run their checks on the same list.
"""
