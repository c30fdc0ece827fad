"""How Sphinx builds the documentation: `make docs`."""

import re
import sys
import warnings
from pathlib import Path
from typing import Any

# The notebook imports the statistics of this checkout, whether they are installed or not.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

project = "Likeness"
author = "the authors of Likeness"
copyright = author
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_gallery.gen_gallery",
]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
# Docstrings have the types, in words.
autodoc_typehints = "none"
# Every result has them.
autodoc_default_options = {"exclude-members": "as_dict, definition"}
# Hundreds of names in the margin of every page would hide its chapters.
toc_object_entries = False
# Several classes have an `n_items`; the text beside it says whose.
suppress_warnings = ["ref.python"]
html_theme = "furo"
html_title = "Likeness"
html_static_path = ["static"]
html_css_files = ["focus.css"]
# Pages load nothing from other hosts.
html_theme_options = {"sidebar_hide_name": False}
html_show_sphinx = False
# They link to source files of the checkout, which are no pages here.
exclude_patterns = ["pictures", "notebooks"]

# What numpy or matplotlib complain of in a notebook is an error, too.
for category in (RuntimeWarning, UserWarning):
    warnings.simplefilter("error", category)

# Notebooks are executed while the documentation is built: one that raises an error ends it. One
# that has not changed since is not executed again, unless docs/tutorials/notebooks is deleted.
sphinx_gallery_conf = {
    "examples_dirs": "notebooks",
    "gallery_dirs": "tutorials/notebooks",
    "filename_pattern": r"\.py$",
    "abort_on_example_error": True,
    "copyfile_regex": r"index\.rst",
    "download_all_examples": False,
    "show_signature": False,
    "show_memory": False,
    "min_reported_time": 3600,
    "write_computation_times": False,
    "capture_repr": (),
}

# Chapters cite their sources as [Key], which reads well in the repository, too; here it is a link.
REFERENCES = (Path(__file__).parent / "references.md").read_text(encoding="utf-8")
KEYS = re.findall(r"^- \*\*\[(\w+)\]\*\*", REFERENCES, re.MULTILINE)
CITED = re.compile(rf"(`[^`\n]+`)|\[({'|'.join(KEYS)})\](?!\()")


def link_citations(_app: Any, name: str, source: list[str]) -> None:
    if name == "references":
        source[0] = re.sub(
            r"^- (\*\*\[(\w+)\]\*\*)",
            lambda found: f"- (ref-{found[2].lower()})=\n  {found[1]}",
            source[0],
            flags=re.MULTILINE,
        )
    else:
        source[0] = CITED.sub(
            lambda found: found[1] or rf"[\[{found[2]}\]](#ref-{found[2].lower()})", source[0]
        )


def setup(app: Any) -> None:
    app.connect("source-read", link_citations)
