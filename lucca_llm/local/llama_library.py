"""Finding and loading llama.cpp with its Python bindings: as compiled by `lucca models get`, else as a package."""

import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from lucca_core.errors import ConfigError
from lucca_core.trained_models import llama_cpp_dir

NEEDED = (
    'local:… needs llama.cpp: run `lucca models get smollm2`, which compiles it, or install the extra `local`: '
    "pip install 'lucca[local]' (with CMAKE_ARGS=-DGGML_NATIVE=OFF on a processor with AMX)"
)


def require_llama_cpp() -> None:
    """Checks that llama.cpp can be loaded; loads nothing.

    Raises:
        ConfigError: it is not there; says how to get it.
    """
    if not (llama_cpp_dir() / 'llama_cpp').is_dir() and find_spec('llama_cpp') is None:
        raise ConfigError(NEEDED)


def load_llama_cpp() -> ModuleType:
    """The functions of llama.cpp. Use them in a process of its own, as a bug there ends the process.

    Raises:
        ConfigError: it is not there, or its libraries cannot be loaded.
    """
    require_llama_cpp()
    compiled = llama_cpp_dir()
    if (compiled / 'llama_cpp').is_dir():
        sys.path.insert(0, str(compiled))
    try:
        functions = import_module('llama_cpp.llama_cpp')
    except (ImportError, OSError, RuntimeError) as error:
        raise ConfigError(f'llama.cpp cannot be loaded: {error}') from error
    return functions
