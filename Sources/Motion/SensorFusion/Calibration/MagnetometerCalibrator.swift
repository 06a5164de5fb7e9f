// SPDX-License-Identifier: Apache-2.0

/// Learns what the device itself adds to the magnetic field, from ordinary movement.
///
/// Feed it with every magnetometer sample as it comes, and with the attitude of the same moment where there is a
/// gyroscope. It keeps some hundred samples, few of each direction, and every two seconds of movement fits a correction
/// to them. With attitudes all twelve numbers of hard and soft iron follow from turns about two axes, and what a heading
/// needs while the device is held level from one turn about the vertical; without, from the shape of the readings (an
/// ellipsoid), which takes turns in all directions.
///
/// What is in force is only replaced by what is clearly better, and by a change that is larger than its own uncertainty: a
/// sensor that comes calibrated from its factory stays as it is, and so does a stored calibration that still fits. Readings
/// near magnets lose their weight; when all the latest ones do, the device itself has changed, and the earlier ones are
/// forgotten.
///
/// Any unit will do, as long as it is the same for all readings. Memory is bounded, and nothing is allocated in an
/// update except now and then in the one that solves. The result depends on the readings and times only.
package struct MagnetometerCalibrator: Sendable {
    /// What to correct readings with now.
    package private(set) var calibration = MagneticCalibration() { didSet { judge() } }
    /// How far the running fit has come, for a user who is asked to turn the device; not to correct readings with.
    package private(set) var candidate = MagneticCalibration()
    /// Seconds by which the magnetometer is behind the attitude, as far as is known; 0 without a fit.
    ///
    /// A field that was measured while the device turned fast belongs to the attitude of so long ago.
    package private(set) var latency = 0.0
    /// One standard deviation of the candidate's corrected field over all directions, as a part of the field's
    /// strength; infinite before there is one.
    package private(set) var candidateUncertainty = Double.infinity

    /// One standard deviation that the calibration leaves to the heading as the device is held now, radians, of late; NaN
    /// while nothing is known of that.
    package private(set) var headingDeviation = Double.nan { didSet { judge() } }
    /// How good the calibration is as the device is held now: where the heading is hardly known, no better than that. What
    /// an earlier run has found counts as low until it is tested, for the iron may have changed since.
    ///
    /// Kept, because it is asked for with each attitude: to compute it there takes a copy of all samples' places.
    package private(set) var quality = MagneticQuality.uncalibrated

    var start = MagneticCalibration()
    /// True while what is in force was not found here: it needs proof of being wrong.
    var isInherited = true
    /// True once a fit has said something of what is in force.
    private var isTested = false { didSet { judge() } }
    /// The uncertainty of what is in force, where it was found here.
    var uncertaintyInForce = Double.infinity
    /// The heading's deviation at the samples from which it was found, radians.
    var deviationInForce = Double.infinity
    private var doubt: HeadingDoubt?
    private var doubtedAt = -Double.infinity
    var expectedStrength: Double?
    var expectedDip: Double?

    private(set) var reservoir = SampleReservoir(capacity: Self.capacity, cells: DirectionCells.attitudeCount)
    private var ellipsoidFit = EllipsoidFit(capacity: Self.capacity)
    private var aidedFit = AttitudeAidedFit(capacity: Self.capacity)
    private var lastFit: MagneticFit?
    private(set) var usesAttitude = false

    private var lastTime: Double?
    private var lastAttitude = Quaternion.identity
    private var keptAttitude: Quaternion?
    private var keptField: SIMD3<Double>?
    private var window = 0
    private var drift = SIMD3<Double>.zero
    private var taken = 0.0
    private var windowEnd = -Double.infinity
    private var steadyFrom = Double.infinity
    private var solvedAt = -Double.infinity
    private var newSamples = 0

    static let capacity = 400

    /// - Parameter start: What an earlier run found, used at once; ignored when no device can have it.
    package init(start: MagneticCalibration? = nil) {
        if let start, start.isUsable { self.start = start }
        reset()
    }

    /// Takes a sample.
    ///
    /// - Parameters:
    ///   - measured: The field as measured, without any correction, in the device's axes.
    ///   - attitude: From the device's axes to earth axes with z up whose heading may be any and may drift; of the same
    ///     moment. Nil without gyroscope.
    ///   - bias: Of the gyroscope, as it was taken off for that attitude: radians per second, device axes.
    ///   - timestamp: In seconds.
    /// - Returns: True when ``calibration`` has changed. Whether its correction has changed, or only what is known of
    ///   it, tells ``MagneticCalibration/correctsTheSame(as:)``.
    package mutating func update(
        _ measured: SIMD3<Double>, attitude: Quaternion?, bias: SIMD3<Double> = .zero, timestamp: Double
    ) -> Bool {
        guard timestamp.isFinite, measured.isFinite, measured != .zero, measured.squaredLength < 1e30 else {
            return false
        }
        if let attitude {
            guard attitude.components.x.isFinite, attitude.components.y.isFinite, attitude.components.z.isFinite,
                attitude.components.w.isFinite, attitude.components != .zero
            else { return false }
            let attitude = attitude.normalized
            takeAided(measured, attitude: attitude, bias: bias.isFinite ? bias : .zero, timestamp: timestamp)
            lookAtHeading(measured, attitude, timestamp)
        } else {
            takeAlone(measured, timestamp: timestamp)
        }
        guard newSamples >= Self.samplesToSolve, timestamp - solvedAt >= Self.secondsToSolve || timestamp < solvedAt,
            reservoir.samples.count >= Self.samplesForFit
        else { return false }
        newSamples = 0
        solvedAt = timestamp
        return solve()
    }

    /// A reading without the device's own field, as far as that is known. Changes nothing: it is mutating so that the
    /// calibration is looked at where it lies, and not copied for each reading.
    package mutating func corrected(_ measured: SIMD3<Double>) -> SIMD3<Double> { calibration.apply(to: measured) }

    /// Tells the field that the World Magnetic Model gives for this place.
    ///
    /// A fit that contradicts it widely is not adopted. Buildings change the field, so that agreement is no proof.
    ///
    /// - Parameters:
    ///   - strength: In the unit of the readings.
    ///   - dip: Radians below the horizon.
    package mutating func expectField(strength: Double, dip: Double) {
        expectedStrength = strength.isFinite && strength > 0 ? strength : nil
        expectedDip = dip.isFinite ? dip : nil
    }

    /// Says that the attitude has begun anew: its heading is another one, and its inclination is not right at once.
    package mutating func noteInterruption(timestamp: Double) {
        guard timestamp.isFinite else { return }
        beginWindow(at: timestamp, settling: true)
        (lastTime, keptAttitude) = (nil, nil)
    }

    /// Forgets all samples and goes back to what it was made with.
    package mutating func reset() {
        calibration = start
        candidate = MagneticCalibration()
        candidateUncertainty = .infinity
        latency = 0
        (isInherited, isTested) = (true, false)
        (uncertaintyInForce, deviationInForce) = (.infinity, .infinity)
        (doubt, headingDeviation, doubtedAt) = (nil, .nan, -.infinity)
        lastFit = nil
        reservoir.removeAll()
        (lastTime, keptAttitude, keptField) = (nil, nil, nil)
        (windowEnd, steadyFrom, solvedAt) = (-.infinity, .infinity, -.infinity)
        newSamples = 0
    }

    static let samplesToSolve = 12
    static let samplesForFit = 30
    static let secondsToSolve = 2.0
    static let secondsOfWindow = 20.0
    /// After an interruption the attitude's inclination is not right at once.
    static let secondsToSettle = 2.0
    static let longestGap = 1.0
    static let secondsToDoubt = 0.1
    /// The longest interval in which a turn gives a rate.
    static let longestRateInterval = 0.15
    static let fastestRate = 12.0
    /// How far from the one before a reading has to be without attitudes, as a part of its own length and of the field's.
    static let partOfReading = 0.01
    static let partOfStrength = 0.08
    /// The cosine of half of five degrees.
    static let turnToKeep = 0.99905

    private mutating func takeAided(
        _ measured: SIMD3<Double>, attitude: Quaternion, bias: SIMD3<Double>, timestamp: Double
    ) {
        use(attitude: true)
        let interval = lastTime.map { timestamp - $0 } ?? .infinity
        defer { (lastTime, lastAttitude) = (timestamp, attitude) }
        guard interval > 0, interval <= Self.longestGap else {
            // After a gap, or when time went back, the heading begins anew.
            if interval != 0 { beginWindow(at: timestamp, settling: true) }
            return
        }
        let up = interval * attitude.up
        drift += up
        taken += (up * bias).sum()
        let turn = lastAttitude.conjugate * attitude
        let rate = turn.vector * ((turn.w < 0 ? -2 : 2) / interval)
        guard rate.length < Self.fastestRate else { return }
        guard timestamp >= steadyFrom else { return }
        if let kept = keptAttitude, abs((kept.components * attitude.components).sum()) > Self.turnToKeep { return }
        if timestamp >= windowEnd { beginWindow(at: timestamp, settling: false) }
        keptAttitude = attitude
        keep(measured, attitude, interval <= Self.longestRateInterval ? rate : .zero, DirectionCells.attitude(attitude))
    }

    /// With attitudes or without: what was kept the other way is of no use.
    private mutating func use(attitude: Bool) {
        guard usesAttitude != attitude else { return }
        usesAttitude = attitude
        // How the device is held is not known any more, or counts anew.
        (doubt, headingDeviation, doubtedAt) = (nil, .nan, -.infinity)
        reservoir.removeAll()
        (lastFit, lastTime, keptAttitude, keptField) = (nil, nil, nil, nil)
    }

    private mutating func keep(_ field: SIMD3<Double>, _ attitude: Quaternion, _ rate: SIMD3<Double>, _ cell: Int) {
        reservoir.insert(
            MagneticSample(
                field: field, attitude: attitude, rate: rate, drift: drift, taken: taken, window: window, cell: cell))
        newSamples += 1
    }

    private mutating func takeAlone(_ measured: SIMD3<Double>, timestamp: Double) {
        use(attitude: false)
        if timestamp >= windowEnd || timestamp < windowEnd - 2 * Self.secondsOfWindow {
            beginWindow(at: timestamp, settling: false)
        }
        let apart = max(Self.partOfReading * measured.length, Self.partOfStrength * (lastFit?.strength ?? 0))
        if let kept = keptField, (measured - kept).length < apart { return }
        keptField = measured
        keep(measured, .identity, .zero, DirectionCells.fineDirection(measured - center))
    }

    /// About where the readings' ellipsoid has its centre.
    private var center: SIMD3<Double> { candidate.fieldStrength > 0 ? candidate.hardIron : .zero }

    private mutating func solveAlone() -> MagneticFit? {
        // Cells about the latest centre make the weights; a second round has them right.
        var fit: MagneticFit?
        var center = self.center
        for _ in 0..<2 {
            reservoir.assignCells { DirectionCells.fineDirection($0.field - center) }
            fit = ellipsoidFit.fit(reservoir.samples, counts: reservoir.counts, inForce: calibration)
            guard let found = fit?.calibration(coverage: 0) else { return nil }
            center = found.hardIron
        }
        return fit
    }

    /// What the heading is worth depends on how the device is held.
    private mutating func lookAtHeading(_ measured: SIMD3<Double>, _ attitude: Quaternion, _ timestamp: Double) {
        guard let doubt, !(abs(timestamp - doubtedAt) < Self.secondsToDoubt) else { return }
        doubtedAt = timestamp
        headingDeviation = doubt.headingVariance(measured, attitude: attitude).squareRoot()
    }

    private mutating func beginWindow(at timestamp: Double, settling: Bool) {
        window += 1
        windowEnd = timestamp + Self.secondsOfWindow
        (drift, taken) = (.zero, 0)
        if settling { steadyFrom = timestamp + Self.secondsToSettle }
        let oldest = window - AttitudeAidedFit.windowLimit + 1
        reservoir.forget { $0.window < oldest }
    }

    private mutating func solve() -> Bool {
        let result =
            usesAttitude
            ? aidedFit.fit(reservoir.samples, inForce: calibration, previous: lastFit) : solveAlone()
        guard let fit = result, var found = fit.calibration(coverage: coverage(of: fit)) else {
            lastFit = nil
            return false
        }
        if fit.newestWeight < Self.leastNewestWeight, let change = ageOfChange {
            // What was seen before the iron changed says nothing any more, and nobody knows whether what is in force does.
            reservoir.forget { $0.age < change }
            lastFit = nil
            isTested = false
            return false
        }
        lastFit = fit
        latency = fit.latency
        candidateUncertainty = fit.uncertainty
        if usesAttitude { found.sidesUp = MagneticSurvey.sides(near: reservoir.samples.map(\.attitude.up)) }
        let before = calibration
        decide(fit, found)
        return before != calibration
    }

    /// The age from which on samples fit together by themselves and not with the ones before, as where the device's own iron
    /// has changed; nil where they do not, as near magnets.
    private var ageOfChange: Int64? {
        mutating get {
            guard let age = aidedFit.ageOfChange(reservoir.samples) else { return nil }
            let latest = reservoir.samples.filter { $0.age >= age }
            let fit = aidedFit.fit(latest, inForce: calibration, previous: nil)
            return fit.map { $0.residual < Self.adoptableResidual } ?? false ? age : nil
        }
    }

    /// The part of the cells of directions in which the corrected field was seen.
    private func coverage(of fit: MagneticFit) -> Double {
        var seen: UInt64 = 0
        for sample in reservoir.samples {
            if let cell = DirectionCells.direction(fit.matrix * sample.field + fit.shift) { seen |= 1 << UInt64(cell) }
        }
        return Double(seen.nonzeroBitCount) / Double(DirectionCells.directionCount)
    }
}

extension MagnetometerCalibrator {
    /// Brings the quality in line with what it follows from.
    private mutating func judge() {
        let known = isTested ? calibration.quality : min(calibration.quality, .low)
        guard known > .uncalibrated, !headingDeviation.isNaN else {
            quality = known
            return
        }
        let rough = headingDeviation > Self.roughDeviation ? min(known, .low) : known
        quality = headingDeviation > Self.uselessDeviation ? .uncalibrated : rough
    }

    /// Whether the fit takes the place of what is in force, and how good both are.
    private mutating func decide(_ fit: MagneticFit, _ found: MagneticCalibration) {
        var found = found
        found.quality = Self.quality(
            residual: fit.residual, uncertainty: fit.uncertainty, deviation: fit.headingDeviation,
            coverage: found.coverage)
        if contradictsExpectation(found) { found.quality = .low }
        candidate = found
        if shouldAdopt(fit, found) {
            calibration = found
            isInherited = false
            uncertaintyInForce = fit.uncertainty
            deviationInForce = fit.headingDeviation
            doubt = fit.doubt
            isTested = true
        } else if tells(fit) {
            isTested = true
            // It stays; but now it is known how good it is.
            var known = calibration
            known.residual = fit.residualInForce
            known.coverage = found.coverage
            known.sidesUp = found.sidesUp
            known.fieldStrength = found.fieldStrength
            known.dip = found.dip
            known.quality = Self.quality(
                residual: known.residual,
                uncertainty: isInherited ? fit.uncertainty : min(uncertaintyInForce, fit.uncertainty),
                deviation: max(fit.headingDeviation, fit.headingChange), coverage: known.coverage)
            doubt = fit.doubt
            doubt?.known = fit.headingChange * fit.headingChange
            // Telling of each step would make clients believe in a change.
            if known.quality != calibration.quality { calibration = known }
        }
    }

    /// True when a fit knows enough to say something of what is in force.
    private func tells(_ fit: MagneticFit) -> Bool {
        usesAttitude ? fit.headingDeviation < Self.adoptableDeviation : fit.uncertainty < Self.adoptableUncertainty
    }

    private func shouldAdopt(_ fit: MagneticFit, _ found: MagneticCalibration) -> Bool {
        guard tells(fit), fit.residual < Self.adoptableResidual, !contradictsExpectation(found), !isBeyondReadings(fit)
        else { return false }
        let gain = fit.residualInForce / fit.residual
        let isSurer = fit.uncertainty < Self.surer * uncertaintyInForce
        guard usesAttitude else {
            return isInherited ? gain > Self.gainOverInherited : gain > Self.gainOverOwn || isSurer
        }
        // A change has to be larger than its own uncertainty.
        let isChange = fit.headingChange > Self.deviationsToChange * fit.headingDeviation
        if isInherited { return isChange && gain > Self.gainOverInherited }
        return isChange || isSurer || fit.headingDeviation < Self.surer * deviationInForce
    }

    /// - Parameter deviation: infinite without attitudes.
    static func quality(
        residual: Double, uncertainty: Double, deviation: Double, coverage: Double
    ) -> MagneticQuality {
        if residual < 0.02, uncertainty < 0.015, coverage >= 0.4 { return .high }
        if residual < 0.05, uncertainty < 0.04, coverage >= 0.2 { return .medium }
        // Of the field in other directions nothing may be known: the heading counts as the device is held.
        if residual < 0.07, deviation < mediumDeviation, coverage >= 0.25 { return .medium }
        return .low
    }

    /// Buildings bend and weaken the field; a magnet does so by far more.
    private func contradictsExpectation(_ found: MagneticCalibration) -> Bool {
        if let expectedStrength, found.fieldStrength > 0 {
            let ratio = found.fieldStrength / expectedStrength
            if ratio < 0.6 || ratio > 1.6 { return true }
        }
        if let expectedDip, found.dip.isFinite, abs(found.dip - expectedDip) > 0.35 { return true }
        return false
    }

    /// True for a fit whose field is much stronger than every reading. Hard iron would have to cancel that field in all
    /// attitudes, which it may seem to do if the device has hardly turned.
    private func isBeyondReadings(_ fit: MagneticFit) -> Bool {
        let squares = reservoir.samples.lazy.map(\.field.squaredLength).max() ?? 0
        return fit.strength > Self.largestStrength * squares.squareRoot()
    }

    /// The maximum field of a plausible fit, as a multiple of the strongest reading.
    static let largestStrength = 1.5
    static let adoptableUncertainty = 0.15
    static let adoptableResidual = 0.09
    // Chosen on two phones (ten trials of raw magnetometers) and one board (four trials, its factory's calibration and
    // tenfold iron): between 1.5 and 2.5 deviations, 10 and 25 degrees, gains of 1.4 to 1.6 and parts of 0.6 to 0.9 the
    // headings differ by tenths of a degree.
    static let adoptableDeviation = 20 * degree
    static let deviationsToChange = 2.0
    static let surer = 0.7
    static let gainOverInherited = 1.5
    static let gainOverOwn = 1.15
    /// Between 0.4 and 0.7, on the same trials with iron of 20 to 100 microtesla that came after a minute, the headings half a
    /// minute later differ by tenths of a degree.
    static let leastNewestWeight = 0.5
    static let mediumDeviation = 5 * degree
    static let roughDeviation = 8 * degree
    static let uselessDeviation = 20 * degree
    private static let degree = Double.pi / 180
}
