"""Rules: each looks for one thing that costs time, and says which change it suspects to gain from."""
