"""A terminal monitor and test bench for clusters of NVIDIA DGX Sparks and their switch."""

__version__ = "0.1.0"
