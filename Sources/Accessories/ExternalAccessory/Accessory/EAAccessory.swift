// SPDX-License-Identifier: Apache-2.0

import DeviceCore

// Reexports Foundation, because apps written for iOS use Data, NotificationCenter and NSObject without importing it.
@_exported public import Foundation
import Synchronization

/// The value of `connectionID` for an accessory that was never connected.
public let EAConnectionIDNone = 0

/// A connected or formerly connected accessory.
///
/// The manager creates one object for each connection and retains the object while the accessory is connected. If the
/// accessory is unplugged and reconnected, the manager creates a new object with a different `connectionID`.
///
/// An app chooses an accessory by its `protocolStrings`. The other strings are intended for display and are empty if
/// unknown. They come from the accessory, udev or the configuration.
///
/// All members can be used from any thread. `init()` creates an accessory that is not connected, for tests that
/// override members. Apple's implementation raises an exception.
open class EAAccessory: NSObject, @unchecked Sendable {
    // `@unchecked Sendable` because the compiler cannot check an open class. Locks protect its members.
    private struct DelegateReference: @unchecked Sendable {
        weak var delegate: (any EAAccessoryDelegate)?
        var wasSet = false
    }

    let record: AccessoryRecord?
    private let delegateReference = Mutex(DelegateReference())

    /// Creates an accessory that is not connected. The manager creates the connected accessories.
    public override init() {
        record = nil
        super.init()
    }

    init(_ description: AccessoryDescription, device: Device?) {
        record = AccessoryRecord(description, device: device)
        super.init()
    }

    private var currentDescription: AccessoryDescription? { record?.description }

    /// True while the accessory is connected and ready for a session.
    ///
    /// The value is already false when the delegate is called and the notification is posted. It may still be true when
    /// a stream ends, as described in ``EAAccessoryManager``.
    open var isConnected: Bool { record?.isConnected ?? false }

    /// The connection's ID, which is unique within the process, or `EAConnectionIDNone` if the accessory was never
    /// connected.
    open var connectionID: Int { currentDescription?.id ?? EAConnectionIDNone }

    /// The manufacturer's name.
    open var manufacturer: String { currentDescription?.manufacturer ?? "" }

    /// The accessory's name.
    open var name: String { currentDescription?.name ?? "" }

    /// The manufacturer's model number.
    open var modelNumber: String { currentDescription?.modelNumber ?? "" }

    /// The serial number.
    open var serialNumber: String { currentDescription?.serialNumber ?? "" }

    /// The firmware revision, such as "2.10".
    open var firmwareRevision: String { currentDescription?.firmwareRevision ?? "" }

    /// The hardware revision.
    open var hardwareRevision: String { currentDescription?.hardwareRevision ?? "" }

    /// Always an empty string, as on Apple's platforms since iOS 13.
    @available(*, deprecated, message: "Docks are obsolete.") open var dockType: String { "" }

    /// The names of the protocols that the accessory offers, in reverse-DNS notation, such as "com.example.scale".
    ///
    /// If the accessory's USB configuration changes, the list may change while it is connected. No notification is
    /// posted.
    open var protocolStrings: [String] { currentDescription?.protocols.map(\.name) ?? [] }

    /// The object that is notified when the accessory is disconnected, held weakly.
    open var delegate: (any EAAccessoryDelegate)? {
        get { delegateReference.withLock { $0 }.delegate }
        set {
            delegateReference.withLock { delegateReference in
                delegateReference.delegate = newValue
                delegateReference.wasSet = newValue != nil
            }
        }
    }

    /// True if a delegate has been set. Does not read the weak reference, because that could release the delegate on an
    /// internal thread.
    var mayHaveDelegate: Bool { delegateReference.withLock { $0.wasSet } }

    /// A description for logs: the name, the connection ID and the protocols.
    open override var description: String {
        "<EAAccessory \"\(name)\", \(isConnected ? "connection" : "former connection") \(connectionID), protocols: \(protocolStrings.joined(separator: ", "))>"
    }
}

/// A delegate that is notified when an accessory is disconnected.
public protocol EAAccessoryDelegate: NSObjectProtocol {
    /// Called on the main thread when the accessory is disconnected, before the notification is posted. The app need
    /// not register for notifications.
    ///
    /// `isConnected` is already false. The session's streams have already ended, unless more than 64 KiB are unread.
    /// See ``EASession``.
    func accessoryDidDisconnect(_ accessory: EAAccessory)
}

extension EAAccessoryDelegate {
    /// Does nothing.
    public func accessoryDidDisconnect(_ accessory: EAAccessory) {}

    /// The method `accessoryDidDisconnect(_:)` as a closure, never `nil`. On Apple's platforms, the method is an
    /// optional requirement, so existing code may call it with optional chaining.
    public var accessoryDidDisconnect: ((EAAccessory) -> Void)? {
        { accessory in self.accessoryDidDisconnect(accessory) }
    }
}

/// The state of one connection to an accessory, shared by the source's threads and the app.
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

    var device: Device? { state.withLock { $0.device } }

    func change(_ description: AccessoryDescription) { state.withLock { $0.description = description } }

    func disconnect() { state.withLock { $0.isConnected = false } }
}
