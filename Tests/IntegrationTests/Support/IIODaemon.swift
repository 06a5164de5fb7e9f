// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemCalls
import TestSupport

/// Debian's iiod, serving a mocked board on a port of its own; it can be killed and come back.
///
/// It listens on all interfaces and cannot be told otherwise.
final class IIODaemon: Sendable {
    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    let port: UInt16
    private let board: MockBoard
    private let process = Mutex<ChildProcess?>(nil)

    init(_ board: MockBoard) throws {
        self.board = board
        port = try FreePort.next()
    }

    /// Starts it and returns once it accepts connections.
    func start() async throws {
        guard let iiod = Tools.iiod else { throw Refusal(description: "iiod is not installed") }
        let new = try ChildProcess(iiod, ["-p", "\(port)"], environment: board.environment)
        process.withLock { $0 = new }
        let deadline = ContinuousClock.now + .seconds(patience)
        while !Ports.isServed(port) {
            guard ContinuousClock.now < deadline else {
                throw Refusal(description: "iiod does not listen on port \(port)")
            }
            // Nothing tells when somebody begins to listen.
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    func signal(_ number: Int32) { process.withLock { $0 }?.signal(number) }

    /// kill -9. What it captured goes on being captured, as with a kernel that has not noticed: nobody reads it.
    func kill() async {
        let old = process.withLock { process in
            defer { process = nil }
            return process
        }
        await old?.kill()
    }
}
