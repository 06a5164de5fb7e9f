// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import SystemCalls

/// A capture whose buffer can be waited for, and all that is read from it.
///
/// Whoever looks tells the hub.
final class CaptureLink: LentLink {
    private struct Content {
        /// Nil when nothing is read any more: it goes at once then, whoever still has the link.
        var buffer: (any IIOBuffer)?
        var capture: Capture
        var attention: Attention
        /// The error number after which nothing more will come; 0 while all is well.
        var failure: Int32 = 0
    }

    /// How often the system is asked for more in one look.
    private static let mostReads = 64
    /// After so many samples it is not asked any more in that look, though there may be more: the program is told of these
    /// first, and managers keep a thousand only.
    private static let mostBeforeTelling = 256
    /// The longest that who looks in place of the thread may be late, in seconds.
    private static let lateness = 0.1

    private let timeout: Double
    private let clock: any DeviceClock
    private let content: Mutex<Content>
    private let lendable = Atomic<Bool>(false)
    let descriptor: Int32

    init(
        _ buffer: any IIOBuffer, _ descriptor: Int32, _ capture: Capture, _ plan: BufferPlan, lateness: Double?,
        clock: any DeviceClock
    ) {
        self.descriptor = descriptor
        self.clock = clock
        timeout = plan.timeout
        // Well before the kernel's own buffer is full.
        let lateness = lateness ?? min(Self.lateness, Double(buffer.kernelBuffers) * plan.period / 3)
        let attention = Attention(lateness: lateness, patience: lateness + 3 * plan.period, now: clock.now)
        content = Mutex(Content(buffer: buffer, capture: capture, attention: attention))
    }

    var deadline: BootTime { deadline(after: content.withLock { $0.capture.lastRefill }) }

    var attentionEnd: BootTime { content.withLock { $0.attention.end } }

    var looks: UInt64 { content.withLock { $0.attention.looks } }

    func expectLook() -> Double {
        content.withLock { $0.attention.expectLook(now: clock.now) }
    }

    /// False when samples have, or may have, the time at which they are looked at: then that has to be the source's thread,
    /// which comes at once. Waits for nobody.
    var mayBeLent: Bool { lendable.load(ordering: .relaxed) }

    /// Nothing is read any more: the error number, and the capture as it was left.
    func close() -> (number: Int32, capture: Capture) {
        content.withLock { content in
            content.buffer = nil
            if content.failure == 0 { content.failure = EBADF }
            return (content.failure, content.capture)
        }
    }

    // MARK: Looks

    func look(isReadable: Bool) throws(DeviceError) {
        try content.withLock { content throws(DeviceError) in
            content.attention.isTakenBack()
            // A read is enough: what is left is told by the next wait.
            _ = try look(&content, reads: isReadable ? 1 : 0)
        }
    }

    func look(
        alarm: Alarm, in place: any DirectDelivery, while isLent: () -> Bool
    ) throws(DeviceError) -> LentLook {
        try content.withLockIfAvailable { content throws(DeviceError) in
            guard isLent() else { return .over }
            let isEmpty = try look(&content, reads: Self.mostReads, in: place)
            content.attention.isLent(alarm, now: clock.now, deadline: deadline(after: content.capture.lastRefill))
            return isEmpty ? .all : .more
        } ?? .busy
    }

    func lookAfter() throws(DeviceError) {
        try content.withLock { content throws(DeviceError) in _ = try look(&content, reads: 0) }
    }

    private func deadline(after lastRefill: BootTime) -> BootTime {
        timeout > 0 ? lastRefill.advanced(bySeconds: timeout) : .never
    }

    /// False when there may be more.
    private func look(
        _ content: inout Content, reads: Int, in place: (any DirectDelivery)? = nil
    ) throws(DeviceError) -> Bool {
        var reads = reads
        if content.failure == 0, let buffer = content.buffer {
            // A machine that has slept finds time up, and samples that nobody has looked at.
            if reads == 0, isOverdue(content.capture.lastRefill), Sockets.isReadable(descriptor) { reads = 1 }
            if reads > 0 {
                content.attention.noteLook(now: clock.now)
                content.failure = read(buffer, &content.capture, &reads, in: place)
                lendable.store(content.capture.hasStamps, ordering: .relaxed)
            }
            // What libiio says of a server that is silent, or says what makes no samples.
            if content.failure == 0, isOverdue(content.capture.lastRefill), !Sockets.isReadable(descriptor) {
                content.failure = EPIPE
            }
        }
        guard content.failure == 0 else {
            // Only that it has failed counts; the number says the rest.
            throw DeviceError(.connectionLost, "", cause: .system(call: "iio_buffer_refill", errno: content.failure))
        }
        return reads > 0
    }

    private func isOverdue(_ lastRefill: BootTime) -> Bool {
        timeout > 0 && clock.now >= deadline(after: lastRefill)
    }

    /// The error number; 0 when there is no more for now.
    private func read(
        _ buffer: any IIOBuffer, _ capture: inout Capture, _ reads: inout Int, in place: (any DirectDelivery)?
    ) -> Int32 {
        var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
        var room = Self.mostBeforeTelling * buffer.step
        while true {
            let result = buffer.refill(&bytes, reads: &reads)
            if result == -Int(EAGAIN) { return 0 }
            guard result >= 0 else { return Int32(clamping: -result) }
            _ = capture.take(bytes, in: place)
            room -= result
            if room <= 0 { reads = 0 }
        }
    }
}
