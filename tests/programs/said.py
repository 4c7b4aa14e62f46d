"""What an answer says, to be compared with another answer about the same program."""


def said(document):
    """Of a document of `explain`, `run` or the window: gradients and alerts, without figures, which differ from run to run."""
    gradients = {(row["source"], row["status"], row["reason"], row["location"]) for row in document["gradients"]}
    alerts = {(alert["kind"], alert["subject"], alert["location"]) for alert in document["alerts"]}
    return {"gradients": gradients, "alerts": alerts}


def differences(name, one, document, other, other_document):
    """A line for each part in which the two differ; `one` and `other` say where the documents come from."""
    left, right = said(document), said(other_document)
    return [f"{name}, {part}: {one} alone {sorted(left[part] - right[part], key=str)}, {other} alone {sorted(right[part] - left[part], key=str)}"
            for part in left if left[part] != right[part]]
