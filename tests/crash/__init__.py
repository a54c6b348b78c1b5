"""Kills workers with SIGKILL and SIGSTOP and asks an oracle outside the product what really happened."""
