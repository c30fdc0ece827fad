"""How likely a causal language model finds an answer after a prompt, kept once it is known.

The log-likelihood of an answer is the sum of the logarithms of the probabilities of its tokens,
each after the prompt and the answer's tokens before it. Prompt and answer are made into tokens
together, as the model would read them: every token that reaches past the end of the prompt is the
answer's. So is the white space between them, which most tokenizers join with the word that
follows; without it the first token would be one that hardly ever follows a colon.
"""

import hashlib
import inspect
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from scoring.arrays import FloatArray, IntArray
from scoring.neural.refusals import RequestError
from shell.messages import message as _

if TYPE_CHECKING:
    import torch

BATCH_SIZE = 8


@dataclass(frozen=True, eq=False)
class Continuation:
    """A prompt and an answer as tokens.

    Parameters
    ----------
    tokens : int array, shape (t,)
        Of the prompt and the answer, without padding.
    start : int
        Place of the answer's first token, 1..t-1.
    """

    tokens: IntArray
    start: int

    @property
    def n_tokens(self) -> int:
        """Tokens of the answer."""
        return len(self.tokens) - self.start

    def digest(self, model: str) -> bytes:
        """The same for the same tokens and answer read by the same model."""
        head = f"{model}\0{self.start}\0".encode()
        return hashlib.sha256(head + self.tokens.astype("<i8").tobytes()).digest()


class LanguageModel:
    """A causal language model with its tokenizer; its weights are loaded when they are needed.

    Parameters
    ----------
    tokenizer, config
        As transformers loads them; the tokenizer tells where in the text its tokens lie.
    load : callable
        Returns the model, on its device.

    Raises
    ------
    RequestError
        If the tokenizer does not tell that.
    """

    def __init__(self, tokenizer: Any, config: Any, load: Callable[[], Any]) -> None:
        if not getattr(tokenizer, "is_fast", False):
            raise RequestError(
                _(
                    "the model's tokenizer does not tell where its tokens lie in the text: choose"
                    " a model that comes with a tokenizer.json"
                )
            )
        self.tokenizer, self._config, self._load = tokenizer, config, load

    @cached_property
    def _model(self) -> Any:
        return self._load().eval()

    @property
    def window(self) -> int | None:
        """How many tokens the model reads at most; None if it has no limit."""
        config = self._config.get_text_config()
        limits = [getattr(config, name, None) for name in ("max_position_embeddings", "n_ctx")]
        # A tokenizer without a limit has a very large number in its place.
        limits.append(self.tokenizer.model_max_length)
        known = [limit for limit in limits if isinstance(limit, int) and 0 < limit < 10**9]
        return min(known) if known else None

    def fits(self, continuation: Continuation) -> bool:
        """Whether the model can read it: its last token is only foretold, not read."""
        return self.window is None or len(continuation.tokens) - 1 <= self.window

    def continuations(self, prompt: str, answers: Sequence[str]) -> list[Continuation]:
        """Make a prompt and each of some answers into tokens.

        White space at the end of the prompt is counted to the answer; without any there, a blank
        is put between them.

        Raises
        ------
        RequestError
            If the tokenizer drops all of an answer.
        """
        bare = prompt.rstrip()
        between = prompt[len(bare) :] or " "
        encoded = self.tokenizer(
            [bare + between + answer for answer in answers],
            return_offsets_mapping=True,
            # Longer than the window is the caller's business.
            verbose=False,
        )
        made = []
        for i, answer in enumerate(answers):
            tokens, places = encoded["input_ids"][i], encoded["offset_mapping"][i]
            of_answer = [place for place, (_start, end) in enumerate(places) if end > len(bare)]
            if not of_answer:
                raise RequestError(
                    _(
                        "the model has no tokens for the answer %(given)s: choose a model that"
                        " knows its characters, or leave it out",
                        given=repr(answer),
                    )
                )
            # Tokens at the very end that stand for no text, such as an end of the text, are none
            # of the answer.
            until_end = np.array(tokens[: of_answer[-1] + 1], dtype=np.int64)
            made.append(Continuation(until_end, max(of_answer[0], 1)))
        return made

    def log_likelihoods(
        self, continuations: Sequence[Continuation], *, batch_size: int = BATCH_SIZE
    ) -> Iterator[tuple[list[int], FloatArray]]:
        """Yield, batch by batch, places in `continuations` and the log-likelihoods there.

        The longest come first, so that memory that is too small shows at once. Answers of one
        token after the same prompt, such as letters, are read off one run of the model.

        Parameters
        ----------
        continuations : sequence of Continuation
            Each of which fits into the model's window.
        batch_size : int
            Different texts that the model reads at once.
        """
        same: dict[bytes, list[int]] = defaultdict(list)
        for i, continuation in enumerate(continuations):
            same[continuation.tokens[:-1].tobytes()].append(i)
        groups = sorted(same.values(), key=lambda group: -len(continuations[group[0]].tokens))
        for first in range(0, len(groups), batch_size):
            batch = groups[first : first + batch_size]
            rows = [[continuations[i] for i in group] for group in batch]
            values = [value for row in self._of_batch(rows) for value in row]
            yield [i for group in batch for i in group], np.array(values)

    def _of_batch(self, rows: list[list[Continuation]]) -> list[list[float]]:
        import torch  # noqa: PLC0415 - loaded only where it is needed

        read = [torch.from_numpy(row[0].tokens[:-1]) for row in rows]
        width = max(len(tokens) for tokens in read)
        # Padding stands at the end, where no token before it sees it.
        tokens = torch.zeros((len(rows), width), dtype=torch.long)
        is_read = torch.zeros((len(rows), width), dtype=torch.long)
        for i, row in enumerate(read):
            tokens[i, : len(row)] = row
            is_read[i, : len(row)] = 1
        first = min(each.start for row in rows for each in row) - 1
        model = self._model
        keeps = "logits_to_keep" in inspect.signature(model.forward).parameters
        device = model.device
        options: dict[str, Any] = {"use_cache": False}
        if keeps:
            # A vocabulary is large: logits only where an answer is foretold.
            options["logits_to_keep"] = torch.arange(first, width, device=device)
        with torch.inference_mode():
            logits = model(
                input_ids=tokens.to(device), attention_mask=is_read.to(device), **options
            ).logits
        if not keeps:
            logits = logits[:, first:]
        return [
            [_sum(logits[i], continuation, first) for continuation in row]
            for i, row in enumerate(rows)
        ]


def _sum(logits: "torch.Tensor", continuation: Continuation, first: int) -> float:
    """Log-likelihood of an answer from the logits of its text at place `first` and beyond."""
    import torch  # noqa: PLC0415 - loaded only where it is needed

    places = slice(continuation.start - 1 - first, len(continuation.tokens) - 1 - first)
    of_answer = logits[places].float()
    answer = torch.from_numpy(continuation.tokens[continuation.start :]).to(logits.device)
    chosen = of_answer.gather(1, answer[:, None])[:, 0]
    return float((chosen - of_answer.logsumexp(dim=1)).double().sum())


class KeptLikelihoods:
    """Log-likelihoods in a file, so that a model is asked once for each, whatever happens.

    Parameters
    ----------
    path : Path
        An SQLite file, made where there is none, with the folders above it.

    Raises
    ------
    RequestError
        If it is none of ours, or cannot be made.
    """

    def __init__(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(path, timeout=60)
            # Readers do not wait for the writer; a killed process loses nothing that was stored.
            self._database.execute("PRAGMA journal_mode=WAL")
            self._database.execute("PRAGMA synchronous=NORMAL")
            with self._database:
                self._database.execute(
                    "CREATE TABLE IF NOT EXISTS likelihood (digest BLOB PRIMARY KEY, value REAL "
                    "NOT NULL) WITHOUT ROWID"
                )
        except (OSError, sqlite3.DatabaseError) as error:
            raise RequestError(
                _(
                    "the kept likelihoods in %(file)s cannot be used (%(reason)s): remove that"
                    " file, or name a folder that can be written to",
                    file=str(path),
                    reason=str(error),
                )
            ) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._database.close()

    def found(self, digests: Iterable[bytes]) -> dict[bytes, float]:
        """Those that are kept."""
        select = "SELECT value FROM likelihood WHERE digest = ?"
        rows = {each: self._database.execute(select, (each,)).fetchone() for each in digests}
        return {each: row[0] for each, row in rows.items() if row is not None}

    def keep(self, values: Iterable[tuple[bytes, float]]) -> None:
        """Keep some more at once."""
        with self._database:
            self._database.executemany(
                "INSERT OR REPLACE INTO likelihood VALUES (?, ?)", list(values)
            )
