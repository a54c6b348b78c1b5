"""What releases have stored: their events and their waiting runs load and go on for ever."""
