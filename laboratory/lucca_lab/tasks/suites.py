"""The suites: the trials of each task experiment."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from lucca_lab.tasks.paper import TASKS
from lucca_lab.tasks.spec import Ablation, Mode, Setting, TrialSpec

GRID = 'grid'
WINDOWS = 'windows'
FAULT_RATES = 'fault rates'
ABLATIONS = 'ablations'
SWITCHING = 'switching'
SCALE = 'scale'
PEOPLE = 'people'

WINDOW_TOKENS = (1024, 1536, 2048, 3072, 4096, 8192, 16384)
RATES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
MIXED_FAULTS = 'mixed'
ABLATION_SLIPS = 0.05
BASELINE = 'no declarative memory'
FULL = 'full stack'
DEPTHS = (1, 2, 3)


@dataclass(frozen=True, kw_only=True)
class SuitePlan:
    """The plan of a run: its suites, their size and the settings."""

    seed: int = 0
    trials: int = 50
    modes: tuple[str, ...] = tuple(mode.value for mode in Mode)
    memory: tuple[bool, ...] = (False, True)
    suites: tuple[str, ...] = (GRID,)
    shuffle_tasks: bool = False
    setting: Setting = field(default_factory=Setting)

    def specs(self) -> list[TrialSpec]:
        """All trials of all suites, in order."""
        return [spec for suite in self.suites for spec in SUITES[suite](self)]

    def conditions(self, ran: Sequence[str]) -> str:
        """Faults and safeguards of the suites that ran, in words. The sweep over fault rates has its own."""
        setting, said = self.setting, []
        if set(ran) != {FAULT_RATES}:
            said.append(
                f'faults `{setting.faults or "none"}`, safeguards {_on(setting.safeguards)}, '
                f'second opinion {_on(setting.second_opinion)}'
            )
        if FAULT_RATES in ran:
            said.append(
                f'over fault rates: `{setting.faults or MIXED_FAULTS}` at {RATES[0]:g} to {RATES[-1]:g} a call, '
                'safeguards and second opinion on and off'
            )
        return '; '.join(said)


def _on(switch: bool) -> str:
    return 'on' if switch else 'off'


def _modes(
    plan: SuitePlan, suite: str, setting: Setting, variant: str = '', modes: Sequence[str] = ()
) -> list[TrialSpec]:
    """Every trial of the given modes (by default, the plan's) with one setting."""
    specs = []
    for mode in modes or plan.modes:
        # The paper has no memory in standalone mode: nothing happens before the task that could be remembered.
        halves = (False,) if mode == Mode.STANDALONE else plan.memory
        sessions = [(task,) for task in TASKS] if mode == Mode.STANDALONE else [TASKS]
        specs += [
            TrialSpec(
                suite=suite,
                mode=mode,
                memory=memory,
                tasks=tasks,
                index=index,
                seed=plan.seed,
                variant=variant,
                shuffle_tasks=plan.shuffle_tasks,
                setting=setting,
            )
            for memory in halves
            for tasks in sessions
            for index in range(plan.trials)
        ]
    return specs


def _grid(plan: SuitePlan) -> list[TrialSpec]:
    return _modes(plan, GRID, plan.setting)


_SEVERAL = (Mode.CONSECUTIVE.value, Mode.INTERVENED.value)


def _windows(plan: SuitePlan) -> list[TrialSpec]:
    modes = [mode for mode in plan.modes if mode in _SEVERAL]
    return [
        spec
        for tokens in WINDOW_TOKENS
        for spec in _modes(plan, WINDOWS, replace(plan.setting, context_tokens=tokens), f'context={tokens}', modes)
    ]


def _fault_rates(plan: SuitePlan) -> list[TrialSpec]:
    faults = plan.setting.faults or MIXED_FAULTS
    plain = replace(plan.setting, faults=faults)
    modes = [mode for mode in plan.modes if mode in _SEVERAL]
    return [
        spec
        for rate in RATES
        for safeguards in (False, True)
        for spec in _modes(
            plan,
            FAULT_RATES,
            replace(plain, fault_rate=rate, safeguards=safeguards, second_opinion=safeguards),
            f'rate={rate:g},safeguards={"on" if safeguards else "off"}',
            modes,
        )
        if spec.memory
    ]


def _ablations(plan: SuitePlan) -> list[TrialSpec]:
    setting = replace(plan.setting, slips=ABLATION_SLIPS)
    specs = []
    for ablation in Ablation:
        ablated = replace(setting, ablation=ablation.value)
        modes = [mode for mode in plan.modes if mode in _SEVERAL]
        specs += [spec for spec in _modes(plan, ABLATIONS, ablated, ablation.value, modes) if spec.memory]
    return specs


def _switching(plan: SuitePlan) -> list[TrialSpec]:
    """Trials that interrupt every task at every step, with every depth of nesting."""
    from lucca_lab.tasks.trial import truths

    return [
        replace(spec, tasks=(task,), variant=variant, setting=replace(plan.setting, ablation=ablation.value))
        for variant, ablation in ((FULL, Ablation.NONE), (BASELINE, Ablation.WORKING_ONLY))
        for depth in DEPTHS
        for task in TASKS
        for step in range(len(truths()[task].actions) + 1)
        for spec in _sessions(plan, SWITCHING, 'switching', plan.trials // 10, depth=depth, step=step)
    ]


def _scale(plan: SuitePlan) -> list[TrialSpec]:
    return [
        spec
        for count in (6, 12, 30)
        for spec in _sessions(plan, SCALE, 'generated', plan.trials // 10, tasks=count, objects=count, depth=3)
    ]


def _people(plan: SuitePlan) -> list[TrialSpec]:
    return [spec for people in (2, 3, 5) for spec in _sessions(plan, PEOPLE, 'people', plan.trials // 5, people=people)]


def _sessions(plan: SuitePlan, suite: str, mode: str, count: int, **extra: int) -> list[TrialSpec]:
    """At least one trial with memory, with numbers that only its own suite uses."""
    return [
        TrialSpec(
            suite=suite,
            mode=mode,
            memory=True,
            tasks=(),
            index=index,
            seed=plan.seed,
            setting=plan.setting,
            extra=tuple(extra.items()),
        )
        for index in range(max(1, count))
    ]


SUITES = {
    GRID: _grid,
    WINDOWS: _windows,
    FAULT_RATES: _fault_rates,
    ABLATIONS: _ablations,
    SWITCHING: _switching,
    SCALE: _scale,
    PEOPLE: _people,
}
"""Functions that make the trials of each experiment, by its name."""
