"""The perception experiment: rendered tables in varied light, viewpoint and noise, against ground truth.

`scenes.py` draws the scenes; `view.py` renders them and knows the ground truth; `scoring.py` compares; `stills.py` and
`sequences.py` run one scene and one sequence; `run.py` runs all of them; `report.py` writes tables and pictures.
"""
