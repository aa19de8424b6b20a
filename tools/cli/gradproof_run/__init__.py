"""Runs a program and tells what its lines computed; gradproof check --run holds that to what it read."""
