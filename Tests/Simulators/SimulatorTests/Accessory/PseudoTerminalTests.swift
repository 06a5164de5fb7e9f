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
    @Test("One that hangs up when all is read loses nothing of it")
    func reading() throws {
        let clock = LiveClock()
        // In pieces of that size the kernel keeps the most behind what a terminal holds.
        let piece = [UInt8](repeating: 65, count: 1500)
        var looks = 0
        let rounds = Thoroughness.rounds(200, quick: 20)
        for round in 0..<rounds {
            var (master, path) = try PseudoTerminal.open(for: "a test")
            defer { if master >= 0 { close(master) } }
            let (opened, filled, ended) = (Bell(), Bell(), Bell())
            let count = Mutex(-1)
            Thread.detachNewThread { [path] in
                let program = PlainPort(terminal: path)
                opened.ring()
                filled.wait(seconds: 60)
                let all = program?.readAll().count ?? 0
                count.withLock { $0 = all }
                ended.ring()
            }
            try #require(opened.wait(seconds: 60))
            var sent = 0
            while true {
                let written = write(master, piece, piece.count)
                guard written > 0 else { break }
                sent += written
            }
            // The terminal's 4095 bytes more than three times.
            #expect(sent > 12_000)
            filled.ring()
            // As often as can be: the moment in which it would be wrong is short.
            let limit = clock.now.advanced(bySeconds: 60)
            repeat { looks += 1 } while PseudoTerminal.isRead(path) == false && clock.now < limit
            try #require(PseudoTerminal.isRead(path) == true)
            close(master)
            master = -1
            #expect(ended.wait(seconds: 60))
            try #require(count.withLock { $0 } == sent, "round \(round)")
        }
        // Not every time at the first look, or nothing was tried.
        #expect(looks > 2 * rounds)
    }

    @Test("Of one that cannot be opened nothing is said")
    func absent() {
        #expect(PseudoTerminal.isRead("/dev/pts/nowhere") == nil)
    }
}
