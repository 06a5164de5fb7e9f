// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import IIOFormat

/// Turns the signal of one channel into raw numbers.
struct IIOColumn: Sendable {
    private let signal: IIOSignal
    private let scale: Double
    private let offset: Double
    /// Where the last value was found.
    private var hint = 0

    /// A column of that signal; a scale of 0 or none counts as 1.
    init(_ signal: IIOSignal, scale: Double?, offset: Double?) {
        self.signal = signal
        let factor = scale ?? 1
        self.scale = factor.isFinite && factor != 0 ? factor : 1
        self.offset = offset ?? 0
    }

    /// The physical value at a time within the pass.
    mutating func value(at phase: Int64) -> Double {
        switch signal {
        case .constant(let value): return value
        case .held(let times, let vectors, let component):
            guard !times.isEmpty, times.count == vectors.count, (0..<3).contains(component) else { return 0 }
            if hint >= times.count || times[hint] > phase { hint = 0 }
            // Samples mostly come in order: the next few are looked at before the rest is searched.
            var steps = 0
            while hint + 1 < times.count, times[hint + 1] <= phase, steps < 8 {
                hint += 1
                steps += 1
            }
            if hint + 1 < times.count, times[hint + 1] <= phase {
                var low = hint
                var high = times.count
                while high - low > 1 {
                    let middle = (low + high) / 2
                    if times[middle] <= phase { low = middle } else { high = middle }
                }
                hint = low
            }
            return vectors[hint][component]
        }
    }

    /// The raw number at a time within the pass, before it is cut to the bits of its format.
    mutating func raw(at phase: Int64) -> Int64 {
        let number = (value(at: phase) / scale - offset).rounded()
        guard !number.isNaN else { return 0 }
        return number >= 9.2e18 ? .max : number <= -9.2e18 ? .min : Int64(number)
    }

    /// True when every sample is the same.
    var isConstant: Bool { if case .constant = signal { true } else { false } }
}
