"""How long a training step takes from Python, beside the program: `training.py PROGRAM [ROUNDS]`, in turns."""

import json
import statistics
import subprocess
import sys
import tempfile

CODE = """
import gradproof as gp
run = gp.Training(model="block", epochs=10)
report = run.train(on_interval=lambda r: None, on_step={})
print(report["steps"] / report["seconds"])
"""


def by_program(program):
    with tempfile.TemporaryDirectory() as out:
        command = [program, "train", "--model", "block", "--epochs", "10", "--out", out + "/run", "--json"]
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return json.loads(lines[-1])["steps_per_second"]


def by_python(on_step):
    done = subprocess.run([sys.executable, "-c", CODE.format(on_step)], capture_output=True, text=True, check=True)
    return float(done.stdout)


def main():
    program, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 9
    ways = {"program": lambda: by_program(program), "Python": lambda: by_python("None")}
    ways["callback"] = lambda: by_python("lambda r: None")
    times = {name: [] for name in ways}
    for _ in range(rounds):
        for name, steps_per_second in ways.items():
            times[name].append(1e3 / steps_per_second())
    least = min(times["program"])
    for name, of_way in times.items():
        ratio = statistics.median(a / b for a, b in zip(of_way, times["program"], strict=True))
        print(f"{name:9} {min(of_way):.3f} ms a step at best, {min(of_way) / least:.3f} times the program's; median {ratio:.3f}")


main()
