"""`python -m kgscripts`: the same as the command `kgscripts`."""

from cli import main

main()
