"""`python -m scoring.neural score`: values of one measure for the pairs of a file."""

from scoring.neural.commands import Command
from scoring.neural.requests import answer, read_request

DESCRIPTION = """\
Compute one measure of pairs of texts with a model.

REQUEST.json holds one object:
  measure    bi_encoder, cross_encoder, bertscore or word_vectors
  settings   of the measure, such as {"model": "org/name", "context": "none"}
  pairs      a file of JSON Lines: {"first": "...", "second": "..."}, and where
             the texts have a context also "first_context" and
             "second_context", the turns before each: ["...", "..."]
  values     the file to write: an array (.npy) of float64 in the order of the
             pairs, nan where there is no value
  store      a folder in which vectors are kept, for this and all later requests
  models     the folder of models; "" where there is none
  layers     (bertscore; may be left out) a file to write BERTScore of every
             layer to, in the order of the pairs x layers, from 0 (embeddings)
  batch_size (may be left out) how many texts are encoded and kept at once

What is done is said on standard output, a JSON object on each line; the last
one is {"done": {...}} with device, seconds, revision of the model, and how many
texts were encoded now or kept from before. Messages in these lines are objects
with a template and its values, so that programs can translate them. Bad input,
a model that is missing and packages that are missing cost one sentence on
standard error, a last line {"refused": MESSAGE} and exit status 2. Where its
standard input is a pipe, the command ends when that is closed, and a later one
goes on where it was."""

EXAMPLE = """\
example:
  echo '{"first": "A man eats.", "second": "Somebody dines."}' > pairs.jsonl
  echo '{"measure": "bi_encoder", "settings": {"model": "all-MiniLM-L6-v2"},
    "pairs": "pairs.jsonl", "values": "values.npy", "store": "kept",
    "models": "models"}' > request.json
  python -m scoring.neural score request.json"""


COMMANDS = [
    Command(
        *("score", "values of one measure for the pairs of a file", DESCRIPTION),
        answer,
        epilog=EXAMPLE,
        read=read_request,
    )
]
