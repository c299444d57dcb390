"""What must hold in a workflow beyond each of its parts: each check returns sentences about what does not."""
