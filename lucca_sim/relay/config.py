"""Settings of the relay."""

from dataclasses import dataclass

from lucca_core.settings import check_bounds, setting


@dataclass(frozen=True, kw_only=True)
class RelayConfig:
    """The robot whose controllers are served, and the rate of their setpoints."""

    robot: str = setting('nicol', 'Robot profile in config/robots, or a path to one.')
    rate_hz: float = setting(
        250.0, 'Setpoints per second of each controller that moves: one per physics step.', least=20, most=1000
    )
    step_s: float = setting(
        0.004, "Physics step of Gazebo's world; the lag of its servos follows from it.", above=0, most=0.02
    )
    joints_silence_s: float = setting(
        0.5, 'A controller holds and refuses trajectories if its joints are not heard for this long, in s.', above=0
    )

    def __post_init__(self) -> None:
        check_bounds(self)
