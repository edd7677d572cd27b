"""Decides which models hear with a spec `faster-whisper:MODEL` on this machine: Whisper alone, or a second ear, too."""

from dataclasses import dataclass
from pathlib import Path

from lucca_core.errors import ConfigError, SpeechError
from lucca_core.trained_models import MOONSHINE_TINY_EN, TRAINED_MODELS, TrainedModel, WeightsFormat

KIND = 'faster-whisper'
ALONE = 'none'
"""After the `+` of a spec: Whisper hears alone."""


@dataclass(frozen=True, slots=True)
class Ears:
    """A Whisper model, and the installed model that hears beside it, None if there is none."""

    model: str
    second: TrainedModel | None = None
    notice: str = ''
    """What was chosen without being asked, and how to choose otherwise, in one line; empty if nothing was."""

    @property
    def spec(self) -> str:
        """The transcriber's spec with the second ear by name, if there is one."""
        return f'{KIND}:{self.model}' + (f'+{self.second.name}' if self.second is not None else '')


def ears_of(spec: str, *, language: str, scores_commands: bool) -> Ears | None:
    """The models that a transcriber's spec means on this machine; None where it is no `faster-whisper:MODEL`.

    `MODEL+EAR` asks for a second ear, and `MODEL+none` for none. A model of English alone, whose name ends in `.en`,
    has one without being asked, if it is installed and would be used.

    Args:
        spec: the transcriber's spec.
        language: that of the settings; second ears know English only (`en`).
        scores_commands: whether there are commands; second ears do nothing else.

    Raises:
        ConfigError: there is no such second ear, or it would not be used.
        SpeechError: the second ear that was asked for is not installed.
    """
    kind, _, argument = spec.partition(':')
    if kind != KIND or not argument:
        return None
    name, plus, second = argument.rpartition('+')
    if not plus or '/' in second or Path(argument).expanduser().is_dir():
        return _unasked(argument, is_useful=language == 'en' and scores_commands)
    if second == ALONE and name:
        return Ears(name)
    ears = [model.name for model in TRAINED_MODELS.values() if model.format is WeightsFormat.ORT]
    if second not in ears or not name:
        raise ConfigError(
            f'transcriber must be {KIND}:MODEL+EAR, where EAR is {" or ".join([*ears, ALONE])}, got {spec!r}'
        )
    if language != 'en':
        raise ConfigError(f"{second} knows English only: language must be 'en' with {spec!r}, got {language!r}")
    if not scores_commands:
        raise ConfigError(f'{second} only scores commands: without them, transcriber must be {KIND}:{name}')
    if not TRAINED_MODELS[second].is_there:
        raise SpeechError(f'{second} is not installed: lucca models get {second}')
    return Ears(name, TRAINED_MODELS[second])


def _unasked(model: str, *, is_useful: bool) -> Ears:
    if not is_useful or not Path(model).name.endswith('.en'):
        return Ears(model)
    spec, second = f'{KIND}:{model}', MOONSHINE_TINY_EN
    if second.is_there:
        return Ears(model, second, f'{spec} hears with {second.name} beside it (without: {spec}+{ALONE})')
    return Ears(model, notice=f'{spec} hears alone; it would understand more after: lucca models get {second.name}')
