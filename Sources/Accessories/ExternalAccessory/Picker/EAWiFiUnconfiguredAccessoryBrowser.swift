// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A browser for accessories that have not yet joined the Wi-Fi network. Unavailable on Linux.
@available(
    *, unavailable, message: "The setup of accessories over Wi-Fi requires Apple hardware and views, which Linux lacks."
) open class EAWiFiUnconfiguredAccessoryBrowser: NSObject {
    /// The accessories found so far.
    open var unconfiguredAccessories: Set<EAWiFiUnconfiguredAccessory> { [] }

    /// Starts the search.
    open func startSearchingForUnconfiguredAccessories(matching predicate: NSPredicate?) {}

    /// Stops the search.
    open func stopSearchingForUnconfiguredAccessories() {}
}

/// A delegate of a browser. Unavailable on Linux.
@available(
    *, unavailable, message: "The setup of accessories over Wi-Fi requires Apple hardware and views, which Linux lacks."
) public protocol EAWiFiUnconfiguredAccessoryBrowserDelegate: NSObjectProtocol {}

/// The state of a browser. Unavailable on Linux.
@available(
    *, unavailable, message: "The setup of accessories over Wi-Fi requires Apple hardware and views, which Linux lacks."
) public enum EAWiFiUnconfiguredAccessoryBrowserState: Int, Sendable {
    /// Wi-Fi is unavailable.
    case wiFiUnavailable
    /// The browser is stopped.
    case stopped
    /// The browser is searching.
    case searching
    /// The browser is configuring an accessory.
    case configuring
}

/// An accessory that has not yet joined the Wi-Fi network. Unavailable on Linux.
@available(
    *, unavailable, message: "The setup of accessories over Wi-Fi requires Apple hardware and views, which Linux lacks."
) open class EAWiFiUnconfiguredAccessory: NSObject {
    /// The accessory's name.
    open var name: String { "" }
    /// The accessory's manufacturer.
    open var manufacturer: String { "" }
    /// The accessory's model.
    open var model: String { "" }
    /// The SSID of the accessory's own network.
    open var ssid: String { "" }
    /// The accessory's MAC address.
    open var macAddress: String { "" }
    /// The accessory's properties.
    open var properties: EAWiFiUnconfiguredAccessoryProperties { [] }
}

/// The outcome of configuring an accessory. Unavailable on Linux.
@available(
    *, unavailable, message: "The setup of accessories over Wi-Fi requires Apple hardware and views, which Linux lacks."
) public enum EAWiFiUnconfiguredAccessoryConfigurationStatus: Int, Sendable {
    /// The configuration succeeded.
    case success
    /// The user cancelled the configuration.
    case userCancelledConfiguration
    /// The configuration failed.
    case failed
}

/// The properties of an unconfigured accessory. Unavailable on Linux.
@available(
    *, unavailable, message: "The setup of accessories over Wi-Fi requires Apple hardware and views, which Linux lacks."
) public struct EAWiFiUnconfiguredAccessoryProperties: OptionSet, Sendable {
    /// The bits of the option set.
    public let rawValue: UInt

    /// Creates properties from a raw value.
    public init(rawValue: UInt) { self.rawValue = rawValue }
}
