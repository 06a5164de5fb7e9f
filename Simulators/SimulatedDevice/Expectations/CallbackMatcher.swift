// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import SystemCalls

/// Compares a callback with an expected callback, field by field and within the tolerances.
struct CallbackMatcher {
    struct Mismatch {
        var field: String
        var expected: CallbackValue?
        var got: CallbackValue?
        var distance: Double?
        var tolerance: FieldTolerance
    }

    /// The tolerances. A key is a field name such as `latitude`, or a path without indices such as
    /// `locations.latitude`.
    let tolerances: [String: FieldTolerance]

    /// Returns the first difference that exceeds its tolerance, or nil if all fields match. Fields may be in any order.
    func difference(of got: CallbackValue, from expected: CallbackValue) -> Mismatch? {
        find(expected, got, FieldPath())
    }

    /// The location of a field. `path` is its path with indices, for messages, and `key` is the path without them. A
    /// tolerance for `key` takes precedence over one for `name`.
    private struct FieldPath {
        var path = ""
        var key = ""
        var name = ""

        func member(_ name: String) -> FieldPath {
            FieldPath(
                path: path.isEmpty ? name : "\(path).\(name)", key: key.isEmpty ? name : "\(key).\(name)", name: name)
        }

        func element(_ index: Int) -> FieldPath { FieldPath(path: "\(path)[\(index)]", key: key, name: name) }
    }

    private func tolerance(_ fieldPath: FieldPath) -> FieldTolerance {
        tolerances[fieldPath.key] ?? tolerances[fieldPath.name] ?? .exact
    }

    private func find(_ expected: CallbackValue, _ got: CallbackValue, _ fieldPath: FieldPath) -> Mismatch? {
        switch (expected, got) {
        case (.number(let one), .number(let other)):
            let tolerance = tolerance(fieldPath)
            if tolerance.allows(other, for: one) { return nil }
            let distance = tolerance.distance(other, from: one)
            return mismatch(fieldPath, expected, got, distance: distance.isFinite ? distance : nil)
        case (.text(let one), .text(let other)):
            if one == other { return nil }
            guard let distance = Self.seconds(from: one, to: other) else { return mismatch(fieldPath, expected, got) }
            if distance <= tolerance(fieldPath).absolute { return nil }
            return mismatch(fieldPath, expected, got, distance: distance)
        case (.list(let ones), .list(let others)): return find(ones, others, fieldPath)
        case (.object(let ones), .object(let others)): return find(ones, others, fieldPath)
        default: return expected == got ? nil : mismatch(fieldPath, expected, got)
        }
    }

    private func find(_ expected: [CallbackValue], _ got: [CallbackValue], _ fieldPath: FieldPath) -> Mismatch? {
        if let allowed = tolerance(fieldPath).rotation, let degrees = Self.degrees(from: expected, to: got) {
            if degrees <= allowed { return nil }
            return mismatch(fieldPath, .list(expected), .list(got), distance: degrees)
        }
        for (index, (one, other)) in zip(expected, got).enumerated() {
            if let mismatch = find(one, other, fieldPath.element(index)) { return mismatch }
        }
        guard expected.count != got.count else { return nil }
        let index = min(expected.count, got.count)
        return mismatch(
            fieldPath.element(index), expected.count > index ? expected[index] : nil,
            got.count > index ? got[index] : nil)
    }

    private func find(_ expected: [CallbackValue.Member], _ got: [CallbackValue.Member], _ fieldPath: FieldPath)
        -> Mismatch?
    {
        /// Returns the member with the given name. Checks the member at `index` first, because members are usually in
        /// the same order in both objects.
        func member(_ name: String, at index: Int, in members: [CallbackValue.Member]) -> CallbackValue.Member? {
            if members.indices.contains(index), members[index].name == name { return members[index] }
            return members.first { $0.name == name }
        }
        for (index, one) in expected.enumerated() {
            let fieldPath = fieldPath.member(one.name)
            guard let other = member(one.name, at: index, in: got) else { return mismatch(fieldPath, one.value, nil) }
            if let mismatch = find(one.value, other.value, fieldPath) { return mismatch }
        }
        let further = got.enumerated().first { member($1.name, at: $0, in: expected) == nil }
        return further.flatMap { mismatch(fieldPath.member($1.name), nil, $1.value) }
    }

    private func mismatch(
        _ fieldPath: FieldPath, _ expected: CallbackValue?, _ got: CallbackValue?, distance: Double? = nil
    ) -> Mismatch {
        Mismatch(
            field: fieldPath.path, expected: expected, got: got, distance: distance, tolerance: tolerance(fieldPath))
    }

    /// Returns the difference, in seconds, between two ISO 8601 times, or nil if either string is not a time.
    private static func seconds(from expected: String, to got: String) -> Double? {
        guard let one = time(expected), let other = time(got) else { return nil }
        return abs(Double(other.nanoseconds.subtractingSaturated(one.nanoseconds)) / 1e9)
    }

    private static func time(_ text: String) -> WallTime? { Array(text.utf8).withUnsafeBytes { WallTime(iso8601: $0) } }

    /// Returns the angle, in degrees, between two rotations, or nil if either list of values is not a quaternion.
    private static func degrees(from expected: [CallbackValue], to got: [CallbackValue]) -> Double? {
        guard let one = quaternion(expected), let other = quaternion(got) else { return nil }
        // A quaternion and its negative represent the same rotation, so there are two chords between a pair of
        // rotations. The shorter one is used. Its length is 2·sin(angle/4).
        let near = (one - other), far = (one + other)
        let chord = min((near * near).sum(), (far * far).sum()).squareRoot()
        return 4 * asin(min(1, chord / 2)) * 180 / .pi
    }

    private static func quaternion(_ values: [CallbackValue]) -> SIMD4<Double>? {
        guard values.count == 4 else { return nil }
        var numbers = SIMD4<Double>.zero
        for (index, value) in values.enumerated() {
            guard case .number(let number) = value else { return nil }
            numbers[index] = number
        }
        let length = (numbers * numbers).sum().squareRoot()
        return length > 0 && length.isFinite ? numbers / length : nil
    }
}
