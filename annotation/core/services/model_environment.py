"""The part of our environment that the process with a model gets."""

import os

from django.conf import settings

# Of the hub; without its leave nobody fetches anything in the operator's name.
_TOKENS = {"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"}
# All that a process with a model needs of our environment: no key, no address of a database.
_NAMES = {
    "PATH",
    "HOME",
    "LANG",
    "TMPDIR",
    "TZ",
    "VIRTUAL_ENV",
    "XDG_CACHE_HOME",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "SYSTEMROOT",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "NLTK_DATA",
}
_BEGINNINGS = (
    "LC_",
    "HF_",
    "TRANSFORMERS_",
    "SENTENCE_TRANSFORMERS_",
    "TOKENIZERS_",
    "TORCH_",
    "PYTORCH_",
    "CUDA_",
    "NVIDIA_",
    "OMP_",
    "MKL_",
    "OPENBLAS_",
)


def environment() -> dict[str, str]:
    """Of ours, what the process needs; models come from the hub where the operator allows it."""
    variables = {
        name: value
        for name, value in os.environ.items()
        if name.upper() in _NAMES | _TOKENS or name.upper().startswith(_BEGINNINGS)
    }
    if settings.HUB:
        return variables
    variables = {name: value for name, value in variables.items() if name.upper() not in _TOKENS}
    # By the last one it can say why nothing is fetched.
    return {**variables, "HF_HUB_OFFLINE": "1", "LIKENESS_HUB": "0"}
