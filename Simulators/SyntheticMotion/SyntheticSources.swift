// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The sources of a synthetic trace, with their noise and the times of their next readings.
struct SyntheticSources {
    /// The kinds of readings. Simultaneous readings are written in this order.
    enum Kind: Int, CaseIterable {
        /// The gyroscope and the accelerometer, which are sampled at the same times.
        case motion
        case field
        case pressure
        case fix
    }

    var receiver: ReceiverSource
    private var noises: [SensorKind: NoiseSource] = [:]
    /// The rate of each kind of reading, in hertz, or 0 for kinds without readings. Like `counts` and `arrivals`, this
    /// array is indexed by the raw values of `Kind`.
    private var rates: [Double]
    private var counts = [Int64](repeating: 0, count: Kind.allCases.count)
    /// The arrival time of each kind's next reading, in nanoseconds, or `Int64.max` for kinds without readings.
    private var arrivals: [Int64]
    private let delay: Int64

    init(_ options: MotionOptions) {
        let rates = options.rates
        self.rates = [
            options.inertialUnit == nil ? 0 : rates.motion, options.magnetometer == nil ? 0 : rates.field,
            options.barometer == nil ? 0 : rates.pressure, options.fixRate,
        ]
        delay = Int64((options.fixDelay * 1e9).rounded())
        receiver = ReceiverSource(options.receiver, rate: max(options.fixRate, 0.001), seed: options.seed)
        arrivals = [0, 0, 0, delay]
        for (index, rate) in self.rates.enumerated() where rate == 0 { arrivals[index] = .max }
        func add(_ kind: SensorKind, _ noise: SensorNoise?, _ rate: Double, _ stream: UInt64) {
            guard let noise else { return }
            noises[kind] = NoiseSource(
                noise, rate: rate, isVector: kind.isVector, biasFraction: options.biasFraction, seed: options.seed,
                stream: stream)
        }
        // The stream numbers must not change, because they determine the noise for a seed. The receiver uses stream 5.
        add(.accelerometer, options.inertialUnit?.accelerometer, rates.motion, 1)
        add(.gyroscope, options.inertialUnit?.gyroscope, rates.motion, 2)
        add(.magnetometer, options.magnetometer?.noise, rates.field, 3)
        add(.pressure, options.barometer?.noise, rates.pressure, 4)
    }

    var biases: [(kind: SensorKind, value: SIMD3<Double>)] {
        SensorKind.allCases.compactMap { kind in noises[kind].map { (kind, $0.bias) } }
    }

    /// Returns the kind of the reading that arrives next, or nil if all remaining readings are measured after `end`,
    /// which is in nanoseconds since the start.
    func next(until end: Int64) -> Kind? {
        var best: Kind?
        var time = Int64.max
        for kind in Kind.allCases where arrivals[kind.rawValue] < time && measuringTime(kind) <= end {
            time = arrivals[kind.rawValue]
            best = kind
        }
        return best
    }

    /// Returns the arrival time of the next reading, in nanoseconds since the start.
    func arrivalTime(_ kind: Kind) -> Int64 { arrivals[kind.rawValue] }

    /// Returns the measurement time of the next reading, in nanoseconds since the start.
    func measuringTime(_ kind: Kind) -> Int64 { arrivals[kind.rawValue] - (kind == .fix ? delay : 0) }

    mutating func advance(_ kind: Kind) {
        let index = kind.rawValue
        counts[index] += 1
        // Computing the time from the number of readings prevents rounding errors from accumulating. Report times are
        // rounded to milliseconds.
        let seconds = Double(counts[index]) / rates[index]
        arrivals[index] =
            kind == .fix ? Int64((seconds * 1e3).rounded()) * 1_000_000 + delay : Int64((seconds * 1e9).rounded())
    }

    mutating func reading(_ kind: SensorKind, _ truth: SIMD3<Double>) -> SIMD3<Double> {
        noises[kind]?.reading(truth) ?? truth
    }
}
