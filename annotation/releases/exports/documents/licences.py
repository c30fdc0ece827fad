"""Licences by SPDX: their names, where their texts stand, and what Hugging Face calls them."""

from dataclasses import dataclass
from urllib.parse import quote

from annotation.core.exports.markdown import inline, one_line
from annotation.core.exports.release_facts import ReleaseFacts
from annotation.releases.exports.documents import naming


@dataclass(frozen=True)
class Licence:
    """`is_known`: it is surely one of SPDX; else somebody wrote what looks like one."""

    spdx: str
    name: str
    url: str
    hugging_face: str = "other"
    is_known: bool = True


_CC = "https://creativecommons.org/"
_KNOWN = {
    licence.spdx: licence
    for licence in (
        *(
            Licence(
                f"CC-{code}-{version}",
                f"Creative Commons {name} {version} {scope}",
                f"{_CC}licenses/{code.lower()}/{version}/legalcode",
                f"cc-{code.lower()}-{version}",
            )
            for code, name in (
                ("BY", "Attribution"),
                ("BY-SA", "Attribution-ShareAlike"),
                ("BY-NC", "Attribution-NonCommercial"),
                ("BY-ND", "Attribution-NoDerivatives"),
                ("BY-NC-SA", "Attribution-NonCommercial-ShareAlike"),
                ("BY-NC-ND", "Attribution-NonCommercial-NoDerivatives"),
            )
            for version, scope in (("4.0", "International"), ("3.0", "Unported"))
        ),
        Licence(
            "CC0-1.0",
            "Creative Commons Zero 1.0 Universal",
            f"{_CC}publicdomain/zero/1.0/legalcode",
            "cc0-1.0",
        ),
        *(
            Licence(spdx, name, f"https://opendatacommons.org/licenses/{path}/1-0/", known)
            for spdx, name, path, known in (
                ("ODC-By-1.0", "Open Data Commons Attribution License 1.0", "by", "odc-by"),
                ("ODbL-1.0", "Open Data Commons Open Database License 1.0", "odbl", "odbl"),
                ("PDDL-1.0", "Open Data Commons Public Domain Dedication 1.0", "pddl", "pddl"),
            )
        ),
        Licence("MIT", "MIT License", "https://spdx.org/licenses/MIT.html", "mit"),
        Licence(
            "Apache-2.0",
            "Apache License 2.0",
            "https://www.apache.org/licenses/LICENSE-2.0",
            "apache-2.0",
        ),
    )
}


def licence_of(facts: ReleaseFacts) -> Licence | None:
    """None where none was chosen."""
    if not (spdx := one_line(facts.licence)):
        return None
    address = f"https://spdx.org/licenses/{quote(spdx, safe='.-+')}.html"
    return _KNOWN.get(spdx, Licence(spdx, spdx, address, is_known=False))


def statement(facts: ReleaseFacts) -> str:
    """One sentence for the README."""
    licence = licence_of(facts)
    if licence is None:
        return (
            "No licence was chosen: all rights are reserved. Ask the authors before you copy,"
            " change or pass on the data."
        )
    return f"{inline(licence.name)} ({inline(licence.spdx)}): <{licence.url}>."


def licence_text(facts: ReleaseFacts) -> str:
    """The file `LICENSE`."""
    head = f"{naming.title(facts)}, version {facts.version}\n\n"
    head += f"Copyright (c) {facts.made_at.year} {naming.people(facts)}\n\n"
    licence = licence_of(facts)
    if licence is None:
        return (
            f"{head}All rights reserved. No licence was chosen for this data set: nobody may\n"
            "copy, change or pass it on without the permission of the authors.\n"
        )
    return (
        f"{head}This data set is made available under the {licence.name}.\n\n"
        f"SPDX-License-Identifier: {licence.spdx}\n"
        f"The text of the licence: {licence.url}\n"
    )
