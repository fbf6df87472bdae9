"""The long runs behind the book: each file makes what `mipbook.stored` and the rooms load.

A file's name is how its runs' names start. It lists them as ``RUNS``; nothing else names them.
``python -m mipbook runs NAME`` makes what is missing. Nobody imports these but their tests.
"""
