"""The four ways to answer; the owner of the data chooses one for a data set."""
