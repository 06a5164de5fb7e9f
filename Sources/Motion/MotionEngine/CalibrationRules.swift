// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
package import SensorFusion

/// Decides whether to store a calibration and estimates the current accuracy of a stored calibration.
enum CalibrationRules {
    /// The interval at which the engine checks for calibrations to store, in seconds.
    static let checkInterval = 60.0
    /// The standard deviation to assume for an unknown bias, in rad/s. Any large value has the same effect, because the
    /// filter caps it at its initial standard deviation.
    static let unknownSigma = 1.0
    private static let degree = Double.pi / 180
    private static let day = 86_400.0
    /// The standard deviation of the bias change caused by a chip restart or a temperature change, in rad/s.
    private static let restartSigma = 0.05 * degree
    /// The standard deviation of the bias drift in one day, in rad/s. It grows with the square root of time.
    private static let dailyDriftSigma = 0.1 * degree
    /// The upper limit of the estimated standard deviation of a stored bias, in rad/s.
    private static let maximumStoredSigma = 0.5 * degree
    /// The standard deviation below which a bias is stored, in rad/s.
    private static let maximumSigmaToStore = 0.1 * degree
    /// The change above which a bias is stored again, in rad/s.
    private static let minimumChange = 0.02 * degree

    /// Returns the current standard deviation of a stored bias, in rad/s.
    static func sigma(of stored: SensorCalibration, at now: WallTime) -> Double {
        // If the system clock has no battery, the stored date may be in the future.
        let days = max(0, now.seconds(since: stored.date)) / day
        let storedSigma = stored.sigma.isNaN ? restartSigma : stored.sigma
        return min(
            maximumStoredSigma,
            (storedSigma * storedSigma + restartSigma * restartSigma + dailyDriftSigma * dailyDriftSigma * days)
                .squareRoot())
    }

    /// A bias that has hardly changed is stored again only if it is clearly more accurate, and at most once an hour.
    static func isWorthStoring(bias: SIMD3<Double>, sigma: Double, over stored: SensorCalibration?, at now: WallTime)
        -> Bool
    {
        guard sigma < maximumSigmaToStore, bias.isFinite else { return false }
        guard let stored else { return true }
        if (bias - stored.offset).length > max(minimumChange, sigma) { return true }
        return sigma < 0.7 * Self.sigma(of: stored, at: now) && now.seconds(since: stored.date) > day / 24
    }

    /// Both calibrations must use the same axes.
    static func isWorthStoring(_ found: MagneticCalibration, over stored: MagneticCalibration?) -> Bool {
        guard found.quality >= .low, found.isUsable else { return false }
        guard let stored, stored.quality >= .low else { return true }
        if found.quality != stored.quality { return found.quality > stored.quality }
        // A calibration with a different correction may be stored even if its coverage is lower, because it describes
        // the current state of the device.
        if found.hasSameCorrection(as: stored) {
            return found.coverage > stored.coverage + 0.1 || found.sidesUp.count > stored.sidesUp.count
        }
        return found.difference(from: stored) > 0.01 || found.residual < 0.8 * stored.residual
    }
}

extension SensorCalibration {
    /// Creates the stored form of a magnetometer calibration, in the same axes.
    package init(_ magnetic: MagneticCalibration, date: WallTime) {
        self.init()
        offset = magnetic.hardIron
        let rows = magnetic.softIron
        if rows.count == 3 { matrix = (rows[0], rows[1], rows[2]) }
        quality = magnetic.quality.rawValue
        residual = magnetic.residual
        coverage = magnetic.coverage
        upDirections = magnetic.sidesUp.map(\.axis)
        fieldStrength = magnetic.fieldStrength
        dip = magnetic.dip
        self.date = date
    }
}

extension MagneticCalibration {
    /// Creates a magnetometer calibration from its stored form, in the same axes.
    package init(_ stored: SensorCalibration) {
        self.init()
        hardIron = stored.offset
        softIron = [stored.matrix.0, stored.matrix.1, stored.matrix.2]
        quality = MagneticQuality(rawValue: stored.quality) ?? .uncalibrated
        residual = stored.residual
        coverage = stored.coverage
        sidesUp = PoseCoverage.sides(near: stored.upDirections)
        fieldStrength = stored.fieldStrength
        dip = stored.dip
    }
}
