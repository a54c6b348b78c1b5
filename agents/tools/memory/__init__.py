"""What was learned: findings of this and earlier runs."""
