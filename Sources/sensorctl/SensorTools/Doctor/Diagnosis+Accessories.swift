// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore

extension Diagnosis {
    /// What keeps accessories from being found, opened or used.
    static func accessories(_ facts: AccessoryFacts, _ machine: MachineFacts) -> [Finding] {
        var findings = discovery(facts, machine)
        let problems = facts.problems.filter { problem in
            // What udev lacks has been said in more detail.
            findings.isEmpty || ![.notSupported, .notFound].contains(problem.code)
                || !problem.message.contains("udev")
        }
        findings += problems.map { Finding(.problem, topic, $0.description) }
        findings += facts.missingFolders.map { path in
            Finding(
                .problem, topic, "The folder for declared accessories \(path) does not exist.",
                repair: "mkdir -p \(word(path))")
        }
        findings += facts.accessories.flatMap { accessory($0, facts, machine) }
        findings += declared(facts, machine)
        findings += facts.candidates.map { candidate($0, facts) }
        if facts.accessories.isEmpty, findings.isEmpty {
            findings.append(Finding(.good, topic, "No accessory is attached."))
        }
        return findings
    }

    private static let topic = "accessories"

    /// Whether accessories can be noticed, and left in peace.
    private static func discovery(_ facts: AccessoryFacts, _ machine: MachineFacts) -> [Finding] {
        var findings: [Finding] = []
        if !machine.traits.contains("LibUdev") {
            findings += .one(
                .remark, topic,
                "This program was built without libudev: accessories on USB are not found, only declared ones.",
                repair: "sudo apt-get install libudev-dev",
                "swift build    # with the trait LibUdev, which is on by default")
        } else if !facts.hasUdev {
            let repair =
                facts.container == nil
                ? [
                    "sudo systemctl enable --now systemd-udevd    # or: a static /dev, and protocol names in the configuration"
                ]
                : [
                    "docker run -v /run/udev:/run/udev:ro -v /dev:/dev --network host --device-cgroup-rule 'c 166:* rwm' --device-cgroup-rule 'c 188:* rwm' …"
                ]
            let place = facts.container.map { " in this container (\($0))" } ?? ""
            findings += .one(
                .remark, topic,
                "udevd does not run\(place): the kernel's own events are used, and no rule of udev names protocols or sets permissions.",
                repair: repair)
        }
        let hasTTY = (facts.accessories.flatMap(\.protocols).compactMap(\.node?.path) + facts.candidates.map(\.node))
            .contains { $0.contains("/ttyACM") || $0.contains("/ttyUSB") }
        if facts.hasModemManager, !facts.hasRules, hasTTY {
            findings += .one(
                .remark, topic,
                "ModemManager runs and tries every new serial port as a modem: for some seconds a port is busy, and an accessory hears what is not meant for it.",
                repair: installRules)
        }
        return findings
    }

    /// Puts this package's rules in force.
    private static let installRules = [
        "sensorctl rules | sudo tee /etc/udev/rules.d/\(UdevRules.fileName)",
        "sudo udevadm control --reload && sudo udevadm trigger --subsystem-match=usb --subsystem-match=tty --subsystem-match=hidraw",
    ]

    private static func accessory(
        _ accessory: AccessoryDescription, _ facts: AccessoryFacts, _ machine: MachineFacts
    ) -> [Finding] {
        var findings: [Finding] = []
        if accessory.protocols.isEmpty {
            findings.append(Finding(.remark, topic, "\(accessory.label) offers no protocol."))
        }
        for offered in accessory.protocols {
            let name = "\(accessory.label), \(offered.name)"
            let obstacle = offered.node.flatMap { facts.nodes[$0.path] }.flatMap { node(name, $0, machine) }
            if let obstacle {
                findings.append(obstacle)
            } else {
                let place = offered.node.map { " at \($0.path)" } ?? ""
                findings.append(
                    Finding(.good, topic, "\(name)\(place) can be opened (named by: \(offered.origin.words))."))
            }
            let allowed = machine.configuration.appProtocols
            if let names = allowed.value, !names.contains(offered.name) {
                let list = (names + [offered.name]).joined(separator: ",")
                findings += .one(
                    .remark, topic,
                    "Programs may not use \(offered.name) of \(accessory.label): it is not among the protocols of \(allowed.origin.description).",
                    repair: "export DEVICE_SERVICES_PROTOCOLS=\(word(list))")
            }
        }
        return findings
    }

    /// Declared accessories that are not attached.
    private static func declared(_ facts: AccessoryFacts, _ machine: MachineFacts) -> [Finding] {
        let attached = Set(facts.accessories.map(\.identity))
        return machine.configuration.declaredAccessories.value.filter { !attached.contains($0.description.identity) }
            .flatMap { accessory in
                accessory.endpoints.compactMap { endpoint in
                    facts.nodes[endpoint.node.path].flatMap {
                        node("\(Printable.text(accessory.name)), \(endpoint.name)", $0, machine)
                    }
                }
            }
    }

    /// What keeps a node from being opened; nil when nothing does.
    private static func node(_ name: String, _ node: NodeFacts, _ machine: MachineFacts) -> Finding? {
        let path = node.path
        guard node.exists else {
            return Finding(
                .problem, topic, "\(name): \(path) does not exist.",
                repair: path.hasPrefix("/dev/")
                    ? ["ls -l /dev/tty[A-Z]* /dev/serial/by-id    # what it may be called"]
                    : ["ls -l \(word(path))    # does the program run that makes it?"])
        }
        guard node.canOpen else {
            return Finding(
                .problem, topic,
                "\(name): the user \(machine.user) may not open \(path) (its mode is \(node.mode), its owner \(node.owner), its group \(node.group)).",
                repair: permission(node, machine))
        }
        if node.isSocket { return socket(name, node) }
        guard let holder = node.holders.first else { return nil }
        let programs = node.holders.map { "\($0.name) (pid \($0.pid))" }.joined(separator: " and ")
        return Finding(.problem, topic, "\(name): \(path) is in use by \(programs).", repair: release(path, holder))
    }

    /// Who is connected to a socket; that may keep others out.
    private static func socket(_ name: String, _ node: NodeFacts) -> Finding? {
        guard node.connections > 0 else { return nil }
        let programs = node.holders.map { "\($0.name) (pid \($0.pid))" }.joined(separator: " and ")
        return Finding(
            .remark, topic,
            "\(name): \(programs.isEmpty ? "a program that this user may not see" : programs) is connected to \(node.path). If that serves one program at a time, no other can open it.",
            repair: node.holders.first.map { release(node.path, $0) } ?? [])
    }

    private static func permission(_ node: NodeFacts, _ machine: MachineFacts) -> [String] {
        guard node.isOpenToGroup, node.group != "root" else { return installRules }
        guard !node.isListedInGroup else {
            return [
                "newgrp \(word(node.group))    # or log in again: \(machine.user) is in the group, this session is not"
            ]
        }
        return [
            "sudo usermod -aG \(word(node.group)) \(word(machine.user))",
            "# then log in again, so that the group counts",
        ]
    }

    private static func release(_ path: String, _ holder: NodeFacts.Holder) -> [String] {
        switch holder.name {
        case "gpsd": return ["sudo gpsdctl remove \(word(path))    # for good: USBAUTO=\"false\" in /etc/default/gpsd"]
        case "ModemManager": return installRules + ["sudo systemctl restart ModemManager"]
        case "brltty": return ["sudo systemctl mask --now brltty-udev.service    # or: sudo apt-get remove brltty"]
        default: return ["ps -o pid,user,lstart,args -p \(holder.pid)    # what it is; end it if it is not wanted"]
        }
    }

    /// A port without a protocol name, and the two ways to give it one.
    private static func candidate(_ candidate: AccessoryCandidate, _ facts: AccessoryFacts) -> Finding {
        let configuration = "# in ~/.config/device-services.json, with the name that your program asks for:"
        var repair = [configuration, candidate.setting]
        if let vendor = candidate.vendorID, let product = candidate.productID, facts.hasUdev, candidate.kind != .usb {
            repair += [
                "# or in a rule of udev, /etc/udev/rules.d/62-accessories.rules:",
                #"ACTION!="remove", SUBSYSTEM=="\#(candidate.kind.rawValue)", ATTRS{idVendor}=="\#(Printable.hex(vendor))", ATTRS{idProduct}=="\#(Printable.hex(product))", ENV{EXTERNAL_ACCESSORY_PROTOCOLS}="com.example.protocol""#,
            ]
        }
        let place = candidate.portPath.isEmpty ? "" : " at port \(Printable.text(candidate.portPath))"
        return Finding(
            .remark, topic,
            "\(candidate.place) (\(candidate.label)\(place)) could be an accessory. \(Printable.text(candidate.reason))",
            repair: repair)
    }
}
