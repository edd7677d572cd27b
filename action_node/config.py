"""Settings of the action node."""

from dataclasses import dataclass, fields

from lucca_core.settings import setting


@dataclass(frozen=True, kw_only=True)
class ActionConfig:
    """How actions are judged, streamed, verified and recorded. "ROS" times pass with the node's clock."""

    robot: str = setting('nicol', 'Name of a profile in config/robots, or a path to one.')
    actions_file: str = setting('', 'File of the actions; empty: actions.yaml in the config folder.')

    state_dir: str = setting(
        '',
        'Folder in which a stop is kept until the reset; empty: LUCCA_STATE_DIR, else lucca in the XDG state folder.',
    )

    snapshot_age_s: float = setting(3.0, 'Nothing moves on a perceived snapshot older than this, in s (ROS).')
    action_timeout_s: float = setting(180.0, 'Longest motion of one action, retries included, in s (ROS).')
    max_attempts: int = setting(2, 'Motions tried for one action before its miss is reported.')

    horizon_s: float = setting(
        1.0, 'Length of the trajectory chunks sent, in s (ROS); a silent node means hold after it.'
    )
    refresh_s: float = setting(0.25, 'Interval at which chunks are renewed while an arm moves, in s (ROS).')
    lead_s: float = setting(0.15, 'A trajectory begins this long after it was sent, in s (ROS).')
    resume_s: float = setting(0.5, 'Time to come back to full speed after a chunk had run out, in s (ROS).')
    tick_s: float = setting(0.05, 'Interval at which the measured joints are compared, in s (ROS).')
    tracking_tolerance_rad: float = setting(0.3, 'An arm joint further than this from its path is a fault, in rad.')
    slip_tolerance_rad: float = setting(
        0.15, 'An arm joint so far behind its time makes the motion wait for it, in rad.'
    )
    arrival_tolerance_rad: float = setting(0.06, 'An arm has arrived when each joint is this near its goal, in rad.')
    arrival_timeout_s: float = setting(3.0, 'Longest wait for an arm to arrive, in s (ROS).')
    home_tolerance_rad: float = setting(0.15, 'An arm is at home when each joint is this near its rest, in rad.')
    joints_silence_s: float = setting(
        1.0, 'Joint states older than this, in ROS and wall time, are a hardware fault, in s.'
    )
    clock_silence_s: float = setting(5.0, 'A clock that stands still for so long is a hardware fault, in s (wall).')

    verify_timeout_s: float = setting(3.0, 'Longest wait for a frame that shows the effect, in s (ROS).')
    frame_timeout_s: float = setting(10.0, 'Longest wait for any frame, in s (wall).')
    glance_timeout_s: float = setting(2.0, 'Longest wait for a frame after a motion was broken off, in s (wall).')
    settle_timeout_s: float = setting(8.0, 'Longest wait for a frame that settles an open intent, in s (wall).')
    settle_frames: int = setting(3, 'So many frames in a row have to agree on what became of an open intent.')
    moved_m: float = setting(0.03, 'An object displaced by less than this never left its place, in m.')
    pointing_tolerance_m: float = setting(0.05, 'The ray of the finger may pass this far from the centre, in m.')
    pointing_dwell_s: float = setting(0.3, 'The finger has to stay on the object for so long, in s (ROS).')

    intent_timeout_s: float = setting(5.0, 'Longest wait for the acknowledgement of an intent, in s (wall).')
    outcome_timeout_s: float = setting(20.0, 'Longest time for trying to record an outcome, in s (wall).')
    refusal_timeout_s: float = setting(2.0, 'Longest wait for the acknowledgement of a refusal, in s (wall).')
    memory_wait_s: float = setting(8.0, 'Longest wait for the memory service to be discovered, in s (wall).')
    diagnostics_period_s: float = setting(1.0, 'Interval of the diagnostics, in s (wall).')

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            if isinstance(value, float) and not value > 0:
                raise ValueError(f'{item.name} must be positive, got {value}')
        if self.max_attempts < 1:
            raise ValueError(f'max_attempts must be at least 1, got {self.max_attempts}')
        if self.settle_frames < 1:
            raise ValueError(f'settle_frames must be at least 1, got {self.settle_frames}')
        if not self.tick_s <= self.refresh_s < self.horizon_s:
            raise ValueError(
                'tick_s <= refresh_s < horizon_s must hold, or the arm stops between chunks; '
                f'got {self.tick_s}, {self.refresh_s}, {self.horizon_s}'
            )
        if not self.robot:
            raise ValueError('robot must name a profile, got an empty text')
