// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// An accessory event in a trace.
public struct TraceAccessoryEvent: Sendable, Hashable {
    /// The kind of event and its contents.
    public enum Change: Sendable, Hashable {
        /// The accessory was attached, or, if it was attached already, its description changed. The description has no
        /// id, and its protocols have only names.
        case attached(AccessoryDescription)
        /// The accessory was detached.
        case detached
        /// The program opened the protocol.
        case opened(String)
        /// The session ended. For `ByteChannelEnd.Reason.closed`, the program closed it.
        case closed(String, ByteChannelEnd.Reason)
        /// The program read bytes that the accessory had sent.
        case received(String, [UInt8])
        /// The program wrote bytes.
        case sent(String, [UInt8])
    }

    /// The accessory's identifier in this trace. Accessories that are attached at the same time have different
    /// identifiers.
    public var accessory: String
    /// The kind of event and its contents.
    public var change: Change

    /// Creates an event.
    public init(accessory: String, _ change: Change) {
        self.accessory = accessory
        self.change = change
    }

    /// The maximum number of accessories attached at the same time; further ones are rejected.
    package static let maximumAccessories = 256
    /// The maximum number of protocols read for each accessory; further ones are ignored.
    package static let maximumProtocols = 64
    /// The maximum length of a name, serial number or similar text in bytes; an event with a longer one is rejected.
    package static let maximumNameLength = 1024
    /// The maximum number of bytes of an event. Longer data is written as several events.
    package static let maximumBytes = 65_536
}
