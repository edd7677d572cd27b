"""Tables and recorders from settings."""

from pathlib import Path

from lucca_robot.profile import load_profile
from lucca_sim.config import SimConfig
from lucca_sim.kinematic import KinematicTable
from lucca_sim.mujoco import PhysicsTable
from lucca_sim.recorder import Recorder
from lucca_sim.robot_at_table import RobotAtTable
from lucca_sim.scene import Scene, load_scene
from lucca_sim.table import Table


def make_scene(config: SimConfig) -> Scene:
    """The scene that the settings name, with other objects where they are given.

    Raises:
        ConfigError: the scene file is missing or wrong.
        ValueError: an object that the library does not have.
    """
    scene = load_scene(config.scene, config.seed)
    names = [name.strip() for name in config.objects.split(',') if name.strip()]
    return scene.with_objects(names) if names else scene


def make_table(config: SimConfig) -> RobotAtTable:
    """The table that the settings name, at rest at time 0.

    Raises:
        ConfigError: the scene or the robot's profile is missing or wrong.
        ValueError: an object that the library does not have.
    """
    scene, profile = make_scene(config), load_profile(config.robot)
    x, y, z = config.camera_offset_m
    table = KinematicTable if config.engine == 'kinematic' else PhysicsTable
    return table(scene, profile, (x, y, z))


def make_recorder(config: SimConfig, table: Table) -> Recorder | None:
    """The recorder that the settings ask for, or None."""
    if not config.record_dir:
        return None
    return Recorder(
        table,
        Path(config.record_dir),
        engine=config.engine,
        trace_rate_hz=config.trace_rate_hz,
        video_rate_hz=config.video_rate_hz,
        video_speed=config.video_speed,
    )
