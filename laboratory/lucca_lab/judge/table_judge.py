"""The judge that `lucca demo` and `lucca run` load through the entry point `judge` of `lucca.laboratory`."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from lucca_lab.judge.places import claim_faults
from lucca_lab.judge.traces import load_trace
from lucca_lab.judge.truth import load_truth
from lucca_lab.judge.verdict import Judgement, judge_table, law_faults
from lucca_sim.scene import Scene


class TableJudge:
    """The judge of traces, as `lucca_cli.laboratory.Judge` describes it."""

    def judge_tasks(self, trace: Path, scene: str, seed: int, tasks: Sequence[str]) -> Mapping[str, Judgement]:
        """See `Judge`."""
        return judge_table(trace, scene, seed, tasks)

    def needed_actions(self, task: str) -> tuple[str, ...]:
        """See `Judge`."""
        return load_truth()[task].actions

    def run_faults(self, trace: Path, scene: Scene, claimed: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
        """See `Judge`."""
        recorded = load_trace(trace)
        return (*map(str, law_faults(recorded, scene)), *claim_faults(recorded, scene, claimed))
