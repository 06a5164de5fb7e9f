// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import LoopbackServer
import Synchronization
import SystemCalls
import TestSupport
import Testing

@Suite("Pseudo-terminals")
struct PseudoTerminalTests {
    @Test("A terminal that hangs up after everything was read loses no data")
    func reading() throws {
        let clock = LiveClock()
        // With writes of this size the kernel queues the most data beyond the terminal's own buffer.
        let chunk = [UInt8](repeating: 65, count: 1500)
        var pollCount = 0
        let rounds = Thoroughness.rounds(200, quick: 20)
        for round in 0..<rounds {
            var (master, path) = try PseudoTerminal.open(for: "a test")
            defer { if master >= 0 { close(master) } }
            let (opened, filled, ended) = (BinarySemaphore(), BinarySemaphore(), BinarySemaphore())
            let count = Mutex(-1)
            Thread.detachNewThread { [path] in
                let program = PlainPort(terminal: path)
                opened.signal()
                filled.wait(seconds: 60)
                let all = program?.readAll().count ?? 0
                count.withLock { $0 = all }
                ended.signal()
            }
            try #require(opened.wait(seconds: 60))
            var sent = 0
            while true {
                let written = write(master, chunk, chunk.count)
                guard written > 0 else { break }
                sent += written
            }
            // More than three times the terminal's 4095 bytes.
            #expect(sent > 12_000)
            filled.signal()
            // Polls as often as possible, because a wrong answer would be visible only for a short time.
            let limit = clock.now.advanced(bySeconds: 60)
            repeat { pollCount += 1 } while PseudoTerminal.hasReadAllInput(path) == false && clock.now < limit
            try #require(PseudoTerminal.hasReadAllInput(path) == true)
            close(master)
            master = -1
            #expect(ended.wait(seconds: 60))
            try #require(count.withLock { $0 } == sent, "round \(round)")
        }
        // If the first poll always succeeded, the test would prove nothing.
        #expect(pollCount > 2 * rounds)
    }

    @Test("The read state of a terminal that cannot be opened is nil")
    func absent() {
        #expect(PseudoTerminal.hasReadAllInput("/dev/pts/nowhere") == nil)
    }
}
