// SPDX-License-Identifier: Apache-2.0

/// Estimates the device's own magnetic field from ordinary movement.
///
/// Pass every magnetometer sample in chronological order. If there is a gyroscope, also pass the attitude at the time
/// of the sample. The calibrator keeps several hundred samples, a few for each direction. After every two seconds of
/// movement, it fits a correction to them. With attitudes, rotations about two axes determine all twelve parameters of
/// hard and soft iron. A rotation about the vertical is sufficient for the heading while the device is level. Without
/// attitudes, the ellipsoid that the readings form determines the parameters, which requires rotations in all
/// directions.
///
/// The initial calibration is replaced only by a clearly better calibration. With attitudes, the new calibration must
/// also change the heading by more than the heading uncertainty. As a result, a factory or stored calibration is kept
/// if it still fits. Readings near magnets are suppressed as outliers. If most of the latest readings are outliers but
/// agree with each other, the device's own field has changed, and earlier readings are discarded.
///
/// Readings may be in any constant unit. Memory use is bounded, and updates allocate memory only to compute a fit.
package struct MagnetometerCalibrator: Sendable {
    package private(set) var calibration = MagneticCalibration() { didSet { updateQuality() } }
    /// The result of the latest fit. Use it to guide the user in rotating the device, but not to correct readings.
    package private(set) var candidate = MagneticCalibration()
    /// The estimated delay of the magnetometer relative to the attitude, in seconds, or 0 before the first fit.
    package private(set) var latency = 0.0
    /// The uncertainty in ``candidate``: the standard deviation of the corrected field, relative to the field strength.
    /// It is infinite before the first fit.
    package private(set) var candidateUncertainty = Double.infinity
    /// The heading's standard deviation due to calibration errors, in radians. Applies to the current orientation. NaN
    /// if unknown.
    package private(set) var headingDeviation = Double.nan { didSet { updateQuality() } }
    /// The quality of the calibration in the current device orientation. The quality is lower if the heading is
    /// uncertain. A calibration from an earlier run has low quality until a fit confirms it, because the device's own
    /// field may have changed in the meantime.
    ///
    /// This is a stored property, because it is read for every attitude, and a computed property would copy the
    /// calibrator on each access.
    package private(set) var quality = MagneticQuality.uncalibrated

    var start = MagneticCalibration()
    /// True while the initial calibration is in use. That calibration is replaced only if the samples contradict it.
    var isInherited = true
    private var isConfirmed = false { didSet { updateQuality() } }
    /// The uncertainty of the current calibration, or infinity for the initial calibration.
    var currentUncertainty = Double.infinity
    /// The standard deviation of the heading in radians, averaged over the samples that determined the current
    /// calibration.
    var currentDeviation = Double.infinity
    private var headingUncertainty: HeadingUncertainty?
    private var headingUncertaintyTime = -Double.infinity
    var expectedStrength: Double?
    var expectedDip: Double?

    private(set) var reservoir = SampleReservoir(capacity: Self.capacity, cells: DirectionCells.attitudeCount)
    private var ellipsoidFit = EllipsoidFit(capacity: Self.capacity)
    private var aidedFit = AttitudeAidedFit(capacity: Self.capacity)
    private var lastFit: MagneticFit?
    private(set) var usesAttitude = false

    private var lastTime: Double?
    private var lastAttitude = Quaternion.identity
    private var lastSampleAttitude: Quaternion?
    private var lastSampleField: SIMD3<Double>?
    private var window = 0
    private var drift = SIMD3<Double>.zero
    private var correctedDrift = 0.0
    private var windowEnd = -Double.infinity
    /// The time at which the attitude becomes accurate, or infinity before the first attitude.
    private var settlingEnd = Double.infinity
    private var lastFitTime = -Double.infinity
    private var newSamples = 0

    static let capacity = 400

    /// Creates a calibrator that starts with a calibration from an earlier run, if that calibration is plausible.
    package init(start: MagneticCalibration? = nil) {
        if let start, start.isUsable { self.start = start }
        reset()
    }

    /// Processes a sample and returns true if ``calibration`` changed. `measured` is the uncorrected field in device
    /// axes. `attitude` is the attitude at the time of the sample, or nil if there is no gyroscope. Its heading may be
    /// arbitrary and may drift. `bias` is the gyroscope bias that was subtracted to compute the attitude. `timestamp`
    /// is in seconds.
    package mutating func update(
        _ measured: SIMD3<Double>, attitude: Quaternion?, bias: SIMD3<Double> = .zero, timestamp: Double
    ) -> Bool {
        guard timestamp.isFinite, measured.isFinite, measured != .zero, measured.squaredLength < 1e30 else {
            return false
        }
        if let attitude {
            // The sum is NaN if a component is infinite or NaN.
            guard (attitude.components * 0).sum() == 0, attitude.components != .zero else { return false }
            let attitude = attitude.normalized
            process(measured, attitude: attitude, bias: bias.isFinite ? bias : .zero, timestamp: timestamp)
            updateHeadingDeviation(measured, attitude, timestamp)
        } else {
            process(measured, timestamp: timestamp)
        }
        guard newSamples >= Self.newSamplesPerFit,
            timestamp - lastFitTime >= Self.fitInterval || timestamp < lastFitTime,
            reservoir.samples.count >= Self.minimumSamples
        else { return false }
        newSamples = 0
        lastFitTime = timestamp
        return solve()
    }

    /// Returns a corrected reading. The method is mutating only to avoid copying the calibration.
    package mutating func corrected(_ measured: SIMD3<Double>) -> SIMD3<Double> { calibration.apply(to: measured) }

    /// Sets the field that the World Magnetic Model predicts. `strength` is in the unit of the readings, and `dip` is
    /// in radians below the horizon. A fit that differs greatly from this field is not adopted. Agreement with this
    /// field does not confirm a fit, because buildings distort the field.
    package mutating func setExpectedField(strength: Double, dip: Double) {
        expectedStrength = strength.isFinite && strength > 0 ? strength : nil
        expectedDip = dip.isFinite ? dip : nil
    }

    /// Records that the attitude was reinitialized. Its new heading is unrelated to the old one.
    package mutating func recordInterruption(timestamp: Double) {
        guard timestamp.isFinite else { return }
        beginWindow(at: timestamp, settling: true)
        (lastTime, lastSampleAttitude) = (nil, nil)
    }

    package mutating func reset() {
        calibration = start
        candidate = MagneticCalibration()
        (candidateUncertainty, latency) = (.infinity, 0)
        (isInherited, isConfirmed) = (true, false)
        (currentUncertainty, currentDeviation) = (.infinity, .infinity)
        (headingUncertainty, headingDeviation, headingUncertaintyTime) = (nil, .nan, -.infinity)
        lastFit = nil
        reservoir.removeAll()
        (lastTime, lastSampleAttitude, lastSampleField) = (nil, nil, nil)
        (windowEnd, settlingEnd, lastFitTime) = (-.infinity, .infinity, -.infinity)
        newSamples = 0
    }

    static let newSamplesPerFit = 12
    static let minimumSamples = 30
    static let fitInterval = 2.0
    static let windowDuration = 20.0
    /// The time that the attitude's inclination takes to become accurate after an interruption, in seconds.
    static let settlingTime = 2.0
    static let maximumGap = 1.0
    static let headingUncertaintyInterval = 0.1
    /// The maximum interval between two attitudes used to compute a rate, in seconds.
    static let maximumRateInterval = 0.15
    /// The angular rate in rad/s above which samples are ignored.
    static let maximumRate = 12.0
    /// The minimum difference between successive stored samples without attitudes: the larger of these fractions of the
    /// reading's magnitude and of the field strength.
    static let minimumDistanceOfReading = 0.01
    static let minimumDistanceOfStrength = 0.08
    /// The minimum rotation between samples, five degrees, as the cosine of half the angle.
    static let minimumRotationCosine = 0.99905

    private mutating func process(
        _ measured: SIMD3<Double>, attitude: Quaternion, bias: SIMD3<Double>, timestamp: Double
    ) {
        setUsesAttitude(true)
        let interval = lastTime.map { timestamp - $0 } ?? .infinity
        defer { (lastTime, lastAttitude) = (timestamp, attitude) }
        guard interval > 0, interval <= Self.maximumGap else {
            // After a gap, or after the clock was set back, the heading is unrelated to earlier headings.
            if interval != 0 { beginWindow(at: timestamp, settling: true) }
            return
        }
        let up = interval * attitude.up
        drift += up
        correctedDrift += (up * bias).sum()
        let rotation = lastAttitude.conjugate * attitude
        let rate = rotation.vector * ((rotation.w < 0 ? -2 : 2) / interval)
        guard rate.length < Self.maximumRate else { return }
        guard timestamp >= settlingEnd else { return }
        if let last = lastSampleAttitude,
            abs((last.components * attitude.components).sum()) > Self.minimumRotationCosine
        {
            return
        }
        if timestamp >= windowEnd { beginWindow(at: timestamp, settling: false) }
        lastSampleAttitude = attitude
        insertSample(
            measured, attitude, interval <= Self.maximumRateInterval ? rate : .zero, DirectionCells.attitude(attitude))
    }

    /// Switches between samples with and without attitudes, and discards all earlier samples.
    private mutating func setUsesAttitude(_ attitude: Bool) {
        guard usesAttitude != attitude else { return }
        usesAttitude = attitude
        (headingUncertainty, headingDeviation, headingUncertaintyTime) = (nil, .nan, -.infinity)
        reservoir.removeAll()
        (lastFit, lastTime, lastSampleAttitude, lastSampleField) = (nil, nil, nil, nil)
    }

    private mutating func insertSample(
        _ field: SIMD3<Double>, _ attitude: Quaternion, _ rate: SIMD3<Double>, _ cell: Int
    ) {
        reservoir.insert(
            MagneticSample(
                field: field, attitude: attitude, rate: rate, drift: drift, correctedDrift: correctedDrift,
                window: window, cell: cell))
        newSamples += 1
    }

    private mutating func process(_ measured: SIMD3<Double>, timestamp: Double) {
        setUsesAttitude(false)
        if timestamp >= windowEnd || timestamp < windowEnd - 2 * Self.windowDuration {
            beginWindow(at: timestamp, settling: false)
        }
        let minimumDistance = max(
            Self.minimumDistanceOfReading * measured.length, Self.minimumDistanceOfStrength * (lastFit?.strength ?? 0))
        if let last = lastSampleField, (measured - last).length < minimumDistance { return }
        lastSampleField = measured
        insertSample(measured, .identity, .zero, DirectionCells.fineDirection(measured - center))
    }

    /// The approximate centre of the readings' ellipsoid.
    private var center: SIMD3<Double> { candidate.fieldStrength > 0 ? candidate.hardIron : .zero }

    private mutating func fitEllipsoid() -> MagneticFit? {
        // A sample's weight depends on the cell that contains its direction from the centre. The first iteration yields
        // a more accurate centre, so the fit is repeated with cells around the new centre.
        var fit: MagneticFit?
        var center = self.center
        for _ in 0..<2 {
            reservoir.assignCells { DirectionCells.fineDirection($0.field - center) }
            fit = ellipsoidFit.fit(reservoir.samples, counts: reservoir.counts, current: calibration)
            guard let found = fit?.calibration(coverage: 0) else { return nil }
            center = found.hardIron
        }
        return fit
    }

    private mutating func updateHeadingDeviation(_ measured: SIMD3<Double>, _ attitude: Quaternion, _ timestamp: Double)
    {
        guard let headingUncertainty, !(abs(timestamp - headingUncertaintyTime) < Self.headingUncertaintyInterval)
        else { return }
        headingUncertaintyTime = timestamp
        headingDeviation = headingUncertainty.headingVariance(measured, attitude: attitude).squareRoot()
    }

    private mutating func beginWindow(at timestamp: Double, settling: Bool) {
        window += 1
        windowEnd = timestamp + Self.windowDuration
        (drift, correctedDrift) = (.zero, 0)
        if settling { settlingEnd = timestamp + Self.settlingTime }
        let oldest = window - AttitudeAidedFit.windowLimit + 1
        reservoir.removeAll { $0.window < oldest }
    }

    private mutating func solve() -> Bool {
        let result =
            usesAttitude
            ? aidedFit.fit(reservoir.samples, current: calibration, previous: lastFit) : fitEllipsoid()
        guard let fit = result, var found = fit.calibration(coverage: coverage(of: fit)) else {
            lastFit = nil
            return false
        }
        if fit.newestWeight < Self.minimumNewestWeight, let change = firstChangedNumber {
            // The device's own field has changed. Earlier samples are obsolete, and the current calibration must be
            // confirmed again.
            reservoir.removeAll { $0.sequenceNumber < change }
            (lastFit, isConfirmed) = (nil, false)
            return false
        }
        lastFit = fit
        latency = fit.latency
        candidateUncertainty = fit.uncertainty
        if usesAttitude { found.sidesUp = PoseCoverage.sides(near: reservoir.samples.map(\.attitude.up)) }
        let before = calibration
        evaluate(fit, found)
        return before != calibration
    }

    /// The sequence number of the first sample after the device's own field changed. It is nil if later samples do not
    /// agree with each other, which probably means that a magnet is near the device.
    private var firstChangedNumber: Int64? {
        mutating get {
            guard let number = aidedFit.firstChangedNumber(reservoir.samples) else { return nil }
            let latest = reservoir.samples.filter { $0.sequenceNumber >= number }
            let fit = aidedFit.fit(latest, current: calibration, previous: nil)
            return fit.map { $0.residual < Self.adoptableResidual } ?? false ? number : nil
        }
    }

    /// Returns the fraction of direction cells in which the corrected field was measured.
    private func coverage(of fit: MagneticFit) -> Double {
        var coveredCells: UInt64 = 0
        for sample in reservoir.samples {
            if let cell = DirectionCells.direction(fit.matrix * sample.field + fit.shift) {
                coveredCells |= 1 << UInt64(cell)
            }
        }
        return Double(coveredCells.nonzeroBitCount) / Double(DirectionCells.directionCount)
    }
}

extension MagnetometerCalibrator {
    private mutating func updateQuality() {
        let known = isConfirmed ? calibration.quality : min(calibration.quality, .low)
        guard known > .uncalibrated, !headingDeviation.isNaN else {
            quality = known
            return
        }
        let rough = headingDeviation > Self.lowQualityDeviation ? min(known, .low) : known
        quality = headingDeviation > Self.unusableDeviation ? .uncalibrated : rough
    }

    /// Adopts the fit if it is better than the current calibration, and updates the quality of both.
    private mutating func evaluate(_ fit: MagneticFit, _ found: MagneticCalibration) {
        var found = found
        found.quality = Self.quality(
            residual: fit.residual, uncertainty: fit.uncertainty, deviation: fit.headingDeviation,
            coverage: found.coverage)
        if contradictsExpectation(found) { found.quality = .low }
        candidate = found
        if shouldAdopt(fit, found) {
            calibration = found
            isInherited = false
            currentUncertainty = fit.uncertainty
            currentDeviation = fit.headingDeviation
            headingUncertainty = fit.headingUncertainty
            isConfirmed = true
        } else if isConclusive(fit) {
            isConfirmed = true
            var known = calibration
            known.residual = fit.currentResidual
            known.coverage = found.coverage
            known.sidesUp = found.sidesUp
            known.fieldStrength = found.fieldStrength
            known.dip = found.dip
            known.quality = Self.quality(
                residual: known.residual,
                uncertainty: isInherited ? fit.uncertainty : min(currentUncertainty, fit.uncertainty),
                deviation: max(fit.headingDeviation, fit.headingChange), coverage: known.coverage)
            headingUncertainty = fit.headingUncertainty
            headingUncertainty?.additionalVariance = fit.headingChange * fit.headingChange
            // The calibration is updated only if the quality changes, because clients treat every update as a change.
            if known.quality != calibration.quality { calibration = known }
        }
    }

    private func isConclusive(_ fit: MagneticFit) -> Bool {
        usesAttitude ? fit.headingDeviation < Self.adoptableDeviation : fit.uncertainty < Self.adoptableUncertainty
    }

    private func shouldAdopt(_ fit: MagneticFit, _ found: MagneticCalibration) -> Bool {
        guard isConclusive(fit), fit.residual < Self.adoptableResidual, !contradictsExpectation(found),
            !isBeyondReadings(fit)
        else { return false }
        let gain = fit.currentResidual / fit.residual
        let isMoreCertain = fit.uncertainty < Self.improvementFactor * currentUncertainty
        guard usesAttitude else {
            return isInherited ? gain > Self.minimumGainOverInherited : gain > Self.minimumGainOverOwn || isMoreCertain
        }
        // The heading counts as changed only if the change exceeds a multiple of the heading's standard deviation.
        let isChange = fit.headingChange > Self.minimumChangeDeviations * fit.headingDeviation
        if isInherited { return isChange && gain > Self.minimumGainOverInherited }
        return isChange || isMoreCertain || fit.headingDeviation < Self.improvementFactor * currentDeviation
    }

    /// `deviation` is the standard deviation of the heading in radians, or infinity if there are no attitudes.
    static func quality(residual: Double, uncertainty: Double, deviation: Double, coverage: Double) -> MagneticQuality {
        if residual < 0.02, uncertainty < 0.015, coverage >= 0.4 { return .high }
        if residual < 0.05, uncertainty < 0.04, coverage >= 0.2 { return .medium }
        // If the heading is accurate in the current orientation, directions with an unknown field do not matter.
        if residual < 0.07, deviation < mediumDeviation, coverage >= 0.25 { return .medium }
        return .low
    }

    /// Returns whether a calibration contradicts the expected field. The limits tolerate deviations caused by
    /// buildings, but not those caused by magnets.
    private func contradictsExpectation(_ found: MagneticCalibration) -> Bool {
        if let expectedStrength, found.fieldStrength > 0 {
            let ratio = found.fieldStrength / expectedStrength
            if ratio < 0.6 || ratio > 1.6 { return true }
        }
        if let expectedDip, found.dip.isFinite, abs(found.dip - expectedDip) > 0.35 { return true }
        return false
    }

    /// Returns whether the fitted field is much stronger than every reading. Such a fit is wrong, because the device
    /// has not rotated enough.
    private func isBeyondReadings(_ fit: MagneticFit) -> Bool {
        let squares = reservoir.samples.lazy.map(\.field.squaredLength).max() ?? 0
        return fit.strength > Self.maximumStrengthRatio * squares.squareRoot()
    }

    /// The maximum field strength of a plausible fit, as a multiple of the strongest reading.
    static let maximumStrengthRatio = 1.5
    static let adoptableUncertainty = 0.15
    static let adoptableResidual = 0.09
    // The following constants were chosen using two phones and one board. The ten trials with the phones used raw
    // magnetometer data. The four trials with the board were run both with the factory calibration and with hard iron
    // ten times as strong as the field. Within the following ranges, the headings differ by only tenths of a degree:
    //
    // - `adoptableDeviation`: 10 to 25 degrees
    // - `minimumChangeDeviations`: 1.5 to 2.5
    // - `improvementFactor`: 0.6 to 0.9
    // - `minimumGainOverInherited`: 1.4 to 1.6
    static let adoptableDeviation = 20 * degree
    static let minimumChangeDeviations = 2.0
    static let improvementFactor = 0.7
    static let minimumGainOverInherited = 1.5
    static let minimumGainOverOwn = 1.15
    /// If the relative weight of the newest samples is below this value, the device's own field is assumed to have
    /// changed. Values between 0.4 and 0.7 yield nearly the same headings.
    static let minimumNewestWeight = 0.5
    static let mediumDeviation = 5 * degree
    static let lowQualityDeviation = 8 * degree
    static let unusableDeviation = 20 * degree
    private static let degree = Double.pi / 180
}
