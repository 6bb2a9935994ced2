"""Writes each Python sample of the README into a file: ``python samples.py FOLDER``."""

import re
import sys
from pathlib import Path

readme = (Path(__file__).parent.parent / "README.md").read_text()
for number, sample in enumerate(re.findall(r"^```python\n(.*?)^```$", readme, re.DOTALL | re.MULTILINE)):
    Path(sys.argv[1], f"sample_{number}.py").write_text(sample)
