#!/usr/bin/env python3
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Generates the manual pages of sensorctl from its argument parser: one per command, and one for all commands.

    Packaging/make_manuals.py VERSION FOLDER SENSORCTL...    the last words run sensorctl, for example in an emulator

The date is that of SOURCE_DATE_EPOCH.
"""
import json
import os
import re
import subprocess
import sys
import time

# Details that the arguments do not contain. Tests/Packages/run searches for each name in the sources.
ENVIRONMENT = [
    ("DEVICE_SERVICES_GPSD", "The address of gpsd, such as gpsd://host:port."),
    ("DEVICE_SERVICES_IIO", "The libiio contexts of the motion sensors, such as local:, ip:host or usb:, separated by commas."),
    ("DEVICE_SERVICES_ACCESSORIES", "Directories that declare accessories, separated by colons."),
    ("DEVICE_SERVICES_UDEV", "Whether to search for accessories on this machine: on or off."),
    ("DEVICE_SERVICES_PROTOCOLS", "The protocols that programs may use, separated by commas. The default is all."),
    ("DEVICE_SERVICES_LOCATION", "The authorization to use the position: grant, ask, always, whenInUse, deny or restrict."),
    ("DEVICE_SERVICES_CONFIG", "The configuration file. If empty, no file is used."),
    ("DEVICE_SERVICES_STATE", "The directory of stored calibrations."),
]
FILES = [
    ("/etc/device-services.json", "The configuration of this machine, used if the user has none."),
    ("/var/lib/device-services", "Calibrations stored by root."),
    ("/var/lib/sensorctl", "The recordings of sensorctl-record.service and sensorctl-black-box.service."),
    ("/usr/share/sensorctl/grants", "Drop-ins that give these units access to gpsd, the motion sensors and accessories."),
]


def roff(text):
    """Escapes text for roff."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga").replace("'", "\\(aq").replace("^", "\\(ha")
    text = text.replace("~", "\\(ti").replace('"', "\\(dq")
    return "\\&" + text if text.startswith(".") else text


def table(rows):
    """Formats rows of a term and its meaning."""
    return "".join(f".TP\n.B {roff(term)}\n{roff(meaning)}\n" for term, meaning in rows)


def paragraphs(text):
    """Formats the text of a discussion: paragraphs, and indented lines verbatim."""
    out = []
    for paragraph in text.strip("\n").split("\n\n"):
        out.append(".PP\n" if out else "")
        lines = paragraph.split("\n")
        while lines:
            count = next((place for place, line in enumerate(lines) if not line.startswith("  ")), len(lines))
            if count:
                out.append(".nf\n" + "".join(roff(line[2:]) + "\n" for line in lines[:count]) + ".fi\n")
                del lines[:count]
            else:
                out.append(roff(lines.pop(0)) + "\n")
    return "".join(out)


def described(argument):
    """Formats the meaning of an argument, with the rows of a table in its help."""
    lines = argument.get("abstract", "").split("\n")
    out = roff(lines[0]) + "\n"
    rows = [re.split(r" {2,}", line, maxsplit=1) for line in lines[1:]]
    if rows:
        out += ".RS\n" + "".join(f".TP\n.B {roff(row[0])}\n{roff(row[-1] if len(row) > 1 else '')}\n" for row in rows) + ".RE\n"
    notes = []
    values = argument.get("allValues")
    if values and not all(value in argument.get("abstract", "") for value in values):
        notes.append("One of " + ", ".join(values) + ".")
    if "defaultValue" in argument and argument["kind"] == "option":
        notes.append(f"Unless given: {argument['defaultValue']}.")
    if notes:
        out += roff(" ".join(notes)) + "\n"
    return out


def names(argument):
    if argument["kind"] == "positional":
        return f".TP\n.I {roff(argument['valueName'])}\n"
    flags = ", ".join("\\fB" + roff({"long": "--", "short": "-"}.get(name["kind"], "-") + name["name"]) + "\\fR"
                      for name in sorted(argument["names"], key=lambda name: name["kind"] == "long"))
    value = f" \\fI{roff(argument['valueName'])}\\fR" if argument["kind"] == "option" else ""
    return f".TP\n{flags}{value}\n"


class Manual:
    """The manual pages of a sensorctl."""

    def __init__(self, tool, version):
        self.tool, self.version = tool, version
        self.date = time.strftime("%Y-%m-%d", time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"])))
        self.root = json.loads(self.run("--experimental-dump-help"))["command"]

    def run(self, *arguments):
        # The width of the help is that of the terminal.
        return subprocess.run([*self.tool, *arguments], check=True, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              env={**os.environ, "COLUMNS": "80"}).stdout

    def groups(self):
        """Returns the commands below their headings, as in the help."""
        found = re.findall(r"^([A-Z-]+) SUBCOMMANDS:\n((?:  .*\n)+)", self.run("--help"), re.M)
        return [(heading.capitalize(), re.findall(r"^  (\w+)", lines, re.M)) for heading, lines in found]

    def topics(self):
        """Formats the topics of the help, except for the exit codes, which have a section of their own."""
        names = re.findall(r"^  ([a-z-]+)", self.run("--help").partition("\nHELP TOPICS:\n")[2].partition("\n\n")[0], re.M)
        return ".SH HELP TOPICS\n" + "".join(f".SS {roff(name.capitalize())}\n" + paragraphs(self.run("help", name))
                                            for name in names if name != "exit-codes")

    def page(self, command, path):
        title = "-".join(path)
        usage = re.search(r"^USAGE: (.*)$", self.run("help", *path[1:]), re.M).group(1)
        discussion = command.get("discussion", "")
        body, _, examples = discussion.partition("\n\nExamples:\n")
        out = [f".TH {roff(title.upper())} 1 \"{self.date}\" \"sensorctl {self.version}\" \"User Commands\"\n",
               # Names of commands and options are not hyphenated.
               ".nh\n.ad l\n",
               f".SH NAME\n{roff(title)} \\- {roff(command['abstract'].rstrip('.'))}\n",
               f".SH SYNOPSIS\n.B {roff(usage)}\n"]
        if body.strip():
            out.append(".SH DESCRIPTION\n" + paragraphs(body))
        shown = [item for item in command.get("arguments", []) if item.get("shouldDisplay", True)]
        sections = [("ARGUMENTS", [item for item in shown if item["kind"] == "positional"])]
        options = [item for item in shown if item["kind"] != "positional"]
        for section in dict.fromkeys(item.get("sectionTitle", "OPTIONS") for item in options):
            sections.append((section.upper(), [item for item in options if item.get("sectionTitle", "OPTIONS") == section]))
        for section, items in sections:
            if items:
                out.append(f".SH {roff(section)}\n" + "".join(names(item) + described(item) for item in items))
        below = [item for item in command.get("subcommands", []) if item["commandName"] != "help"]
        if len(path) == 1:
            abstracts = {item["commandName"]: item["abstract"] for item in below}
            out.append(".SH VERBS\n")
            for heading, verbs in self.groups():
                out.append(f".SS {roff(heading)}\n" + table((verb, abstracts.pop(verb)) for verb in verbs))
            if abstracts:
                sys.exit(f"These verbs are in no group: {', '.join(abstracts)}.")
        elif below:
            out.append(".SH VERBS\n" + table((item["commandName"], item["abstract"]) for item in below))
        if len(path) == 1:
            out += [self.topics(), ".SH ENVIRONMENT\n", table(ENVIRONMENT), ".SH FILES\n", table(FILES)]
            out.append(".SH EXIT STATUS\n" + paragraphs(self.run("help", "exit-codes")))
        if examples:
            out.append(".SH EXAMPLES\n" + paragraphs(examples))
        others = ["-".join(path[:-1])] if len(path) > 1 else []
        others += [f"{title}-{item['commandName']}" for item in below]
        out.append(".SH SEE ALSO\n" + ",\n".join(f".BR {roff(other)} (1)" for other in others).replace("(1),", "(1),") + "\n")
        return title, "".join(out)

    def pages(self, command=None, path=("sensorctl",)):
        command = command or self.root
        yield self.page(command, path)
        for item in command.get("subcommands", []):
            if item["commandName"] != "help":
                yield from self.pages(item, path + (item["commandName"],))


def main():
    version, folder, *tool = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    for title, text in Manual(tool, version).pages():
        with open(os.path.join(folder, title + ".1"), "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
