"""A rewriter of GGUF files with weights in 8 bits: `python -m lucca_llm.local.recode FROM TO`.

The result is half as large again as with 4 bits, but the matrices of a whole prompt multiply two to three times as fast
(docs/models.md).
"""

import os
import sys
from pathlib import Path

from lucca_core.errors import ModelUnusable
from lucca_llm.local.llama_library import load_llama_cpp


def recode(source: Path, target: Path) -> None:
    """Writes `target`. Call it in a process of its own, as a bug of llama.cpp ends the process.

    Raises:
        ModelUnusable: llama.cpp cannot read the source or write the target.
    """
    llama = load_llama_cpp()
    llama.llama_backend_init()
    settings = llama.llama_model_quantize_default_params()
    settings.ftype = llama.LLAMA_FTYPE_MOSTLY_Q8_0
    settings.allow_requantize = True
    if code := llama.llama_model_quantize(os.fsencode(source), os.fsencode(target), settings):
        raise ModelUnusable(f'{source} could not be written in 8 bits to {target} (code {code})')


if __name__ == '__main__':
    recode(Path(sys.argv[1]), Path(sys.argv[2]))
