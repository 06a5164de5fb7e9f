// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// A device whose reports are in a trace.
public struct TraceDevice: Sendable, Hashable {
    /// The kind of device: "gpsd" for a receiver that gpsd reads. Later versions may add other kinds.
    public var kind: String
    /// The receiver as described by gpsd; all fields are unknown for other kinds.
    public var receiver: ReceiverDescription
    /// Members of the header's entry that this version does not know.
    package var otherMembers: [TraceMember] = []

    /// Creates the description of a receiver that gpsd reads.
    public init(_ receiver: ReceiverDescription) {
        kind = "gpsd"
        self.receiver = receiver
    }

    init(kind: String) {
        self.kind = kind
        receiver = ReceiverDescription()
    }

    /// True if both describe the same device. Two unknown cycles (NaN) are equal.
    public static func == (left: TraceDevice, right: TraceDevice) -> Bool {
        var (mine, other) = (left.receiver, right.receiver)
        if mine.cycle.isNaN, other.cycle.isNaN { (mine.cycle, other.cycle) = (0, 0) }
        return left.kind == right.kind && mine == other && left.otherMembers == right.otherMembers
    }

    /// Hashes the members that are equal for equal devices. The cycle is excluded because it may be NaN.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(receiver.path)
        hasher.combine(otherMembers)
    }
}
