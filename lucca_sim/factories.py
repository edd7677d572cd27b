"""Creation of the scene, the simulated table and the recorder from the settings."""

from pathlib import Path

from lucca_core.errors import ConfigError
from lucca_robot.profile import RobotProfile, load_profile
from lucca_sim.config import SimConfig
from lucca_sim.kinematic_table import KinematicTable
from lucca_sim.physics_table import PhysicsTable
from lucca_sim.robot_at_table import RobotAtTable
from lucca_sim.scene import Scene, load_scene
from lucca_sim.trace_recorder import TraceRecorder

_SAME_HEIGHT_M = 0.005


def make_scene(config: SimConfig) -> Scene:
    """Makes the configured scene, with its objects replaced if the settings list others.

    Raises:
        ConfigError: the scene file is missing or invalid.
        ValueError: an object is not in the library.
    """
    scene = load_scene(config.scene, config.seed)
    names = [name.strip() for name in config.objects.split(',') if name.strip()]
    return scene.with_objects(names) if names else scene


def check_heights(scene: Scene, profile: RobotProfile) -> None:
    """Checks that the scene has its table where the robot looks for it.

    Raises:
        ConfigError: the heights differ; every motion would be planned for another table.
    """
    if abs(scene.table.height_m - profile.table_top_m) > _SAME_HEIGHT_M:
        raise ConfigError(
            f'the table of scene {scene.name!r} is at {scene.table.height_m:g} m, that of robot {profile.name!r} at '
            f'{profile.table_top_m:g} m (table_top_m): change one of them; with `parts`, `xyz` lifts the robot'
        )


def make_table(config: SimConfig) -> RobotAtTable:
    """Makes the configured table, at rest at time 0.

    Raises:
        ConfigError: the scene or the robot's profile is missing or invalid, or the two do not fit.
        ValueError: an object is not in the library.
    """
    scene, profile = make_scene(config), load_profile(config.robot)
    check_heights(scene, profile)
    x, y, z = config.camera_offset_m
    table = KinematicTable if config.engine == 'kinematic' else PhysicsTable
    return table(scene, profile, (x, y, z))


def make_recorder(config: SimConfig, table: RobotAtTable) -> TraceRecorder | None:
    """Makes a recorder if the settings ask for one, else returns None."""
    if not config.record_dir:
        return None
    return TraceRecorder(
        table,
        Path(config.record_dir),
        engine=config.engine,
        trace_rate_hz=config.trace_rate_hz,
        video_rate_hz=config.video_rate_hz,
        video_speed=config.video_speed,
    )
