"""Facts that two parts must agree on although neither may import the other."""

from lucca_core.protocol.snapshots import USERS_SIDE
from lucca_sim.scene import load_scene, scene_names
from perception_node.config import PerceptionConfig


def test_perception_and_scenes_agree_where_the_users_side_begins():
    for name in scene_names():
        region = next(item for item in load_scene(name, 0).regions if item.name == USERS_SIDE)
        assert region.area.x_m[0] == PerceptionConfig().users_side_x_m


def test_perception_and_scenes_agree_on_the_table():
    for name in scene_names():
        table = load_scene(name, 0).table
        config = PerceptionConfig()
        assert (table.x_m, table.y_m, table.height_m) == (config.table_x_m, config.table_y_m, config.table_z_m)
