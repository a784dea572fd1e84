"""One module for each command of the command line; imported only when that command is called."""
