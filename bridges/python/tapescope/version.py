"""The version of the bridge, which is that of the application."""
__version__ = "0.1.0"
