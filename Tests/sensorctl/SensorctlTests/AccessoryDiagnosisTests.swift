// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import Foundation
import SystemCalls
import Testing

@testable import SensorTools

@Suite("What the doctor says of accessories")
struct AccessoryDiagnosisTests {
    private static func machine(user: String = "pi") -> MachineFacts {
        MachineFacts(
            configuration: Configuration(), traits: ["LibGPS", "LibIIO", "LibUdev"], user: user, isRoot: false,
            hasKernelBus: true, kernelSensors: [], triggers: [], canMakeTimerTriggers: false, trials: [])
    }

    /// A scale that works.
    private static func healthy() -> AccessoryFacts {
        AccessoryFacts(
            accessories: [.scale()], nodes: ["/dev/ttyACM0": NodeFacts(path: "/dev/ttyACM0")])
    }

    private static func findings(_ facts: AccessoryFacts, _ machine: MachineFacts = machine()) -> [Finding] {
        Diagnosis.accessories(facts, machine)
    }

    private static func problem(_ node: NodeFacts) -> Finding? {
        var facts = healthy()
        facts.nodes[node.path] = node
        return findings(facts).first { $0.level == .problem }
    }

    @Test("The rules for udev grant the devices that a configuration names, ahead of the test for grants")
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

    @Test("Where all is well, what works is named with where its name came from")
    func good() {
        let findings = Self.findings(Self.healthy())
        #expect(findings.map(\.level) == [.good])
        #expect(
            findings.first?.message
                == "Weigh Scale, com.example.scale at /dev/ttyACM0 can be opened (named by: udev property EXTERNAL_ACCESSORY_PROTOCOLS)."
        )
        #expect(Self.findings(AccessoryFacts()).map(\.level) == [.good])
    }

    @Test("A node that the user may not open is named with mode, owner and group, and the group is the way in")
    func permission() throws {
        var node = NodeFacts(path: "/dev/ttyACM0")
        node.canOpen = false
        let problem = try #require(Self.problem(node))
        #expect(problem.message.contains("the user pi may not open /dev/ttyACM0"))
        #expect(problem.message.contains("its mode is 0660, its owner root, its group dialout"))
        #expect(problem.repair.first == "sudo usermod -aG dialout pi")
        node.isListedInGroup = true
        #expect(Self.problem(node)?.repair.first?.hasPrefix("newgrp dialout") == true)
    }

    @Test("A node of root alone is mended by the rules")
    func rootOnly() throws {
        var node = NodeFacts(path: "/dev/ttyACM0", mode: "0600", group: "root", isOpenToGroup: false)
        node.canOpen = false
        let repair = try #require(Self.problem(node)).repair
        #expect(repair.first == "sensorctl rules | sudo tee /etc/udev/rules.d/\(UdevRules.fileName)")
        #expect(repair.last?.contains("udevadm trigger") == true)
    }

    @Test("A port that another program holds is named with the program, and with what makes that one let go")
    func holder() throws {
        for (name, remedy) in [
            ("gpsd", "gpsdctl remove /dev/ttyACM0"), ("ModemManager", "systemctl restart ModemManager"),
            ("brltty", "brltty-udev.service"), ("minicom", "ps -o pid,user,lstart,args -p 812"),
        ] {
            let node = NodeFacts(path: "/dev/ttyACM0", holders: [NodeFacts.Holder(pid: 812, name: name)])
            let problem = try #require(Self.problem(node))
            #expect(problem.message.hasSuffix("/dev/ttyACM0 is in use by \(name) (pid 812)."))
            #expect(problem.repair.contains { $0.contains(remedy) })
        }
    }

    @Test("A socket that has a connection is remarked on with the program, for it may serve one at a time")
    func socketHolder() throws {
        var facts = Self.healthy()
        var node = NodeFacts(path: "/dev/ttyACM0", isSocket: true)
        facts.nodes[node.path] = node
        #expect(Self.findings(facts).map(\.level) == [.good])
        node.connections = 1
        facts.nodes[node.path] = node
        let unseen = try #require(Self.findings(facts).first)
        #expect(unseen.level == .remark)
        #expect(
            unseen.message
                == "Weigh Scale, com.example.scale: a program that this user may not see is connected to /dev/ttyACM0. If that serves one program at a time, no other can open it."
        )
        node.holders = [NodeFacts.Holder(pid: 812, name: "socat")]
        facts.nodes[node.path] = node
        let seen = try #require(Self.findings(facts).first)
        #expect(seen.message.contains(": socat (pid 812) is connected to /dev/ttyACM0."))
        #expect(seen.repair == ["ps -o pid,user,lstart,args -p 812    # what it is; end it if it is not wanted"])
    }

    @Test("A declared accessory whose node is missing is a problem")
    func declared() throws {
        var machine = Self.machine()
        let endpoint = AccessoryFinding.DeclaredAccessory.Endpoint(
            name: "com.example.uart", node: .tty(path: "/dev/ttyS9", TTYSettings()))
        machine.configuration.declaredAccessories = Setting([
            DeclaredAccessory(name: "Display", endpoints: [endpoint])
        ])
        var node = NodeFacts(path: "/dev/ttyS9")
        (node.exists, node.canOpen) = (false, false)
        let findings = Self.findings(AccessoryFacts(nodes: ["/dev/ttyS9": node]), machine)
        #expect(findings.map(\.message) == ["Display, com.example.uart: /dev/ttyS9 does not exist."])
        #expect(findings.first?.level == .problem)
        #expect(findings.first?.repair.isEmpty == false)
    }

    @Test("A folder that does not exist, and what the source complains of, are problems")
    func folders() {
        var facts = Self.healthy()
        facts.missingFolders = ["/run/my accessories"]
        facts.problems = [DeviceError(.invalidConfiguration, "scale.json is not valid JSON.")]
        let problems = Self.findings(facts).filter { $0.level == .problem }
        #expect(
            problems.map(\.message) == [
                "scale.json is not valid JSON.",
                "The folder for declared accessories /run/my accessories does not exist.",
            ])
        #expect(problems.last?.repair == ["mkdir -p '/run/my accessories'"])
    }

    @Test("Without udevd it says what is lost, and in a container how to bring it in")
    func udevd() throws {
        var facts = Self.healthy()
        facts.hasUdev = false
        let board = try #require(Self.findings(facts).first { $0.level == .remark })
        #expect(board.message.hasPrefix("udevd does not run:"))
        #expect(board.repair.first?.contains("systemd-udevd") == true)
        facts.container = "docker"
        let container = try #require(Self.findings(facts).first { $0.level == .remark })
        #expect(container.message.hasPrefix("udevd does not run in this container (docker):"))
        #expect(container.repair.first?.contains("-v /run/udev:/run/udev:ro") == true)
        var machine = Self.machine()
        machine.traits = []
        let built = try #require(Self.findings(facts, machine).first { $0.level == .remark })
        #expect(built.message.contains("built without libudev"))
        #expect(Self.findings(facts, machine).count { $0.level == .remark } == 1)
    }

    @Test("ModemManager is remarked on where it can get at a port and the rules do not hold it back")
    func modemManager() {
        var facts = Self.healthy()
        facts.hasModemManager = true
        #expect(!Self.findings(facts).contains { $0.level == .remark })
        facts.hasRules = false
        #expect(Self.findings(facts).contains { $0.message.hasPrefix("ModemManager runs") && $0.level == .remark })
        facts.accessories = []
        #expect(!Self.findings(facts).contains { $0.level == .remark })
    }

    @Test("A protocol that programs may not use is named with the list that leaves it out")
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

    @Test("A port without a protocol name gets a setting, and a rule of udev, to copy")
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

    @Test("Who has a node open is found in /proc, and who may open it in its mode")
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
        let holders = NodeFacts.Holder.all()
        let node = NodeFacts("/dev/null", user: "root", holders: holders)
        // Others may have it open too, and this process does not count.
        #expect(node.holders.contains(NodeFacts.Holder(pid: child.processIdentifier, name: "sleep")))
        #expect(!node.holders.contains { $0.pid == getpid() })
        #expect(NodeFacts.Holder.runs("sleep"))
        #expect(!NodeFacts.Holder.runs("no such program"))
        #expect(node.exists && node.canOpen)
        #expect(node.mode == "0666")
        let missing = NodeFacts("/dev/no-such-node", user: "nobody", holders: holders)
        #expect(!missing.exists && !missing.canOpen)
    }
}
