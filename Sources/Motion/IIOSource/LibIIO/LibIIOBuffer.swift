// SPDX-License-Identifier: Apache-2.0

#if LibIIO
import CLibIIO
import IIOFormat
import Synchronization
import SystemCalls

/// A libiio buffer. `@unchecked Sendable` because the pointer is constant. The lock ensures that `iio_buffer_cancel` is
/// never called on a destroyed buffer. Only one thread at a time may refill the buffer.
final class LibIIOBuffer: IIOBuffer, @unchecked Sendable {
    /// Keeps the context open as long as the buffer exists.
    private let connection: LibIIOConnection
    private let pointer: OpaquePointer
    private let isOpen = Mutex(true)
    private let isCancelled = Atomic<Bool>(false)
    let scanSize: Int
    let kernelBuffers: Int
    let pollHandle: (descriptor: Int32, wakeUp: WakeupPipe)?
    private var readGate = RefillGate()
    private let exitAction: Int?

    init(_ pointer: OpaquePointer, connection: LibIIOConnection, kernelBuffers: Int, exitAction: Int? = nil) {
        (self.pointer, self.exitAction) = (pointer, exitAction)
        (self.kernelBuffers, self.connection) = (kernelBuffers, connection)
        scanSize = Int(iio_buffer_step(pointer))
        pollHandle = Self.makePollHandle(pointer)
    }

    /// Makes reads of a local buffer nonblocking, so that the buffer can be polled. Returns nil if polling is not
    /// possible.
    private static func makePollHandle(_ pointer: OpaquePointer) -> (descriptor: Int32, wakeUp: WakeupPipe)? {
        let descriptor = iio_buffer_get_poll_fd(pointer)
        guard descriptor >= 0, let wakeUp = try? WakeupPipe(for: "the capture from a sensor"),
            iio_buffer_set_blocking_mode(pointer, false) == 0
        else { return nil }
        return (descriptor, wakeUp)
    }

    deinit { close() }

    func refill(_ bytes: inout UnsafeRawBufferPointer, reads: inout Int) -> Int {
        if let pollHandle {
            // In nonblocking mode, libiio does not check whether the buffer has been cancelled.
            if isCancelled.load(ordering: .relaxed) { return -Int(EBADF) }
            guard readGate.consumeRead(of: pollHandle.descriptor, &reads) else { return -Int(EAGAIN) }
        }
        let result = iio_buffer_refill(pointer)
        guard result >= 0 else { return result }
        readGate.recordRefill()
        guard let start = iio_buffer_start(pointer), let end = iio_buffer_end(pointer), end >= start else {
            return -Int(EIO)
        }
        bytes = UnsafeRawBufferPointer(start: start, count: end - start)
        return result
    }

    func start() {}

    func cancel() {
        isCancelled.store(true, ordering: .relaxed)
        isOpen.withLock { if $0 { iio_buffer_cancel(pointer) } }
        pollHandle?.wakeUp.signal()
    }

    func close() {
        let wasOpen = isOpen.withLock { isOpen in
            // After cancellation, closing a network buffer does not wait for a server response.
            if isOpen { iio_buffer_cancel(pointer) }
            return exchange(&isOpen, with: false)
        }
        guard wasOpen else { return }
        LibIIOMessages.withCapturedOutput { iio_buffer_destroy(pointer) }
        if let exitAction { ExitActions.shared.remove(exitAction) }
    }
}

/// Prevents reads of a local buffer while it is empty. Such reads would make many drivers read the sensor's hardware
/// FIFO earlier than necessary.
struct RefillGate {
    /// True after a successful refill, until the next read attempt. The caller has not waited for samples since the
    /// refill, so this attempt first checks whether any are available.
    private var hasNotWaitedSinceRefill = false

    mutating func recordRefill() { hasNotWaitedSinceRefill = true }

    mutating func consumeRead(of descriptor: Int32, _ reads: inout Int) -> Bool {
        let hasWaited = !exchange(&hasNotWaitedSinceRefill, with: false)
        guard reads > 0, hasWaited || Sockets.isReadable(descriptor) else { return false }
        reads -= 1
        return true
    }
}

final class LibIIOPoll: IIOPoll {
    private let connection: LibIIOConnection
    private let attributes: [IIOAttributePath]

    init(_ connection: LibIIOConnection, attributes: [IIOAttributePath]) {
        self.connection = connection
        self.attributes = attributes
    }

    func read(_ index: Int) throws(IIOFailure) -> Double {
        guard attributes.indices.contains(index) else { return .nan }
        return IIONumber.double(try connection.read(attributes[index])) ?? .nan
    }
}
#endif
