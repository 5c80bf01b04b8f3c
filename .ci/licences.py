#!/usr/bin/env python3
"""Every dependency must come under a licence that goes with ours."""

import json
import subprocess
import sys

GOOD = {
    "MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "ISC", "Zlib",
    "Unicode-3.0", "Unicode-DFS-2016", "0BSD", "Unlicense", "CC0-1.0", "BSL-1.0", "MIT-0", "CDLA-Permissive-2.0",
}


def fits(expression):
    """Whether an SPDX expression can be met with good licences only."""
    text = expression.replace("/", " OR ").replace("(", " ( ").replace(")", " ) ")
    text = text.replace("Apache-2.0 WITH LLVM-exception", "Apache-2.0-WITH-LLVM-exception")
    words = []
    for word in text.split():
        if word in ("OR", "AND", "(", ")"):
            words.append(word.lower() if word in ("OR", "AND") else word)
        else:
            words.append(str(word.replace("-WITH-", " WITH ") in GOOD))
    return eval(" ".join(words), {"__builtins__": {}})  # only True, False, and, or, parentheses


def main():
    command = ["cargo", "metadata", "--format-version", "1", "--locked"]
    packages = json.loads(subprocess.check_output(command))["packages"]
    bad = [f"{p['name']} {p['version']}: {p['license']}" for p in packages if not p["license"] or not fits(p["license"])]
    print(f"{len(packages)} packages, {len(bad)} with a licence that does not fit")
    print("\n".join(bad))
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
