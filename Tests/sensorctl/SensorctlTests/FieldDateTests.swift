// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import sensorctl

@Suite("Date arguments of the magnetic field")
struct FieldDateTests {
    @Test(
        "Decimal years and ISO 8601 dates are accepted",
        arguments: [
            ("2026.5", 2026.5), ("2026", 2026), ("1900", 1900), ("2200.0", 2200), ("2025-01-01", 2025),
            ("2027-07-02T12:00:00Z", 2027.5), ("2027-07-02T12:00Z", 2027.5), ("2027-07-02t12:00:00.000z", 2027.5),
            ("2027-07-02 12:00", 2027.5), ("2027-07-02T14:30:00+02:30", 2027.5), ("2027-07-02T07:00:00-0500", 2027.5),
            ("2027-07-02T13+01", nil), ("2027-07-02T13:00+01", 2027.5), ("2028-02-29", 2028 + 59.0 / 366),
            ("2025-12-31T23:59:60Z", 2026), ("2025-12-31T23:00:00-02:00", 2026 + 1.0 / 24 / 365),
            ("2027-01-01T00:00:00.5", 2027 + 0.5 / 86_400 / 365),
        ] as [(String, Double?)])
    func dates(text: String, year: Double?) {
        let found = FieldDate(argument: text)?.year
        if let year, let found { #expect(abs(found - year) < 1e-12 * year) } else { #expect(found == year) }
    }

    @Test(
        "Text that is not a date is refused",
        arguments: [
            "", " ", "now", "nan", "inf", "-2026", "1e3", "20261121", "1899.9", "2200.1", "2026.5.1", ".", "2025-02-29",
            "2025-13-01", "2025-00-01", "2025-1-1", "2025-01-01T", "2025-01-01T24:00", "2025-01-01T12:60",
            "2025-01-01T12:00:61", "2025-01-01T12:00:00.", "2025-01-01T12:00:00+1", "2025-01-01T12:00:00ZZ",
            "2025-01-01T12:00:00+01:60", "2025-01-01Z", "2025/01/01", "0000-01-01", "2025-01-0\u{661}",
        ])
    func noDates(text: String) { #expect(FieldDate(argument: text) == nil) }
}
