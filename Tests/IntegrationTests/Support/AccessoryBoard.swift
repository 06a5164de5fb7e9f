// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

extension Tools {
    static let udevd = find("/usr/lib/systemd/systemd-udevd")

    /// True if udev rules can be tested. Requires root and namespaces, which a container may forbid.
    static let canTryRules: Bool = {
        guard let unshare, udevd != nil, umockdevRun != nil, geteuid() == 0 else { return false }
        return runs(unshare, ["-m", "-n", "mount", "-t", "tmpfs", "none", "/etc/udev/rules.d"])
    }()

    static let cannotTryRules: Comment =
        "rules of udev are tried as root, where namespaces may be made, with udev and umockdev installed"

    /// Returns the path of a file of the accessory tests.
    static func udevFile(_ name: String) -> String {
        Checkout.root.appendingPathComponent("Tests/IntegrationTests/Accessory/Udev/\(name)").path
    }

    private static func runs(_ path: String, _ arguments: [String]) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}

/// A board with simulated USB devices, and a program on it that reports accessories.
final class AccessoryBoard: Sendable {
    let driver: ChildProcess

    /// Creates a board with the devices of these descriptions. `nodes` echo their input, and `devices` answer bulk
    /// transfers.
    init(_ names: [String] = [], echoing nodes: [String] = [], bulk devices: [String] = []) async throws {
        driver = try ChildProcess(
            Tools.umockdevWrapper ?? "",
            [Tools.python ?? "", Tools.udevFile("mock_usb.py")] + TestProgram.commands.command("accessories"))
        for name in names { await send("describe \(AccessoryBoard.path(name))") }
        for node in nodes { await send("echo \(node)") }
        for node in devices { await send("bulk \(node)") }
        await send("start")
        if await !wait(for: #""event":"snapshot""#) { Issue.record("the program does not start") }
    }

    static func path(_ name: String) -> String {
        Tools.udevTraces.appendingPathComponent("\(name).umockdev").path
    }

    /// Sends a command to the driver and waits until it has completed.
    func send(_ command: String) async {
        let count = driver.lines.elements.filter { $0 == "done" }.count
        driver.write(command + "\n")
        let isDone = await driver.lines.wait { lines in lines.filter { $0 == "done" }.count > count }
        if !isDone { Issue.record("the driver did not carry out: \(command)") }
    }

    func plug(_ name: String) async { await send("plug \(AccessoryBoard.path(name))") }

    func unplug(_ name: String) async { await send("unplug \(AccessoryBoard.path(name))") }

    func say(_ text: String) async { await send("say \(text)") }

    /// Waits until the program has printed `count` lines that contain all of the parts.
    func wait(for parts: String..., count: Int = 1) async -> Bool {
        await driver.lines.wait { lines in
            lines.filter { line in parts.allSatisfy { line.contains($0) } }.count >= count
        }
    }

    /// Ends the program and waits until the board has removed its files, such as umockdev's folder.
    func end() async {
        driver.write("end\n")
        _ = await driver.wait()
    }

    /// The output of the program, without the driver's answers.
    var received: [String] { driver.lines.elements.filter { $0 != "done" } }
}
