"""The cases are run by the tests here, each as a project of its own would run it."""

collect_ignore = ["cases"]
