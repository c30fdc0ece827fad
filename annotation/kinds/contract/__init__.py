"""What the rooms ask of a kind: one abstract class for each room that asks."""
