"""What is drawn into the picture."""

import dataclasses

import numpy as np

from perception_node.annotation import annotated


def test_a_copy_is_drawn_on_with_every_object_marked(make_table):
    table = make_table('sorting_tower', 1)
    pipeline = table.pipeline()
    frame = table.frame()
    original = frame.rgb.copy()
    snapshot = pipeline.process(frame)
    picture = annotated(frame.rgb, snapshot, pipeline.camera)
    assert (frame.rgb == original).all()
    assert picture.shape == original.shape
    for item in snapshot.objects:
        x, y, width, _ = item.box_px
        assert (picture[y - 1, x : x + width] != original[y - 1, x : x + width]).any(), item.name


def test_what_is_not_seen_is_marked_where_it_is_believed_to_be(make_table):
    table = make_table('pointing', 1)
    pipeline, frame = table.pipeline(), table.frame()
    snapshot = pipeline.process(frame)
    hidden = tuple(dataclasses.replace(item, visible=False, inferred=True) for item in snapshot.objects)
    seen = annotated(frame.rgb, snapshot, pipeline.camera)
    unseen = annotated(frame.rgb, dataclasses.replace(snapshot, objects=hidden), pipeline.camera)
    assert np.any(seen != unseen)
