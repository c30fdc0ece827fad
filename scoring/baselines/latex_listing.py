"""A text of several lines as a framed figure in LaTeX, such as the prompt of a language model."""

from scoring.baselines.latex_writing import escape


def listing(caption: str, label: str, text: str) -> str:
    """Write every line of a text on a line of its own; empty ones are kept.

    Parameters
    ----------
    caption : str
    label : str
        By which a paper refers to it, such as fig:prompt.
    text : str
        Its lines end with line feeds. Blanks at the beginning of a line are not kept.
    """
    # An empty line would end the paragraph, and there is no line to break in it.
    lines = [escape(line) or r"\mbox{}" for line in text.split("\n")]
    return "\n".join(
        [
            r"\begin{figure}",
            r"\centering",
            r"\fbox{\begin{minipage}{.9\linewidth}\raggedright",
            *(rf"{line}\\" for line in lines[:-1]),
            lines[-1],
            r"\end{minipage}}",
            rf"\caption{{{escape(caption)}}}",
            rf"\label{{{label}}}",
            r"\end{figure}",
            "",
        ]
    )
