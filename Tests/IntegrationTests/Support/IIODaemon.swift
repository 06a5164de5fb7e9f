// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemCalls
import TestSupport

/// Debian's iiod, which serves a mocked board on its own port. It can be killed and restarted.
///
/// iiod listens on all interfaces and has no option to change this.
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

    /// Starts iiod and returns once it accepts connections.
    func start() async throws {
        guard let iiod = Tools.iiod else { throw Refusal(description: "iiod is not installed") }
        let new = try ChildProcess(iiod, ["-p", "\(port)"], environment: board.environment)
        process.withLock { $0 = new }
        let deadline = ContinuousClock.now + .seconds(timeout)
        while !Ports.isServed(port) {
            guard ContinuousClock.now < deadline else {
                throw Refusal(description: "iiod does not listen on port \(port)")
            }
            // Polls, because no event reports a listening port.
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    func signal(_ number: Int32) { process.withLock { $0 }?.signal(number) }

    /// Kills iiod with SIGKILL. The mocked capture continues without a reader, like that of a kernel that has not yet
    /// noticed.
    func kill() async {
        let old = process.withLock { process in
            defer { process = nil }
            return process
        }
        await old?.kill()
    }
}
