"""The judge that `lucca demo` and `lucca run` load through the entry point `judge` of `lucca.laboratory`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lucca_lab.judge.places import claim_faults
from lucca_lab.judge.traces import load_trace
from lucca_lab.judge.truth import load_truth
from lucca_lab.judge.verdict import Judgement, judge_table, law_faults
from lucca_sim.scene import Scene


@dataclass(frozen=True)
class RunJudgement:
    """See `lucca_cli.laboratory.RunJudgement`."""

    physical: bool | None
    faults: tuple[str, ...]


class TableJudge:
    """The judge of traces, as `lucca_cli.laboratory.Judge` describes it."""

    def judge_tasks(
        self, trace: Path, scene: str, seed: int, tasks: Sequence[str], robot: str = ''
    ) -> Mapping[str, Judgement]:
        """See `Judge`."""
        return judge_table(trace, scene, seed, tasks, robot=robot)

    def needed_actions(self, task: str) -> tuple[str, ...]:
        """See `Judge`."""
        return load_truth()[task].actions

    def judge_run(
        self, trace: Path, scene: Scene, claimed: Mapping[str, Sequence[str]], robot: str = ''
    ) -> RunJudgement:
        """See `Judge`."""
        recorded = load_trace(trace)
        faults = (*map(str, law_faults(recorded, scene, robot=robot)), *claim_faults(recorded, scene, claimed))
        return RunJudgement(physical=not faults if recorded.has_physics else None, faults=faults)
