"""How Sphinx builds the documentation: `make docs`."""

project = "Likeness"
author = "the authors of Likeness"
copyright = author
extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = "Likeness"
# Pages load nothing from other hosts.
html_theme_options = {"sidebar_hide_name": False}
html_show_sphinx = False
# They link to source files of the checkout, which are no pages here.
exclude_patterns = ["pictures"]
