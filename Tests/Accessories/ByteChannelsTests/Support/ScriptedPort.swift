// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import ByteChannels
import DeviceCore
import Synchronization
import SystemCalls

/// A port that the test controls. poll() always reports space to write and never bytes to read.
final class ScriptedPort: Port {
    let descriptor: Int32
    let path = "scripted"
    let framing: HIDFraming? = nil
    let hasUnreportedReadiness: Bool
    let inputBufferingTime: Double?
    let isSlowToRelease = false
    private let other: Int32
    /// True if every read returns a byte.
    let isEndless: Bool
    /// True if the port accepts written bytes.
    let acceptsWrites = Atomic<Bool>(false)
    private let written = Mutex<[UInt8]>([])
    /// The number of reads.
    let reads = Atomic<Int>(0)
    /// Called for each read. Returns true if the read returns a byte.
    let onRead = Mutex<(@Sendable () -> Bool)?>(nil)

    init(hasUnreportedReadiness: Bool = false, isEndless: Bool = false, inputBufferingTime: Double? = nil) throws {
        self.inputBufferingTime = inputBufferingTime
        (descriptor, other) = try SocketPair.descriptors(SOCK_STREAM)
        self.hasUnreportedReadiness = hasUnreportedReadiness
        self.isEndless = isEndless
    }

    /// Called when the channel reads `pendingBytes`, for the last time just before its end.
    let onPendingBytes = Mutex<(@Sendable () -> Void)?>(nil)

    var pendingBytes: Int {
        onPendingBytes.withLock { $0 }?()
        return 0
    }

    var bytes: [UInt8] { written.withLock { $0 } }

    func interest(reads: Bool, writes: Bool) -> Int16 { Int16((reads ? POLLIN : 0) | (writes ? POLLOUT : 0)) }

    func collectCompletions() {}

    func read(into buffer: UnsafeMutableRawBufferPointer) -> PortResult {
        reads.add(1, ordering: .relaxed)
        let hasByte = onRead.withLock { $0 }?() ?? isEndless
        guard hasByte, buffer.count > 0 else { return .wouldBlock }
        buffer[0] = 1
        return .bytes(1)
    }

    func write(_ bytes: UnsafeRawBufferPointer, isLast: Bool) -> PortResult {
        guard acceptsWrites.load(ordering: .acquiring) else { return .wouldBlock }
        let copy = Array(bytes)
        written.withLock { $0 += copy }
        return .bytes(bytes.count)
    }

    func release(timeout: Double, isAborted: () -> Bool) {
        close(descriptor)
        close(other)
    }
}
