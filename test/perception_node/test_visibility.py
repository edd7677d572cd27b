"""A place is empty, taken or hidden, as the depth says."""

import numpy as np

from perception_node.camera import Camera
from perception_node.identity.visibility import Sight, View

CAMERA = Camera(
    width=160,
    height=120,
    fx=150.0,
    fy=150.0,
    cx=79.5,
    cy=59.5,
    rotation=np.diag([1.0, -1.0, -1.0]),
    position_m=np.array([0.4, 0.0, 1.8]),
)
PLACE, SIZE = np.array([0.4, 0.0, 0.83]), np.array([0.06, 0.06, 0.06])


def view(depth_m: float, *, masked: bool = False) -> View:
    shape = (CAMERA.height, CAMERA.width)
    return View(np.full(shape, depth_m, np.float32), CAMERA, np.full(shape, masked))


def test_a_ray_that_goes_on_to_the_table_means_empty():
    assert view(1.0).sight(PLACE, SIZE) is Sight.EMPTY


def test_a_ray_that_ends_at_its_top_means_taken():
    assert view(0.946).sight(PLACE, SIZE) is Sight.OCCUPIED


def test_something_nearer_hides_it():
    assert view(0.7).sight(PLACE, SIZE) is Sight.HIDDEN


def test_a_mask_unknown_depth_and_the_picture_s_edge_hide_it():
    assert view(1.0, masked=True).sight(PLACE, SIZE) is Sight.HIDDEN
    assert view(0.0).sight(PLACE, SIZE) is Sight.HIDDEN
    assert view(float('nan')).sight(PLACE, SIZE) is Sight.HIDDEN
    assert view(1.0).sight(PLACE + np.array([3.0, 0.0, 0.0]), SIZE) is Sight.HIDDEN


def test_a_thing_is_excluded_only_if_every_spot_is_seen_empty():
    spots = np.array([PLACE, PLACE + np.array([0.1, 0.0, 0.0])])
    assert view(1.0).excludes(spots, SIZE)
    assert not view(0.946).excludes(spots, SIZE)
    assert not view(1.0).excludes(np.array([PLACE, PLACE + np.array([3.0, 0.0, 0.0])]), SIZE)
