// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import SystemCalls

/// A board with a motion sensor that is visible only to programs started with its environment: umockdev replaces /sys
/// and /dev with a folder. A FIFO replaces the device node and carries samples, because it can be polled like a device.
final class MockBoard: Sendable {
    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    /// The folder that replaces /.
    let root: String
    /// Generates the samples.
    let feeder: MockFeeder
    private let holder: ChildProcess
    private static let parent = "/sys/devices/platform/i2c-1/1-0068"
    private static let links = "/sys/bus/iio/devices"
    private let device = Mutex("iio:device0")

    /// Creates the board of a description. The feeder generates samples while a program captures.
    init(_ name: String, samples: MockFeeder.Samples = MockFeeder.Samples()) async throws {
        guard let run = Tools.umockdevRun else { throw Refusal(description: "umockdev-run is not installed") }
        let description = Tools.motionTraces.appendingPathComponent("\(name).umockdev").path
        // The folder exists as long as the program for which it is created.
        holder = try ChildProcess(
            run, ["-d", description, "--", "/bin/sh", "-c", #"echo "$UMOCKDEV_DIR"; read -r line"#])
        guard await holder.lines.wait(until: { !$0.isEmpty }), let root = holder.lines.elements.first,
            root.hasPrefix("/")
        else { throw Refusal(description: "umockdev-run does not take \(description)") }
        self.root = root
        let node = "\(root)/dev/iio:device0"
        unlink(node)
        guard mkfifo(node, 0o600) == 0 else { throw Refusal(description: "no FIFO at \(node)") }
        feeder = try MockFeeder(node: node, folder: "\(root)\(MockBoard.parent)/iio:device0", samples: samples)
    }

    deinit {
        feeder.end()
        holder.signal(SIGKILL)
        try? FileManager.default.removeItem(atPath: root)
    }

    /// The environment in which a program finds the board.
    var environment: [String: String] { ["LD_PRELOAD": "libumockdev-preload.so.0", "UMOCKDEV_DIR": root] }

    /// The same environment for a program that reads the board's sensors through our own source.
    var sourceEnvironment: [String: String] {
        environment.merging(["DEVICE_SERVICES_IIO": "local:"]) { first, _ in first }
    }

    /// Waits until no program captures.
    func isIdle() async -> Bool {
        let deadline = ContinuousClock.now + .seconds(timeout)
        while attribute("buffer/enable") != "0" {
            guard ContinuousClock.now < deadline else { return false }
            // Polls, because a write to the file sends no event.
            try? await Task.sleep(for: .milliseconds(5))
        }
        return true
    }

    /// Returns the value of an attribute of the device.
    func attribute(_ name: String) -> String {
        // Clients write a NUL after the value.
        let text = (try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)) ?? ""
        return text.trimmingCharacters(in: .whitespacesAndNewlines.union(CharacterSet(charactersIn: "\0")))
    }

    /// Sets an attribute as the driver would.
    func setAttribute(_ name: String, _ value: String) throws {
        // The kernel returns an empty file for a device without a trigger, and a line for everything else.
        let content = value.isEmpty ? "" : value + "\n"
        try Data(content.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    }

    /// Removes an attribute, as with a driver that does not have it.
    func removeAttribute(_ name: String) throws {
        try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
    }

    /// Removes the device as the kernel does, without waking readers of its node.
    func unplug() throws {
        feeder.pause()
        let device = device.withLock { $0 }
        guard unlink("\(root)\(MockBoard.links)/\(device)") == 0 else {
            throw Spawn.Failure(call: "unlink", number: errno)
        }
        try MockBoard.move("\(root)\(MockBoard.links)/trigger0", "\(root)/kept-trigger")
        try MockBoard.move(folder, "\(root)/kept-device")
        try MockBoard.move("\(root)/dev/\(device)", "\(root)/kept-node")
    }

    /// Restores the device, under another name if one is given. It captures nothing until a program enables its buffer.
    func replug(as name: String = "iio:device0") throws {
        device.withLock { $0 = name }
        try Data("0\n".utf8).write(to: URL(fileURLWithPath: "\(root)/kept-device/buffer/enable"))
        try MockBoard.move("\(root)/kept-node", "\(root)/dev/\(name)")
        try MockBoard.move("\(root)/kept-device", folder)
        try MockBoard.move("\(root)/kept-trigger", "\(root)\(MockBoard.links)/trigger0")
        feeder.move(to: folder)
        // The link is created last, because it makes the device visible.
        let target = "../../../\(MockBoard.parent.dropFirst("/sys/".count))/\(name)"
        guard symlink(target, "\(root)\(MockBoard.links)/\(name)") == 0 else {
            throw Spawn.Failure(call: "symlink", number: errno)
        }
        feeder.resume()
    }

    /// Ends the board and waits until its files are removed.
    func end() async {
        feeder.end()
        holder.write("\n")
        _ = await holder.wait()
    }

    private var folder: String { "\(root)\(MockBoard.parent)/\(device.withLock { $0 })" }

    private static func move(_ from: String, _ to: String) throws {
        guard rename(from, to) == 0 else { throw Spawn.Failure(call: "rename \(from)", number: errno) }
    }
}
