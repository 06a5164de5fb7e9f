// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore

extension Diagnosis {
    /// Describes the collected state without accessing the system. The findings are in this order: the system, problems
    /// with the accessory source, missing directories, attached accessories, declared accessories that are not
    /// attached, candidates.
    ///
    /// Messages may contain any text, because ``Finding`` keeps it on one line and the output replaces control
    /// characters. In shell commands, `word(_:)` must quote all text from devices and the configuration.
    static func accessories(_ state: AccessoryState, _ machine: MachineState) -> [Finding] {
        var findings = discovery(state, machine)
        let problems = state.problems.filter { problem in
            // Omits problems caused by missing udev support, because `discovery` reports them in more detail. No error
            // code is specific to them, so the word "udev" in the message identifies them.
            findings.isEmpty || ![.notSupported, .notFound].contains(problem.code) || !problem.message.contains("udev")
        }
        findings += problems.map { Finding(.problem, topic, $0.description) }
        findings += state.missingFolders.map { path in
            Finding(
                .problem, topic, "The directory \(path) for declared accessories does not exist.",
                repair: "mkdir -p \(word(path))")
        }
        findings += state.accessories.flatMap { accessory($0, state, machine) }
        findings += declared(state, machine)
        findings += state.candidates.map { candidate($0, state) }
        if state.accessories.isEmpty, findings.isEmpty { findings += .one(.good, topic, "No accessory is attached.") }
        return findings
    }

    private static let topic = "accessories"

    private static func discovery(_ state: AccessoryState, _ machine: MachineState) -> [Finding] {
        var findings: [Finding] = []
        if !machine.traits.contains("LibUdev") {
            findings += .one(
                .remark, topic,
                "This program was built without libudev, so it finds only declared accessories, no USB accessories.",
                repair: "sudo apt-get install libudev-dev",
                "swift build    # with the trait LibUdev, which is on by default")
        } else if !state.hasUdev {
            let repair =
                state.container == nil
                ? [
                    "sudo systemctl enable --now systemd-udevd    # or: a static /dev, and protocol names in the configuration"
                ]
                : [
                    "# start the container with these options of docker run:",
                    "-v /run/udev:/run/udev:ro -v /dev:/dev --network host --device-cgroup-rule 'c 166:* rwm' --device-cgroup-rule 'c 188:* rwm'",
                ]
            let containerText = state.container.map { " in this container (\($0))" } ?? ""
            findings += .one(
                .remark, topic,
                "udevd does not run\(containerText). Only the kernel's events are used, so no udev rule names protocols or sets permissions.",
                repair: repair)
        }
        let hasTTY = (state.accessories.flatMap(\.protocols).compactMap(\.node?.path) + state.candidates.map(\.node))
            .contains { $0.contains("/ttyACM") || $0.contains("/ttyUSB") }
        if state.hasModemManager, !state.hasRules, hasTTY {
            findings += .one(
                .remark, topic,
                "ModemManager probes every new serial port for a modem: for some seconds the port is busy, and the accessory receives modem commands.",
                repair: installRules)
        }
        return findings
    }

    private static let installRules = [
        "sensorctl rules | sudo tee /etc/udev/rules.d/\(UdevRules.fileName)",
        "sudo udevadm control --reload && sudo udevadm trigger --subsystem-match=usb --subsystem-match=tty --subsystem-match=hidraw",
    ]

    private static func accessory(
        _ accessory: AccessoryDescription, _ state: AccessoryState, _ machine: MachineState
    ) -> [Finding] {
        var findings: [Finding] = []
        if accessory.protocols.isEmpty { findings += .one(.remark, topic, "\(accessory.label) offers no protocol.") }
        for offered in accessory.protocols {
            let name = "\(accessory.label), \(offered.name)"
            let obstacle = offered.node.flatMap { state.nodes[$0.path] }.flatMap { node(name, $0, machine) }
            if let obstacle {
                findings.append(obstacle)
            } else {
                let location = offered.node.map { " at \($0.path)" } ?? ""
                findings += .one(
                    .good, topic,
                    "\(name)\(location) can be opened (source of the protocol name: \(offered.origin.words)).")
            }
            let allowed = machine.configuration.appProtocols
            if let names = allowed.value, !names.contains(offered.name) {
                let list = (names + [offered.name]).joined(separator: ",")
                findings += .one(
                    .remark, topic,
                    "Programs may not use \(offered.name) of \(accessory.label), because the setting \"protocols\" does not contain it (\(allowed.origin.description)).",
                    repair: "export DEVICE_SERVICES_PROTOCOLS=\(word(list))")
            }
        }
        return findings
    }

    private static func declared(_ state: AccessoryState, _ machine: MachineState) -> [Finding] {
        let attached = Set(state.accessories.map(\.identity))
        return machine.configuration.declaredAccessories.value.filter { !attached.contains($0.description.identity) }
            .flatMap { accessory in
                accessory.endpoints.compactMap { endpoint in
                    state.nodes[endpoint.node.path].flatMap { node("\(accessory.name), \(endpoint.name)", $0, machine) }
                }
            }
    }

    /// If the node is missing, inaccessible or in use, returns a finding.
    private static func node(_ name: String, _ node: DeviceNodeState, _ machine: MachineState) -> Finding? {
        let path = node.path
        guard node.exists else {
            return Finding(
                .problem, topic, "\(name): \(path) does not exist.",
                repair: path.hasPrefix("/dev/")
                    ? ["ls -l /dev/tty[A-Z]* /dev/serial/by-id    # possible names of the device"]
                    : ["ls -l \(word(path))    # check that the program that creates it runs"])
        }
        guard node.canOpen else {
            return Finding(
                .problem, topic,
                "\(name): the user \(machine.user) may not open \(path) (mode \(node.mode), owner \(node.owner), group \(node.group)).",
                repair: permission(node, machine))
        }
        if node.isSocket { return socket(name, node) }
        guard let holder = node.holders.first else { return nil }
        return Finding(
            .problem, topic, "\(name): \(path) is in use by \(node.programs).", repair: release(path, holder))
    }

    private static func socket(_ name: String, _ node: DeviceNodeState) -> Finding? {
        guard node.connections > 0 else { return nil }
        return Finding(
            .remark, topic,
            "\(name): \(node.path) is connected to \(node.programs.isEmpty ? "a program of another user" : node.programs). If its server accepts only one connection, no other program can open it.",
            repair: node.holders.first.map { release(node.path, $0) } ?? [])
    }

    private static func permission(_ node: DeviceNodeState, _ machine: MachineState) -> [String] {
        guard node.isOpenToGroup, node.group != "root" else { return installRules }
        guard !node.isListedInGroup else {
            return ["newgrp \(word(node.group))    # or log in again, so that the group membership takes effect"]
        }
        return [
            "sudo usermod -aG \(word(node.group)) \(word(machine.user))",
            "# then log in again, so that the group membership takes effect",
        ]
    }

    private static func release(_ path: String, _ holder: DeviceNodeState.Holder) -> [String] {
        switch holder.name {
        case "gpsd":
            return ["sudo gpsdctl remove \(word(path))    # permanently: USBAUTO=\"false\" in /etc/default/gpsd"]
        case "ModemManager": return installRules + ["sudo systemctl restart ModemManager"]
        case "brltty": return ["sudo systemctl mask --now brltty-udev.service    # or: sudo apt-get remove brltty"]
        default: return ["ps -o pid,user,lstart,args -p \(holder.pid)    # shows the program; stop it if not needed"]
        }
    }

    /// Reports a port that has no protocol. The repair describes one or two ways to configure a protocol.
    private static func candidate(_ candidate: AccessoryCandidate, _ state: AccessoryState) -> Finding {
        let configuration = "# in ~/.config/device-services.json, with the protocol name that your program uses:"
        var repair = [configuration, candidate.setting]
        if let vendor = candidate.vendorID, let product = candidate.productID, state.hasUdev, candidate.kind != .usb {
            repair += [
                "# or in a udev rule, /etc/udev/rules.d/62-accessories.rules:",
                #"ACTION!="remove", SUBSYSTEM=="\#(candidate.kind.rawValue)", ATTRS{idVendor}=="\#(TerminalText.hex(vendor))", ATTRS{idProduct}=="\#(TerminalText.hex(product))", ENV{EXTERNAL_ACCESSORY_PROTOCOLS}="com.example.protocol""#,
            ]
        }
        let location = candidate.portPath.isEmpty ? "" : " at port \(candidate.portPath)"
        return Finding(
            .remark, topic,
            "\(candidate.nodeDescription) (\(candidate.label)\(location)) could be an accessory. \(candidate.reason)",
            repair: repair)
    }
}
