"""What a detection says of itself."""

from lucca_core.protocol.snapshots import Pose
from perception_node.detector import Detection

PEAR = Detection(
    label='pear',
    score=0.9,
    attributes=('green',),
    pose_world=Pose((0, 0, 0)),
    size_m=(1, 1, 1),
    alternatives=(('can', 0.4),),
)
BOX = Detection(label='box 1', score=1.0, pose_world=Pose((0, 0, 0)), size_m=(1, 1, 1), is_container=True)


def test_a_detection_scores_the_labels_it_might_be():
    assert (PEAR.score_of('pear'), PEAR.score_of('can'), PEAR.score_of('cup')) == (0.9, 0.4, 0.0)
    assert (PEAR.colour, BOX.colour) == ('green', '')
