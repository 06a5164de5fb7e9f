// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// Parses times and durations in the forms that all options and faults accept.
package enum TimeText {
    /// The forms of a duration, for error messages.
    package static let durationForms = "90, 90s, 1:30 or 2m"
    private static let units = [("ms", 0.001), ("s", 1), ("min", 60), ("m", 60), ("h", 3600)]

    /// Parses a duration: seconds (`90`), a number with the unit ms, s, m, min or h (`1.5h`), `M:SS` or `H:MM:SS`.
    /// Returns seconds, or nil if the text has another form.
    package static func seconds(_ text: some StringProtocol) -> Double? {
        let words = text.split(separator: ":", omittingEmptySubsequences: false)
        guard words.count > 1 else {
            let unit = units.filter { text.hasSuffix($0.0) }.max { $0.0.utf8.count < $1.0.utf8.count } ?? ("", 1)
            return Double(unsignedDecimal: text.dropLast(unit.0.count)).map { $0 * unit.1 }
        }
        guard words.count <= 3 else { return nil }
        var seconds = 0.0
        for (index, word) in words.enumerated() {
            guard let number = Double(unsignedDecimal: word), index == 0 || number < 60 else { return nil }
            seconds = seconds * 60 + number
        }
        return seconds
    }

    /// Parses a date with an optional time of day, which is in UTC unless it has an offset: `2026-11-27T10:00:00Z`.
    package static func date(_ text: some StringProtocol) -> WallTime? {
        let whole = text.utf8.count == 10 ? "\(text)T00:00" : String(text)
        return [UInt8](whole.utf8).withUnsafeBytes { CivilTime.parseZoned($0)?.time }
    }
}
