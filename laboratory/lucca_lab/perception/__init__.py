"""How well the robot sees: rendered tables in varied light, from varied places, with noise, against what truly stands there.

`scenes.py` draws what stands where; `view.py` renders it and knows the truth; `scoring.py` compares; `stills.py` and
`sequences.py` run one scene and one sequence; `run.py` all of them; `report.py` writes tables and pictures.
"""
