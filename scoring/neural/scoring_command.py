"""`python -m scoring.neural score`: values of one measure for the pairs of a file."""

from scoring.neural.commands import Command
from scoring.neural.requests import answer, read_request

DESCRIPTION = """\
Compute a measure of pairs of texts with a model.

REQUEST.json holds one object:
  measure    bi_encoder, cross_encoder, bertscore or word_vectors
  settings   of the measure, such as {"model": "org/name", "context": "none"}
  pairs      a file of JSON Lines: {"first": "...", "second": "..."}; if the
             texts have a context, also "first_context" and "second_context",
             the turns before each: ["...", "..."]
  values     the file to write: an array (.npy) of float64 in the order of the
             pairs, nan if there is no value
  store      a folder in which vectors are kept, for this and all later requests
  models     the folder of models; "" if there is none
  layers     (bertscore, optional) a file to write BERTScore of every layer to:
             pairs, in their order, x layers, from 0 (embeddings)
  batch_size (optional) how many texts are encoded and kept at once

The command reports on standard output what it does, with a JSON object on each
line. The last one is {"done": {...}} with the device, the seconds, the revision
of the model, and the numbers of texts that were encoded now and that were kept
from before. Messages in these lines are objects with a template and its values,
so that programs can translate them. If the input is wrong, or a model or package
is missing, the command prints one sentence on standard error and a last line
{"refused": MESSAGE}, and its exit status is 2. If standard input is a pipe, the
command ends when the pipe is closed, and a later command continues the work."""

EXAMPLE = """\
example:
  echo '{"first": "A man eats.", "second": "Somebody dines."}' > pairs.jsonl
  echo '{"measure": "bi_encoder", "settings": {"model": "all-MiniLM-L6-v2"},
    "pairs": "pairs.jsonl", "values": "values.npy", "store": "kept",
    "models": "models"}' > request.json
  python -m scoring.neural score request.json"""


COMMANDS = [
    Command(
        *("score", "compute a measure for the pairs of a file", DESCRIPTION),
        answer,
        epilog=EXAMPLE,
        read=read_request,
    )
]
