"""Settings of the simulator."""

from dataclasses import dataclass

from lucca_core.settings import check_bounds, setting

ENGINES = ('physics', 'kinematic')


@dataclass(frozen=True, kw_only=True)
class SimConfig:
    """Scene, robot, speed, sensor rates and recording of the simulator."""

    scene: str = setting('sorting_tower', 'Scene in config/scenes, or a path to a scene file.')
    objects: str = setting(
        '', "Objects of the library, separated by commas, that replace those of the scene; empty for the scene's own."
    )
    seed: int = setting(0, 'Seed of the random placements.', most=4294967295)
    robot: str = setting('nicol', 'Robot profile in config/robots, or a path to one.')
    engine: str = setting('physics', 'physics, or kinematic: exact motion without dynamics, for fast tests.')
    speed: float = setting(
        1.0, 'Simulated seconds per wall second; 0 for as fast as possible, up to 8.', most=1000, live=True
    )
    leash_s: float = setting(
        0.5,
        'Simulated time by which the simulation may be ahead of perception before it slows down; 0 for no limit.',
        most=60,
    )
    camera_rate_hz: float = setting(10.0, 'Camera frames per simulated second.', above=0, most=250)
    joint_state_rate_hz: float = setting(50.0, 'Joint states per simulated second.', above=0, most=250)
    clock_rate_hz: float = setting(100.0, 'Clock messages per simulated second.', above=0, most=250)
    clock_wall_rate_hz: float = setting(
        50.0,
        'Most clock messages per wall second, each of which costs every node about 1 ms; more where they would be over '
        '0.06 simulated seconds apart.',
        least=1,
        most=1000,
    )
    camera_enabled: bool = setting(True, 'False to publish no camera topics, as if the camera were unplugged.')
    camera_offset_m: tuple[float, ...] = setting(
        (0.0, 0.0, 0.0),
        'Displacement of the camera along world x, y, z that no other node knows of, in m.',
        least=-10,
        most=10,
    )
    record_dir: str = setting('', 'Folder for trace.npz, video and stills; empty to record nothing.')
    stills: bool = setting(True, 'Record a picture of the start and one of the end, too; each takes half a second.')
    trace_rate_hz: float = setting(50.0, 'Rows of the trace per simulated second.', above=0, most=250)
    video_rate_hz: float = setting(4.0, 'Frames of the video per simulated second; 0 for no video.', most=60)
    video_speed: float = setting(8.0, 'Simulated seconds per second of video.', above=0, most=100)
    viewer: bool = setting(False, 'Open a window if there is a display.')

    def __post_init__(self) -> None:
        check_bounds(self)
        if self.engine not in ENGINES:
            raise ValueError(f'engine must be one of {", ".join(ENGINES)}, got {self.engine!r}')
        if self.camera_enabled and 0.0 < self.leash_s < 1.0 / self.camera_rate_hz:
            raise ValueError(
                f'leash_s must be 0 or at least the time between two camera frames, {1.0 / self.camera_rate_hz:g} s at '
                f'camera_rate_hz = {self.camera_rate_hz:g}, got {self.leash_s:g}: the simulation would wait for a '
                'picture that it has not yet taken'
            )
        if len(self.camera_offset_m) != 3:
            raise ValueError(f'camera_offset_m must be three numbers, got {self.camera_offset_m}')
