// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import SystemCalls

/// A buffer that is polled and read either by the reader thread (`DeviceReadTask`) or by the subscribers' executor.
/// `ReadinessCoordinator` decides which of the two reads, and `content` ensures that only one thread reads at a time.
final class PollableBuffer: PollableSource {
    private struct Content {
        var buffer: (any IIOBuffer)?
        var bufferReader: BufferReader
        /// The error number of the failed read, or 0 while reading succeeds.
        var errorNumber: Int32 = 0
    }

    /// The maximum number of system calls in one read by the executor, or by the reader thread on its behalf.
    private static let maximumReads = 64
    /// The number of samples after which a read ends to let callbacks run.
    private static let maximumSamplesBeforeCallbacks = 256

    private let timeout: Double
    private let clock: any DeviceClock
    private let content: ExclusiveValue<Content>
    private let usesDriverTimestamps = Atomic<Bool>(false)
    private let nextTimeout: Atomic<Int64>
    let descriptor: Int32

    init(
        _ buffer: any IIOBuffer, _ descriptor: Int32, _ bufferReader: BufferReader, _ plan: BufferPlan,
        clock: any DeviceClock
    ) {
        self.descriptor = descriptor
        self.clock = clock
        timeout = plan.timeout
        nextTimeout = Atomic(Self.deadline(after: bufferReader.lastRefill, plan.timeout).nanoseconds)
        content = ExclusiveValue(Content(buffer: buffer, bufferReader: bufferReader))
    }

    var deadline: BootTime { BootTime(nanoseconds: nextTimeout.load(ordering: .relaxed)) }
    /// False if samples may lack timestamps. Their times would depend on when the buffer is read, and the app may delay
    /// an executor, so only the reader thread may read such a buffer.
    var mayBePolledByExecutor: Bool { usesDriverTimestamps.load(ordering: .relaxed) }

    /// Waits until no thread is reading, and makes all later reads fail. Returns the error number and the buffer
    /// reader's final state.
    func close() -> (errorNumber: Int32, bufferReader: BufferReader) {
        content.useWhenFree { content in
            content.buffer = nil
            if content.errorNumber == 0 { content.errorNumber = EBADF }
            return (content.errorNumber, content.bufferReader)
        }
    }

    func readAvailable(_ cause: ReadCause) throws(DeviceError) -> ReadOutcome {
        // When the reader thread polls, it reads only once, because it polls again afterwards. When it reads in place
        // of the executor, it reads as much as the executor would, because it then waits for the next due time.
        var remainingReads =
            switch cause {
            case .thread(let isReadable): isReadable ? 1 : 0
            case .overdue, .executor: Self.maximumReads
            }
        let outcome = try content.use { content throws(DeviceError) in
            try read(&content, &remainingReads)
            // If `remainingReads` has not reached 0, the buffer is empty.
            return remainingReads > 0 ? ReadOutcome.drained : .moreAvailable
        }
        return outcome ?? .contended
    }

    private static func deadline(after lastRefill: BootTime, _ timeout: Double) -> BootTime {
        timeout > 0 ? lastRefill.advanced(bySeconds: timeout) : .never
    }

    private func read(_ content: inout Content, _ remainingReads: inout Int) throws(DeviceError) {
        if content.errorNumber == 0, let buffer = content.buffer {
            // After a system suspend, the timeout may have expired while samples were waiting. In this case, read them.
            if remainingReads == 0, deadline <= clock.now, Sockets.isReadable(descriptor) { remainingReads = 1 }
            if remainingReads > 0 {
                content.errorNumber = read(buffer, &content.bufferReader, &remainingReads)
                usesDriverTimestamps.store(content.bufferReader.usesDriverTimestamps, ordering: .relaxed)
                nextTimeout.store(
                    Self.deadline(after: content.bufferReader.lastRefill, timeout).nanoseconds, ordering: .relaxed)
            }
            // The timeout has expired. libiio also uses EPIPE if a server is silent or sends data without samples.
            if content.errorNumber == 0, deadline <= clock.now, !Sockets.isReadable(descriptor) {
                content.errorNumber = EPIPE
            }
        }
        guard content.errorNumber == 0 else {
            // This error only ends polling and is not reported. `DeviceReadTask` reports the error number that
            // `close()` returns.
            throw DeviceError(
                .connectionLost, "", cause: .system(call: "iio_buffer_refill", errno: content.errorNumber))
        }
    }

    /// Reads until there are no more samples or `remainingReads` is 0. Each system call decrements `remainingReads`.
    /// Once it is 0, `refill` returns only samples that have already been received, and then -EAGAIN. Returns the error
    /// number, or 0 on success.
    private func read(
        _ buffer: any IIOBuffer, _ bufferReader: inout BufferReader, _ remainingReads: inout Int
    ) -> Int32 {
        var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
        var remainingBytes = Self.maximumSamplesBeforeCallbacks * buffer.scanSize
        while true {
            let result = buffer.refill(&bytes, reads: &remainingReads)
            if result == -Int(EAGAIN) { return 0 }
            guard result >= 0 else { return Int32(clamping: -result) }
            _ = bufferReader.process(bytes)
            remainingBytes -= result
            if remainingBytes <= 0 { remainingReads = 0 }
        }
    }
}
