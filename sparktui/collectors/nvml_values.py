"""NVML answered from values instead of a driver: for fixtures and for simulated nodes. Not used on nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import SimpleNamespace
from typing import Any

CODES = {
    "Uninitialized": 1,
    "Not Supported": 3,
    "Insufficient Permissions": 4,
    "Timeout": 10,
    "Function Not Found": 13,
    "GPU is lost": 15,
    "GPU requires restart": 16,
    "Unknown Error": 999,
}
"""NVML's return codes by the texts that pynvml gives them."""


class NvmlError(Exception):
    """Stands for pynvml's NVMLError: its text, and the return code as `value`."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.value = CODES.get(text, 999)


class NvmlValues:
    """Has pynvml's functions that start with nvmlDeviceGet; each answers from what `describe` returns at that moment.

    `describe()` returns {"driver": "580.178.04", "devices": [DEVICE, ...]}; it is called for every answer, so it has to
    be cheap. A DEVICE maps function names, with the arguments after the handle where there are any, to answers:
    {"nvmlDeviceGetName": "NVIDIA GB10", "nvmlDeviceGetClockInfo(1)": 208, "nvmlDeviceGetMemoryInfo": {"total": 1}}.
    An object is answered as a structure, a list as a list of them. What is absent is not supported;
    {"error": "Unknown Error"} as an answer raises that, and {"error": "GPU is lost"} as a DEVICE raises it for its
    handle.
    """

    def __init__(self, describe: Callable[[], Mapping[str, Any]]) -> None:
        self._describe = describe

    def nvmlShutdown(self) -> None:
        """Nothing was opened."""

    def nvmlSystemGetDriverVersion(self) -> str:
        return str(self._describe()["driver"])

    def nvmlDeviceGetCount(self) -> int:
        return len(self._describe()["devices"])

    def nvmlDeviceGetHandleByIndex(self, index: int) -> int:
        _checked(self._describe()["devices"][index])
        return index

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if not name.startswith("nvmlDeviceGet"):
            raise AttributeError(name)
        return partial(self._answer, name)

    def _answer(self, name: str, handle: int, *arguments: object) -> Any:
        device = _checked(self._describe()["devices"][handle])
        key = f"{name}({', '.join(map(str, arguments))})" if arguments else name
        if key not in device:
            raise NvmlError("Not Supported")
        return _structure(device[key])


def _checked(answer: Any) -> Any:
    if isinstance(answer, Mapping) and "error" in answer:
        raise NvmlError(str(answer["error"]))
    return answer


def _structure(answer: Any) -> Any:
    if isinstance(answer, Mapping):
        return SimpleNamespace(**{name: _structure(value) for name, value in _checked(answer).items()})
    return [_structure(item) for item in answer] if isinstance(answer, list) else answer
