"""The figure of the policy's learning curve, with the scores of fixed parameters for comparison."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lucca_lab.forgetting.kept_facts import TRAINING
from lucca_lab.forgetting.report import COLOURS, figure
from lucca_lab.forgetting.training import Learned


def draw_curve(learned: Learned, file: Path) -> None:
    """Draws the return and the share of critical facts kept over the steps, as PNG and SVG.

    Raises:
        ConfigError: matplotlib is not installed.
    """

    def drawn(panels: Sequence[Any]) -> None:
        steps = [step for step, _, _ in learned.curve]
        panels[0].plot(steps, [value for _, value, _ in learned.curve], color=COLOURS[0])
        panels[0].set_title('return of an episode, training', fontsize=9)
        panels[1].plot(steps, [kept for _, _, kept in learned.curve], color=COLOURS[0], label='PPO, exploring')
        for colour, (name, share) in zip(COLOURS[1:], learned.kept[TRAINING].shares.items(), strict=False):
            panels[1].axhline(share, color=colour, linewidth=0.9, linestyle='--', label=f'{name}, without noise')
        panels[1].set_title('critical facts kept, training scenarios', fontsize=9)
        panels[1].legend(fontsize=7)
        for axes in panels:
            axes.set_xlabel('steps')
            axes.grid(alpha=0.25)

    figure(file, 2, drawn)
