"""One file per command of `tritonpuzzles`; `cli.COMMANDS` names them in the order of the help text."""
