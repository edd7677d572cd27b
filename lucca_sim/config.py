"""Settings of the simulator."""

import math
from dataclasses import dataclass

from lucca_core.settings import setting

ENGINES = ('physics', 'kinematic')


@dataclass(frozen=True, kw_only=True)
class SimConfig:
    """What is simulated, how fast, and what is recorded."""

    scene: str = setting('sorting_tower', 'Scene in config/scenes, or a path to a scene file.')
    objects: str = setting(
        '', 'Objects of the library instead of those of the scene, separated by commas; empty = as the scene says.'
    )
    seed: int = setting(0, 'Seed of the random placements.')
    robot: str = setting('nicol', 'Robot profile in config/robots, or a path to one.')
    engine: str = setting('physics', 'physics, or kinematic: exact motion without dynamics, for fast tests.')
    speed: float = setting(1.0, 'Simulated seconds per wall second; 0 = as fast as possible.')
    leash_s: float = setting(
        0.5, 'Simulated time that may pass before perception has dealt with a frame; then time slows down. 0 = never.'
    )
    camera_rate_hz: float = setting(10.0, 'Camera frames per simulated second.')
    joint_state_rate_hz: float = setting(50.0, 'Joint states per simulated second.')
    clock_rate_hz: float = setting(100.0, 'Clock messages per simulated second.')
    clock_wall_rate_hz: float = setting(
        50.0, 'Most clock messages per wall second: every node wakes up for each, which costs it about 1 ms.'
    )
    camera_enabled: bool = setting(True, 'False publishes no camera topic at all, as with the camera unplugged.')
    camera_offset_m: tuple[float, ...] = setting(
        (0.0, 0.0, 0.0), 'Moves the camera off its place along world x, y, z without telling anybody, in m.'
    )
    record_dir: str = setting('', 'Folder for trace.npz, video and stills; empty = record nothing.')
    trace_rate_hz: float = setting(50.0, 'Rows of the trace per simulated second.')
    video_rate_hz: float = setting(4.0, 'Frames of the video per simulated second; 0 = no video.')
    video_speed: float = setting(8.0, 'Simulated seconds per second of video.')
    viewer: bool = setting(False, 'Open a window where there is a display.')

    def __post_init__(self) -> None:
        if self.engine not in ENGINES:
            raise ValueError(f'engine must be one of {", ".join(ENGINES)}, got {self.engine!r}')
        if not math.isfinite(self.leash_s) or self.leash_s < 0:
            raise ValueError(f'leash_s must be 0 (none) or more, got {self.leash_s}')
        if not math.isfinite(self.speed) or self.speed < 0:
            raise ValueError(f'speed must be 0 (as fast as possible) or more, got {self.speed}')
        for name in ('camera_rate_hz', 'joint_state_rate_hz', 'clock_rate_hz', 'trace_rate_hz'):
            if not 0 < getattr(self, name) <= 250:
                raise ValueError(f'{name} must be above 0 and at most 250, got {getattr(self, name)}')
        if not 1 <= self.clock_wall_rate_hz <= 1000:
            raise ValueError(f'clock_wall_rate_hz must be 1 to 1000, got {self.clock_wall_rate_hz}')
        if not 0 <= self.video_rate_hz <= 60 or not 0 < self.video_speed <= 100:
            raise ValueError(
                f'video_rate_hz must be 0 to 60 and video_speed above 0, got {self.video_rate_hz}, {self.video_speed}'
            )
        if len(self.camera_offset_m) != 3 or not all(map(math.isfinite, self.camera_offset_m)):
            raise ValueError(f'camera_offset_m must be three finite numbers, got {self.camera_offset_m}')
