// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SensorFusion

/// When what has been learned is worth storing, and what a stored value is worth later.
enum CalibrationRules {
    /// Seconds between looks at whether there is something to store.
    static let pause = 60.0

    /// Of a bias of which nothing is known: rad/s. The filter takes no more than its own first one.
    static let unknownSigma = 1.0

    private static let degree = Double.pi / 180
    private static let day = 86_400.0
    /// A bias is another one after each start of the chip, and with its temperature: rad/s.
    private static let restart = 0.05 * degree
    /// What it wanders in a day, growing with the root of time: rad/s.
    private static let wander = 0.1 * degree
    /// No bias is known better for having been stored than one of which nothing is known: rad/s.
    private static let unknown = 0.5 * degree
    /// A bias that is known no better than that is not stored: rad/s.
    private static let worthwhile = 0.1 * degree
    /// A bias that has not changed by more than that is left as it is stored: rad/s.
    private static let change = 0.02 * degree

    /// The standard deviation of a stored bias now, in rad/s.
    static func sigma(of stored: SensorCalibration, at now: WallTime) -> Double {
        // A clock without a battery may well be before the time of storing.
        let days = max(0, now.seconds(since: stored.date)) / day
        let own = stored.sigma.isNaN ? restart : stored.sigma
        return min(unknown, (own * own + restart * restart + wander * wander * days).squareRoot())
    }

    /// Whether to store a bias in the place of what is stored, which is nil for nothing.
    static func isWorthStoring(bias: SIMD3<Double>, sigma: Double, over stored: SensorCalibration?, at now: WallTime)
        -> Bool
    {
        guard sigma < worthwhile, bias.x.isFinite, bias.y.isFinite, bias.z.isFinite else { return false }
        guard let stored else { return true }
        let moved = bias - stored.offset
        if (moved * moved).sum().squareRoot() > max(change, sigma) { return true }
        return sigma < 0.7 * Self.sigma(of: stored, at: now) && now.seconds(since: stored.date) > day / 24
    }

    /// Whether to store a magnetometer's calibration in the place of what is stored, which is nil for nothing. Both are in
    /// the same axes.
    static func isWorthStoring(_ found: MagneticCalibration, over stored: MagneticCalibration?) -> Bool {
        guard found.quality >= .low, found.isUsable else { return false }
        guard let stored, stored.quality >= .low else { return true }
        if found.quality != stored.quality { return found.quality > stored.quality }
        // One that has been found since is about the device as it is now.
        if found.correctsTheSame(as: stored) {
            return found.coverage > stored.coverage + 0.1 || found.sidesUp.count > stored.sidesUp.count
        }
        return found.difference(from: stored) > 0.01 || found.residual < 0.8 * stored.residual
    }
}
