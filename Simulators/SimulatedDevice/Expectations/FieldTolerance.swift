// SPDX-License-Identifier: Apache-2.0

public import JSONBytes

/// By how much a number may differ from the expected one.
///
/// A number is as expected when it differs by no more than ``absolute``, or by no more than ``relative`` times the expected
/// number. The standard tolerance is none.
public struct FieldTolerance: Sendable, Hashable, JSONWritable {
    /// In the unit of the field; for times in ISO 8601 seconds.
    public var absolute = 0.0
    /// A part of the expected number.
    public var relative = 0.0
    /// The size of a full circle, for angles: 360 for degrees, so that 359.9° and 0.1° are 0.2° apart. -1 stands for no
    /// angle and equals only -1. Nil for numbers on a line.
    public var circle: Double?
    /// Degrees by which a rotation may differ, for four numbers that are a quaternion of either sign. Nil for any other
    /// list.
    public var rotation: Double?

    /// The tolerance of those parts.
    public init(absolute: Double = 0, relative: Double = 0, circle: Double? = nil, rotation: Double? = nil) {
        self.absolute = absolute
        self.relative = relative
        self.circle = circle
        self.rotation = rotation
    }

    /// What a number has to be.
    static let exact = FieldTolerance()

    func distance(_ number: Double, from expected: Double) -> Double {
        guard let circle, number.isFinite, expected.isFinite else { return abs(number - expected) }
        if (number == -1) != (expected == -1) { return .infinity }
        return abs((number - expected).remainder(dividingBy: circle))
    }

    /// True for a number that is as expected. What is no number is as expected where none is.
    func allows(_ number: Double, for expected: Double) -> Bool {
        if number == expected || number.isNaN && expected.isNaN { return true }
        return distance(number, from: expected) <= max(absolute, relative * abs(expected))
    }
}

extension FieldTolerance: CustomStringConvertible {
    /// In words: `0.001`, `0.1 of 360`.
    public var description: String {
        if let rotation { return "\(rotation)° of rotation" }
        var parts: [String] = []
        if absolute > 0 || relative == 0 { parts.append("\(absolute)") }
        if relative > 0 { parts.append("\(relative) times what is expected") }
        let text = parts.joined(separator: " or ")
        return circle.map { "\(text), round a circle of \($0)" } ?? text
    }
}

extension FieldTolerance {
    /// The bytes of it as the header of expected callbacks has it.
    public var json: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }

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
