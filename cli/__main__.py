"""`python -m goalkeeper.cli`, for where the script is not on the PATH."""

from . import main

main(prog_name="goalkeeper")
