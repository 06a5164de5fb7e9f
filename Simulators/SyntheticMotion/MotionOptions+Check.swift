// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

extension MotionOptions {
    /// The greatest number of readings a second.
    static let maximumRate = 10_000.0

    /// Throws which option cannot be used, and what it could be.
    public func check() throws(DeviceError) {
        func fail(_ text: String) -> DeviceError { DeviceError(.invalidConfiguration, text) }
        for (name, rate) in [
            ("sample rate", sampleRate), ("magnetometer's rate", rates.field), ("barometer's rate", rates.pressure),
        ] where !(rate >= 0.01 && rate <= Self.maximumRate) {
            throw fail("The \(name) has to be between 0.01 and \(Int(Self.maximumRate)) Hz, and not \(rate).")
        }
        guard fixRate == 0 || (fixRate >= 0.001 && fixRate <= 100) else {
            throw fail("The rate of positions has to be 0, or between 0.001 and 100 Hz, and not \(fixRate).")
        }
        guard (0...10).contains(fixDelay) else {
            throw fail("The delay of positions has to be between 0 and 10 s, and not \(fixDelay).")
        }
        guard (0.1...60).contains(smoothing) else {
            throw fail("The smoothing has to be between 0.1 and 60 s, and not \(smoothing).")
        }
        guard (0...1).contains(biasFraction) else {
            throw fail("The fraction of the bias has to be between 0 and 1, and not \(biasFraction).")
        }
        guard placement.isRotation else {
            throw fail("The placement of the device is not a rotation: \(placement.text)")
        }
        guard mountMatrix.isRotation else {
            throw fail("The mount matrix of the sensors is not a rotation: \(mountMatrix.text)")
        }
        guard hardIron.isFinite(below: 100) else {
            throw fail("The device's own field has to be three numbers below 100 gauss.")
        }
        let (a, b, c) = softIron.rows
        guard a.isFinite(below: 100), b.isFinite(below: 100), c.isFinite(below: 100), !softIron.isSingular else {
            throw fail("The matrix of soft iron is singular or too large: \(softIron.text)")
        }
        guard (-1000...1000).contains(geoidSeparation) else {
            throw fail("The geoid has to be between -1000 and 1000 m from the ellipsoid, and not \(geoidSeparation).")
        }
        let noises = [
            inertialUnit?.accelerometer, inertialUnit?.gyroscope, magnetometer?.noise, barometer?.noise,
        ].compactMap(\.self)
        guard noises.allSatisfy(\.isValid), receiver.isValid else {
            throw fail("A figure of the noise is negative, too large, or not a number.")
        }
    }
}

extension MountMatrix {
    /// True when it turns and does nothing else.
    var isRotation: Bool {
        let (a, b, c) = rows
        let products = [
            (a * a).sum() - 1, (b * b).sum() - 1, (c * c).sum() - 1, (a * b).sum(), (a * c).sum(), (b * c).sum(),
        ]
        return products.allSatisfy { abs($0) < 1e-6 } && determinant > 0
    }

    /// The other way round, for a rotation.
    var inverseRotation: MountMatrix {
        let (a, b, c) = rows
        return MountMatrix([a.x, b.x, c.x], [a.y, b.y, c.y], [a.z, b.z, c.z])
    }
}

extension SIMD3<Double> {
    /// True when all three are numbers of a smaller magnitude.
    func isFinite(below limit: Double) -> Bool { abs(x) < limit && abs(y) < limit && abs(z) < limit }
}
