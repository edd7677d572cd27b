"""Fault profiles: which faults are injected into a model, and how often. They are read from `config/faults.yaml`."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType

from lucca_core.errors import ConfigError
from lucca_core.settings import from_mapping
from lucca_core.yaml_file import LocatedMapping, load_yaml


class ModelFault(StrEnum):
    """A kind of fault, in the order in which they are tried; `config/faults.yaml` describes each."""

    TIMEOUT = 'timeout'
    SERVER_ERROR = 'server_error'
    RATE_LIMIT = 'rate_limit'
    FORGOTTEN_INSTRUCTIONS = 'forgotten_instructions'
    INJECTED_INSTRUCTIONS = 'injected_instructions'
    EMPTY = 'empty'
    BYPASSED_WORKER = 'bypassed_worker'
    MISREAD = 'misread'
    MISJUDGED = 'misjudged'
    SEVERAL_ACTIONS = 'several_actions'
    ACTION_OF_ANOTHER_TASK = 'action_of_another_task'
    WRONG_CATEGORY = 'wrong_category'
    UNKNOWN_OBJECT = 'unknown_object'
    MALFORMED = 'malformed'


class Correlation(StrEnum):
    """What two calls must share so that they have the same faults, and the same wrong answer.

    `call`: nothing, each call is drawn separately. `prompt`: the same prompt always gets the same answer. `state`: all
    calls about a task on the same table are wrong in the same way, however they ask, for coordinator and worker
    together, as if both used one model.
    """

    CALL = 'call'
    PROMPT = 'prompt'
    STATE = 'state'


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultProfile:
    """How often each fault happens, with seed and limits."""

    name: str
    description: str = ''
    rates: Mapping[ModelFault, float] = field(default_factory=lambda: MappingProxyType({}))
    seed: int = 0
    most_in_a_row: int = 0
    """The most faulty calls in a row; 0 for no limit."""
    stall_s: float = 0.0
    """Wall time (s) before a simulated timeout; at most the call's deadline."""
    retry_after_s: float = 1.0
    """The wait (s) that a simulated rate limit asks for."""
    correlation: str = Correlation.CALL.value
    """What calls must share to fail alike."""
    far_tokens: float = 0.0
    """Distance from the task's text (tokens) at which faults have grown half way; 0 for no growth. See `rate`."""
    far_factor: float = 0.0
    """How much faults grow with the distance; `far_power` says how steeply."""
    far_power: float = 4.0

    def __post_init__(self) -> None:
        for fault, rate in self.rates.items():
            if not 0 <= rate <= 1:
                raise ValueError(f'the rate of {fault} must be within 0 and 1, got {rate}')
        if self.correlation not in list(Correlation):
            raise ValueError(f'correlation must be one of {", ".join(Correlation)}, got {self.correlation!r}')
        for name in ('most_in_a_row', 'stall_s', 'retry_after_s', 'far_tokens', 'far_factor', 'far_power'):
            if getattr(self, name) < 0:
                raise ValueError(f'{name} must not be negative, got {getattr(self, name)}')

    def rate(self, fault: ModelFault, distance_tokens: float) -> float:
        """The probability of a fault in a call whose prompt has this many tokens after the task's text.

        A model follows an instruction less closely the further back it is. A rate r becomes
        1 - (1 - r) ** (1 + far_factor * h) at distance d, where h = 1 / (1 + (far_tokens / d) ** far_power) rises from
        0 to 1.
        """
        rate = self.rates.get(fault, 0.0)
        if not rate or not self.far_tokens or distance_tokens <= 0:
            return rate
        near, far = math.pow(self.far_tokens, self.far_power), math.pow(distance_tokens, self.far_power)
        risen = far / (near + far)
        return 1.0 - math.pow(1.0 - rate, 1.0 + self.far_factor * risen)


def load_fault_profiles(file: Path) -> dict[str, FaultProfile]:
    """Reads the profiles of a file like `config/faults.yaml`, by name.

    Raises:
        ConfigError: the file is not valid; the message names it, the line and the reason.
    """
    document = load_yaml(file)
    profiles = document.get('profiles')
    if not isinstance(profiles, LocatedMapping) or not profiles:
        raise ConfigError('must hold a mapping `profiles`', file=str(file), line=document.line_of('profiles'))
    return {name: _profile(name, profiles, str(file)) for name in profiles}


def _profile(name: str, profiles: LocatedMapping, file: str) -> FaultProfile:
    line = profiles.line_of(name)
    entry = profiles[name]
    if not isinstance(entry, LocatedMapping):
        raise ConfigError(f'profile {name!r} must be a mapping, got {entry!r}', file=file, line=line)
    values = LocatedMapping(_like(entry, name, profiles, file) | entry, name=name)
    values.pop('like', None)
    values.key_lines = entry.key_lines
    rates = _rates(values.pop('rates'), file, entry.line_of('rates')) if 'rates' in values else {}
    try:
        return replace(from_mapping(FaultProfile, values, file=file), rates=rates)
    except ValueError as error:
        raise ConfigError(f'profile {name!r}: {error}', file=file, line=line) from error


def _like(entry: LocatedMapping, name: str, profiles: LocatedMapping, file: str) -> dict[str, object]:
    """The values of the profile that an entry names in `like`; empty if it names none."""
    if 'like' not in entry:
        return {}
    other = profiles.get(entry['like']) if isinstance(entry['like'], str) else None
    if not isinstance(other, LocatedMapping) or 'like' in other:
        reason = f'profile {name!r} is like {entry["like"]!r}, which is no profile with values of its own'
        raise ConfigError(reason, file=file, line=entry.line_of('like'))
    return dict(other)


def _rates(value: object, file: str, line: int) -> Mapping[ModelFault, float]:
    if not isinstance(value, LocatedMapping):
        raise ConfigError(f'rates must be a mapping from fault to rate, got {value!r}', file=file, line=line)
    rates = {}
    for name, rate in value.items():
        if name not in list(ModelFault):
            known = ', '.join(ModelFault)
            raise ConfigError(f'there is no fault {name!r}; there are {known}', file=file, line=value.line_of(name))
        if not isinstance(rate, int | float) or isinstance(rate, bool):
            raise ConfigError(f'the rate of {name} must be a number, got {rate!r}', file=file, line=value.line_of(name))
        rates[ModelFault(name)] = float(rate)
    return MappingProxyType(rates)
