// SPDX-License-Identifier: Apache-2.0

import ByteChannels
import DeviceCore
import Synchronization
import SystemCalls
import Testing

@Suite
struct AttemptTests {
    private final class Counts: Sendable {
        let attempts = Atomic<Int>(0)
        let descriptions = Atomic<Int>(0)

        func fail(isTemporary: Bool, after body: () -> Void = {}) throws(NodeFailure) {
            attempts.add(1, ordering: .relaxed)
            body()
            throw NodeFailure(isTemporary: isTemporary) {
                self.descriptions.add(1, ordering: .relaxed)
                return DeviceError(.busy, "In use.")
            }
        }
    }

    @Test("A transient failure is retried, and a description is created only for the last failure")
    func descriptions() {
        let counts = Counts()
        let error = #expect(throws: DeviceError.self) {
            try ChannelOpener.retrying(retryDelays: [0, 0, 0], clock: VirtualClock()) { () throws(NodeFailure) in
                try counts.fail(isTemporary: true)
            }
        }
        #expect(error?.code == .busy)
        #expect(counts.attempts.load(ordering: .relaxed) == 4)
        #expect(counts.descriptions.load(ordering: .relaxed) == 1)
    }

    @Test("Slow attempts count against the time limit for retries")
    func deadline() {
        let counts = Counts()
        let clock = VirtualClock()
        let retryDelays = [0.01, 0.02, 0.03, 0.04]
        _ = #expect(throws: DeviceError.self) {
            try ChannelOpener.retrying(retryDelays: retryDelays, clock: clock) { () throws(NodeFailure) in
                // The second attempt begins at 0.06 s. A third would begin at 0.14 s, after the limit of 0.1 s.
                try counts.fail(isTemporary: true) { clock.move(to: clock.now.advanced(bySeconds: 0.06)) }
            }
        }
        #expect(counts.attempts.load(ordering: .relaxed) == 2)
    }

    @Test("A permanent failure is not retried")
    func lasting() {
        let counts = Counts()
        _ = #expect(throws: DeviceError.self) {
            try ChannelOpener.retrying(retryDelays: [0, 0, 0], clock: VirtualClock()) { () throws(NodeFailure) in
                try counts.fail(isTemporary: false)
            }
        }
        #expect(counts.attempts.load(ordering: .relaxed) == 1)
    }

    @Test(
        "Errors of a busy or not yet accessible node are transient, and other errors are permanent",
        arguments: [
            (EBUSY, true), (EWOULDBLOCK, true), (EACCES, true), (EMFILE, false), (ENFILE, false), (ENOENT, false),
            (EIO, false),
        ])
    func kinds(_ number: Int32, _ isTemporary: Bool) {
        #expect(NodeFailure(opening: "/dev/none", errno: number).isTemporary == isTemporary)
    }

    @Test("Closing a serial port waits at most two seconds for its output, or less if configured")
    func closingWait() {
        // In hundredths of a second. The driver interprets 0 as an unlimited wait and 65535 as no wait.
        #expect(SerialDriver.closingWait(3000) == 200)
        #expect(SerialDriver.closingWait(0) == 200)
        #expect(SerialDriver.closingWait(65_535) == 200)
        #expect(SerialDriver.closingWait(50) == 50)
    }
}
