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
        let words = Atomic<Int>(0)

        func fail(isPassing: Bool, after body: () -> Void = {}) throws(NodeFailure) {
            attempts.add(1, ordering: .relaxed)
            body()
            throw NodeFailure(isPassing: isPassing) {
                self.words.add(1, ordering: .relaxed)
                return DeviceError(.busy, "In use.")
            }
        }
    }

    @Test("A failure that may pass is tried again, and only the last one is put into words")
    func words() {
        let counts = Counts()
        let error = #expect(throws: DeviceError.self) {
            try ChannelOpener.trying(pauses: [0, 0, 0], clock: VirtualClock()) { () throws(NodeFailure) in
                try counts.fail(isPassing: true)
            }
        }
        #expect(error?.code == .busy)
        #expect(counts.attempts.load(ordering: .relaxed) == 4)
        #expect(counts.words.load(ordering: .relaxed) == 1)
    }

    @Test("Attempts that take long use up the time for further ones")
    func deadline() {
        let counts = Counts()
        let clock = VirtualClock()
        let pauses = [0.01, 0.02, 0.03, 0.04]
        _ = #expect(throws: DeviceError.self) {
            try ChannelOpener.trying(pauses: pauses, clock: clock) { () throws(NodeFailure) in
                // The second one begins after 0.06 s, the third would after 0.14 s.
                try counts.fail(isPassing: true) { clock.move(to: clock.now.advanced(bySeconds: 0.06)) }
            }
        }
        #expect(counts.attempts.load(ordering: .relaxed) == 2)
    }

    @Test("What does not pass is tried once")
    func lasting() {
        let counts = Counts()
        _ = #expect(throws: DeviceError.self) {
            try ChannelOpener.trying(pauses: [0, 0, 0], clock: VirtualClock()) { () throws(NodeFailure) in
                try counts.fail(isPassing: false)
            }
        }
        #expect(counts.attempts.load(ordering: .relaxed) == 1)
    }

    @Test(
        "A node in use, or not given to the user yet, may pass; no descriptor left, and what is not there, does not",
        arguments: [
            (EBUSY, true), (EWOULDBLOCK, true), (EACCES, true), (EMFILE, false), (ENFILE, false), (ENOENT, false),
            (EIO, false),
        ])
    func kinds(_ number: Int32, _ isPassing: Bool) {
        #expect(NodeFailure(opening: "/dev/none", errno: number).isPassing == isPassing)
    }

    @Test("Closing a serial port waits two seconds at most for the hardware's queue, and less where that was set")
    func closingWait() {
        // In hundredths of a second; 0 is the driver's word for without an end, 65535 for not at all.
        #expect(SerialDriver.closingWait(3000) == 200)
        #expect(SerialDriver.closingWait(0) == 200)
        #expect(SerialDriver.closingWait(65_535) == 200)
        #expect(SerialDriver.closingWait(50) == 50)
    }
}
