// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// What a trace tells of an accessory.
public struct TraceAccessoryEvent: Sendable, Hashable {
    /// What happened.
    public enum Change: Sendable, Hashable {
        /// It was attached, or, when it was already, it describes itself otherwise from here on. The description has
        /// no id, and its protocols have a name only.
        case attached(AccessoryDescription)
        /// It is gone.
        case detached
        /// The program opened the protocol.
        case opened(String)
        /// The session ended: for `ByteChannelEnd.Reason.closed` the program closed it.
        case closed(String, ByteChannelEnd.Reason)
        /// The program read bytes that had come from the accessory.
        case received(String, [UInt8])
        /// The program wrote bytes.
        case sent(String, [UInt8])
    }

    /// The accessory's name in this trace. Not used for two that are attached at the same time.
    public var accessory: String
    /// What happened.
    public var change: Change

    /// An event of those parts.
    public init(accessory: String, _ change: Change) {
        self.accessory = accessory
        self.change = change
    }

    /// The most accessories that are attached at a time; further ones cannot be read.
    public static let maximumAccessories = 256
    /// The most protocols of an accessory that are read.
    public static let maximumProtocols = 64
    /// The longest name, serial number or the like in bytes; an event with a longer one cannot be read.
    public static let maximumNameLength = 1024
    /// The most bytes of an event; what is written is cut into such.
    public static let maximumBytes = 65_536
}
