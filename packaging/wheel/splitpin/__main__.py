"""python -m splitpin: the command splitpin of this environment."""

import os
import sys
from importlib.metadata import files

# Where the installer put it: it differs between environments, --user and --prefix.
command = next(str(file.locate()) for file in files("splitpin") if file.parts[-2:] == ("bin", "splitpin"))
os.execv(command, ["splitpin", *sys.argv[1:]])
