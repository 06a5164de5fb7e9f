// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import SystemCalls

/// A buffer whose descriptor can be polled. The reader thread or the executor of the subscribers reads it and posts to the
/// hub.
final class CaptureLink: PollableSource {
    private struct Content {
        /// nil after `close()`.
        var buffer: (any IIOBuffer)?
        var capture: Capture
        /// The error number that ended the capture; 0 until then.
        var failure: Int32 = 0
    }

    /// The number of system calls in one read by an executor.
    private static let maximumReads = 64
    /// The number of samples after which an executor stops reading, so that the app's callbacks run: managers queue a
    /// thousand.
    private static let maximumSamplesBeforeCallbacks = 256

    private let timeout: Double
    private let clock: any DeviceClock
    private let content: ExclusiveValue<Content>
    private let hasStamps = Atomic<Bool>(false)
    private let nextTimeout: Atomic<Int64>
    let descriptor: Int32

    init(
        _ buffer: any IIOBuffer, _ descriptor: Int32, _ capture: Capture, _ plan: BufferPlan, clock: any DeviceClock
    ) {
        self.descriptor = descriptor
        self.clock = clock
        timeout = plan.timeout
        nextTimeout = Atomic(Self.deadline(after: capture.lastRefill, plan.timeout).nanoseconds)
        content = ExclusiveValue(Content(buffer: buffer, capture: capture))
    }

    /// The time at which the server is regarded as silent.
    var deadline: BootTime { BootTime(nanoseconds: nextTimeout.load(ordering: .relaxed)) }

    /// False if samples have, or may have, the time at which they are read as their time stamp. The reader thread then has to
    /// read them, which is not delayed by the app.
    var mayBePolledByExecutor: Bool { hasStamps.load(ordering: .relaxed) }

    /// Stops reading and releases the buffer. Returns the error number and the final state of the capture.
    func close() -> (number: Int32, capture: Capture) {
        content.useWhenFree { content in
            content.buffer = nil
            if content.failure == 0 { content.failure = EBADF }
            return (content.failure, content.capture)
        }
    }

    func readAvailable(_ cause: ReadCause) throws(DeviceError) -> ReadOutcome {
        // One read is enough on the reader thread, which polls again.
        var reads =
            switch cause {
            case .thread(let isReadable): isReadable ? 1 : 0
            case .overdue: 1
            case .executor: Self.maximumReads
            }
        let outcome = try content.use { content throws(DeviceError) in
            try read(&content, &reads)
            return reads > 0 ? ReadOutcome.drained : .moreAvailable
        }
        return outcome ?? .contended
    }

    private static func deadline(after lastRefill: BootTime, _ timeout: Double) -> BootTime {
        timeout > 0 ? lastRefill.advanced(bySeconds: timeout) : .never
    }

    private func read(_ content: inout Content, _ reads: inout Int) throws(DeviceError) {
        if content.failure == 0, let buffer = content.buffer {
            // After a suspension of the machine, the timeout is over although samples are waiting.
            if reads == 0, deadline <= clock.now, Sockets.isReadable(descriptor) { reads = 1 }
            if reads > 0 {
                content.failure = read(buffer, &content.capture, &reads)
                hasStamps.store(content.capture.hasStamps, ordering: .relaxed)
                nextTimeout.store(
                    Self.deadline(after: content.capture.lastRefill, timeout).nanoseconds, ordering: .relaxed)
            }
            // libiio's error for a server that is silent, or sends data that contains no samples.
            if content.failure == 0, deadline <= clock.now, !Sockets.isReadable(descriptor) { content.failure = EPIPE }
        }
        guard content.failure == 0 else {
            // The caller reports the error number that `close` returns.
            throw DeviceError(.connectionLost, "", cause: .system(call: "iio_buffer_refill", errno: content.failure))
        }
    }

    /// Returns the error number; 0 if no more samples are available.
    private func read(_ buffer: any IIOBuffer, _ capture: inout Capture, _ reads: inout Int) -> Int32 {
        var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
        var room = Self.maximumSamplesBeforeCallbacks * buffer.step
        while true {
            let result = buffer.refill(&bytes, reads: &reads)
            if result == -Int(EAGAIN) { return 0 }
            guard result >= 0 else { return Int32(clamping: -result) }
            _ = capture.take(bytes)
            room -= result
            if room <= 0 { reads = 0 }
        }
    }
}
