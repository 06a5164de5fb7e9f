// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import SystemCalls

/// What this target needs of libiio: one made of the C library, one for tests.
///
/// Apart from `devices(at:)` and `time(of:)`, and from refills of a buffer that can be waited for, everything here, releasing
/// included, happens on threads that block SIGPIPE.
protocol IIOLibrary: Sendable {
    /// A new context, which is a picture of the devices of this moment; takes as long as the server lets it wait.
    func open(_ address: MotionSourceAddress) throws(IIOFailure) -> any IIOConnection

    /// The names of the devices that there are now, as cheaply as can be; nil where only a new context would tell.
    func devices(at address: MotionSourceAddress) -> [String]?

    /// The time of a clock of this machine, in nanoseconds, by the kernel's name for it: "realtime", "monotonic".
    func time(of clock: String) -> Int64?
}

/// An open context.
protocol IIOConnection: AnyObject, Sendable {
    /// The picture, with the values of those attributes that describe a sensor.
    var context: IIOContext { get }

    func read(_ place: IIOPlace) throws(IIOFailure) -> String
    func write(_ value: String, to place: IIOPlace) throws(IIOFailure)
    /// False for an attribute of this machine that the user has no permission to write.
    func isWritable(_ place: IIOPlace) -> Bool
    /// True for a device of this machine whose node the user has permission to open.
    func isNodeAccessible(_ device: Int) -> Bool

    /// The trigger of a device; fails with ENOENT when the device takes none.
    func trigger(of device: Int) throws(IIOFailure) -> IIOTriggerState
    func setTrigger(_ trigger: Int, of device: Int) throws(IIOFailure)
    /// The trigger's or device's parent in the tree of hardware; nil when that is not known.
    func parent(of device: Int) -> String?
    /// Makes a trigger that fires by a timer at that rate and gives it to the device, until it is released.
    func timerTrigger(for device: Int, rate: Double) throws(IIOFailure) -> any IIOHold

    /// What udev's database of hardware says of the device, such as ACCEL_MOUNT_MATRIX; nil when it says nothing.
    func udevProperty(_ name: String, of device: Int) -> String?

    /// False when the device is known to be gone.
    func isPresent(_ device: Int) -> Bool
    /// Tells other programs that also ask that the device is in use, until it is released; nil where nobody could be
    /// told. Fails with EBUSY when another has said so.
    func lock(_ device: Int) throws(IIOFailure) -> (any IIOHold)?

    /// Prepares to capture the channels, or has begun with it. After `timeout` seconds without data the refill fails; 0 for no
    /// limit, where the backend allows that.
    func openBuffer(
        device: Int, channels: [Int], samples: Int, kernelBuffers: Int, timeout: Double
    ) throws(IIOFailure) -> any IIOBuffer

    /// Prepares to read those attributes of channels again and again.
    func openPoll(device: Int, channels: [(channel: Int, attribute: String)]) throws(IIOFailure) -> any IIOPoll
}

/// Whether a device has a trigger.
enum IIOTriggerState: Equatable, Sendable {
    case none
    /// The trigger's place in the context; nil for one that was made after the context.
    case set(Int?)
}

/// Something that is given back by `release`, once; releasing again does nothing.
protocol IIOHold: AnyObject, Sendable {
    func release()
}

/// A capture. One thread at a time starts and refills it, one closes it; any may cancel it.
protocol IIOBuffer: AnyObject, Sendable {
    /// Bytes from one scan to the next.
    var step: Int { get }
    /// How many refills wait, where they wait, for somebody who is late.
    var kernelBuffers: Int { get }
    /// What is readable when there are samples, and what is signalled when the buffer is cancelled; nil where only a
    /// refill can wait.
    var wait: (descriptor: Int32, wakeUp: WakeUp)? { get }
    /// Has the samples come; before that there are none. It may be cancelled meanwhile.
    func start() throws(IIOFailure)
    /// Takes the next samples: negative error number, or the count of bytes, which stay valid until the next call.
    ///
    /// - Parameter reads: How often the system may be asked for more, counted down. At zero, and when there is nothing, a
    ///   refill fails with EAGAIN; where `wait` is nil it waits instead.
    func refill(_ bytes: inout UnsafeRawBufferPointer, reads: inout Int) -> Int
    /// Ends a refill that waits, and all later ones, with EBADF.
    func cancel()
    /// Stops capturing.
    func close()
}

/// Attributes that are read again and again.
protocol IIOPoll: AnyObject, Sendable {
    /// The value of the attribute with that place in the list; NaN when it is no number.
    func read(_ index: Int) throws(IIOFailure) -> Double
}

/// Where an attribute sits. Numbers count the devices of a context and the channels of a device.
enum IIOPlace: Hashable, Sendable {
    case device(Int, String)
    case channel(Int, Int, String)

    /// The attribute's name.
    var name: String {
        switch self {
        case .device(_, let name), .channel(_, _, let name): name
        }
    }
}
