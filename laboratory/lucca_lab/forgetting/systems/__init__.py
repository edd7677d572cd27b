"""The rivals, as their papers have them, and ours: all behind `System`."""
