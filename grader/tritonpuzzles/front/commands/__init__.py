"""The commands of `tritonpuzzles`; `cli.COMMANDS` says in which file each stands, in the order of the help text."""
