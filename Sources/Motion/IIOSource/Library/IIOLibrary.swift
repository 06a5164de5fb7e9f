// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import SystemCalls

/// The libiio functions that this module uses. They are called only on threads that block SIGPIPE, except for
/// `devices(at:)`, `time(of:)`, and refills of buffers that have a `pollHandle`.
protocol IIOLibrary: Sendable {
    /// Blocks until the server responds or the connection fails.
    func open(_ address: MotionSourceAddress) throws(IIOFailure) -> any IIOConnection

    /// Returns the names of the current devices without opening a context, or nil if that is not possible. Must return
    /// quickly.
    func devices(at address: MotionSourceAddress) -> [String]?

    /// Returns the time of a local clock such as "realtime", in nanoseconds.
    func time(of clock: String) -> Int64?
}

/// An open context. Devices and channels are identified by their indices in `context`.
protocol IIOConnection: AnyObject, Sendable {
    var context: IIOContext { get }

    func read(_ attributePath: IIOAttributePath) throws(IIOFailure) -> String
    func write(_ value: String, to attributePath: IIOAttributePath) throws(IIOFailure)
    /// Returns false if the user lacks write permission. Always returns true on a server, where permissions are
    /// unknown.
    func isWritable(_ attributePath: IIOAttributePath) -> Bool
    /// Returns true if the user has permission to open the device node. Always returns false on a server.
    func isNodeAccessible(_ device: Int) -> Bool

    /// Returns the trigger of a device. Throws ENOENT if the device does not support triggers.
    func trigger(of device: Int) throws(IIOFailure) -> IIOTriggerState
    func setTrigger(_ trigger: Int, of device: Int) throws(IIOFailure)
    func parent(of device: Int) -> String?
    /// Assigns a timer trigger to the device until the lease is released. `rate` is in hertz.
    func timerTrigger(for device: Int, rate: Double) throws(IIOFailure) -> any IIOLease

    /// Returns a property from the udev database, for example ACCEL_MOUNT_MATRIX.
    func udevProperty(_ name: String, of device: Int) -> String?

    /// Returns false if the device is known to have been removed.
    func isPresent(_ device: Int) -> Bool
    /// Acquires an advisory lock, or returns nil if locks are not supported. Throws EBUSY if another program holds it.
    func lock(_ device: Int) throws(IIOFailure) -> (any IIOLease)?

    /// Opens a buffer, which may already start the capture. A refill fails after `timeout` seconds without data. A
    /// timeout of 0 means no limit.
    func openBuffer(device: Int, channels: [Int], samples: Int, kernelBuffers: Int, timeout: Double) throws(IIOFailure)
        -> any IIOBuffer

    func openPoll(device: Int, channels: [(channel: Int, attribute: String)]) throws(IIOFailure) -> any IIOPoll
}

enum IIOTriggerState: Equatable, Sendable {
    case none
    /// The index of the trigger, or nil if it was created after the context was opened.
    case set(Int?)
}

/// A resource that is held until `release()` is called. Further calls have no effect.
protocol IIOLease: AnyObject, Sendable {
    func release()
}

/// A capture. One thread at a time may start, refill and close it. Any thread may cancel it, even during `close()`.
protocol IIOBuffer: AnyObject, Sendable {
    var scanSize: Int { get }
    var kernelBuffers: Int { get }
    /// A descriptor that can be polled for samples, and a wakeup pipe that is signaled when the capture is cancelled.
    /// If the handle is nil, `refill` blocks instead.
    var pollHandle: (descriptor: Int32, wakeUp: WakeupPipe)? { get }
    /// Starts a prepared capture. Another thread may cancel the capture during this call.
    func start() throws(IIOFailure)
    /// Points `bytes` at the next samples, which are valid until the next call. Returns their size in bytes, or a
    /// negative error number. `reads` is the number of system calls still permitted. If no samples are available within
    /// this limit, returns -EAGAIN.
    func refill(_ bytes: inout UnsafeRawBufferPointer, reads: inout Int) -> Int
    /// Makes a waiting refill and all later refills fail with EBADF.
    func cancel()
    func close()
}

protocol IIOPoll: AnyObject, Sendable {
    /// Reads the attribute at the given index in the list passed to `openPoll`. Returns NaN if the value is not a
    /// number.
    func read(_ index: Int) throws(IIOFailure) -> Double
}

/// The location of an attribute: the index of its device, the index of its channel, if any, and its name.
enum IIOAttributePath: Hashable, Sendable {
    case device(Int, String)
    case channel(Int, Int, String)

    var name: String {
        switch self {
        case .device(_, let name), .channel(_, _, let name): name
        }
    }
}
