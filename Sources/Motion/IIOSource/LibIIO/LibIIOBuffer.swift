// SPDX-License-Identifier: Apache-2.0

#if LibIIO
import CLibIIO
import IIOFormat
import Synchronization
import SystemCalls

/// A buffer of libiio.
///
/// Unchecked: the pointer is constant. libiio permits `iio_buffer_cancel` on other threads while the buffer exists,
/// which the lock ensures. Only one thread at a time may refill the buffer.
final class LibIIOBuffer: IIOBuffer, @unchecked Sendable {
    /// Keeps the context open as long as its buffers exist.
    private let connection: LibIIOConnection
    private let pointer: OpaquePointer
    private let isOpen = Mutex(true)
    private let isCancelled = Atomic<Bool>(false)
    let step: Int
    let kernelBuffers: Int
    let wait: (descriptor: Int32, wakeUp: WakeUp)?
    private var gate = RefillGate()
    /// The ID of the action that disables the buffer at exit; nil for a remote buffer.
    private let exitAction: Int?

    init(_ pointer: OpaquePointer, connection: LibIIOConnection, kernelBuffers: Int, exitAction: Int? = nil) {
        self.pointer = pointer
        self.exitAction = exitAction
        self.kernelBuffers = kernelBuffers
        self.connection = connection
        step = Int(iio_buffer_step(pointer))
        wait = Self.wait(pointer)
    }

    /// Sets a local buffer to nonblocking mode. Returns nil for other buffers.
    private static func wait(_ pointer: OpaquePointer) -> (descriptor: Int32, wakeUp: WakeUp)? {
        let descriptor = iio_buffer_get_poll_fd(pointer)
        guard descriptor >= 0, let wakeUp = try? WakeUp(for: "the capture from a sensor"),
            iio_buffer_set_blocking_mode(pointer, false) == 0
        else { return nil }
        return (descriptor, wakeUp)
    }

    deinit { close() }

    func refill(_ bytes: inout UnsafeRawBufferPointer, reads: inout Int) -> Int {
        if let wait {
            // In nonblocking mode, libiio does not check whether the buffer has been cancelled.
            if isCancelled.load(ordering: .relaxed) { return -Int(EBADF) }
            guard gate.takesRead(of: wait.descriptor, &reads) else { return -Int(EAGAIN) }
        }
        let result = iio_buffer_refill(pointer)
        guard result >= 0 else { return result }
        gate.noteRefill()
        guard let start = iio_buffer_start(pointer), let end = iio_buffer_end(pointer), end >= start else { return -5 }
        bytes = UnsafeRawBufferPointer(start: start, count: end - start)
        return result
    }

    func start() {}

    func cancel() {
        isCancelled.store(true, ordering: .relaxed)
        isOpen.withLock { if $0 { iio_buffer_cancel(pointer) } }
        wait?.wakeUp.signal()
    }

    func close() {
        let mine = isOpen.withLock { isOpen in
            // If a network buffer is cancelled first, it closes its connection without waiting for a response of the
            // server.
            if isOpen { iio_buffer_cancel(pointer) }
            return exchange(&isOpen, with: false)
        }
        guard mine else { return }
        LibIIOMessages.logged { iio_buffer_destroy(pointer) }
        if let exitAction { ExitActions.shared.remove(exitAction) }
    }
}

/// A gate that prevents reads from an empty local buffer. Many drivers respond to these reads by reading the hardware
/// FIFO of the sensor over a slow bus, before it contains as many samples as configured.
struct RefillGate {
    /// True if the last refill has returned samples, and the caller has not waited for more since.
    private var isRepeated = false

    mutating func noteRefill() { isRepeated = true }

    /// Decrements `reads` and returns true if a read is permitted. Returns false if no reads are left or the buffer is
    /// empty.
    mutating func takesRead(of descriptor: Int32, _ reads: inout Int) -> Bool {
        let hasWaited = !exchange(&isRepeated, with: false)
        guard reads > 0, hasWaited || Sockets.isReadable(descriptor) else { return false }
        reads -= 1
        return true
    }
}

/// Channel attributes that are read through libiio.
final class LibIIOPoll: IIOPoll {
    private let connection: LibIIOConnection
    private let places: [IIOPlace]

    init(_ connection: LibIIOConnection, places: [IIOPlace]) {
        self.connection = connection
        self.places = places
    }

    func read(_ index: Int) throws(IIOFailure) -> Double {
        guard places.indices.contains(index) else { return .nan }
        return IIONumber.double(try connection.read(places[index])) ?? .nan
    }
}
#endif
