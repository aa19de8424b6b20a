"""The report on a kernel: one line for each contract, below it what is wrong and why."""

from ._report import Report

MEANING = {  # the contracts, in their order
    "value": "y is the true one",
    "gradient": "every gradient is the true one",
    "unchanged": "inputs and cotangent are not written to",
    "deterministic": "the same bits twice",
    "independent": "nothing is kept between calls",
    "linear": "the backward is linear in the cotangent, and 0 for 0",
    "needed": "each gradient is the same where only it is asked for",
    "layout": "the same for strided, reversed, transposed and read-only arrays",
    "in bounds": "nothing around an array is read or written",
    "accumulation": "gradients of several backward passes, and of one array given twice, add up",
    "saved tensors": "writing to inputs or y after the forward changes no gradient, or is refused",
    "refusals": "calls that make no sense are refused",
    "second derivatives": "a second backward gives the true second derivatives",
    "special values": "NaN and infinities stand where the page has them",
}
IN_FLOAT = "y in float32 is that in float64; nothing else is known of it"
NO_SAMPLE = {
    "special values": "asked by conventions=True",
    "refusals": "nothing says which calls have to be refused",
}
STRENGTH = {
    "page": "the page of {}",
    "proof": "the derivation {}",
    "reference": "the function {}",
    "itself": "differences of its own forward: the weaker evidence, for the forward is its own witness",
}


def _verdict(samples):
    asked = [s for s in samples if not s["excused"]]
    if any(s["verdict"] == "wrong" for s in samples):
        return "wrong"
    if any(s["verdict"] == "cannot tell" for s in samples):
        return "cannot tell"
    if any(s["verdict"] == "told" for s in samples):
        return "told"
    return "right" if asked else "not asked"


def _contract(name, samples, plan):
    verdict = _verdict(samples)
    asked = [s for s in samples if not s["excused"]]
    wrong = [s for s in samples if s["verdict"] == verdict]
    if verdict in ("wrong", "cannot tell"):
        told = f'sample "{wrong[0]["sample"]}": {wrong[0].get("reason", "")}'
    elif verdict == "right":
        meaning = IN_FLOAT if (name, plan.kind) == ("value", "itself") else MEANING[name]
        told = f"{meaning}, on {len(asked)} sample{'s' if len(asked) != 1 else ''}"
    elif samples:
        told = next((s for s in samples if s["verdict"] == verdict), samples[0]).get("reason", "")
    else:
        told = NO_SAMPLE.get(name, "no sample")
        if name == "special values" and plan.special:
            told = "the page of an op says where they stand: like="
    return {"name": name, "verdict": verdict, "told": told, "samples": samples}


def _worst(sample):
    lines = []
    if worst := sample.get("worst"):
        at = ",".join(map(str, worst["index"]))
        lines.append(f"worst at {worst['tensor']}[{at}]: {_claimed_and_true(worst['claimed'], worst['true'])}")
    for census in sample.get("census", []):
        if census["off"]:
            size = sample.get("sizes", {}).get(census["tensor"], 0)
            drawn = f", drawn out of {size}" if size > census["compared"] else ""
            lines.append(f"{census['tensor']}: {census['off']} of {census['compared']} entries off{drawn}")
    for why in sample.get("diagnoses", []):
        lines.append(f"why: {why['tensor']}: {why['text']}")
    return lines + [f"hint: {hint}" for hint in sample.get("hints", [])]


def _claimed_and_true(*values):
    """With six digits, or as many as it takes to see a difference."""
    for digits in range(6, 18):
        claimed, true = (f"{v:.{digits}g}" if isinstance(v, (int, float)) else v for v in values)
        if claimed != true:
            break
    return f"claimed {claimed}, true {true}"


def _told(contract):
    lines = [f"  {contract['verdict']:<11} {contract['name']:<18} {contract['told']}"]
    if contract["verdict"] not in ("wrong", "cannot tell"):
        return lines
    same = [s for s in contract["samples"] if s["verdict"] == contract["verdict"]]
    lines += [" " * 33 + line for line in _worst(same[0])]
    others = [name for name in dict.fromkeys(s["sample"] for s in same) if name != same[0]["sample"]]
    if others:
        more = ", ".join(f'"{name}"' for name in others[:3])
        lines.append(" " * 33 + f"also on {more}{', ...' if len(others) > 3 else ''}")
    return lines


def about(data, name, sample):
    """A contract on one sample, of which something is wrong, in some lines."""
    reason = sample.get("reason", "")
    lines = [f'{name}, sample "{sample["sample"]}": {sample["verdict"]}: {reason}', *("    " + line for line in _worst(sample))]
    raised = [text.rstrip().split("\n") for text in data["tracebacks"] if text.rstrip().split("\n")[-1][:80] in reason]
    lines += ["    " + line for text in raised for line in text]
    lines += [f"{data['kernel']}{' (' + data['file'] + ')' if data['file'] else ''} against {data['against']}"]
    return "\n".join(lines + [f"note: {note}" for note in data["notes"]]) + "\n"


def _text(data, plan):
    head = f"{data['kernel']}{' (' + data['file'] + ')' if data['file'] else ''} against {data['against']}"
    lines = [f"{head}      {data['calls']} samples, {data['entries']} entries compared, {' '.join(data['types'])}"]
    for contract in data["contracts"]:
        lines += _told(contract)
    for why, count in data["not_asked"].items():
        lines.append(f"  {'not asked':<11} {count} sample{'s' if count > 1 else ''}: {why}")
    lines += [f"  note: {note}" for note in data["notes"]]
    for text in data["tracebacks"]:
        lines += ["  raised in the kernel:"] + ["    " + line for line in text.rstrip().split("\n")]
    wrong = sum(c["verdict"] == "wrong" for c in data["contracts"])
    asked = sum(c["verdict"] not in ("not asked", "told") for c in data["contracts"])
    lines.append(f"{data['verdict']}: {wrong} of {asked} contracts broken, seed {data['seed']}")
    if [c["name"] for c in data["contracts"] if c["verdict"] == "wrong"] == ["second derivatives"]:
        lines[-1] += ": value and gradient are right, and the gradient is not to be differentiated once more"
    return "\n".join(lines) + "\n"


def _declared(plan):
    if plan.surrogate is not None:
        return ", its gradient, declared straight-through, against that of another function"
    if plan.uncompared:
        return f", without the gradient by {', '.join(plan.uncompared)}, which is declared straight-through"
    return ""


def report(plan, found, calls, seconds):
    """The report on what is `found`: for each contract a list of samples."""
    contracts = [_contract(name, found.get(name, []), plan) for name in MEANING]
    by_name = {c["name"]: c["verdict"] for c in contracts}
    verdict = "right"
    if "wrong" in by_name.values():
        verdict = "wrong"
    elif "cannot tell" in by_name.values() or by_name["gradient"] == "not asked" and not plan.uncompared:
        verdict = "cannot tell"
    data = {
        "schema": 1,
        "kernel": plan.kernel.name,
        "file": plan.kernel.file,
        "framework": plan.kernel.framework,
        "against": STRENGTH[plan.kind].format(plan.name) + _declared(plan),
        "verdict": verdict,
        "types": plan.dtypes,
        "seed": plan.seed,
        "seconds": round(seconds, 3),
        "calls": calls,
        "entries": sum(s["entries"] for c in contracts if c["name"] == "gradient" for s in c["samples"]),
        "contracts": contracts,
        "not_asked": plan.not_asked,
        "notes": plan.kernel.notes,
        "tracebacks": plan.kernel.tracebacks,
    }
    return Report(verdict, _text(data, plan), data)
