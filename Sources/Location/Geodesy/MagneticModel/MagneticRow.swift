// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// A row of a coefficient file without its degree and order: nanotesla, and nanotesla a year.
struct MagneticRow: Equatable, Sendable {
    var g: Double
    var h: Double
    var gRate: Double
    var hRate: Double

    static var zero: MagneticRow { MagneticRow(g: 0, h: 0, gRate: 0, hRate: 0) }
}
