// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Directions in words and arrows.
enum Compass {
    private static let names = [
        "N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW",
    ]
    private static let arrows = ["↑", "↗", "→", "↘", "↓", "↙", "←", "↖"]

    /// The nearest of sixteen points of the compass, from degrees clockwise from north.
    static func name(_ degrees: Double) -> String { nearest(degrees, of: names) }

    /// The nearest of eight arrows.
    static func arrow(_ degrees: Double) -> String { nearest(degrees, of: arrows) }

    private static func nearest(_ degrees: Double, of texts: [String]) -> String {
        guard degrees.isFinite else { return "?" }
        let share = 360 / Double(texts.count)
        let turned = degrees.truncatingRemainder(dividingBy: 360)
        let index = Int(((turned < 0 ? turned + 360 : turned) / share).rounded())
        return texts[index % texts.count]
    }
}
