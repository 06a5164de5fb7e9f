// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// A problem in a sentence, such as a field that could not be parsed.
package struct NMEAIssue: Sendable, Hashable {
    /// The line number of the sentence, as set in ``NMEADecoder/line``.
    package let line: Int
    /// A clause, without a full stop, that describes the problem and its consequence.
    package let message: String
    /// The sentence text, without the checksum.
    package let text: String
}

/// The expected fields of a sentence kind, with one character per field:
///
/// | | |
/// | --- | --- |
/// | `t` | time of day, `hhmmss` with or without a fraction |
/// | `d` | date, `ddmmyy`; `000000` if the date is unknown |
/// | `p` | position: the four fields `ddmm.m,N,dddmm.m,E` |
/// | `e` | degrees and `E` or `W`: two fields |
/// | `a` | angle from 0 to 360 degrees |
/// | `n` | number |
/// | `u` | nonnegative number |
/// | `c` | nonnegative integer |
/// | `f` | fix dimensions: 1 for no fix, 2 or 3 |
/// | `s` | status, `A` or `V` |
/// | `x` | any text |
/// | capital letter | unit or reference, which must be exactly this letter |
///
/// A decimal comma splits a number into two fields and shifts all subsequent fields. The shift is detected from unit
/// letters, the date, and the hemispheres of the position.
struct NMEALayout {
    private let forms: StaticString
    /// The forms of the fields in the sentence's repeating group, or empty if there is none.
    private let group: StaticString
    private let maximumFields: Int

    private init(_ forms: StaticString, group: StaticString = "", maximumFields: Int = .max) {
        (self.forms, self.group, self.maximumFields) = (forms, group, maximumFields)
    }

    /// Creates the layout of a sentence. Returns nil if the sentence kind has no fixed layout.
    init?(of sentence: NMEASentence) {
        switch sentence.kind {
        case NMEASentence.kind("GGA"): self.init("tpxcunMnMuc")
        // In GNS, decimal commas can be detected only from the number of fields.
        case NMEASentence.kind("GNS"): self.init("tpxcunnuc", maximumFields: 13)
        case NMEASentence.kind("RMC"): self.init("txpuade")
        case NMEASentence.kind("GLL"): self.init("ptx")
        // Before version 2, VTG had no letters.
        case NMEASentence.kind("VTG"): self.init(sentence.count == 4 ? "aauu" : "aTaMuNuK")
        case NMEASentence.kind("GST"): self.init("tuuunuuu")
        case NMEASentence.kind("ZDA"): self.init("tccc")
        case NMEASentence.kind("GSA"): self.init("xfccccccccccccuuu")
        case NMEASentence.kind("GSV"): self.init("ccc", group: "cnuu")
        case NMEASentence.kind("DPT"): self.init("nn")
        case NMEASentence.kind("HDT"): self.init("aT")
        case NMEASentence.kind("THS"): self.init("a")
        case NMEASentence.kind("HDM"): self.init("aM")
        case NMEASentence.kind("HDG"): self.init("aee")
        case NMEASentence.kind("VHW"): self.init("aTaM")
        case NMEASentence.kind("ROT"): self.init("ns")
        case NMEASentence.kind("XDR"): self.init("", group: "xnxx")
        default: return nil
        }
    }

    /// The numbers of the fields that do not have the expected form. The first field after the sentence kind is number
    /// 1.
    struct FieldErrors {
        /// The numbers of the fields that cannot be parsed. Position values are not checked until they are read.
        var invalidFields: [Int] = []
        var firstShiftedField: Int?
    }

    func fieldErrors(in sentence: NMEASentence) -> FieldErrors {
        var errors = FieldErrors()
        let count = sentence.count
        if count > maximumFields { errors.firstShiftedField = maximumFields + 1 }
        var index = 0
        func validate(_ form: UInt8) {
            guard index < count else { return }
            let width = form == UInt8(ascii: "p") ? 4 : form == UInt8(ascii: "e") ? 2 : 1
            if !Self.isValid(sentence, index, form) {
                errors.invalidFields.append(index + 1)
                if errors.firstShiftedField == nil {
                    errors.firstShiftedField = Self.shiftedField(sentence, index, form).map { $0 + 1 }
                }
            }
            index += width
        }
        forms.withUTF8Buffer { $0.forEach(validate) }
        guard group.utf8CodeUnitCount > 0 else { return errors }
        for _ in 0..<(count - index) / group.utf8CodeUnitCount { group.withUTF8Buffer { $0.forEach(validate) } }
        return errors
    }

    private static func isValid(_ sentence: NMEASentence, _ index: Int, _ form: UInt8) -> Bool {
        let field = sentence[index]
        if form == UInt8(ascii: "p") || form == UInt8(ascii: "d") && field.isEmpty {
            return shiftedField(sentence, index, form) == nil
        }
        guard !field.isEmpty else { return true }
        return switch form {
        case UInt8(ascii: "t"): sentence.timeOfDay(index) != nil
        case UInt8(ascii: "d"): field.equals("000000") || sentence.midnight(index) != nil
        case UInt8(ascii: "n"): !field.number.isNaN
        case UInt8(ascii: "u"): !field.nonnegativeNumber.isNaN
        case UInt8(ascii: "a"): field.nonnegativeNumber <= 360
        case UInt8(ascii: "c"): field.unsignedInteger != nil
        case UInt8(ascii: "f"): (1...3).contains(field.unsignedInteger ?? 0)
        case UInt8(ascii: "s"): field.equals("A") || field.equals("V")
        case UInt8(ascii: "e"): !sentence.degreesEast(index).isNaN
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): field.firstLetter == form
        default: true
        }
    }

    /// If the field at `index` indicates that fields are shifted, returns the index of the first misplaced value.
    /// Otherwise, returns nil.
    private static func shiftedField(_ sentence: NMEASentence, _ index: Int, _ form: UInt8) -> Int? {
        switch form {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): index
        case UInt8(ascii: "p"): [index + 1, index + 3].first { !sentence.mayBeHemisphere($0) }
        case UInt8(ascii: "d"):
            (index..<sentence.count).contains { sentence.shortDate($0) != nil } && sentence.shortDate(index) == nil
                ? index : nil
        default: nil
        }
    }
}

extension NMEASentence {
    /// Returns midnight at the start of the date in a `ddmmyy` field, or nil if the date is invalid.
    func midnight(_ index: Int) -> WallTime? {
        shortDate(index).flatMap { CivilDate.time(year: $0.year, month: $0.month, day: $0.day) }
    }

    fileprivate func mayBeHemisphere(_ index: Int) -> Bool {
        let field = self[index]
        let isLetter = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(field.firstLetter)
        return field.isEmpty || (field.bytes.count == 1 && isLetter)
    }
}

/// A decoder's counts and issues, for the sentences of all receivers.
struct NMEADiagnostics: Sendable {
    /// The maximum number of stored issues. Further issues are discarded.
    private static let maximumIssues = 256

    var counts = NMEACounts()
    var line = 0
    private(set) var issues: [NMEAIssue] = []

    mutating func record(_ message: String, _ sentence: NMEASentence) {
        guard issues.count < Self.maximumIssues else { return }
        issues.append(NMEAIssue(line: line, message: message, text: sentence.text))
    }

    mutating func drainIssues() -> [NMEAIssue] {
        defer { issues.removeAll(keepingCapacity: true) }
        return issues
    }

    /// Records invalid fields. Returns false if the fields are shifted and the sentence must be ignored.
    mutating func validate(_ sentence: NMEASentence) -> Bool {
        guard let errors = NMEALayout(of: sentence)?.fieldErrors(in: sentence) else { return true }
        if let number = errors.firstShiftedField {
            record(
                "\(sentence.kindName) was ignored because its fields are shifted from field \(number) on (decimal commas?)",
                sentence)
            return false
        }
        for number in errors.invalidFields {
            record("field \(number) of \(sentence.kindName) cannot be read and was ignored", sentence)
        }
        return true
    }
}
