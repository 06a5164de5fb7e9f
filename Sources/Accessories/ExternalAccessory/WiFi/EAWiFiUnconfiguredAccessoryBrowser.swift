// This source file is part of the swift-device-services project.
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
