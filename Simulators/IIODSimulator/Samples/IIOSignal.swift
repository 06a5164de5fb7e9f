// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What a channel measures over time, in its physical unit: what (raw + offset) × scale gives.
public enum IIOSignal: Sendable {
    /// Always the same.
    case constant(Double)
    /// One component of recorded vectors; each holds until the next, the first also before its time.
    ///
    /// Times are nanoseconds since the start of the trace, rising, one for each vector.
    case held(times: [Int64], vectors: [SIMD3<Double>], component: Int)
}
