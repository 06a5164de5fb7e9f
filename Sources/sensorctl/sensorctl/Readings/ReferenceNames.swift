// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CoreLocation
import CoreMotion

/// The reference frame of device motion. The command line accepts a word or Core Motion's name, ignoring case.
enum FrameName: String, ExpressibleByArgument, CaseIterable {
    case arbitrary, corrected, magnetic, `true`

    init?(argument: String) {
        let word = argument.lowercased()
        guard let frame = Self.allCases.first(where: { $0.rawValue == word || $0.appleName.lowercased() == word })
        else { return nil }
        self = frame
    }

    static var allValueStrings: [String] { allCases.map(\.rawValue) + allCases.map(\.appleName) }

    var appleName: String { apple.name }
    var frame: CMAttitudeReferenceFrame { apple.frame }

    private var apple: (name: String, frame: CMAttitudeReferenceFrame) {
        switch self {
        case .arbitrary: ("xArbitraryZVertical", .xArbitraryZVertical)
        case .corrected: ("xArbitraryCorrectedZVertical", .xArbitraryCorrectedZVertical)
        case .magnetic: ("xMagneticNorthZVertical", .xMagneticNorthZVertical)
        case .true: ("xTrueNorthZVertical", .xTrueNorthZVertical)
        }
    }

    var needsMagnetometer: Bool { self != .arbitrary }

    var hasHeading: Bool { self == .magnetic || self == .true }
}

/// The orientation of the device, which determines the edge that the heading refers to.
enum EdgeName: String, ExpressibleByArgument, CaseIterable {
    case portrait, portraitUpsideDown, landscapeLeft, landscapeRight

    init?(argument: String) {
        guard let edge = Self.allCases.first(where: { $0.rawValue.lowercased() == argument.lowercased() }) else {
            return nil
        }
        self = edge
    }

    var orientation: CLDeviceOrientation {
        switch self {
        case .portrait: .portrait
        case .portraitUpsideDown: .portraitUpsideDown
        case .landscapeLeft: .landscapeLeft
        case .landscapeRight: .landscapeRight
        }
    }
}
