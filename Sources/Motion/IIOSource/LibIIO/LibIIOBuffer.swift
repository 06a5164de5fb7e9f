// SPDX-License-Identifier: Apache-2.0

#if LibIIO
import CLibIIO
import IIOFormat
import Synchronization

/// A buffer of libiio.
///
/// Unchecked: the pointer itself never changes, and libiio allows `cancel` on other threads while the buffer exists,
/// which the lock sees to.
final class LibIIOBuffer: IIOBuffer, @unchecked Sendable {
    /// Lives as long as its buffers.
    private let connection: LibIIOConnection
    private let pointer: OpaquePointer
    private let isOpen = Mutex(true)
    let step: Int

    init(_ pointer: OpaquePointer, connection: LibIIOConnection) {
        self.pointer = pointer
        self.connection = connection
        step = Int(iio_buffer_step(pointer))
    }

    deinit { close() }

    func refill(_ bytes: inout UnsafeRawBufferPointer) -> Int {
        let result = iio_buffer_refill(pointer)
        guard result >= 0 else { return result }
        guard let start = iio_buffer_start(pointer), let end = iio_buffer_end(pointer), end >= start else { return -5 }
        bytes = UnsafeRawBufferPointer(start: start, count: end - start)
        return result
    }

    func cancel() { isOpen.withLock { if $0 { iio_buffer_cancel(pointer) } } }

    func close() {
        let mine = isOpen.withLock { isOpen in
            // Cancelled first, a network buffer drops its connection instead of waiting for a server's answer.
            if isOpen { iio_buffer_cancel(pointer) }
            return exchange(&isOpen, with: false)
        }
        if mine { iio_buffer_destroy(pointer) }
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
