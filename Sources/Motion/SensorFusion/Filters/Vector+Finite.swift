// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

extension SIMD3<Double> {
    /// True when no component is infinite or NaN.
    var isFinite: Bool {
        // Zero times a finite number is a zero; zero times infinity or NaN is NaN, and the sum keeps it.
        (self * 0).sum() == 0
    }

    var squaredLength: Double {
        (self * self).sum()
    }

    var length: Double {
        squaredLength.squareRoot()
    }
}
