// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// Formats a figure's text and estimates its width.
package enum PlotText {
    /// Formats a number with a fixed number of decimals and a typographic minus sign.
    package static func number(_ value: Double, decimals: Int) -> String { decimal(value, decimals, minus: "−") }

    /// Rounds a number to an integer and formats it with commas between groups of three digits.
    package static func grouped(_ value: Double) -> String {
        var text = number(value, decimals: 0)
        let digits = text.drop { !$0.isNumber }.count
        for index in stride(from: 3, to: digits, by: 3) {
            text.insert(",", at: text.index(text.endIndex, offsetBy: -(index + index / 3 - 1)))
        }
        return text
    }

    /// Formats a picture coordinate with at most two decimals.
    static func coordinate(_ value: Double) -> String {
        var text = decimal(value, 2, minus: "-")
        while text.last == "0" { text.removeLast() }
        if text.last == "." { text.removeLast() }
        return text
    }

    static func digits(_ value: Int, _ count: Int) -> String {
        let text = "\(value)"
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }

    private static func decimal(_ value: Double, _ decimals: Int, minus: String) -> String {
        let scale = powerOfTen(decimals, times: 1)
        let scaled = (abs(value) * scale).rounded()
        guard scaled < 9e18 else { return "\(value)" }
        let whole = Int64(scaled)
        let sign = value < 0 && whole > 0 ? minus : ""
        guard decimals > 0 else { return "\(sign)\(whole)" }
        let divisor = Int64(scale)
        return "\(sign)\(whole / divisor).\(digits(Int(whole % divisor), decimals))"
    }

    /// Returns the unit, preceded by the power of ten that the axis labels omit, such as `10⁻³ m`.
    static func unit(_ unit: String, exponent: Int) -> String {
        guard exponent != 0 else { return unit }
        let raised: [Character: Character] = [
            "-": "⁻", "0": "⁰", "1": "¹", "2": "²", "3": "³", "4": "⁴", "5": "⁵", "6": "⁶", "7": "⁷", "8": "⁸",
            "9": "⁹",
        ]
        return "10" + String("\(exponent)".map { raised[$0] ?? $0 }) + (unit.isEmpty ? "" : " \(unit)")
    }

    /// Returns an untrusted name as a single line without control characters. Long names are shortened in the middle.
    package static func name(_ text: String, upTo limit: Int = 72) -> String {
        let clean = TerminalSanitizer.sanitized(text)
        guard clean.count > limit else { return clean }
        return clean.prefix(limit / 2) + "…" + clean.suffix(limit / 2 - 1)
    }

    /// Breaks the text at spaces into lines of at most the given width in pixels. Longer words have lines of their own.
    static func wrapped(_ text: String, to width: Double, size: Double) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, Self.width(last + " " + word, size: size) <= width {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }

    /// Estimates the width of the text in pixels. The estimate is deliberately high, because the reader's font is
    /// unknown.
    static func width(_ text: String, size: Double) -> Double {
        text.unicodeScalars.reduce(0) { sum, scalar in
            let share: Double =
                switch scalar {
                case "i", "j", "l", ".", ",", ":", ";", "'", "|", " ", "(", ")", "[", "]", "f", "t", "I", "/": 0.38
                case "m", "w", "M", "W", "@", "%": 0.95
                case "0"..."9", "a"..."z": 0.63
                case "A"..."Z", "−", "±": 0.74
                default: scalar.value >= 0x1100 ? 1.05 : 0.72
                }
            return sum + share * size
        }
    }
}
