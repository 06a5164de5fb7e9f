// SPDX-License-Identifier: Apache-2.0

import DeviceCore

// Programs written for iOS use Data, NotificationCenter and NSObject with no other import than this module.
@_exported public import Foundation
import Synchronization

/// The identifier that stands for no connection.
public let EAConnectionIDNone = 0

/// An accessory that is, or was, connected.
///
/// The manager makes one object for each connection, and keeps it for as long as the accessory is connected. An
/// accessory that is unplugged and plugged in again is another object with another `connectionID`.
///
/// `protocolStrings` decides whether a program can talk to it. The other strings are for people; each is empty when the
/// accessory does not say. They come from the accessory itself, from udev, or from the configuration.
///
/// All members can be used on any thread. Unlike Apple's, `init()` does not raise: it makes an accessory that is not
/// connected, for tests that override members.
open class EAAccessory: NSObject, @unchecked Sendable {
    // Unchecked because of subclasses; the parts are locked.
    private struct Listener: @unchecked Sendable {
        weak var delegate: (any EAAccessoryDelegate)?
        var wasGiven = false
    }

    let record: AccessoryRecord?
    private let listener = Mutex(Listener())

    /// An accessory that is not connected. The manager makes those that are.
    public override init() {
        record = nil
        super.init()
    }

    init(_ description: AccessoryDescription, device: Device?) {
        record = AccessoryRecord(description, device: device)
        super.init()
    }

    private var known: AccessoryDescription? { record?.description }

    /// True from when the accessory is ready to be talked to until it is gone.
    ///
    /// It is false before its delegate is told of the disconnection, and the notification posted. At the end of a stream
    /// it may be true still: see ``EAAccessoryManager``.
    open var isConnected: Bool { record?.isConnected ?? false }

    /// Tells this connection from all others of the process; `EAConnectionIDNone` for an accessory that never was
    /// connected.
    open var connectionID: Int { known?.id ?? EAConnectionIDNone }

    /// Who made it.
    open var manufacturer: String { known?.manufacturer ?? "" }

    /// What it is called.
    open var name: String { known?.name ?? "" }

    /// The maker's name for the kind of thing it is.
    open var modelNumber: String { known?.modelNumber ?? "" }

    /// Tells it from others of its model.
    open var serialNumber: String { known?.serialNumber ?? "" }

    /// The revision of its firmware, as in "2.10".
    open var firmwareRevision: String { known?.firmwareRevision ?? "" }

    /// The revision of its hardware.
    open var hardwareRevision: String { known?.hardwareRevision ?? "" }

    /// Empty, as on Apple's platforms since iOS 13.
    @available(*, deprecated, message: "There are no docks any more.")
    open var dockType: String { "" }

    /// The names of the protocols that the accessory offers, in reverse DNS, as in "com.example.scale".
    ///
    /// A protocol may come or go while the accessory is connected, when its USB configuration changes; nothing is posted
    /// then.
    open var protocolStrings: [String] { known?.protocols.map(\.name) ?? [] }

    /// Is told when the accessory is gone. Not retained.
    open var delegate: (any EAAccessoryDelegate)? {
        get { listener.withLock { $0 }.delegate }
        set {
            listener.withLock { listener in
                listener.delegate = newValue
                listener.wasGiven = newValue != nil
            }
        }
    }

    /// True when there may be a delegate. To look at it would take hold of it, and perhaps let it go on a thread of ours.
    var wasGivenDelegate: Bool { listener.withLock { $0.wasGiven } }

    /// The name, the connection and the protocols, for logs.
    open override var description: String {
        "<EAAccessory \"\(name)\", \(isConnected ? "connection" : "former connection") \(connectionID), protocols: \(protocolStrings.joined(separator: ", "))>"
    }
}

/// Is told when an accessory is gone.
public protocol EAAccessoryDelegate: NSObjectProtocol {
    /// The accessory is gone; its `isConnected` is false and the streams of its sessions have been told, unless much
    /// is left to be read from them: see ``EASession``.
    ///
    /// Called on the main thread, before the notification is posted, and without any registration for notifications.
    func accessoryDidDisconnect(_ accessory: EAAccessory)
}

extension EAAccessoryDelegate {
    /// Does nothing.
    public func accessoryDidDisconnect(_ accessory: EAAccessory) {}

    /// `accessoryDidDisconnect(_:)` for a call with a question mark, as the requirement is optional on Apple's platforms;
    /// never nil.
    public var accessoryDidDisconnect: ((EAAccessory) -> Void)? {
        { accessory in self.accessoryDidDisconnect(accessory) }
    }
}

/// What is known of one attachment of an accessory; behind its ``EAAccessory``.
final class AccessoryRecord: Sendable {
    private struct State {
        var description: AccessoryDescription
        var isConnected = true
        weak var device: Device?
    }

    private let state: Mutex<State>

    init(_ description: AccessoryDescription, device: Device?) {
        state = Mutex(State(description: description, device: device))
    }

    var description: AccessoryDescription { state.withLock { $0.description } }

    var isConnected: Bool { state.withLock { $0.isConnected } }

    /// The device that the accessory is attached to; nil when it is no more.
    var device: Device? { state.withLock { $0.device } }

    func change(_ description: AccessoryDescription) {
        state.withLock { $0.description = description }
    }

    func disconnect() {
        state.withLock { $0.isConnected = false }
    }
}
