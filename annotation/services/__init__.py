"""Every write, one function per action; views, commands and tasks call these."""
