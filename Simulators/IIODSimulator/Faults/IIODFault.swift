// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
@_exported public import enum Trace.FaultMoment

/// A fault of a simulated iiod and the moment at which it occurs.
public struct IIODFault: Sendable, Hashable {
    /// The kind of fault. Errors are errno values such as ENODEV.
    public enum Action: Sendable, Hashable {
        /// Chunks contain at most the given number of samples. 0 ends the fault.
        case partialChunks(Int)
        /// READBUF fails with the given error until the client opens the device again.
        case streamError(Int32)
        /// No samples arrive. The connection remains open.
        case stall
        /// Samples arrive again. The samples that were due during the stall are lost.
        case resume
        /// Every reply is delayed by the given number of seconds. 0 ends the fault.
        case delay(Double)
        /// All connections are reset. The server continues to listen.
        case drop
        /// All connections are reset and the server stops listening, as if its process were killed.
        case kill
        /// All connections are reset and the server stops listening, as with ``kill``. It listens again after the
        /// duration, or after one second without a duration. A server that has already stopped listens again
        /// immediately.
        case restart
        /// OPEN fails with the given error: EBUSY, EACCES, or EINVAL as for a missing trigger. nil ends the fault.
        case refuseOpen(Int32?)
        /// Reading the attribute, or any attribute if the name is nil, fails with the given error. A nil error ends the
        /// fault.
        case attributeError(String?, Int32?)
        /// The device is removed: streams fail with ENODEV; attributes and OPEN fail with the given error.
        case unplug(Int32)
        /// The device is connected again. Interrupted streams fail until they are opened again.
        case reconnect
        /// The length lines of chunks are wrong by the given number of bytes. 0 ends the fault.
        case wrongLengths(Int)
    }

    /// The kind of fault.
    public var action: Action
    /// The id, name or label of the affected device; nil for all devices.
    public var device: String?
    /// The moment at which the fault occurs. Times count from the first OPEN or the first read of a measured attribute.
    /// Sample numbers count the samples of the device that are sent to a client, from the start of the trace.
    public var moment: FaultMoment

    /// The duration in seconds; nil if the fault has no automatic end. Ignored for instantaneous faults.
    public var duration: Double?

    /// Creates a fault.
    public init(_ action: Action, device: String? = nil, at moment: FaultMoment = .start, for duration: Double? = nil) {
        self.action = action
        self.device = device
        self.moment = moment
        self.duration = duration
    }

    /// The time after which a restarted server listens again if no duration is given, in seconds.
    public static let defaultRestartDelay = 1.0
}

extension IIODFault.Action {
    /// The action that ends this one after its duration; nil for instantaneous actions.
    var ending: IIODFault.Action? {
        switch self {
        case .partialChunks: .partialChunks(0)
        case .stall: .resume
        case .delay: .delay(0)
        case .kill, .restart: .restart
        case .refuseOpen: .refuseOpen(nil)
        case .attributeError(let name, _): .attributeError(name, nil)
        case .unplug: .reconnect
        case .wrongLengths: .wrongLengths(0)
        case .streamError, .resume, .drop, .reconnect: nil
        }
    }

    /// True for actions that affect the server instead of a device.
    var affectsServer: Bool {
        switch self {
        case .delay, .drop, .kill, .restart: true
        default: false
        }
    }
}

extension SimulatedIIOContext {
    /// Throws an error if a fault names an unknown device.
    func check(_ faults: [IIODFault]) throws(DeviceError) {
        for fault in faults {
            guard let device = fault.device, index(of: device) == nil else { continue }
            let known = context.devices.prefix(20).map { $0.name.isEmpty ? $0.id : "\($0.id) (\($0.name))" }
            throw DeviceError(
                .invalidConfiguration,
                "A fault names \"\(device.prefix(200))\", which is not a device of the simulated iiod. Its devices: \(known.isEmpty ? "none" : known.joined(separator: ", "))."
            )
        }
    }
}
