// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SensorTools

extension Ink {
    /// For a terminal; none elsewhere, or when the user wants none (https://no-color.org).
    init(_ descriptor: Descriptor) {
        let environment = ProcessInfo.processInfo.environment
        let isRefused = !(environment["NO_COLOR"] ?? "").isEmpty || environment["TERM"] == "dumb"
        self.init(isOn: descriptor.isTerminal && !isRefused)
    }
}

/// The colours of pictures, as numbers of xterm's 256.
enum Palette {
    /// From slow to fast.
    static let speed = [33, 39, 45, 49, 84, 120, 156, 191, 227, 221, 215, 209]
    static let accent = 81
    static let text = 255
    static let good = 84
    static let fair = 221
    static let bad = 209
    static let faint = 238

    /// The colour of a share from 0 to 1.
    static func speed(_ share: Double) -> Int {
        guard share.isFinite else { return speed[0] }
        let index = Int((share * Double(speed.count)).rounded(.down))
        return speed[min(max(index, 0), speed.count - 1)]
    }

    static func accuracy(_ metres: Double) -> Int { metres < 8 ? good : metres < 25 ? fair : bad }
}
