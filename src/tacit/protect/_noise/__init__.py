"""What the noise methods share: moments, draws by row, and the forms that need whole columns."""
