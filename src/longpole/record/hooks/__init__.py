"""What is seen inside frameworks: one module for each, loaded into the user's Python when it is imported there.

Standard library only, Python 3.8 and later. Nothing in here may raise into the program, change what it
computes, or show up in its tracebacks and warnings.
"""
