"""The command splitpin, for python -m splitpin."""
