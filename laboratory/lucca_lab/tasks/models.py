"""The models of a trial: the chosen ones, wrapped with recording, faults and a context window."""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from lucca_core.errors import ConfigError
from lucca_core.paths import config_dir
from lucca_lab.faults.fault_profiles import Correlation, FaultProfile, load_fault_profiles
from lucca_lab.faults.faulty_model import FaultyModel
from lucca_lab.recorded_calls import RecordingModel, ReplayModel
from lucca_lab.tasks.call_recorder import Tape
from lucca_lab.tasks.context_window import Overflow, WindowedModel
from lucca_lab.tasks.spec import TrialSpec
from lucca_llm.model import ChatModel
from lucca_llm.model_spec import make_model


def trial_model(spec: TrialSpec, who: str, calls: list[dict[str, Any]], closing: ExitStack) -> ChatModel:
    """Makes the coordinator's or the worker's model of one trial.

    Args:
        spec: the trial.
        who: `coordinator` or `worker`.
        calls: a line is added to it for every call.
        closing: closes the model's connections when it is closed.

    Raises:
        ConfigError: the model spec or the fault profile is wrong, or a recording is missing.
    """
    setting = spec.setting
    model = _replayed(spec, who) if setting.replay else _chosen(spec, who, closing)
    if setting.record:
        model = RecordingModel(model, recording(setting.record, spec, who))
    windowed = WindowedModel(model, setting.context_tokens, Overflow(setting.overflow))
    return Tape(windowed, who, setting.context_tokens, calls)


def recording(folder: str, spec: TrialSpec, who: str) -> Path:
    """The file for the recorded calls of one model in one trial."""
    return Path(folder) / f'{spec.trial_id.replace("/", "~")}.{who}.jsonl'


def _replayed(spec: TrialSpec, who: str) -> ChatModel:
    file = recording(spec.setting.replay, spec, who)
    # A trial without memory never asks the worker, so there is no recording of it.
    return ReplayModel(file) if file.exists() or who == 'coordinator' else make_model('embedded')


def _chosen(spec: TrialSpec, who: str, closing: ExitStack) -> ChatModel:
    setting = spec.setting
    name = setting.worker if who == 'worker' and setting.worker else setting.coordinator
    # The embedded reasoner has its own window; here the window of the trial applies.
    model = make_model(f'embedded:{setting.context_tokens}' if name == 'embedded' else name)
    if (close := getattr(model, 'close', None)) is not None:
        closing.callback(close)
    if not setting.faults:
        return model
    profile = fault_profile(setting.faults, setting.fault_rate, spec.fault_seed(who))
    if profile.correlation == Correlation.STATE:
        profile = replace(profile, seed=spec.fault_seed('both models'))
    return FaultyModel(model, profile)


def fault_profile(name: str, rate: float, seed: int) -> FaultProfile:
    """A profile of config/faults.yaml. With a rate of 0 or more, its rates are scaled to add up to it.

    Raises:
        ConfigError: there is no such profile, or it has no rate that could be scaled.
    """
    profiles = _profiles(config_dir() / 'faults.yaml')
    if name not in profiles:
        raise ConfigError(f'there is no fault profile {name!r}; there are {", ".join(profiles)}')
    profile = profiles[name]
    rates = dict(profile.rates)
    if rate >= 0:
        total = sum(rates.values())
        if not total:
            raise ConfigError(f'the fault profile {name!r} has no rates to scale to {rate}')
        rates = {fault: value * rate / total for fault, value in rates.items()}
    return replace(profile, seed=seed, rates=rates)


@cache
def _profiles(file: Path) -> Mapping[str, FaultProfile]:
    """The profiles of a file. Each process reads it only once, since every trial asks twice."""
    return load_fault_profiles(file)
