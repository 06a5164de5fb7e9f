// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import Foundation
import SystemCalls
import Testing

@testable import SensorTools

@Suite("Accessory findings of sensorctl doctor")
struct AccessoryDiagnosisTests {
    private static func machine(user: String = "pi") -> MachineState {
        MachineState(
            configuration: Configuration(), traits: ["LibGPS", "LibIIO", "LibUdev"], user: user, isRoot: false,
            hasKernelBus: true, kernelSensors: [], triggers: [], canMakeTimerTriggers: false, trials: [])
    }

    /// The facts of a working scale.
    private static func healthy() -> AccessoryState {
        AccessoryState(accessories: [.scale()], nodes: ["/dev/ttyACM0": DeviceNodeState(path: "/dev/ttyACM0")])
    }

    private static func findings(_ facts: AccessoryState, _ machine: MachineState = machine()) -> [Finding] {
        Diagnosis.accessories(facts, machine)
    }

    private static func problem(_ node: DeviceNodeState) -> Finding? {
        var facts = healthy()
        facts.nodes[node.path] = node
        return findings(facts).first { $0.level == .problem }
    }

    @Test("The udev rules grant access to configured devices before they test for grants")
    func grants() throws {
        var configuration = Configuration()
        #expect(UdevRules.text(granting: configuration) == UdevRules.text)
        var hid = AccessoryRule()
        (hid.vendorID, hid.productID, hid.protocols) = (0x1209, 2, ["com.example.hid"])
        var port = AccessoryRule()
        (port.portPath, port.serialNumber, port.protocols) = ("1-2.4", "a\"b", ["com.example.port"])
        var silent = AccessoryRule()
        (silent.vendorID, silent.protocols) = (0x1234, [])
        var everything = AccessoryRule()
        everything.protocols = ["com.example.all"]
        configuration.accessoryRules = Setting([hid, port, silent, everything])
        let text = String(decoding: UdevRules.text(granting: configuration), as: UTF8.self)
        let lines = [
            #"SUBSYSTEMS=="usb", ATTRS{idVendor}=="1209", ATTRS{idProduct}=="0002", ENV{EXTERNAL_ACCESSORY}="1""#,
            #"SUBSYSTEMS=="usb", KERNELS=="1-2.4", ENV{EXTERNAL_ACCESSORY}="1""#,
        ]
        let grants = try #require(text.range(of: lines.joined(separator: "\n")))
        let test = try #require(text.range(of: "GOTO=\"external_accessory_device\""))
        #expect(grants.upperBound < test.lowerBound)
        let count = UdevRules.text.split(separator: UInt8(ascii: "\n")).count
        #expect(text.split(separator: "\n").count == count + 3)
    }

    @Test("A working accessory is reported with the origin of its protocol name")
    func good() {
        let findings = Self.findings(Self.healthy())
        #expect(findings.map(\.level) == [.good])
        #expect(
            findings.first?.message
                == "Weigh Scale, com.example.scale at /dev/ttyACM0 can be opened (source of the protocol name: udev property EXTERNAL_ACCESSORY_PROTOCOLS)."
        )
        #expect(Self.findings(AccessoryState()).map(\.level) == [.good])
    }

    @Test("An inaccessible node is reported with its mode, owner and group, and with the group to join")
    func permission() throws {
        var node = DeviceNodeState(path: "/dev/ttyACM0")
        node.canOpen = false
        let problem = try #require(Self.problem(node))
        #expect(problem.message.contains("the user pi may not open /dev/ttyACM0"))
        #expect(problem.message.contains("mode 0660, owner root, group dialout"))
        #expect(problem.repair.first == "sudo usermod -aG dialout pi")
        node.isListedInGroup = true
        #expect(Self.problem(node)?.repair.first?.hasPrefix("newgrp dialout") == true)
    }

    @Test("The message of a finding has no line breaks")
    func oneLine() {
        let finding = Finding(.problem, "accessories", "/dev/a\nb does not exist.")
        #expect(finding.message.contains("does not exist") && !finding.message.contains("\n"))
    }

    @Test("The fix for a node that only root may open is to install the udev rules")
    func rootOnly() throws {
        var node = DeviceNodeState(path: "/dev/ttyACM0", mode: "0600", group: "root", isOpenToGroup: false)
        node.canOpen = false
        let repair = try #require(Self.problem(node)).repair
        #expect(repair.first == "sensorctl rules | sudo tee /etc/udev/rules.d/\(UdevRules.fileName)")
        #expect(repair.last?.contains("udevadm trigger") == true)
    }

    @Test("A port in use is reported with the program that holds it and a command to release it")
    func holder() throws {
        for (name, remedy) in [
            ("gpsd", "gpsdctl remove /dev/ttyACM0"), ("ModemManager", "systemctl restart ModemManager"),
            ("brltty", "brltty-udev.service"), ("minicom", "ps -o pid,user,lstart,args -p 812"),
        ] {
            let node = DeviceNodeState(path: "/dev/ttyACM0", holders: [DeviceNodeState.Holder(pid: 812, name: name)])
            let problem = try #require(Self.problem(node))
            #expect(problem.message.hasSuffix("/dev/ttyACM0 is in use by \(name) (pid 812)."))
            #expect(problem.repair.contains { $0.contains(remedy) })
        }
    }

    @Test("A socket with a connection is reported as a remark that names the connected program")
    func socketHolder() throws {
        var facts = Self.healthy()
        var node = DeviceNodeState(path: "/dev/ttyACM0", isSocket: true)
        facts.nodes[node.path] = node
        #expect(Self.findings(facts).map(\.level) == [.good])
        node.connections = 1
        facts.nodes[node.path] = node
        let unseen = try #require(Self.findings(facts).first)
        #expect(unseen.level == .remark)
        #expect(
            unseen.message
                == "Weigh Scale, com.example.scale: /dev/ttyACM0 is connected to a program of another user. If its server accepts only one connection, no other program can open it."
        )
        node.holders = [DeviceNodeState.Holder(pid: 812, name: "socat")]
        facts.nodes[node.path] = node
        let seen = try #require(Self.findings(facts).first)
        #expect(seen.message.contains(": /dev/ttyACM0 is connected to socat (pid 812)."))
        #expect(seen.repair == ["ps -o pid,user,lstart,args -p 812    # shows the program; stop it if not needed"])
    }

    @Test("A declared accessory with a missing node is reported as a problem")
    func declared() throws {
        var machine = Self.machine()
        let endpoint = AccessoryFinding.DeclaredAccessory.Endpoint(
            name: "com.example.uart", node: .tty(path: "/dev/ttyS9", TTYSettings()))
        machine.configuration.declaredAccessories = Setting([DeclaredAccessory(name: "Display", endpoints: [endpoint])])
        var node = DeviceNodeState(path: "/dev/ttyS9")
        (node.exists, node.canOpen) = (false, false)
        let findings = Self.findings(AccessoryState(nodes: ["/dev/ttyS9": node]), machine)
        #expect(findings.map(\.message) == ["Display, com.example.uart: /dev/ttyS9 does not exist."])
        #expect(findings.first?.level == .problem)
        #expect(findings.first?.repair.isEmpty == false)
    }

    @Test("Missing directories and errors of the accessory source are reported as problems")
    func folders() {
        var facts = Self.healthy()
        facts.missingFolders = ["/run/my accessories"]
        facts.problems = [DeviceError(.invalidConfiguration, "scale.json is not valid JSON.")]
        let problems = Self.findings(facts).filter { $0.level == .problem }
        #expect(
            problems.map(\.message) == [
                "scale.json is not valid JSON.",
                "The directory /run/my accessories for declared accessories does not exist.",
            ])
        #expect(problems.last?.repair == ["mkdir -p '/run/my accessories'"])
    }

    @Test("A missing udevd is reported with a fix for the board, the container or the build")
    func udevd() throws {
        var facts = Self.healthy()
        facts.hasUdev = false
        let board = try #require(Self.findings(facts).first { $0.level == .remark })
        #expect(board.message.hasPrefix("udevd does not run."))
        #expect(board.repair.first?.contains("systemd-udevd") == true)
        facts.container = "docker"
        let container = try #require(Self.findings(facts).first { $0.level == .remark })
        #expect(container.message.hasPrefix("udevd does not run in this container (docker)."))
        #expect(container.repair.contains { $0.hasPrefix("-v /run/udev:/run/udev:ro") && $0.hasSuffix("rwm'") })
        var machine = Self.machine()
        machine.traits = []
        let built = try #require(Self.findings(facts, machine).first { $0.level == .remark })
        #expect(built.message.contains("built without libudev"))
        #expect(Self.findings(facts, machine).count { $0.level == .remark } == 1)
    }

    @Test("ModemManager is reported as a remark if accessories exist and the udev rules are missing")
    func modemManager() {
        var facts = Self.healthy()
        facts.hasModemManager = true
        #expect(!Self.findings(facts).contains { $0.level == .remark })
        facts.hasRules = false
        #expect(Self.findings(facts).contains { $0.message.hasPrefix("ModemManager probes") && $0.level == .remark })
        facts.accessories = []
        #expect(!Self.findings(facts).contains { $0.level == .remark })
    }

    @Test("A protocol that apps may not use is reported as a remark with the list that excludes it")
    func protocols() throws {
        var machine = Self.machine()
        machine.configuration.appProtocols = Setting(
            ["com.example.other"], origin: .environment("DEVICE_SERVICES_PROTOCOLS"))
        let remark = try #require(Self.findings(Self.healthy(), machine).first { $0.level == .remark })
        #expect(remark.message.contains("Programs may not use com.example.scale of Weigh Scale"))
        #expect(remark.message.contains("environment variable DEVICE_SERVICES_PROTOCOLS"))
        #expect(
            remark.repair == ["export DEVICE_SERVICES_PROTOCOLS=com.example.other,com.example.scale"]
                || remark.repair == ["export DEVICE_SERVICES_PROTOCOLS='com.example.other,com.example.scale'"])
        machine.configuration.appProtocols.value = ["com.example.scale"]
        #expect(!Self.findings(Self.healthy(), machine).contains { $0.level == .remark })
    }

    @Test("A port without a protocol name is reported with a setting and a udev rule to copy")
    func candidates() throws {
        var facts = Self.healthy()
        facts.candidates = [
            AccessoryCandidate(
                name: "FT232R", portPath: "1-4", vendorID: 0x0403, productID: 0x6001, interface: 0,
                node: "/dev/ttyUSB0", reason: "It has no protocol.")
        ]
        let remark = try #require(Self.findings(facts).first { $0.level == .remark })
        #expect(
            remark.message.hasPrefix("/dev/ttyUSB0 (FT232R at port 1-4) could be an accessory. It has no protocol."))
        #expect(remark.repair.contains { $0.contains(#""vendor":"0403","product":"6001""#) })
        #expect(
            remark.repair.contains {
                $0.contains(#"SUBSYSTEM=="tty", ATTRS{idVendor}=="0403""#)
                    && $0.contains(#"ENV{EXTERNAL_ACCESSORY_PROTOCOLS}="#)
            })
    }

    @Test("The processes that hold a node are found in /proc, and its mode determines the access")
    func kernel() throws {
        let file = open("/dev/null", O_RDWR | O_CLOEXEC)
        let child = Process()
        child.executableURL = URL(fileURLWithPath: "/bin/sleep")
        child.arguments = ["60"]
        child.standardInput = FileHandle(forReadingAtPath: "/dev/null")
        try child.run()
        defer {
            child.terminate()
            close(file)
        }
        let holders = DeviceNodeState.Holder.all()
        let node = DeviceNodeState("/dev/null", user: "root", holders: holders)
        // Other processes may also have the node open. This process is not counted.
        #expect(node.holders.contains(DeviceNodeState.Holder(pid: child.processIdentifier, name: "sleep")))
        #expect(!node.holders.contains { $0.pid == getpid() })
        #expect(DeviceNodeState.Holder.runs("sleep"))
        #expect(!DeviceNodeState.Holder.runs("no such program"))
        #expect(node.exists && node.canOpen)
        #expect(node.mode == "0666")
        let missing = DeviceNodeState("/dev/no-such-node", user: "nobody", holders: holders)
        #expect(!missing.exists && !missing.canOpen)
    }
}
