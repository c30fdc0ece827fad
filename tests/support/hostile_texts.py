"""Texts that mean something in LaTeX, Markdown or YAML, and what LaTeX prints of them."""

from hypothesis import strategies as st

# What the database keeps: no NUL and no lone surrogates.
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)
HOSTILE = st.one_of(
    TEXTS,
    st.lists(
        st.sampled_from(
            [
                *(
                    "---",
                    "\n---\n",
                    "\n",
                    "```",
                    "\n```python\n",
                    "# ",
                    ": ",
                    "- ",
                    "'",
                    '"',
                    "\\",
                ),
                *(
                    "{",
                    "}",
                    "%",
                    "$",
                    "&",
                    "#",
                    "_",
                    "^",
                    "~",
                    "<",
                    ">",
                    "|",
                    "`",
                    "--",
                    "\\end{table}",
                ),
                *(
                    "\r",
                    "\u2028",
                    "\x85",
                    "قال",
                    "ü",
                    "!!python/object:os.system",
                    "*a",
                    "&b",
                    "\t",
                ),
            ]
        ),
        max_size=8,
    ).map("".join),
)
_COMMANDS = {
    r"\textbackslash{}": "\\",
    r"\textasciitilde{}": "~",
    r"\textasciicircum{}": "^",
    r"\textless{}": "<",
    r"\textgreater{}": ">",
    r"\textbar{}": "|",
    r"\symbol{34}": '"',
    **{f"{{{mark}}}": mark for mark in "[*`"},
    **{f"{mark}{{}}": mark for mark in "-,'"},
    **{f"\\{mark}": mark for mark in "{}&%$#_"},
}


def shown(tex: str) -> str:
    """What LaTeX would print; a mark that would mean something is no text."""
    found, place = "", 0
    while place < len(tex):
        command = next((one for one in _COMMANDS if tex.startswith(one, place)), None)
        if command:
            found += _COMMANDS[command]
            place += len(command)
        else:
            assert tex[place] not in "\\{}&%$#_^", tex[place:]
            found += " " if tex[place] == "~" else tex[place]
            place += 1
    return found
