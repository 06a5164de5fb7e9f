// SPDX-License-Identifier: Apache-2.0

#if LibIIO
import CLibIIO
import IIOFormat
import Synchronization
import SystemCalls

/// A buffer of libiio.
///
/// Unchecked: the pointer itself never changes, and libiio allows `cancel` on other threads while the buffer exists,
/// which the lock sees to. One thread at a time refills.
final class LibIIOBuffer: IIOBuffer, @unchecked Sendable {
    /// Lives as long as its buffers.
    private let connection: LibIIOConnection
    private let pointer: OpaquePointer
    private let isOpen = Mutex(true)
    private let isCancelled = Atomic<Bool>(false)
    let step: Int
    let kernelBuffers: Int
    let wait: (descriptor: Int32, wakeUp: WakeUp)?
    private var gate = RefillGate()
    /// The number of the action that disables the buffer at exit; nil for a buffer of another machine.
    private let exitAction: Int?

    init(_ pointer: OpaquePointer, connection: LibIIOConnection, kernelBuffers: Int, exitAction: Int? = nil) {
        self.pointer = pointer
        self.exitAction = exitAction
        self.kernelBuffers = kernelBuffers
        self.connection = connection
        step = Int(iio_buffer_step(pointer))
        wait = Self.wait(pointer)
    }

    /// Has the buffer not wait, if it is one of this machine.
    private static func wait(_ pointer: OpaquePointer) -> (descriptor: Int32, wakeUp: WakeUp)? {
        let descriptor = iio_buffer_get_poll_fd(pointer)
        guard descriptor >= 0, let wakeUp = try? WakeUp(for: "the samples of a sensor"),
            iio_buffer_set_blocking_mode(pointer, false) == 0
        else { return nil }
        return (descriptor, wakeUp)
    }

    deinit { close() }

    func refill(_ bytes: inout UnsafeRawBufferPointer, reads: inout Int) -> Int {
        if let wait {
            // libiio looks whether it has been cancelled only where it waits.
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
            // Cancelled first, a network buffer drops its connection instead of waiting for a server's answer.
            if isOpen { iio_buffer_cancel(pointer) }
            return exchange(&isOpen, with: false)
        }
        guard mine else { return }
        LibIIOMessages.logged { iio_buffer_destroy(pointer) }
        if let exitAction { ExitActions.shared.remove(exitAction) }
    }
}

/// Keeps from reading a buffer of this machine that is empty: many a driver asks the sensor then for what that keeps itself,
/// over a slow bus and for fewer samples than it was set to wait for.
struct RefillGate {
    /// True when a refill has just given samples: nobody has waited for more.
    private var isRepeated = false

    mutating func noteRefill() { isRepeated = true }

    /// Counts a read down, unless none is left or it would find nothing.
    mutating func takesRead(of descriptor: Int32, _ reads: inout Int) -> Bool {
        let hasWaited = !exchange(&isRepeated, with: false)
        guard reads > 0, hasWaited || Sockets.isReadable(descriptor) else { return false }
        reads -= 1
        return true
    }
}

/// Attributes of channels, read through the library each time.
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
