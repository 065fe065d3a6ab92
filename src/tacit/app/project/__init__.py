"""The studio's project: a folder that holds the plan and every state it was in."""
