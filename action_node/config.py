"""Settings of the action node."""

from dataclasses import dataclass

from lucca_core.settings import check_bounds, setting

OWN, MOVEIT = 'own', 'moveit'
"""Values of `planner`."""


@dataclass(frozen=True, kw_only=True)
class ActionConfig:
    """How actions are judged, streamed, verified and recorded. "ROS" times pass with the node's clock."""

    robot: str = setting('nicol', 'Name of a profile in config/robots, or a path to one.')
    actions_file: str = setting('', 'Action file; empty for config/actions.yaml.')

    state_dir: str = setting(
        '',
        'Folder that keeps a stop until the reset, one file per namespace; empty for LUCCA_STATE_DIR or the XDG '
        'state folder.',
    )

    dry_run: bool = setting(
        False,
        'Plan motions and publish them on NAME/planned_trajectory, but send nothing to a controller. For the first '
        'day.',
    )
    controllers_wait_s: float = setting(
        0.0,
        'At activation, longest wait (s, wall) for the parameters of the controllers, to compare joints, order, '
        'limits and rate with the profile. The node is not activated if a controller differs or does not answer. 0: '
        'no comparison.',
        most=60,
    )
    planner: str = setting(
        'own',
        "Planner of arm motions through free space: own, or moveit (move_group's services plan_kinematic_path and "
        'apply_planning_scene). Each path is checked for collisions here before anything moves.',
    )
    moveit_groups: tuple[str, ...] = setting(
        ('left_arm', 'right_arm'),
        "MoveIt's names of the left and the right arm; two entries even for a robot with one arm.",
    )
    moveit_planning_s: float = setting(1.0, 'Longest time for MoveIt to plan one path, in s (wall).', above=0, most=30)
    snapshot_age_s: float = setting(
        3.0, 'Nothing moves if the snapshot from perception is older than this, in s (ROS).', above=0, most=30
    )
    action_timeout_s: float = setting(
        180.0, 'Longest time that one action may move, retries included, in s (ROS).', above=0, most=3600
    )
    max_attempts: int = setting(2, 'Attempts at one action before it is reported as missed.', least=1, most=100)

    horizon_s: float = setting(
        1.0,
        'Length of the trajectory chunks that are sent, in s (ROS); the arms hold within this time and `lead_s` if the '
        'node falls silent.',
        above=0,
        most=5,
    )
    refresh_s: float = setting(
        0.25,
        'Interval at which chunks are renewed while an arm moves, in s (ROS). At most horizon_s / 2 - 2 tick_s.',
        above=0,
        most=5,
    )
    lead_s: float = setting(
        0.15,
        'A trajectory begins this long after it was sent, in s (ROS); later if an arm first has to come back to its '
        'path.',
        above=0,
        most=2,
    )
    resume_s: float = setting(
        0.5, 'Time to return to full speed after a chunk has run out, in s (ROS).', above=0, most=10
    )
    tick_s: float = setting(0.05, 'Interval at which the measured joints are compared, in s (ROS).', above=0, most=1)
    tracking_tolerance_rad: float = setting(
        0.3, 'An arm joint further than this from its path is a fault, in rad.', above=0, most=1
    )
    slip_tolerance_rad: float = setting(
        0.15, 'The motion waits for an arm joint that lags behind by more than this, in rad.', above=0, most=1
    )
    arrival_tolerance_rad: float = setting(
        0.06, 'An arm has arrived when every joint is within this of its goal, in rad.', above=0, most=1
    )
    arrival_timeout_s: float = setting(3.0, 'Longest wait for an arm to arrive, in s (ROS).', above=0, most=60)
    home_tolerance_rad: float = setting(
        0.15, 'An arm is at home when every joint is within this of its home position, in rad.', above=0, most=1
    )
    joints_silence_s: float = setting(
        1.0, 'Joint states older than this, by ROS or wall time, are a hardware fault, in s.', above=0, most=30
    )
    clock_silence_s: float = setting(
        5.0, 'A clock that stands still for this long is a hardware fault, in s (wall).', above=0, most=60
    )

    verify_timeout_s: float = setting(
        3.0, 'Longest wait for a frame that shows the effect, in s (ROS).', above=0, most=60
    )
    frame_timeout_s: float = setting(10.0, 'Longest wait for any frame, in s (wall).', above=0, most=300)
    glance_timeout_s: float = setting(
        2.0, 'Longest wait for a frame after a motion was broken off, in s (wall).', above=0, most=60
    )
    settle_timeout_s: float = setting(
        8.0, 'Longest wait for a frame that settles an open intent, in s (wall).', above=0, most=300
    )
    settle_frames: int = setting(
        3, 'Consecutive frames that must agree on what became of an open intent.', least=1, most=100
    )
    moved_m: float = setting(
        0.03, 'An object displaced by less than this never left its place, in m.', above=0, most=0.5
    )
    pointing_tolerance_m: float = setting(
        0.05, "Largest distance of the finger's ray from the object's centre, in m.", above=0, most=0.5
    )
    pointing_dwell_s: float = setting(
        0.3, 'Time for which the finger must stay on the object, in s (ROS).', above=0, most=10
    )

    intent_timeout_s: float = setting(
        5.0, 'Longest wait for the acknowledgement of an intent, in s (wall).', above=0, most=60
    )
    outcome_timeout_s: float = setting(
        20.0, 'Longest time to try to record an outcome, in s (wall).', above=0, most=300
    )
    refusal_timeout_s: float = setting(
        2.0, 'Longest wait for the acknowledgement of a refusal, in s (wall).', above=0, most=60
    )
    memory_wait_s: float = setting(
        8.0, 'Longest wait for the memory service to be discovered, in s (wall).', above=0, most=300
    )
    result_kept_s: int = setting(
        20,
        'How long the result of a finished action can still be requested, in whole s (ROS).',
        least=1,
        most=3600,
    )
    diagnostics_period_s: float = setting(1.0, 'Interval of the diagnostics, in s (wall).', above=0, most=60)

    def __post_init__(self) -> None:
        check_bounds(self)
        if not self.tick_s <= self.refresh_s < self.horizon_s:
            raise ValueError(
                'tick_s <= refresh_s < horizon_s must hold, or the arm stops between chunks; '
                f'got {self.tick_s}, {self.refresh_s}, {self.horizon_s}'
            )
        # An arm brakes over up to half a chunk; the next one is sent up to two ticks late, as times are rounded.
        if self.refresh_s + 2 * self.tick_s > self.horizon_s / 2 + 1e-9:
            raise ValueError(
                'refresh_s + 2 tick_s <= horizon_s / 2 must hold, or a fast arm brakes before its next chunk comes; '
                f'got {self.refresh_s}, {self.tick_s}, {self.horizon_s}'
            )
        if self.planner not in (OWN, MOVEIT):
            raise ValueError(f'planner must be {OWN} or {MOVEIT}, got {self.planner!r}')
        if len(self.moveit_groups) != 2 or not all(self.moveit_groups):
            raise ValueError(f'moveit_groups must be two names, left and right, got {self.moveit_groups}')
        if not self.robot:
            raise ValueError('robot must name a profile, got an empty text')
