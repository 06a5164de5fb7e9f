// SPDX-License-Identifier: Apache-2.0

/// Sample processing. Each sensor has its own method, which ignores unusable samples.
extension AttitudeFilter {
    /// Processes a gyroscope sample.
    ///
    /// - Parameters:
    ///   - rate: The angular rate in rad/s, in device axes, counterclockwise about each axis, including the bias.
    ///     Samples with a component beyond 1000 rad/s are ignored.
    ///   - timestamp: The time in seconds, on the common clock of all sensors.
    public mutating func updateGyroscope(_ rate: SIMD3<Double>, timestamp: Double) {
        // These comparisons also exclude NaN and infinity.
        guard abs(rate.x) < 1e3, abs(rate.y) < 1e3, abs(rate.z) < 1e3 else { return }
        let rate = SIMD4(rate.x, rate.y, rate.z, 0)
        let gap = timestamp - gyroscope.timestamp
        switch gyroscope.step(to: timestamp) {
        case .next: break
        case .ignored: return
        case .start:
            if isReady { bridgeGap(gap, to: rate) }
            lastRate = rate
        }
        let interval = gyroscope.interval
        let bias = estimator.bias
        rest.update(rate: rate, bias: bias, interval: interval)
        let current = rate - bias
        var rotation = interval * current
        if settings.interpolatesRotation {
            let before = lastRate - bias
            rotation = (0.5 * interval) * (before + current)
            rotation += (Self.coningFactor * interval * interval) * before.cross(current)
        }
        rateWithoutBias = current
        lastRate = rate
        inertial = inertial.after(Quaternion(rotationVector: rotation))
        renormalizePeriodically()
    }

    /// Estimates the rotation during a gap in the samples and applies it to the attitude. Reinitializes the attitude if
    /// the gap is long, the rotation is large, or the clock was set back.
    private mutating func bridgeGap(_ gap: Double, to rate: SIMD4<Double>) {
        guard gap > 0, gap <= settings.maximumGap else { return reinitialize() }
        let before = lastRate - estimator.bias
        let after = rate - estimator.bias
        let square = max(before.dot(before), after.dot(after))
        guard square * gap * gap > Self.maximumBridgedRotation * Self.maximumBridgedRotation else {
            return rotateInertialFrame(by: (0.5 * gap) * (before + after))
        }
        reinitialize()
        rotateInertialFrame(by: MotionLevel.rateContinuationTime * (before + after))
        // Restart the mean after `reinitialize()`, which restarts it with a weight of zero.
        gravityCoefficients.restart(weight: motion.equivalentAveragingTime(after: gap, squaredRate: square))
    }

    private mutating func rotateInertialFrame(by vector: SIMD4<Double>) {
        inertial = inertial.after(Quaternion(rotationVector: vector))
    }

    /// The rotation during a gap, in radians, above which the attitude is reinitialized.
    private static var maximumBridgedRotation: Double { 0.1 }
    /// The factor k in the coning correction k·dt²·(a × b), where a and b are two consecutive rates and dt is the
    /// interval between them. For steady coning, k is 1/6 if the samples are instantaneous, and 5/24 if each sample is
    /// the mean over its interval.
    private static var coningFactor: Double { 5 / 24.0 }

    /// Processes an accelerometer sample.
    ///
    /// - Parameters:
    ///   - acceleration: The acceleration in m/s², in device axes, positive on the axis that points up at rest. Samples
    ///     that are all zeros or have a component beyond 100,000 m/s² are ignored.
    ///   - timestamp: The time in seconds, on the common clock of all sensors.
    public mutating func updateAccelerometer(_ acceleration: SIMD3<Double>, timestamp: Double) {
        guard abs(acceleration.x) < 1e5, abs(acceleration.y) < 1e5, abs(acceleration.z) < 1e5 else { return }
        let acceleration = SIMD4(acceleration.x, acceleration.y, acceleration.z, 0)
        guard acceleration.dot(acceleration) > 0 else { return }
        if accelerometer.step(to: timestamp) == .ignored { return }
        let hasGyroscope = timestamp - gyroscope.timestamp <= settings.maximumGap
        // A stuck sensor repeats an old reading. That reading may still be correct, so use it if it agrees with the
        // estimated up direction.
        if repetition.isStuck(acceleration), hasGyroscope, isReady, !isNearlyUp(acceleration) { return }
        let interval = accelerometer.interval
        rest.update(acceleration: acceleration, interval: interval)
        let vector = inclination.rotate(mean(of: acceleration, hasGyroscope: hasGyroscope, interval: interval))
        let (up, correction) = Self.leveling(vector)
        guard up.z > -2 else { return }  // The vector is close to zero.
        isReady = true
        inclination = correction.after(inclination)
        renormalizePeriodically()
        // The first inclination initializes the attitude. It does not correct an earlier one, so it reveals nothing
        // about the bias.
        let isNew = isInclinationNew
        isInclinationNew = false
        guard estimatesBias, hasGyroscope, !isNew else { return }
        guard motionBias.collect(up, interval: interval) else { return }
        motionBias.correct(
            &estimator, attitude: inclination.after(inertial), isResting: rest.isResting, meanRate: rest.meanRate)
    }

    /// Returns whether the acceleration is within three degrees of the estimated up direction.
    @inline(never) private func isNearlyUp(_ acceleration: SIMD4<Double>) -> Bool {
        let vector = inclination.rotate(inertial.rotate(acceleration))
        return vector.z > 0 && vector.z * vector.z > 0.9973 * vector.dot(vector)
    }

    /// Returns the mean acceleration in the inertial frame. Without a gyroscope, this frame rotates with the device, so
    /// the mean covers a shorter time to follow the rotation.
    @inline(__always)
    private mutating func mean(of acceleration: SIMD4<Double>, hasGyroscope: Bool, interval: Double) -> SIMD4<Double> {
        let inFrame = inertial.rotate(acceleration)
        guard hasGyroscope else { return shortMean(of: inFrame, interval: interval) }
        gravityCoefficients.advance(by: interval)
        let mean = gravityLanes.update(inFrame, gravityCoefficients)
        // It is sufficient to update the motion level on every fourth accelerometer sample. `steps` also counts
        // gyroscope samples, so it increases by about two per accelerometer sample.
        if steps & 6 == 0 { motion.update(acceleration: inFrame - mean, rate: rateWithoutBias, interval: 4 * interval) }
        return mean
    }

    @inline(never) private mutating func shortMean(of acceleration: SIMD4<Double>, interval: Double) -> SIMD4<Double> {
        coefficientsWithoutGyroscope.advance(by: interval)
        return gravityLanes.update(acceleration, coefficientsWithoutGyroscope)
    }

    /// Returns the direction of a vector and the shortest rotation that aligns it with the up direction.
    @inline(__always) private static func leveling(_ vector: SIMD4<Double>) -> (SIMD4<Double>, Quaternion) {
        let inverse = 1 / vector.z
        let x = vector.x * inverse
        let y = vector.y * inverse
        let t = x * x + y * y
        guard vector.z > 1e-6, t < 1e-4 else { return steepLeveling(vector) }
        // If a is the angle between the vector and the up direction, t is tan²(a). The series yield cos(a), cos(a/2)
        // and sin(a/2) / tan(a). The omitted terms are below 1e-16.
        let t2 = t * t
        let cosine = (1 - t * 0.5) + t2 * (3 / 8.0 - t * (5 / 16.0))
        let half = (1 - t * (1 / 8.0)) + t2 * (11 / 128.0 - t * (69 / 1024.0))
        let ratio = (0.5 - t * (3 / 16.0)) + t2 * (31 / 256.0 - t * (187 / 2048.0))
        return (SIMD4(x * cosine, y * cosine, cosine, 0), Quaternion(components: SIMD4(y * ratio, -x * ratio, 0, half)))
    }

    /// The general case of `leveling`, for vectors that do not point almost straight up. A z component of -3 in the
    /// returned direction means that the vector is close to zero.
    @inline(never) private static func steepLeveling(_ vector: SIMD4<Double>) -> (SIMD4<Double>, Quaternion) {
        let squared = vector.dot(vector)
        guard squared > 1e-12 else { return (SIMD4(0, 0, -3, 0), .identity) }
        let up = vector * (1 / squared.squareRoot())
        let w = (max(up.z + 1, 0) * 0.5).squareRoot()
        guard w > 1e-6 else { return (up, Quaternion(x: 1, y: 0, z: 0, w: 0)) }
        return (up, Quaternion(x: 0.5 * up.y / w, y: -0.5 * up.x / w, z: 0, w: w))
    }

    /// Renormalizes the quaternions every 16 samples, which suffices because rounding errors grow slowly.
    @inline(__always) private mutating func renormalizePeriodically() {
        steps &+= 1
        guard steps & 15 == 0 else { return }
        inertial = inertial.renormalized
        inclination = inclination.renormalized
    }

    /// Processes a magnetometer sample, which should be calibrated as well as possible.
    ///
    /// - Parameters:
    ///   - field: The magnetic field in device axes, in any constant unit. Samples that are all zeros are ignored.
    ///   - timestamp: The time in seconds, on the common clock of all sensors.
    ///   - attitude: The value of ``attitude`` at the time of the sample, or nil to use the current value.
    public mutating func updateMagnetometer(_ field: SIMD3<Double>, timestamp: Double, attitude: Quaternion? = nil) {
        guard abs(field.x) < 1e9, abs(field.y) < 1e9, abs(field.z) < 1e9 else { return }
        let field = SIMD4(field.x, field.y, field.z, 0)
        let squared = field.dot(field)
        guard squared > 0, isReady else { return }
        let gap = timestamp - magnetometer.timestamp
        switch magnetometer.step(to: timestamp) {
        case .next: break
        case .ignored: return
        case .start:
            if gap > 0, gap < 1e6 { advanceHeading(by: gap) }  // The gap before the first sample is infinite.
        }
        let interval = magnetometer.interval
        guard timestamp - gyroscope.timestamp <= settings.maximumGap else {
            return followWithoutGyroscope(inclination.after(inertial).rotate(field), interval: interval)
        }
        rest.update(field: field, interval: interval)
        fieldTime += interval
        fieldCount += 1
        // During the first second after a restart, and always if `weightsHeadingByUncertainty` is false, every sample
        // updates the heading.
        let isDue = fieldTime >= settings.magneticInterval * (1 - 1e-9) || consistency.time < 1
        if isDue {
            delay.update(
                field, attitude: attitude ?? inclination.after(inertial), rate: rateWithoutBias,
                isUsable: !self.field.isDisturbed, interval: fieldTime)
        }
        // Compensates for the device's rotation since the field was measured. An attitude passed by the caller has been
        // extrapolated by the gyroscope delay, so that delay is added to the magnetometer delay.
        let totalDelay = delay.delay + (attitude == nil ? 0 : settings.gyroscopeDelay)
        let compensatedField = field + totalDelay * field.cross(rateWithoutBias)
        if let attitude {
            fieldSum += inclination.conjugate.rotate(attitude.rotate(compensatedField))
        } else {
            fieldSum += inertial.rotate(compensatedField)
        }
        if isDue { updateHeading() }
    }

    @inline(never) private mutating func updateHeading() {
        // The interval before the first sample is unknown, so the filter assumes 10 ms.
        let interval = fieldTime > 0 ? fieldTime : 0.01
        let earth = inclination.rotate(fieldSum * (1 / fieldCount))
        (fieldSum, fieldCount, fieldTime) = (.zero, 0, 0)
        let squaredRate = rateWithoutBias.dot(rateWithoutBias)
        if settings.rejectsMagneticDisturbance {
            var motion = rest.meanRate.dot(rest.meanRate)
            if settings.weightsHeadingByUncertainty {
                // The magnitude of the rate is averaged, because the rate itself averages out to zero while the device
                // is shaken.
                meanSpeed += speedGain.value(for: interval) * (squaredRate.squareRoot() - meanSpeed)
                motion = meanSpeed * meanSpeed
            }
            updateFieldReference(earth, squaredRate: motion, interval: interval)
        }
        let trust = rejection.trust(isDisturbed: field.isDisturbed, interval: interval)
        let disagreement = north.disagreement(x: earth.x, y: earth.y)
        guard settings.weightsHeadingByUncertainty else {
            let gain = headingGain.value(trust, interval: interval)
            if gain > 0 { north.rotate(by: gain * disagreement) }
            return
        }
        advanceHeading(by: interval)
        let correction = consistency.correction(
            disagreement, field: field.current, expected: field.expected, trust: trust,
            hasRested: rest.stillTime >= 0.9 * consistency.time, isResting: rest.isResting, interval: interval,
            estimator: &estimator)
        if correction != 0 || !north.isKnown { north.rotate(by: correction + estimator.consumeHeadingCorrection()) }
    }

    private mutating func advanceHeading(by interval: Double) {
        let up = inclination.after(inertial).up
        estimator.advanceHeading(
            up: SIMD4(up.x, up.y, up.z, 0), squaredRate: rateWithoutBias.dot(rateWithoutBias), interval: interval)
    }

    private mutating func updateFieldReference(_ earth: SIMD4<Double>, squaredRate: Double, interval: Double) {
        let strength = earth.dot(earth).squareRoot()
        guard strength > 0 else { return }
        field.update(
            strength: strength, dip: -Self.arcsine(earth.z / strength), squaredRate: squaredRate, interval: interval)
    }

    /// Without a gyroscope, the magnetometer is the only source of heading, so it is used even while it is disturbed.
    @inline(never) private mutating func followWithoutGyroscope(_ earth: SIMD4<Double>, interval: Double) {
        if settings.rejectsMagneticDisturbance {
            updateFieldReference(earth, squaredRate: .infinity, interval: interval)
        }
        let weight = north.isKnown ? gainWithoutGyroscope.value(for: interval) : 1
        north.rotate(by: weight * north.disagreement(x: earth.x, y: earth.y))
    }

    /// Returns the arc sine with an error of at most 2e-8 (M. Abramowitz and I. Stegun, Handbook of Mathematical
    /// Functions, 4.4.46).
    @inline(__always) private static func arcsine(_ value: Double) -> Double {
        let x = min(abs(value), 1)
        let x2 = x * x
        let x4 = x2 * x2
        let first = (1.5707963050 - 0.2145988016 * x) + x2 * (0.0889789874 - 0.0501743046 * x)
        let second = (0.0308918810 - 0.0170881256 * x) + x2 * (0.0066700901 - 0.0012624911 * x)
        let angle = 0.5 * .pi - (1 - x).squareRoot() * (first + x4 * second)
        return value < 0 ? -angle : angle
    }

    /// Reinitializes the attitude after an unknown rotation, but keeps the bias and the expected field.
    private mutating func reinitialize() {
        reinitializationCount &+= 1
        gravityCoefficients.restart()
        coefficientsWithoutGyroscope.restart()
        isInclinationNew = !settings.correctsByFirstInclination
        motionBias.restart()
        rest.restart()
        delay.restart()
        restartHeading()
    }
}
