// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// A part of a sentence that could not be read.
package struct NMEAIssue: Sendable, Hashable {
    /// The problem and its consequence, as a clause without a full stop.
    package let message: String
    /// The sentence, without its checksum.
    package let text: String
}

/// The fields of a kind of sentence, one character each:
///
/// | | |
/// | --- | --- |
/// | `t` | time of day, `hhmmss` with or without a fraction |
/// | `d` | date, `ddmmyy`; `000000` stands for none |
/// | `p` | position: the four fields `ddmm.m,N,dddmm.m,E` |
/// | `e` | degrees and `E` or `W`: two fields |
/// | `a` | angle from 0 to 360 degrees |
/// | `n` | number |
/// | `u` | number that is not negative |
/// | `c` | whole number that is not negative |
/// | `f` | dimensions of the fix: 1 for none, 2 or 3 |
/// | `s` | status, `A` or `V` |
/// | `x` | any text |
/// | capital letter | unit or reference: exactly that letter |
///
/// A decimal comma splits a number into two fields and shifts all fields behind it. The shift is detected by the units,
/// the hemispheres of the position and the date.
struct NMEALayout {
    private let fields: [UInt8]

    private init(_ fields: String) { self.fields = [UInt8](fields.utf8) }

    /// The layout of a kind of sentence; nil for a kind without a fixed layout.
    static func layout(of kind: UInt32, count: Int) -> NMEALayout? {
        switch kind {
        // VTG had no letters before version 2.
        case NMEASentence.kind("VTG") where count == 4: oldVTG
        case NMEASentence.kind("GSV"): satellites[min(4, max(0, (count - 3) / 4))]
        case NMEASentence.kind("XDR"): transducers[min(8, max(0, count / 4))]
        default: layouts[kind]
        }
    }

    private static let oldVTG = NMEALayout("aauu")
    /// The layouts of GSV, by the number of its satellites.
    private static let satellites = (0...4).map { NMEALayout("ccc" + String(repeating: "cnuu", count: $0)) }
    /// The layouts of XDR, by the number of its transducers.
    private static let transducers = (0...8).map { NMEALayout(String(repeating: "xnxx", count: $0)) }
    private static let layouts: [UInt32: NMEALayout] = [
        NMEASentence.kind("GGA"): NMEALayout("tpxcunMnMuc"), NMEASentence.kind("GNS"): NMEALayout("tpxcunnuc"),
        NMEASentence.kind("RMC"): NMEALayout("txpuade"), NMEASentence.kind("GLL"): NMEALayout("ptx"),
        NMEASentence.kind("VTG"): NMEALayout("aTaMuNuK"), NMEASentence.kind("GST"): NMEALayout("tuuunuuu"),
        NMEASentence.kind("ZDA"): NMEALayout("tccc"), NMEASentence.kind("GSA"): NMEALayout("xfccccccccccccuuu"),
        NMEASentence.kind("DPT"): NMEALayout("nn"), NMEASentence.kind("HDT"): NMEALayout("aT"),
        NMEASentence.kind("THS"): NMEALayout("a"), NMEASentence.kind("HDM"): NMEALayout("aM"),
        NMEASentence.kind("HDG"): NMEALayout("aee"), NMEASentence.kind("VHW"): NMEALayout("aTaM"),
        NMEASentence.kind("ROT"): NMEALayout("ns"),
    ]

    /// Calls the closure with the number of each nonempty field that does not have the expected form, counted from 1
    /// after the kind. Positions are checked when they are read.
    func forEachUnreadable(in sentence: NMEASentence, _ body: (Int) -> Void) {
        forEachField(of: sentence) { form, index in
            if !sentence[index].isEmpty, !Self.isReadable(sentence, index, form) { body(index + 1) }
        }
    }

    /// The number, counted from 1, of the first field whose value belongs to another field; nil when there is none.
    func displacedField(in sentence: NMEASentence) -> Int? {
        var displaced: Int?
        forEachField(of: sentence) { form, index in
            guard displaced == nil else { return }
            switch form {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                if !sentence[index].isEmpty, sentence[index].letter != form { displaced = index + 1 }
            case UInt8(ascii: "p"):
                displaced = [index + 1, index + 3].first { !sentence.mayBeHemisphere($0) }.map { $0 + 1 }
            case UInt8(ascii: "d"):
                if !sentence[index].isEmpty, sentence.shortDate(index) == nil,
                    (index..<sentence.count).contains(where: { sentence.shortDate($0) != nil })
                {
                    displaced = index + 1
                }
            default: break
            }
        }
        return displaced
    }

    private func forEachField(of sentence: NMEASentence, _ body: (_ form: UInt8, _ index: Int) -> Void) {
        var index = 0
        for form in fields {
            guard index < sentence.count else { return }
            body(form, index)
            index += form == UInt8(ascii: "p") ? 4 : form == UInt8(ascii: "e") ? 2 : 1
        }
    }

    private static func isReadable(_ sentence: NMEASentence, _ index: Int, _ form: UInt8) -> Bool {
        let field = sentence[index]
        return switch form {
        case UInt8(ascii: "t"): sentence.timeOfDay(index) != nil
        case UInt8(ascii: "d"): field.equals("000000") || sentence.midnight(index) != nil
        case UInt8(ascii: "n"): !field.number.isNaN
        case UInt8(ascii: "u"): !field.positive.isNaN
        case UInt8(ascii: "a"): field.positive <= 360
        case UInt8(ascii: "c"): field.count != nil
        case UInt8(ascii: "f"): (1...3).contains(field.count ?? 0)
        case UInt8(ascii: "s"): field.equals("A") || field.equals("V")
        case UInt8(ascii: "e"): !sentence.eastward(index).isNaN
        default: true
        }
    }
}

extension NMEASentence {
    /// The midnight at which the date in a `ddmmyy` field begins; nil for an invalid date.
    func midnight(_ index: Int) -> WallTime? {
        shortDate(index).flatMap { CivilDate.time(year: $0.year, month: $0.month, day: $0.day) }
    }

    /// True when the field is empty or a single capital letter.
    fileprivate func mayBeHemisphere(_ index: Int) -> Bool {
        let field = self[index]
        let isLetter = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(field.letter)
        return field.isEmpty || (field.bytes.count == 1 && isLetter)
    }
}

extension NMEACounts {
    /// The maximum number of issues that are kept between two calls of ``NMEADecoder/takeIssues()``.
    private static let maximumIssues = 256

    mutating func record(_ message: String, _ sentence: NMEASentence) {
        if issues.count < Self.maximumIssues { issues.append(NMEAIssue(message: message, text: sentence.text)) }
    }

    /// Records the unreadable fields of a sentence. Returns false when its fields are shifted and the sentence has to
    /// be ignored.
    mutating func check(_ sentence: NMEASentence) -> Bool {
        guard let layout = NMEALayout.layout(of: sentence.kind, count: sentence.count) else { return true }
        if let number = layout.displacedField(in: sentence) {
            record(
                "\(sentence.kindName) was ignored, because the value in its field \(number) belongs elsewhere (decimal commas?)",
                sentence)
            return false
        }
        layout.forEachUnreadable(in: sentence) { number in
            record("field \(number) of \(sentence.kindName) cannot be read and was ignored", sentence)
        }
        return true
    }
}
