# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Escape sequences in all text of external origin: the output contains none, on a pipe and on a terminal."""
import os
import shutil

import hostile
import verbs

VARIABLES = ["DEVICE_SERVICES_GPSD", "DEVICE_SERVICES_IIO", "DEVICE_SERVICES_LOCATION", "DEVICE_SERVICES_PROTOCOLS",
             "DEVICE_SERVICES_ACCESSORIES", "DEVICE_SERVICES_UDEV", "DEVICE_SERVICES_CONFIG", "DEVICE_SERVICES_STATE"]
PREFIXES = {"DEVICE_SERVICES_GPSD": "gpsd://", "DEVICE_SERVICES_IIO": "ip:", "DEVICE_SERVICES_ACCESSORIES": "/"}
# The arguments for files that are not recordings.
READERS = {"route": ["synthesize", "{}", "-"], "cof": ["field", "--latitude", "1", "--longitude", "2", "--model", "{}"]}


def prepare(attack, part):
    return None


def cases(attack):
    texts = {name: text for name, text in hostile.CONTROLS.items()}
    # Bytes that are not text, in Python's representation for file names.
    texts.update({name: raw.decode("utf-8", "surrogateescape") for name, raw in hostile.BYTES.items()})
    return [Case(topic, name, text, terminal) for name, text in texts.items() for terminal in (False, True) for topic in TOPICS]


class Case:
    """The location of the text, the text, and the kind of output."""

    def __init__(self, topic, name, text, terminal):
        self.topic, self.name, self.text, self.terminal = topic, name, text, terminal

    @property
    def is_text(self):
        return self.name in hostile.CONTROLS

    def __str__(self):
        return f"{self.topic}-{self.name}-{'terminal' if self.terminal else 'pipe'}"


def run_case(attack, part, case, _):
    folder = part.place(case)
    before = len(part.findings)

    def run(arguments, settings=None, stdin=os.devnull, is_data=False):
        result = attack.tool.run(arguments, terminal=case.terminal, settings=settings, stdin=stdin)
        part.judge(case, result, own_codes=case.terminal, is_data=is_data)
        return result

    TOPICS[case.topic](attack, case, folder, run)
    if len(part.findings) == before:
        shutil.rmtree(os.fsencode(folder), ignore_errors=True)


def trace(attack, case, folder, run):
    """A scrubbed trace."""
    path = hostile.write(os.path.join(folder, "in.trace"), hostile.trace(case.text))
    run(["info", path])
    run(["info", path, "--json"])
    for stream in verbs.STREAMS:
        run(["replay", path, stream, "--speed", "max"])
    for stream in ("location", "accessories", "accelerometer"):
        run(["replay", path, stream, "--json"])
    for name, ending in verbs.FORMATS.items():
        # The recording goes to a file, because it would be on standard output otherwise.
        run(["convert", path, os.path.join(folder, f"{name}.{ending}"), "--format", name])
    run(["scrub", path, os.path.join(folder, "scrub.gpx")])
    run(["cut", path, os.path.join(folder, "cut.nmea"), "--from", "1"])
    run(["merge", path, path, "-o", os.path.join(folder, "both.csv")])
    run(["synthesize", path, os.path.join(folder, "made.trace"), "--rate", "10"])
    run(["calibrate", "--trace", path])
    run(["demo", path, "--seconds", "0.3"])
    run(["convert", path, os.path.join(folder, "x.trace"), "--fault", f"nofix(/dev/{case.text})@1s"])
    for watch in (["list"], ["list", "--json"], ["talk", "Scale"], ["watch", "accessories", "--duration", "0.3"],
                  ["watch", "location", "--count", "1", "--duration", "1"]):
        run(["simulate", path, "--speed", "max", "--", attack.tool.path, *watch])


def files(attack, case, folder, run):
    """Recordings of other programs, and files that are not recordings."""
    for name, text in hostile.files(case.text).items():
        path = hostile.write(os.path.join(folder, name), text)
        ending = name.rpartition(".")[2]
        if ending == "columns":
            run(["info", os.path.join(folder, "names.csv"), "--columns", text.replace("\0", "")])
        elif ending in READERS:
            run([word.format(path) for word in READERS[ending]], is_data=ending == "route")
        else:
            run(["info", path])
            run(["convert", path, os.path.join(folder, "out-" + name + ".trace")])
            run(["replay", path, "location", "--expect", path, "--json"])
        if ending in ("script", "umockdev", "xml"):
            run(["simulate", "accessory", path, "--", "true"])


def names(attack, case, folder, run):
    """Names of files, both existing and missing."""
    name = hostile.odd_name(folder, case.text if case.is_text else hostile.BYTES[case.name])
    for data, ending in ((hostile.trace("x"), b".trace"), ("nothing", b".trace"), (None, b".none"), (None, b"")):
        path = name + ending
        if data is not None:
            hostile.write(path, data)
        out = name + b"-out"
        run(["info", path])
        run(["convert", path, out + b".gpx"])
        run(["convert", path, out])
        run(["merge", path, path, "-o", out + b".mcap"])
        run(["replay", path, "location", "--json"])
        run(["demo", path, "--seconds", "0.1"])
        run(["synthesize", path, out + b".trace"])
        run(["simulate", "accessory", path, "--", "true"])
        run(["record", path, "--duration", "0.1"])
        run(["field", "--latitude", "1", "--longitude", "2", "--model", path])
        run(["calibrate", "--trace", path, "--output", out])
    for arguments in (["info", "a", name], [name], ["replay", "a", os.path.basename(name)], ["watch", os.path.basename(name)],
                      [b"--" + os.path.basename(name)], ["talk", name], ["simulate", "gpsd", "a", "--fault", name],
                      ["convert", "a", "b", "--format", os.path.basename(name)]):
        run(arguments)


def settings(attack, case, folder, run):
    """The settings file."""
    for name, text in hostile.settings(case.text if case.is_text else "TEXT").items():
        data = text.encode() if case.is_text else text.encode().replace(b"TEXT", hostile.BYTES[case.name])
        path = hostile.write(os.path.join(folder, name + ".json"), data)
        set_to = {"DEVICE_SERVICES_CONFIG": path}
        if name in ("source", "scheme"):
            set_to["DEVICE_SERVICES_GPSD"] = ""
        if name == "motion":
            set_to["DEVICE_SERVICES_IIO"] = ""
        run(["list"], set_to)
        run(["list", "--json"], set_to)
        run(["doctor", "--seconds", "0.01"], set_to)


def environment(attack, case, folder, run):
    """The environment."""
    for variable in VARIABLES:
        value = PREFIXES.get(variable, "") + case.text
        for arguments in (["list"], ["doctor", "--seconds", "0.01"], ["list", "--json"]):
            run(arguments, {variable: value})
    for variable in ("TMPDIR", "HOME", "XDG_CONFIG_HOME", "TERM", "COLUMNS", "LC_ALL", "TZ"):
        run(["list"], {variable: case.text})


def accessories(attack, case, folder, run):
    """Accessories declared in a directory, also with an unusual name."""
    text = case.text if case.is_text else "TEXT"
    data = hostile.settings(text)["declared"].encode()
    start, end = data.index(b'[{"name') + 1, data.rindex(b"]}}")
    declared = data[start:end] if case.is_text else data[start:end].replace(b"TEXT", hostile.BYTES[case.name])
    hostile.write(os.path.join(folder, "a.json"), declared)
    hostile.write(os.path.join(folder, "b.json"), declared[:-9])
    hostile.write(hostile.odd_name(folder, case.text if case.is_text else hostile.BYTES[case.name]) + b".json", declared)
    hostile.write(hostile.odd_name(folder, b"c" + (case.text.encode() if case.is_text else hostile.BYTES[case.name])) + b".json", b"{")
    set_to = {"DEVICE_SERVICES_ACCESSORIES": folder}
    for arguments in (["list"], ["list", "--json"], ["doctor", "--seconds", "0.01"], ["talk", "A"], ["talk", case.text],
                      ["watch", "accessories", "--duration", "0.3"], ["watch", "accessories", "--duration", "0.3", "--json"]):
        run(arguments, set_to)


def servers(attack, case, folder, run):
    """A hostile gpsd and a hostile iiod."""
    raw = case.text.encode("utf-8", "surrogateescape") + b"\r\n"
    server = hostile.gpsd(case.text if case.is_text else "TEXT", raw)
    try:
        set_to = {"DEVICE_SERVICES_GPSD": f"gpsd://127.0.0.1:{server.port}"}
        for arguments in (["list"], ["list", "--json"], ["doctor", "--seconds", "0.01"],
                          ["watch", "location", "--count", "1", "--duration", "2"],
                          ["watch", "location", "--count", "1", "--duration", "2", "--json"],
                          ["watch", "location", "--receiver", "/dev/" + case.text, "--duration", "0.2"],
                          ["record", os.path.join(folder, "r.trace"), "--duration", "0.3", "--parts", "position", "--json"]):
            run(arguments, set_to)
        run(["list"], {"DEVICE_SERVICES_GPSD": f"libgps://127.0.0.1:{server.port}"})
    finally:
        server.close()


def sensors(attack, case, folder, run):
    """A hostile iiod with well-formed XML."""
    text = case.text.translate({ord(c): "" for c in "\x1b\x07\x08"})
    xml = hostile.files(text)["context.xml"].encode("utf-8", "surrogateescape")
    _watch(xml if not case.is_text else hostile.DOCTYPE + xml, folder, run)


def libxml2(attack, case, folder, run):
    """An iiod whose XML is not well-formed: libiio's parser prints its own error messages."""
    _watch(hostile.files(case.text)["context.xml"].encode("utf-8", "surrogateescape"), folder, run)


def _watch(xml, folder, run):
    server = hostile.iiod(xml)
    try:
        for arguments in (["list"], ["doctor", "--seconds", "0.01"], ["watch", "accelerometer", "--duration", "0.2"]):
            run(arguments, {"DEVICE_SERVICES_IIO": f"ip:127.0.0.1:{server.port}"})
    finally:
        server.close()
    run(["list"], {"DEVICE_SERVICES_IIO": "xml:" + hostile.write(os.path.join(folder, "context.xml"), xml)})


TOPICS = {topic.__name__: topic for topic in (trace, files, names, settings, environment, accessories, servers, sensors, libxml2)}
