"""The engine for one machine: processes of our own, warm workers, and folders on its disks."""
