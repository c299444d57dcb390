"""The command line, and the pipelines that join the layers."""
