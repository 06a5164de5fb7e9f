// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CoreLocation

/// How the device is held, which says the edge whose heading is told.
enum EdgeName: String, ExpressibleByArgument, CaseIterable {
    case portrait, portraitUpsideDown, landscapeLeft, landscapeRight

    init?(argument: String) {
        guard let edge = Self.allCases.first(where: { $0.rawValue.lowercased() == argument.lowercased() }) else {
            return nil
        }
        self = edge
    }

    /// Core Location's value.
    var orientation: CLDeviceOrientation {
        switch self {
        case .portrait: .portrait
        case .portraitUpsideDown: .portraitUpsideDown
        case .landscapeLeft: .landscapeLeft
        case .landscapeRight: .landscapeRight
        }
    }
}
