// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import SystemCalls
import TestSupport

/// Debian's gpsd on its own port. It can be killed and restarted.
final class GPSDaemon: Sendable {
    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    let port: UInt16
    /// The port on which gpsd receives sentences, nil without a receiver.
    let receiverPort: UInt16?
    /// The serial port that gpsd opens, nil if it receives sentences or has no receiver.
    private let receiver: String?
    private let folder: URL
    private let process = Mutex<ChildProcess?>(nil)

    /// Chooses the ports. `start()` starts the process.
    /// - Parameter receiver: The path of a serial port to open.
    init(hasReceiver: Bool = true, receiver: String? = nil) throws {
        self.receiver = receiver
        let hasReceiver = hasReceiver && receiver == nil
        port = try FreePort.next()
        receiverPort = hasReceiver ? try FreePort.next(datagrams: true) : nil
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("gpsd-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        process.withLock { $0 = nil }
        GPSDaemon.removeSharedMemory(key)
        try? FileManager.default.removeItem(at: folder)
    }

    /// The address for a client of this scheme.
    func address(_ scheme: String) -> String { "\(scheme)://127.0.0.1:\(port)" }

    /// Starts gpsd and returns once it accepts connections.
    func start() async throws {
        guard let gpsd = Tools.gpsd else { throw Refusal(description: "gpsd is not installed") }
        var arguments = [
            "-N", "-n", "-S", "\(port)", "-F", folder.appendingPathComponent("control").path,
        ]
        if let receiver { arguments.append(receiver) }
        if let receiverPort { arguments.append("udp://127.0.0.1:\(receiverPort)") }
        let new = try ChildProcess(
            gpsd, arguments, environment: ["GPSD_SHM_KEY": keyText], key: keyText)
        process.withLock { $0 = new }
        let deadline = ContinuousClock.now + .seconds(timeout)
        while !Ports.isServed(port) {
            guard ContinuousClock.now < deadline else {
                throw Refusal(description: "gpsd does not listen on port \(port)")
            }
            // Polls, because no event reports a listening port.
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Kills gpsd with SIGKILL.
    func kill() async {
        let old = process.withLock { process in
            defer { process = nil }
            return process
        }
        await old?.kill()
        GPSDaemon.removeSharedMemory(key)
    }

    /// The shared-memory key, derived from the port as in gpsfake, so that runs in parallel have different keys.
    private var key: Int32 { 0x4771_0000 | Int32(port) }
    private var keyText: String { "0x" + String(key, radix: 16) }

    static func removeSharedMemory(_ key: Int32) {
        let segment = shmget(key, 0, 0)
        if segment >= 0 { shmctl(segment, IPC_RMID, nil) }
    }
}
