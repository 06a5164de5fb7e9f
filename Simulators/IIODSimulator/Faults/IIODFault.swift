// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
@_exported public import enum Trace.FaultMoment

/// Something that goes wrong with a simulated iiod, and when.
public struct IIODFault: Sendable, Hashable {
    /// What happens. Error numbers are errno values such as ENODEV.
    public enum Action: Sendable, Hashable {
        /// Chunks have at most that many samples; 0 ends it.
        case partialChunks(Int)
        /// READBUF answers the error until the client opens the device again.
        case streamError(Int32)
        /// No samples come any more; the connection stays.
        case stall
        /// Samples come again; those that were missed are lost.
        case resume
        /// Every answer comes that many seconds late; 0 ends it.
        case delay(Double)
        /// All connections are cut; the server goes on listening.
        case drop
        /// All connections are cut and nobody listens, as when the server's process is killed.
        case kill
        /// The server goes away as for ``kill`` and listens again a second later, or after the duration. One that is away
        /// listens again at once.
        case restart
        /// OPEN answers the error: EBUSY, EACCES, or EINVAL as without a trigger; nil ends it.
        case refuseOpen(Int32?)
        /// READ of one attribute, or of all, answers the error; nil ends it.
        case attributeError(String?, Int32?)
        /// The device goes: streams answer ENODEV, attributes and OPEN the error.
        case unplug(Int32)
        /// The device is back; streams that were cut stay so until they are opened again.
        case replug
        /// The length lines of chunks are wrong by that many bytes; 0 ends it.
        case wrongLengths(Int)
    }

    /// What happens.
    public var action: Action
    /// The id, name or label of the device that it happens to; nil for all.
    public var device: String?
    /// When it happens. Time counts from the first OPEN or the first reading of a measured attribute, the samples of the
    /// device that are sent to a client from the start of the trace.
    public var moment: FaultMoment

    /// For how many seconds. Nil for a fault that another one ends; what happens in an instant has none.
    public var duration: Double?

    /// A fault of those parts.
    public init(_ action: Action, device: String? = nil, at moment: FaultMoment = .start, for duration: Double? = nil) {
        self.action = action
        self.device = device
        self.moment = moment
        self.duration = duration
    }

    /// How long a server is away that is restarted, in seconds, unless it is said.
    public static let usualRestart = 1.0
}

extension IIODFault.Action {
    /// What ends it after a duration; nil for what does not last.
    var ending: IIODFault.Action? {
        switch self {
        case .partialChunks: .partialChunks(0)
        case .stall: .resume
        case .delay: .delay(0)
        case .kill, .restart: .restart
        case .refuseOpen: .refuseOpen(nil)
        case .attributeError(let name, _): .attributeError(name, nil)
        case .unplug: .replug
        case .wrongLengths: .wrongLengths(0)
        case .streamError, .resume, .drop, .replug: nil
        }
    }

    /// True for what happens to the server and not to a device.
    var isOfServer: Bool {
        switch self {
        case .delay, .drop, .kill, .restart: true
        default: false
        }
    }
}

extension SimulatedIIOContext {
    /// Throws for a fault of a device that is not there.
    func check(_ faults: [IIODFault]) throws(DeviceError) {
        for fault in faults {
            guard let device = fault.device, index(of: device) == nil else { continue }
            let known = context.devices.prefix(20).map { $0.name.isEmpty ? $0.id : "\($0.id) (\($0.name))" }
            throw DeviceError(
                .invalidConfiguration,
                "A fault is of \"\(device.prefix(200))\", which is no device of the simulated iiod: \(known.isEmpty ? "it has none" : "it has \(known.joined(separator: ", "))")."
            )
        }
    }
}
