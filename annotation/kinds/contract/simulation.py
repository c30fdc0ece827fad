"""What `simulation/` asks of a kind: how simulated annotators answer."""

from abc import ABC, abstractmethod
from collections.abc import Mapping

from annotation.kinds.taste import Taste
from annotation.models import Study


class SimulationPart(ABC):
    """See the module."""

    # How far answers usually stray from what is latent, and what that number means here.
    usual_noise: float
    noise_in_words: str
    # Why no latent scores can be read from a file, or written to one; empty: they can.
    why_none_are_read: str = ""
    why_none_are_written: str = ""

    def taste(
        self,
        study: Study,
        *,
        noise: float | None,
        seed: int,
        given: Mapping[str, float] | None = None,
    ) -> Taste:
        """How people answer a study; `noise` None is a usual one, `given` latent scores by id."""
        return self.draw(
            study, noise=self.usual_noise if noise is None else noise, seed=seed, given=given
        )

    @abstractmethod
    def draw(
        self, study: Study, *, noise: float, seed: int, given: Mapping[str, float] | None
    ) -> Taste:
        """What is not given is drawn from the seed."""
