// SPDX-License-Identifier: Apache-2.0

/// Detects steps from the acceleration magnitude at 50 samples per second, using only past samples.
///
/// 1. A band-pass filter passes only step frequencies.
/// 2. A peak is a step candidate if it is prominent on both sides and far enough from the previous peak. If strides
///    have more than two peaks, peaks that are too early for the stride rhythm are omitted.
/// 3. A peak is regular if the movement is periodic at that moment.
/// 4. Peaks are buffered until there are eight in a row and the movement is regular. At that moment, all buffered peaks
///    count as steps, and later regular peaks count immediately. An irregular peak is buffered and counts if the walk
///    continues. Steps are reported about four seconds late at the beginning of a walk, and a third of a second late
///    after that.
///
/// The constants were chosen using data from the Oxford step counter: twelve walks by one person (Carmelo) with six
/// placements of the device. They were tested on seven walks by a second person (Jamie). docs/motion.md compares the
/// detector with a simpler one.
package struct StepDetector: Sendable {
    /// The minimum prominence of a peak, in m/s². Values below 0.8, and values of 1.4 and above, cause more errors.
    static let minimumProminence = 0.8
    /// The minimum distance between two peaks, in samples, which corresponds to 0.3 s or 200 steps per minute.
    static let minimumPeakDistance = 15
    /// The time without a peak after which a run of peaks ends, in seconds.
    static let maximumStepDuration = 1.2
    /// The minimum autocorrelation of a regular peak.
    static let minimumRegularity = 0.7
    /// The minimum autocorrelation of a regular peak whose prominence is at least `strongPeakProminence` (m/s²). On
    /// stairs, feet land hard and unevenly. Without this separate minimum, a fifth of the steps of six MotionSense
    /// subjects on stairs were missed. Handling the device does not cause such peaks.
    static let minimumStrongPeakRegularity = 0.55
    static let strongPeakProminence = 5.0
    /// The number of consecutive peaks after which a walk begins. Many hardware step counters have a similar threshold.
    static let peaksToBegin = 8
    /// The maximum number of irregular peaks that are buffered during a walk. One more irregular peak ends the walk.
    static let maximumIrregularPeaks = 8
    /// The step duration to assume until one has been measured, in seconds.
    static let defaultStepDuration = 0.55
    /// The minimum duration of a walking stride, in seconds. Running strides are shorter.
    static let shortestWalkingStride = 0.85
    /// The mean number of peaks per stride above which not every peak counts as a step.
    static let maximumPeaksPerStride = 2.5
    /// The minimum and maximum duration of a step, relative to the mean duration. They are used only if strides have
    /// more peaks than steps.
    static let minimumStepFraction = 0.7
    static let maximumStepFraction = 1.6

    private var pendingPeaks: [Double] = []
    /// The number of peaks in the current run, at most `peaksToBegin`.
    private var runLength = 0
    private var lastPeak = -Double.infinity
    /// The time of the last peak, regardless of whether it is a step.
    private var lastCandidate = -Double.infinity
    private var peakInterval = StepDetector.defaultStepDuration
    /// The time of the last peak if it was omitted because it was too early to be a step, or nil otherwise.
    private var omittedPeak: Double?
    private var lastStep = -Double.infinity
    /// True during a walk, when regular peaks are counted as steps immediately.
    package private(set) var isWalking = false

    private var isRising = true
    /// The latest extreme of the signal and the index of its sample. It is the maximum while the signal rises and the
    /// minimum while it falls.
    private var extreme = 0.0
    private var extremeIndex = 0
    private var trough = 0.0
    private var lastPeakIndex = -StepDetector.minimumPeakDistance
    private var index = 0

    init() { pendingPeaks.reserveCapacity(Self.maximumIrregularPeaks + 1) }

    mutating func restart(_ value: Double) {
        pendingPeaks.removeAll(keepingCapacity: true)
        (runLength, isWalking, lastPeak) = (0, false, -.infinity)
        (lastCandidate, peakInterval, omittedPeak) = (-.infinity, Self.defaultStepDuration, nil)
        lastStep = -.infinity
        isRising = true
        (extreme, trough) = (value, value)
        (extremeIndex, lastPeakIndex, index) = (0, -Self.minimumPeakDistance, 0)
    }

    /// Processes the latest value of the band-pass filter and appends newly counted steps to `steps`, oldest first.
    /// `history` must already contain the value.
    mutating func process(_ value: Double, at time: Double, history: MovementHistory, into steps: inout [Footstep]) {
        index += 1
        if isWalking, time - lastCandidate > Self.maximumStepDuration + StepBandPass.delay { endRun() }
        if isRising {
            if value > extreme {
                (extreme, extremeIndex) = (value, index)
            } else if extreme - value >= Self.minimumProminence {
                let isHigh = extreme - trough >= Self.minimumProminence
                if isHigh, extremeIndex - lastPeakIndex >= Self.minimumPeakDistance {
                    lastPeakIndex = extremeIndex
                    let peak = time - Double(index - extremeIndex) / UniformResampler.rate - StepBandPass.delay
                    processPeak(at: peak, height: extreme - trough, history, into: &steps)
                }
                isRising = false
                (extreme, extremeIndex) = (value, index)
            }
        } else if value < extreme {
            (extreme, extremeIndex) = (value, index)
        } else if value - extreme >= Self.minimumProminence {
            trough = extreme
            isRising = true
            (extreme, extremeIndex) = (value, index)
        }
    }

    private mutating func endRun() {
        pendingPeaks.removeAll(keepingCapacity: true)
        (runLength, isWalking, omittedPeak) = (0, false, nil)
    }

    private mutating func processPeak(
        at time: Double, height: Double, _ history: MovementHistory, into steps: inout [Footstep]
    ) {
        let interval = time - lastCandidate
        lastCandidate = time
        if interval < Self.maximumStepDuration { peakInterval += 0.2 * (interval - peakInterval) }
        if interval > Self.maximumStepDuration { endRun() }
        if let step = stepOfRhythm(history) {
            if time - lastPeak < Self.minimumStepFraction * step {
                omittedPeak = time
                return
            }
            // If the time since the last counted peak is too long for one step, the omitted peak was a step after all.
            if let omittedPeak, time - lastPeak > Self.maximumStepFraction * step { add(omittedPeak) }
        }
        omittedPeak = nil
        add(time)
        let needed = height >= Self.strongPeakProminence ? Self.minimumStrongPeakRegularity : Self.minimumRegularity
        if isWalking || runLength >= Self.peaksToBegin, history.rhythm().regularity >= needed {
            isWalking = true
            for peak in pendingPeaks { count(peak, into: &steps) }
            pendingPeaks.removeAll(keepingCapacity: true)
        } else if pendingPeaks.count > Self.maximumIrregularPeaks {
            pendingPeaks.removeFirst()
            isWalking = false
        }
    }

    private mutating func add(_ peak: Double) {
        lastPeak = peak
        runLength = min(runLength + 1, Self.peaksToBegin)
        pendingPeaks.append(peak)
    }

    /// If strides have more peaks than steps, returns the mean step duration in seconds, which is half the duration of
    /// a stride. Returns nil if every peak may be a step. For example, in a back pocket, one foot may cause two peaks,
    /// so that a stride has three or four peaks.
    private func stepOfRhythm(_ history: MovementHistory) -> Double? {
        let stride = history.stride()
        guard stride.regularity >= Self.minimumRegularity, stride.period >= Self.shortestWalkingStride,
            stride.period > Self.maximumPeaksPerStride * peakInterval
        else { return nil }
        return stride.period / 2
    }

    private mutating func count(_ peak: Double, into steps: inout [Footstep]) {
        let interval = peak - lastStep
        steps.append(Footstep(time: peak, interval: interval <= Self.maximumStepDuration ? interval : nil))
        lastStep = peak
    }
}

package struct Footstep: Sendable, Hashable {
    /// The estimated time of the footfall, in seconds on the sample clock.
    package var time: Double
    /// The time since the previous step, in seconds, or nil for the first step of a walk.
    package var interval: Double?

    package init(time: Double, interval: Double?) { (self.time, self.interval) = (time, interval) }
}
