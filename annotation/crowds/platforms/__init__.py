"""What is done on each crowd platform, behind the interface of `annotation.core.platforms`."""
