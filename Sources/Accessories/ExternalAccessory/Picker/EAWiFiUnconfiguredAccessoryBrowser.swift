// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Finds accessories that are not on the Wi-Fi network yet. Not on Linux.
@available(
    *, unavailable, message: "Setting up accessories over Wi-Fi takes Apple hardware and its views; Linux has neither."
)
open class EAWiFiUnconfiguredAccessoryBrowser: NSObject {
    /// The accessories that were found.
    open var unconfiguredAccessories: Set<EAWiFiUnconfiguredAccessory> { [] }

    /// Begins to search.
    open func startSearchingForUnconfiguredAccessories(matching predicate: NSPredicate?) {}

    /// Ends searching.
    open func stopSearchingForUnconfiguredAccessories() {}
}

/// Is told what a browser finds. Not on Linux.
@available(
    *, unavailable, message: "Setting up accessories over Wi-Fi takes Apple hardware and its views; Linux has neither."
)
public protocol EAWiFiUnconfiguredAccessoryBrowserDelegate: NSObjectProtocol {}

/// What a browser does. Not on Linux.
@available(
    *, unavailable, message: "Setting up accessories over Wi-Fi takes Apple hardware and its views; Linux has neither."
)
public enum EAWiFiUnconfiguredAccessoryBrowserState: Int, Sendable {
    /// There is no Wi-Fi.
    case wiFiUnavailable
    /// It does nothing.
    case stopped
    /// It searches.
    case searching
    /// It configures.
    case configuring
}

/// An accessory that is not on the Wi-Fi network yet. Not on Linux.
@available(
    *, unavailable, message: "Setting up accessories over Wi-Fi takes Apple hardware and its views; Linux has neither."
)
open class EAWiFiUnconfiguredAccessory: NSObject {
    /// Its name.
    open var name: String { "" }
    /// Its maker.
    open var manufacturer: String { "" }
    /// Its model.
    open var model: String { "" }
    /// The network that it makes.
    open var ssid: String { "" }
    /// Its address.
    open var macAddress: String { "" }
    /// What it can do.
    open var properties: EAWiFiUnconfiguredAccessoryProperties { [] }
}

/// How configuring ended. Not on Linux.
@available(
    *, unavailable, message: "Setting up accessories over Wi-Fi takes Apple hardware and its views; Linux has neither."
)
public enum EAWiFiUnconfiguredAccessoryConfigurationStatus: Int, Sendable {
    /// It worked.
    case success
    /// The user has cancelled.
    case userCancelledConfiguration
    /// It failed.
    case failed
}

/// What an accessory that is not configured can do. Not on Linux.
@available(
    *, unavailable, message: "Setting up accessories over Wi-Fi takes Apple hardware and its views; Linux has neither."
)
public struct EAWiFiUnconfiguredAccessoryProperties: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Properties of those bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
}
