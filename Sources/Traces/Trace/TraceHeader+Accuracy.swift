// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

extension TraceHeader {
    /// The unit of `eph` where a phone told the accuracies.
    private static let phoneAccuracy = "m at 68%"

    /// True when the errors of positions are a phone's radii of 68 per cent. gpsd's are of 95.
    package var hasPhoneAccuracies: Bool {
        get { units["eph"] == Self.phoneAccuracy }
        set { units["eph"] = newValue ? Self.phoneAccuracy : nil }
    }
}
