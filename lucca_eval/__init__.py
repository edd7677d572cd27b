"""Experiments: drives the plain parts on symbolic tables and judges the outcome. Needs no ROS graph."""
