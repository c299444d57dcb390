"""What is loaded into users' own interpreters: standard library only, Python 3.8 and later."""
