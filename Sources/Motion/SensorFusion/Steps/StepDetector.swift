// SPDX-License-Identifier: Apache-2.0

/// Counts steps, causally, in the magnitude of the acceleration at 50 samples a second.
///
/// 1. A band-pass leaves the frequencies of steps.
/// 2. A peak that is prominent on both sides and not too close to the one before may be a step. In strides with more
///    than two peaks, those that are too early for the rhythm of the strides are left out.
/// 3. It is regular when the movement repeats itself at that moment.
/// 4. Peaks wait until they are a run of eight and regular; then all of them count at once, and from then on each regular
///    one. Irregular ones in between wait too, and count when the walk goes on. So what is no walk, as handling the
///    device, sitting down or driving, does not count. A step is told about four seconds late at the beginning of a
///    walk, and a third of a second later on.
///
/// The band-pass, the peaks and the run of eight are the plain detector to which this one is compared in
/// docs/motion.md; what is regular is new. Its numbers (the prominence, the regularity, how many may wait) were
/// chosen on the twelve walks of one person with six placements (Carmelo, of the Oxford step counter's data), and
/// tested on the seven walks of another (Jamie). Errors change by less than 0.3 per cent in the neighbourhood of
/// each.
package struct StepDetector: Sendable {
    /// How far a peak stands out, in m/s². Chosen among 0.8, 1.0 and 1.2; below, and from 1.4 on, more are wrong.
    static let prominence = 0.8
    /// Even samples from one peak to the next: 0.3 s, which is 200 steps a minute.
    static let distance = 15
    /// Seconds after which a run is over.
    static let longestStep = 1.2
    /// The autocorrelation from which on a peak is regular. Chosen among 0.4 to 0.8.
    static let regularity = 0.7
    /// The same for a peak that stands out so far, in m/s², as no handling does: on stairs feet come down hard and
    /// unlike each other. Chosen on the stairs of six subjects of MotionSense (1 to 11), of which else a fifth were
    /// missed.
    static let strongRegularity = 0.55
    static let strongPeak = 5.0
    /// Peaks that make a walk, as in many hardware counters.
    static let run = 8
    /// So many irregular peaks may wait in a walk; with one more it is over. Chosen among 4 to 10.
    static let patience = 8
    /// The assumed duration of a step in seconds before any is measured.
    static let usualStep = 0.55
    /// The shortest stride of a walk in seconds; runners' are shorter.
    static let shortestWalkingStride = 0.85
    /// The number of peaks per stride above which not every peak is a step.
    static let peaksOfStride = 2.5
    /// The shortest and the longest step in strides with more peaks than steps, as fractions of the mean step.
    static let shortestPart = 0.7
    static let longestPart = 1.6

    /// Peaks that wait to count: their times, oldest first.
    private var waiting: [Double] = []
    /// Peaks in a row without a long pause.
    private var runLength = 0
    private var lastPeak = -Double.infinity
    /// The time of the last peak, even if it cannot be a step.
    private var lastCandidate = -Double.infinity
    /// The moving average of the interval between peaks, in seconds.
    private var peakInterval = StepDetector.usualStep
    /// The time of the last peak if it was too early to be a step.
    private var omitted: Double?
    private var lastStep = -Double.infinity
    /// True while regular peaks count at once.
    package private(set) var isWalking = false

    private var isRising = true
    /// The greatest value while it rises, else the least, and the number of its sample.
    private var extreme = 0.0
    private var extremeIndex = 0
    private var trough = 0.0
    private var lastPeakIndex = -StepDetector.distance
    private var index = 0

    init() { waiting.reserveCapacity(Self.patience + 1) }

    /// The movement is a new one: what waits does not count any more.
    mutating func restart(_ value: Double) {
        waiting.removeAll(keepingCapacity: true)
        runLength = 0
        isWalking = false
        lastPeak = -.infinity
        (lastCandidate, peakInterval, omitted) = (-.infinity, Self.usualStep, nil)
        lastStep = -.infinity
        isRising = true
        (extreme, trough) = (value, value)
        (extremeIndex, lastPeakIndex, index) = (0, -Self.distance, 0)
    }

    /// Takes what the band-pass gave.
    ///
    /// - Parameters:
    ///   - history: That value and those before it.
    ///   - steps: Gets the steps that count from now on, oldest first.
    mutating func take(_ value: Double, at time: Double, history: MovementHistory, into steps: inout [Footstep]) {
        index += 1
        if isWalking, time - lastCandidate > Self.longestStep + StepBandPass.delay { endRun() }
        if isRising {
            if value > extreme {
                (extreme, extremeIndex) = (value, index)
            } else if extreme - value >= Self.prominence {
                let isHigh = extreme - trough >= Self.prominence
                if isHigh, extremeIndex - lastPeakIndex >= Self.distance {
                    lastPeakIndex = extremeIndex
                    let peak = time - Double(index - extremeIndex) / EvenSampler.rate - StepBandPass.delay
                    takePeak(at: peak, height: extreme - trough, history, into: &steps)
                }
                isRising = false
                (extreme, extremeIndex) = (value, index)
            }
        } else if value < extreme {
            (extreme, extremeIndex) = (value, index)
        } else if value - extreme >= Self.prominence {
            trough = extreme
            isRising = true
            (extreme, extremeIndex) = (value, index)
        }
    }

    private mutating func endRun() {
        waiting.removeAll(keepingCapacity: true)
        runLength = 0
        isWalking = false
        omitted = nil
    }

    private mutating func takePeak(
        at time: Double, height: Double, _ history: MovementHistory, into steps: inout [Footstep]
    ) {
        let interval = time - lastCandidate
        lastCandidate = time
        if interval < Self.longestStep { peakInterval += 0.2 * (interval - peakInterval) }
        if interval > Self.longestStep { endRun() }
        if let step = stepOfRhythm(history) {
            if time - lastPeak < Self.shortestPart * step {
                omitted = time
                return
            }
            // The peak that was left out was the step in between.
            if let omitted, time - lastPeak > Self.longestPart * step { add(omitted) }
        }
        omitted = nil
        add(time)
        let needed = height >= Self.strongPeak ? Self.strongRegularity : Self.regularity
        if isWalking || runLength >= Self.run, history.rhythm().regularity >= needed {
            isWalking = true
            for peak in waiting { count(peak, into: &steps) }
            waiting.removeAll(keepingCapacity: true)
        } else if waiting.count > Self.patience {
            waiting.removeFirst()
            isWalking = false
        }
    }

    private mutating func add(_ peak: Double) {
        lastPeak = peak
        runLength = min(runLength + 1, Self.run)
        waiting.append(peak)
    }

    /// The mean duration of a step in seconds, half a stride, when strides have more peaks than steps; nil when each
    /// peak may be a step.
    ///
    /// In a back pocket, the opposite foot or each foot causes two peaks, so that a stride, the period of the movement,
    /// has three or four.
    private func stepOfRhythm(_ history: MovementHistory) -> Double? {
        let stride = history.stride()
        guard stride.regularity >= Self.regularity, stride.period >= Self.shortestWalkingStride,
            stride.period > Self.peaksOfStride * peakInterval
        else { return nil }
        return stride.period / 2
    }

    private mutating func count(_ peak: Double, into steps: inout [Footstep]) {
        let interval = peak - lastStep
        steps.append(Footstep(time: peak, interval: interval <= Self.longestStep ? interval : nil))
        lastStep = peak
    }
}

/// A step that counts.
package struct Footstep: Sendable, Hashable {
    /// When the foot was set down, as well as can be told; seconds of the clock of the samples.
    package var time: Double
    /// Seconds since the step before; nil for the first of a walk.
    package var interval: Double?

    package init(time: Double, interval: Double?) {
        self.time = time
        self.interval = interval
    }
}
