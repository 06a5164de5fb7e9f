// SPDX-License-Identifier: Apache-2.0

/// The conversion of the raw numbers of an axis into the unit of its sensor's kind: (raw + offset) × factor.
struct IIOConversion: Sendable {
    let offset: Double
    let factor: Double

    @inline(__always)
    func value(of raw: Double) -> Double { (raw + offset) * factor }

    /// The inverse of `value(of:)`, not rounded.
    func raw(for value: Double) -> Double { value / factor - offset }
}

/// The conversions of three axes at once. The fourth component is 0.
struct IIOVectorConversion: Sendable {
    private let offset: SIMD4<Double>
    private let factor: SIMD4<Double>

    init(_ x: IIOConversion, _ y: IIOConversion, _ z: IIOConversion) {
        offset = SIMD4(x.offset, y.offset, z.offset, 0)
        factor = SIMD4(x.factor, y.factor, z.factor, 0)
    }

    @inline(__always)
    func value(of raw: SIMD4<Double>) -> SIMD4<Double> { (raw + offset) * factor }
}
