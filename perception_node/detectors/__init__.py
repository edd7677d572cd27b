"""Detectors of objects, with and without trained models, and the segments and regions that they name."""
