"""Contacts of simulated fingers: which objects a hand has between two fingers, and at how wide an angle.

In a pinch, two different finger links touch one object from opposite sides. The palm does not count as a finger.
"""

from itertools import combinations

import mujoco
import numpy as np
from numpy.typing import NDArray

from lucca_robot.profile import RobotProfile
from lucca_sim.mujoco_contacts import TOUCH_M
from lucca_sim.scene import Scene


class FingerContacts:
    """Finds the objects that each hand pinches, from the contacts in the physics engine."""

    def __init__(self, model: mujoco.MjModel, profile: RobotProfile, scene: Scene) -> None:
        objects = {model.body(item.name).id: index for index, item in enumerate(scene.objects)}
        fingers = {model.body(link).id: side for side in profile.arms for link in profile.finger_links(side)}
        self._body_of = np.array(model.geom_bodyid)
        self._object_of = np.array([objects.get(int(body), -1) for body in self._body_of])
        self._of_hand = {
            side: np.array([fingers.get(int(body)) == side for body in self._body_of]) for side in profile.arms
        }

    def pinched(self, data: mujoco.MjData, side: str) -> dict[int, float]:
        """The widest angle in rad, 0 to pi, between contact normals of two different finger links, by object index.

        Objects touched by fewer than two links are left out.
        """
        contact = data.contact
        pairs, near = contact.geom, contact.dist <= TOUCH_M
        touching: dict[int, list[tuple[int, NDArray[np.float64]]]] = {}
        for finger, thing, sign in ((0, 1, 1.0), (1, 0, -1.0)):
            found = near & self._of_hand[side][pairs[:, finger]] & (self._object_of[pairs[:, thing]] >= 0)
            for index in np.flatnonzero(found):
                link = int(self._body_of[pairs[index, finger]])
                normal = sign * contact.frame[index, :3]
                touching.setdefault(int(self._object_of[pairs[index, thing]]), []).append((link, normal))
        widest = {index: widest_angle(contacts) for index, contacts in touching.items()}
        return {index: angle for index, angle in widest.items() if angle is not None}


def widest_angle(contacts: list[tuple[int, NDArray[np.float64]]]) -> float | None:
    """The widest angle in rad between unit normals (3,) at two different links; None if only one link touches."""
    cosines = [float(one @ other) for (a, one), (b, other) in combinations(contacts, 2) if a != b]
    return float(np.arccos(np.clip(min(cosines), -1.0, 1.0))) if cosines else None
