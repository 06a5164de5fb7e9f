// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// How large a terminal has to be for pictures.
enum PictureSize {
    /// A picture takes that many columns at least; narrower terminals get lines.
    static let leastColumns = 42

    /// From that many columns on there is room for two frames side by side.
    static let wideColumns = 60

    /// A picture takes that many rows at least.
    static let leastRows = 11
}
