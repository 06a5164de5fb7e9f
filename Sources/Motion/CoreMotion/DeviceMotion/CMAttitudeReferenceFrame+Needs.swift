// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

extension CMAttitudeReferenceFrame {
    /// The frame that counts where none is asked for.
    static let standard = CMAttitudeReferenceFrame.xArbitraryZVertical
    /// Those for which it takes a magnetometer.
    static let magnetic: CMAttitudeReferenceFrame = [
        .xArbitraryCorrectedZVertical, .xMagneticNorthZVertical, .xTrueNorthZVertical,
    ]
    /// Those whose x axis points north, in which a heading makes sense.
    static let north: CMAttitudeReferenceFrame = [.xMagneticNorthZVertical, .xTrueNorthZVertical]

    /// True for one of the four frames; false for none, several at once, and what is no frame.
    var isOneFrame: Bool {
        self == .xArbitraryZVertical || self == .xArbitraryCorrectedZVertical || self == .xMagneticNorthZVertical
            || self == .xTrueNorthZVertical
    }
}
