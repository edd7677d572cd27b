"""Settings of motion planning."""

from dataclasses import dataclass

from lucca_core.settings import check_bounds, setting

# In multiples of clearance_m. An object that slides along the table is shortened by at most clearance_m
# (ArmPlanner.carried), and must keep four fifths of table_clearance_m (CollisionChecker); this leaves a small margin.
_MOST_TABLE_SHARE = 1.2


@dataclass(frozen=True, kw_only=True)
class MotionConfig:
    """Speeds, clearances and limits of planned motions. Heights are above the table."""

    tool_speed_mps: float = setting(0.25, 'Largest speed of a hand, in m/s.', above=0, most=1, live=True)
    arm_speed_radps: float = setting(
        1.5, "Largest speed of an arm joint, in rad/s; the joint's own limit applies too.", above=0, most=3.2, live=True
    )
    hand_speed_radps: float = setting(
        1.0,
        'Largest speed of a finger joint, in rad/s; for sliding fingers a tenth of this, in m/s.',
        above=0,
        most=3.2,
        live=True,
    )
    speed_margin: float = setting(0.95, 'Fraction of each speed limit that is used in planning.', above=0, most=1)
    smoothing_s: float = setting(
        0.36, 'Time in which a trajectory reaches its speed or comes to rest, in s.', above=0, most=5
    )
    sample_s: float = setting(0.05, 'Time between the points of a trajectory, in s.', above=0, most=0.5)
    dwell_s: float = setting(0.8, 'How long a pointing finger stays on its object, in s.', above=0, most=30)
    grip_s: float = setting(0.3, 'How long a hand waits after it has closed or opened, in s.', above=0, most=10)

    clearance_m: float = setting(
        0.005, 'Least distance between the robot, with what it carries, and anything else, in m.', above=0, most=0.2
    )
    table_clearance_m: float = setting(
        0.006, 'Least distance of an open or closing hand from the table, in m.', above=0, most=0.2
    )
    target_clearance_m: float = setting(
        0.002, 'Least distance of the open hand from what it is to grasp, in m.', above=0, most=0.2
    )
    neighbour_clearance_m: float = setting(
        0.001,
        'Least distance between grasping fingers and neighbouring objects if no grasp keeps clearance_m, in m.',
        above=0,
        most=0.2,
    )
    overlap_m: float = setting(
        0.015,
        "Largest overlap of two objects' outlines at which one can still be lifted from beside the other, in m.",
        above=0,
        most=0.2,
    )
    check_step_m: float = setting(
        0.01, 'Largest hand travel between two collision checks of a trajectory, in m.', above=0, most=0.1
    )
    lift_m: float = setting(
        0.1, 'Height above a grasp from which the hand comes straight down, in m.', above=0, most=0.5
    )
    travel_clearance_m: float = setting(
        0.03, 'Height of a carried object over the highest thing on the table, in m.', above=0, most=0.5
    )
    drop_m: float = setting(0.012, 'Height above a rim at which an object is let go, in m.', above=0, most=0.2)
    stack_gap_m: float = setting(0.004, 'Height above a tower at which a cube is let go, in m.', above=0, most=0.2)
    slide_m: float = setting(
        0.006, 'Height above the table at which an object slides when it is handed over, in m.', above=0, most=0.2
    )
    pointing_distance_m: float = setting(
        0.09, 'Distance of a pointing fingertip from the surface of the object, in m.', above=0, most=0.5
    )
    hand_room_m: float = setting(
        0.06, 'Space left for a hand around an object that is handed over, if there is enough, in m.', above=0, most=0.5
    )
    spot_spacing_m: float = setting(0.015, 'Free space around an object that is put down, in m.', above=0, most=0.5)

    table_x_m: tuple[float, ...] = setting((0.02, 0.98), 'Extent of the table along x, in m.', least=-5, most=5)
    table_y_m: tuple[float, ...] = setting((-0.97, 0.97), 'Extent of the table along y, in m.', least=-5, most=5)
    user_side_depth_m: float = setting(
        0.035, "How far into the user's side an object's centre is brought, in m.", above=0, most=0.2
    )

    position_tolerance_m: float = setting(0.0008, 'Largest error of inverse kinematics, in m.', above=0, most=0.01)
    angle_tolerance_rad: float = setting(0.01, 'Largest error of inverse kinematics, in rad.', above=0, most=0.2)
    most_attempts: int = setting(
        150, 'Grasps and placements tried before a motion is given up as unreachable.', least=1, most=10000
    )
    planning_timeout_s: float = setting(
        20.0, 'Longest search for a motion before it is given up, in s (wall).', above=0, most=300
    )

    def __post_init__(self) -> None:
        check_bounds(self)
        if self.neighbour_clearance_m > self.clearance_m:
            raise ValueError(
                f'neighbour_clearance_m must be at most clearance_m = {self.clearance_m}, '
                f'got {self.neighbour_clearance_m}'
            )
        if self.table_clearance_m > _MOST_TABLE_SHARE * self.clearance_m + 1e-9:
            raise ValueError(
                f'table_clearance_m must be at most {_MOST_TABLE_SHARE} * clearance_m = '
                f'{_MOST_TABLE_SHARE * self.clearance_m:g}, or nothing could be handed over along the table; '
                f'got {self.table_clearance_m}'
            )
        for name, pair in (('table_x_m', self.table_x_m), ('table_y_m', self.table_y_m)):
            if len(pair) != 2 or pair[0] >= pair[1]:
                raise ValueError(f'{name} must be a low and a high end, got {pair}')
