// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

extension SensorCalibration {
    /// What keeps it from being used for a sensor of that kind, in words; nil when nothing does.
    ///
    /// The bounds are far beyond what sensors that work need: an offset of 20 m/s², 2 rad/s or 20 gauss on an axis, a
    /// matrix with entries up to 4 that neither mirrors nor loses a direction.
    public func problem(for kind: SensorKind) -> String? {
        let (first, second, third) = matrix
        let entries = [offset / kind.offsetLimit * 4, first, second, third]
        // False for NaN too.
        let areBounded = entries.allSatisfy { abs($0.x) <= 4 && abs($0.y) <= 4 && abs($0.z) <= 4 }
        guard areBounded else { return "its numbers are not those of such a sensor" }
        guard MountMatrix(first, second, third).determinant > 0.05 else { return "its matrix mirrors or is singular" }
        guard sigma.isNaN || sigma >= 0, residual.isNaN || residual >= 0 else { return "an error in it is negative" }
        guard (-1...2).contains(quality), (0...1).contains(coverage) else { return "its quality is not one" }
        guard fieldStrength.isNaN || (fieldStrength > 0 && fieldStrength < 100) else {
            return "its field is none of the earth's"
        }
        guard dip.isNaN || abs(dip) <= 1.6 else { return "its dip is none" }
        return nil
    }
}
