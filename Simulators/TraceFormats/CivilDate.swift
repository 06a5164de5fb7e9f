// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Civil time in UTC as part of a file's name or a cell.
enum CivilDate {
    /// A time like 2026-11-21_03-39-16; the fraction of a second is cut off.
    static func fileNameText(_ nanoseconds: Int64) -> String {
        var seconds = nanoseconds / 1_000_000_000
        if nanoseconds % 1_000_000_000 < 0 { seconds -= 1 }
        var day = seconds / 86_400
        var rest = seconds % 86_400
        if rest < 0 {
            rest += 86_400
            day -= 1
        }
        let (year, month, dayOfMonth) = date(day)
        return "\(year)-\(two(month))-\(two(dayOfMonth))_\(two(rest / 3600))-\(two(rest / 60 % 60))-\(two(rest % 60))"
    }

    /// The Gregorian date of a day since 1970-01-01. Years are counted from March, so that the leap day is their last.
    private static func date(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        // 719,468 days lie between 0000-03-01 and 1970-01-01; 146,097 make 400 years. Years from 1678 on only.
        let shifted = day + 719_468
        let era = shifted / 146_097
        let inEra = shifted % 146_097
        let yearOfEra = (inEra - inEra / 1460 + inEra / 36_524 - inEra / 146_096) / 365
        let inYear = inEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let march = (5 * inYear + 2) / 153
        let month = march < 10 ? march + 3 : march - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, inYear - (153 * march + 2) / 5 + 1)
    }

    private static func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
