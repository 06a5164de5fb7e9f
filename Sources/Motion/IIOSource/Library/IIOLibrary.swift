// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import SystemCalls

/// The libiio functions that this module uses. One implementation calls the C library; tests provide a different
/// implementation. Except for `devices(at:)`, `time(of:)` and refills of buffers with a `pollHandle`, all functions are
/// called on threads that block SIGPIPE. Objects are also released on such threads.
protocol IIOLibrary: Sendable {
    /// Opens a snapshot of the current devices. Blocks until the server responds or the connection fails.
    func open(_ address: MotionSourceAddress) throws(IIOFailure) -> any IIOConnection

    /// Returns the names of the current devices, or nil if only a new context can determine the names. Must be fast.
    func devices(at address: MotionSourceAddress) -> [String]?

    /// Returns the time of a local clock in nanoseconds. `clock` is the name that the kernel uses for it, for example
    /// "realtime".
    func time(of clock: String) -> Int64?
}

protocol IIOConnection: AnyObject, Sendable {
    /// The snapshot of the devices, including the values of attributes that describe sensors.
    var context: IIOContext { get }

    func read(_ place: IIOAttributePath) throws(IIOFailure) -> String
    func write(_ value: String, to place: IIOAttributePath) throws(IIOFailure)
    /// False if the user has no permission to write a local attribute.
    func isWritable(_ place: IIOAttributePath) -> Bool
    /// True if the user has permission to open the node of a local device.
    func isNodeAccessible(_ device: Int) -> Bool

    /// Returns the trigger of a device. Throws ENOENT if the device does not support triggers.
    func trigger(of device: Int) throws(IIOFailure) -> IIOTriggerState
    func setTrigger(_ trigger: Int, of device: Int) throws(IIOFailure)
    func parent(of device: Int) -> String?
    /// Creates a timer trigger with a rate in hertz, and assigns it to the device until it is released.
    func timerTrigger(for device: Int, rate: Double) throws(IIOFailure) -> any IIOLease

    /// Returns a property of the device from the udev database, for example ACCEL_MOUNT_MATRIX, or nil if it is not
    /// set.
    func udevProperty(_ name: String, of device: Int) -> String?

    /// False if the device is known to have been removed.
    func isPresent(_ device: Int) -> Bool
    /// Acquires an advisory lock on the device, which excludes other programs that use the same lock until the lease is
    /// released. Returns nil if locks are not supported. Throws EBUSY if a different program holds the lock.
    func lock(_ device: Int) throws(IIOFailure) -> (any IIOLease)?

    /// Prepares or starts a capture of the given channels. A refill fails after `timeout` seconds without data. 0 means
    /// no limit, if the backend permits that.
    func openBuffer(device: Int, channels: [Int], samples: Int, kernelBuffers: Int, timeout: Double) throws(IIOFailure)
        -> any IIOBuffer

    func openPoll(device: Int, channels: [(channel: Int, attribute: String)]) throws(IIOFailure) -> any IIOPoll
}

enum IIOTriggerState: Equatable, Sendable {
    case none
    /// The index of the trigger in the context, or nil if the trigger was created after the context was opened.
    case set(Int?)
}

/// A resource that is held until `release()` is called. Further calls of `release()` have no effect.
protocol IIOLease: AnyObject, Sendable {
    func release()
}

/// A capture. One thread at a time may start, refill and close it; any thread may cancel it.
protocol IIOBuffer: AnyObject, Sendable {
    /// The scan size, in bytes.
    var scanSize: Int { get }
    /// The number of refills that are buffered while the reader is late.
    var kernelBuffers: Int { get }
    /// A descriptor to poll for samples, and a wakeup pipe that is signalled on cancellation. It is nil if the buffer
    /// cannot be polled, and `refill` blocks instead.
    var pollHandle: (descriptor: Int32, wakeUp: WakeupPipe)? { get }
    /// Starts the capture if it was only prepared. A different thread may cancel the capture in the meantime.
    func start() throws(IIOFailure)
    /// Reads the next samples. Returns the number of bytes, which are valid until the next call, or a negative error
    /// number. `reads` is the number of permitted system calls, which is decremented. If it is 0, or no samples are
    /// available, the result is -EAGAIN. If `pollHandle` is nil, the call blocks instead.
    func refill(_ bytes: inout UnsafeRawBufferPointer, reads: inout Int) -> Int
    /// Makes a waiting refill and all later refills fail with EBADF.
    func cancel()
    func close()
}

protocol IIOPoll: AnyObject, Sendable {
    /// Reads the attribute at an index in the list of channels. Returns NaN if the value is not a number.
    func read(_ index: Int) throws(IIOFailure) -> Double
}

/// The location of an attribute. The first number is the index of the device in the context, the second is the index of
/// the channel in the device.
enum IIOAttributePath: Hashable, Sendable {
    case device(Int, String)
    case channel(Int, Int, String)

    var name: String {
        switch self {
        case .device(_, let name), .channel(_, _, let name): name
        }
    }
}
