// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CoreMotion

/// The frame of reference of device motion, in a word or as Core Motion calls it, in any case.
enum FrameName: String, ExpressibleByArgument, CaseIterable {
    case arbitrary, corrected, magnetic, `true`

    init?(argument: String) {
        let word = argument.lowercased()
        guard let frame = Self.allCases.first(where: { $0.rawValue == word || $0.appleName.lowercased() == word })
        else { return nil }
        self = frame
    }

    static var allValueStrings: [String] { allCases.map(\.rawValue) + allCases.map(\.appleName) }

    /// Core Motion's name.
    var appleName: String {
        switch self {
        case .arbitrary: "xArbitraryZVertical"
        case .corrected: "xArbitraryCorrectedZVertical"
        case .magnetic: "xMagneticNorthZVertical"
        case .true: "xTrueNorthZVertical"
        }
    }

    /// Core Motion's value.
    var frame: CMAttitudeReferenceFrame {
        switch self {
        case .arbitrary: .xArbitraryZVertical
        case .corrected: .xArbitraryCorrectedZVertical
        case .magnetic: .xMagneticNorthZVertical
        case .true: .xTrueNorthZVertical
        }
    }

    /// True when it takes a magnetometer.
    var needsMagnetometer: Bool { self != .arbitrary }
}
