from __future__ import annotations

from collections.abc import Generator

import pytest


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Generator[None, None, None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FRONTIER_AGENT_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield
