"""A small app: a panel, and the notebook that shows it."""

import nbformat

# A panel; each stop does what a move may do to its worker.
PANEL = """import os, time
import plotly.graph_objects as go
from explorable.panels import Choice, Explorable, File, Slider, UploadedFile

SEEN = []

def fine(): return "fine"
def dies(): os._exit(1)
def fills(): bytearray(20 * 2**30)
def loops():
    while True: pass
def hangs(): 7 ** 10 ** 9
def fails(): raise RuntimeError("in " + os.getcwd() + "x" * 1000)
def sleeps(): time.sleep(0.6)
def naps(): time.sleep(3)
DOES = [fine, dies, fills, loops, hangs, fails, sleeps, naps]
NAMES = [one.__name__ for one in DOES]

def dial(does, n, file):
    if isinstance(file, UploadedFile):
        SEEN.append(file.text)
    DOES[NAMES.index(does)]()
    told = {"pid": os.getpid(), "nice": os.getpriority(os.PRIO_PROCESS, 0), "seen": len(SEEN)}
    said = file.text if isinstance(file, UploadedFile) else "<b>&amp;" * 200
    return go.Figure(layout={"meta": {"sentence": said, **told}})

Explorable(dial, does=Choice(NAMES), n=Slider(0, 10**6), file=File(["one", "two"], limit=10**6))"""


def notebook(*cells: str, title: str = "A question?") -> nbformat.NotebookNode:
    first = nbformat.v4.new_markdown_cell(f"Not this.\n\n# {title}")
    made = nbformat.v4.new_notebook(cells=[first, *map(nbformat.v4.new_code_cell, cells)])
    made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return made
