"""Addresses of this room."""

from annotation.releases.api import exports as exports_api
from annotation.releases.api import releases as releases_api
from annotation.releases.pages import downloads, paper, releases

# Of the researcher's site, below the address of a study: route, page, name.
PAGES = [
    ("download/", downloads.download, "download"),
    ("download/archive.zip", downloads.archive, "archive"),
    ("download/label-studio.zip", downloads.for_label_studio, "label_studio"),
    ("download/prepare/", downloads.prepare, "prepare"),
    ("download/prepared/<int:job_id>.zip", downloads.prepared, "prepared"),
    ("releases/", releases.releases, "releases"),
    ("releases/new/", releases.new_release, "release_new"),
    ("releases/<int:number>/", releases.release, "release"),
    ("releases/<int:number>/archive.zip", releases.release_file, "release_file"),
    ("releases/<int:number>/CHANGELOG.md", releases.release_changes, "release_changes"),
    ("paper/", paper.paper, "paper"),
]

# Of the API, below the address of a study: route, view, name.
API = [
    ("releases/", releases_api.ReleaseList, "releases"),
    ("releases/<int:number>/", releases_api.ReleaseDetail, "release"),
    ("releases/<int:number>/file/", releases_api.ReleaseFile, "release_file"),
    ("export/", exports_api.StudyExport, "export"),
]
