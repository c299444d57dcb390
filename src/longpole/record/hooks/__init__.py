"""What is seen inside frameworks: a module for each, loaded into the user's Python when it imports that.

Standard library only, Python 3.8 and later. Nothing in here may raise into the program, change what it
computes, or show up in its tracebacks and warnings.
"""
