"""How far a command is, on standard error."""

from django.core.management.base import OutputWrapper

from annotation.basics.sentences import Said


class ProgressLine:
    """One line that is written over on a terminal; elsewhere a line every tenth of the way."""

    def __init__(self, stderr: OutputWrapper) -> None:
        self._stderr = stderr
        self._is_terminal = stderr.isatty()
        self._shown = -1

    def show(self, share: float, message: Said) -> None:
        percent = int(100 * share)
        if percent // (1 if self._is_terminal else 10) == self._shown:
            return
        self._shown = percent // (1 if self._is_terminal else 10)
        text = f"{percent:3d} %  {message}"
        if self._is_terminal:
            self._stderr.write(f"\r{text:<70}", style_func=str, ending="")
        else:
            self._stderr.write(text, style_func=str)

    def end(self) -> None:
        if self._is_terminal and self._shown >= 0:
            self._stderr.write("", style_func=str)
