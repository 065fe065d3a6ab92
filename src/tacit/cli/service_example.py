"""An example service as files: made-up patients, a service file, and a key for each role."""

from __future__ import annotations

from pathlib import Path

from ..errors import TacitError
from .new_file import write_new

SERVICE = """\
# A query service over made-up patients (tacit example clinic). Start it with: tacit serve SERVICE.toml
[service]
host = "127.0.0.1"              # beyond loopback: tls = {{ certificate = "…", key = "…" }}
port = 8470
ledger = "ledger.db"            # or postgresql://…
grid = 0.1                      # seconds: answers leave on this grid, whatever the engine took
time_limit = 10                 # seconds: then refused, and charged

[dataset.patients]
path = "clinic.csv"
version = "2024"
mode = "dp"                     # noise on every answer
unit = "household"              # whole households are protected, not only persons
rows_per_unit = 6               # of a household at most six rows count
neighbours = "add_remove"
budget = {{ epsilon = 10, delta = 1e-6 }}
threshold_delta = 1e-8          # δ of a question by keys without a list, such as zip
[dataset.patients.columns]      # all that analysts see of the data before they ask
sex = {{ kind = "category", values = ["F", "M", "X"] }}
birth = {{ kind = "date", low = 1920-01-01, high = 2024-12-31 }}
education = {{ kind = "integer", low = 0, high = 8 }}
visits = {{ kind = "integer", low = 1, high = 20, confidential = true }}
income = {{ kind = "number", low = 0, high = 100000, step = 1, confidential = true }}
rent = {{ kind = "number", low = 0, high = 3000, step = 10 }}
zip = {{ kind = "text" }}

[project.rents]
budget = {{ patients = {{ epsilon = 5, delta = 1e-6 }} }}

[account.olga]
role = "owner"                  # sees all budgets and the whole history
key = "{owner}"
[account.ana]
role = "analyst"                # asks within her own budget and that of her project
key = "{analyst}"
projects = ["rents"]
budget = {{ patients = {{ epsilon = 3, delta = 1e-6 }} }}
[account.eva]
role = "auditor"                # reads the history and verifies the ledger
key = "{auditor}"
"""

KEYS = {"owner": "olga.key", "analyst": "ana.key", "auditor": "eva.key"}
"""Role → the file with the key of the account that has it."""


def write_service(folder: Path) -> list[str]:
    """Write the files and say what to do with them; files that are there already are never replaced."""
    from ..examples import clinic
    from ..query.account import key_hash, new_key
    from ..release.files import save

    data, file = folder / "clinic.csv", folder / "SERVICE.toml"
    for path in (data, file, *(folder / name for name in KEYS.values())):
        if path.exists():
            raise TacitError(f"{str(path)!r} is there already", fix="choose another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        raise TacitError(f"the folder {str(folder)!r} cannot be written", fix="choose another one") from None
    keys = {role: new_key() for role in KEYS}
    for role, name in KEYS.items():
        write_new(folder / name, keys[role] + "\n", private=True)
    data.touch(mode=0o600)
    save(clinic(4000).frame, data)
    data.chmod(0o600)  # whatever the way in which it was written
    write_new(file, SERVICE.format(**{role: key_hash(key) for role, key in keys.items()}), private=True)
    question = '"SELECT sex, COUNT(*) AS n, AVG(rent) AS rent FROM patients GROUP BY sex"'
    ana = f"tacit query --key-file {folder / KEYS['analyst']}"
    return [
        f"written: {file}, {data} and a key for each role (*.key)",
        "",
        f"  tacit serve {file}",
        "",
        f"then open the address that it prints in a browser and paste the key in {folder / KEYS['analyst']}; "
        "or in another terminal:",
        "",
        f"  {ana} --datasets",
        f"  {ana} --cost {question} --spend 0.5",
        f"  {ana} {question} --spend 0.5",
        f"  {ana} --budget",
    ]
