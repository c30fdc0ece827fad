"""A made-up study in GiCCS's shape, as a file to import."""

import json
from pathlib import Path


def write_giccs(path: Path, *, dialogues: int = 60) -> None:
    """Dialogues of three and of five turns by turns, five candidates each, from two sources."""
    with path.open("w", encoding="utf-8") as file:
        for d in range(1, dialogues + 1):
            n_turns = 3 if d % 2 else 5
            row = {
                "id": f"d{d:02}",
                "domain": f"domain {d % 3}",
                "source": ("read", "spoken")[d % 4 // 2],
                "turns": [
                    {"speaker": "AB"[t % 2], "text": f"Turn {t + 1} of dialogue {d}: „ja, gern“."}
                    for t in range(n_turns)
                ],
                "candidates": [
                    {"text": f"Candidate {c} of dialogue {d}, with <b>marks</b>.\tEnd"}
                    for c in range(1, 6)
                ],
            }
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
