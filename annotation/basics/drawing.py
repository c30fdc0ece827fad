"""A plot as a file of its own: SVG as any program opens it, PNG as a journal prints it."""

import re
import struct
import zlib
from pathlib import Path

from annotation.basics.chart_frame import WIDTH_CM
from annotation.basics.errors import AnnotationError
from annotation.basics.numbers import grouped
from annotation.basics.sentences import sentence as _

DPI = 300
_FONT = Path(__file__).with_name("fonts") / "DejaVuSans.ttf"
_CM_PER_INCH = 2.54
_WIDTH = round(WIDTH_CM / _CM_PER_INCH * DPI)
# Four bytes each while it is drawn, and one picture alone must not take the server's memory.
MAX_PIXELS = 40_000_000
_VIEW_BOX = re.compile(r'<svg [^>]*viewBox="0 0 ([\d.]+) ([\d.]+)"')


def svg_file(svg: str) -> bytes:
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{svg}\n'.encode()


def png_file(svg: str) -> bytes:
    """The plot in 300 dots per inch of its width in print, 16 cm, on white."""
    n_pixels = _pixels(svg)
    if n_pixels > MAX_PIXELS:
        raise AnnotationError(
            _(
                "As a PNG, this figure would have %(n)s million pixels, but at most %(most)s "
                "million are possible. Download the SVG instead; it is sharp at any size."
            )
            % {"n": grouped(-(-n_pixels // 1_000_000)), "most": MAX_PIXELS // 1_000_000}
        )
    import resvg_py  # noqa: PLC0415 - a megabyte that only this needs

    png: bytes = resvg_py.svg_to_bytes(
        svg_string=svg,
        background="white",
        dpi=DPI,
        width=_WIDTH,
        # Our own font comes first, so that plots look alike everywhere; those of the system only
        # stand in for letters that it lacks.
        font_files=[str(_FONT)],
        font_family="DejaVu Sans",
        sans_serif_family="DejaVu Sans",
    )
    return _with_density(bytes(png))


def _pixels(svg: str) -> int:
    box = _VIEW_BOX.match(svg)
    if box is None:
        raise ValueError("Not a plot of annotation.basics.charts.")
    width, height = map(float, box.groups())
    return _WIDTH * round(_WIDTH * height / width)


def _with_density(png: bytes) -> bytes:
    """Say in the file how many dots an inch has, or it would be printed at 72 and 66 cm wide."""
    end_of_header = 8 + 4 + 4 + 13 + 4
    per_metre = round(DPI / _CM_PER_INCH * 100)
    chunk = b"pHYs" + struct.pack(">IIB", per_metre, per_metre, 1)
    density = struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))
    return png[:end_of_header] + density + png[end_of_header:]
