from config.formats.iso import *  # noqa: F403
