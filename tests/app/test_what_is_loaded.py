"""What a service does without until it is needed: libraries that take more memory than a thousand pages."""

import subprocess
import sys
from pathlib import Path

_CODE = """
import asyncio, sys
from lamplighter import app, settings

async def go():
    async with app.open_service(settings.load({}, data_dir=sys.argv[1])) as service:
        assert await service.leading.cohort_keeper.gather_if_old()
        await service.leading.pricer.reprice_if_old()
    print({"numpy", "cryptography"} & set(sys.modules))

asyncio.run(go())
"""


def test_a_service_without_sources_and_secrets_loads_neither_arrays_nor_cryptography(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", _CODE, str(tmp_path)], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines()[-1] == "set()"
