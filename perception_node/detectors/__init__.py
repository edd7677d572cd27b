"""Detectors of objects, with and without trained models, and the segments and regions to which they give labels."""
