// SPDX-License-Identifier: Apache-2.0

public import JSONBytes

/// The maximum difference between a number and the expected number.
///
/// A number matches if it differs from the expected number by at most ``absolute``, or by at most ``relative`` times
/// the expected number. By default, numbers must be equal.
public struct FieldTolerance: Sendable, Hashable, JSONWritable {
    /// The maximum absolute difference, in the unit of the field. For ISO 8601 times, the unit is seconds.
    public var absolute = 0.0
    /// The maximum difference as a fraction of the expected number.
    public var relative = 0.0
    /// The size of a full circle in the unit of the field, such as 360, or nil if the number is not an angle. On a
    /// circle of 360, the angles 359.9 and 0.1 differ by 0.2. The value -1 denotes an invalid angle and matches only
    /// -1.
    public var circle: Double?
    /// The maximum angle in degrees between two quaternions, or nil for other values. A quaternion is a list of four
    /// numbers.
    public var rotation: Double?

    /// Creates a tolerance.
    public init(absolute: Double = 0, relative: Double = 0, circle: Double? = nil, rotation: Double? = nil) {
        (self.absolute, self.relative, self.circle, self.rotation) = (absolute, relative, circle, rotation)
    }

    static let exact = FieldTolerance()

    func distance(_ number: Double, from expected: Double) -> Double {
        guard let circle, number.isFinite, expected.isFinite else { return abs(number - expected) }
        if (number == -1) != (expected == -1) { return .infinity }
        return abs((number - expected).remainder(dividingBy: circle))
    }

    /// Returns true if the number is within the tolerance. NaN matches NaN.
    func allows(_ number: Double, for expected: Double) -> Bool {
        if number == expected || number.isNaN && expected.isNaN { return true }
        return distance(number, from: expected) <= max(absolute, relative * abs(expected))
    }

    /// Writes the tolerance in the format that ``ExpectedCallbacks`` describes.
    @usableFromInline
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            if absolute > 0 { writer.member("absolute", absolute) }
            if relative > 0 { writer.member("relative", relative) }
            writer.memberIfPresent("circle", circle)
            writer.memberIfPresent("rotation", rotation)
        }
    }
}

extension FieldTolerance: CustomStringConvertible {
    /// A description such as `0.001` or `0.1, on a circle of 360.0`.
    public var description: String {
        if let rotation { return "\(rotation)° of rotation" }
        var parts: [String] = []
        if absolute > 0 || relative == 0 { parts.append("\(absolute)") }
        if relative > 0 { parts.append("\(relative) times the expected value") }
        let text = parts.joined(separator: " or ")
        return circle.map { "\(text), on a circle of \($0)" } ?? text
    }
}
