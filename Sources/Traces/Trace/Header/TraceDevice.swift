// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// A device whose readings are in a trace.
public struct TraceDevice: Sendable, Hashable {
    /// What it is: "gpsd" for a receiver that gpsd reads. Other kinds are for other versions.
    public var kind: String
    /// The receiver as gpsd described it; nothing in it is known for other kinds.
    public var receiver: ReceiverDescription
    /// What else the header says of it.
    public var otherMembers: [TraceMember] = []

    /// A receiver that gpsd reads.
    public init(_ receiver: ReceiverDescription) {
        kind = "gpsd"
        self.receiver = receiver
    }

    init(kind: String) {
        self.kind = kind
        receiver = ReceiverDescription()
    }

    /// True when the header described the same device, with a cycle that is not known equal to another such.
    public static func == (left: TraceDevice, right: TraceDevice) -> Bool {
        var (mine, other) = (left.receiver, right.receiver)
        if mine.cycle.isNaN, other.cycle.isNaN { (mine.cycle, other.cycle) = (0, 0) }
        return left.kind == right.kind && mine == other && left.otherMembers == right.otherMembers
    }

    /// Feeds what every two equal devices share.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(receiver.path)
        hasher.combine(otherMembers)
    }
}
