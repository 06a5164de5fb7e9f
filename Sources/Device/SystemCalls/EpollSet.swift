// SPDX-License-Identifier: Apache-2.0

/// An epoll(7) instance. The descriptor of the set is readable while any member is readable. Members may be added and
/// removed at any time.
package final class EpollSet: Sendable {
    /// The operations of epoll_ctl(2). Tests compare them with the kernel headers.
    package static let addOperation: Int32 = 1
    package static let deleteOperation: Int32 = 2

    /// The descriptor to poll or to add to another set. Reading from this descriptor fails.
    package let descriptor: Int32

    /// - Parameter owner: The purpose of the set, mentioned in the error if the set cannot be created.
    package init(for owner: String) throws(DeviceError) {
        descriptor = epoll_create1(O_CLOEXEC)
        guard descriptor >= 0 else { throw .noDescriptor(for: owner, call: "epoll_create1") }
    }

    deinit { systemClose(descriptor) }

    /// Adds a descriptor. Returns false if epoll_ctl(2) fails.
    @discardableResult package func add(_ member: Int32) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: EpollEvent.size, alignment: 8) { event in
            event.initializeMemory(as: UInt8.self, repeating: 0)
            event.storeBytes(of: EpollEvent.readable, as: UInt32.self)
            return epoll_ctl(descriptor, Self.addOperation, member, event.baseAddress) == 0
        }
    }

    /// Notifies edge-triggered waiters again if the member is still readable.
    package func rearm(_ member: Int32) {
        remove(member)
        add(member)
    }

    /// Removes a descriptor. Has no effect on events that epoll_wait(2) has already returned.
    package func remove(_ member: Int32) { _ = epoll_ctl(descriptor, Self.deleteOperation, member, nil) }
}

/// The layout of `struct epoll_event`, which is packed only on x86-64. Its first member is `events`.
package enum EpollEvent {
    #if arch(x86_64)
    package static let size = 12
    #else
    package static let size = 16
    #endif
    package static let readable: UInt32 = 1
}

// The Swift modules of the C libraries lack these functions.
@_silgen_name("epoll_create1")
private func epoll_create1(_ flags: Int32) -> Int32

@_silgen_name("epoll_ctl")
private func epoll_ctl(_ set: Int32, _ operation: Int32, _ member: Int32, _ event: UnsafeMutableRawPointer?) -> Int32
