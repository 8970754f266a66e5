"""Other layouts in: chats for evaluation today, a workspace's memory files later."""
