"""Addresses of this room."""

from annotation.items.api import finished_answers as finished_answers_api
from annotation.items.api import items as items_api
from annotation.items.api import relabelling as relabelling_api
from annotation.items.api import sampling as sampling_api
from annotation.items.pages import finished_answers, importing, lexical, relabelling, sampling

# Pages below the address of a study: route, page, name.
PAGES = [
    ("items/", importing.items, "items"),
    ("items/lexical/", lexical.measure_texts, "measure_texts"),
    ("items/lexical.<slug:kind>", lexical.table, "lexical"),
    ("items/example/", importing.example, "example"),
    ("items/upload/", importing.upload, "upload"),
    ("items/preview/<str:name>/", importing.preview, "import_preview"),
    ("items/columns/<str:name>/", importing.columns, "import_columns"),
    ("items/finished/", finished_answers.finished, "finished"),
    ("items/finished/upload/", finished_answers.upload, "finished_upload"),
    ("items/finished/<str:name>/", finished_answers.file, "finished_file"),
    ("items/sample/", sampling.sample, "sample"),
    ("items/sample/<int:job_id>/", sampling.sampled, "sampled"),
    ("items/sample/<int:job_id>/table/", sampling.table, "sampled_table"),
    ("items/sample/<int:job_id>/<slug:name>.<slug:kind>", sampling.plot, "sampled_plot"),
    ("items/import/<str:name>/", importing.start, "import_start"),
    ("relabel/", relabelling.relabel, "relabel"),
    ("relabel/upload/", relabelling.upload, "relabel_upload"),
    ("relabel/file/<str:name>/", relabelling.file, "relabel_file"),
]

# API views below the address of a study: route, view, name.
API = [
    ("items/", items_api.ItemList, "items"),
    ("items/check/", items_api.ItemCheck, "items_check"),
    ("finished/", finished_answers_api.FinishedAnswers, "finished"),
    ("finished/check/", finished_answers_api.FinishedCheck, "finished_check"),
    ("samples/", sampling_api.SampleList, "samples"),
    ("samples/<int:sample_id>/", sampling_api.SampleDetail, "sample"),
    ("samples/<int:sample_id>/table/", sampling_api.SampleTable, "sample_table"),
    ("relabellings/", relabelling_api.RelabellingList, "relabellings"),
    ("relabellings/check/", relabelling_api.RelabellingCheck, "relabellings_check"),
]
