"""The version of library, application and bridge: CMake and the wheel read it here."""
__version__ = "0.2.0"
