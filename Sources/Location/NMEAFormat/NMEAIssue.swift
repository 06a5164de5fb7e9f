// SPDX-License-Identifier: Apache-2.0

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
/// | `d` | date, `ddmmyy` |
/// | `p` | position: the four fields `ddmm.m,N,dddmm.m,E` |
/// | `e` | degrees and `E` or `W`: two fields |
/// | `n` | number |
/// | `u` | number that is not negative |
/// | `c` | whole number that is not negative |
/// | `s` | status, `A` or `V` |
/// | `x` | any text |
struct NMEALayout {
    private let fields: [UInt8]

    private init(_ fields: String) { self.fields = [UInt8](fields.utf8) }

    /// The layout of a kind; nil for a kind without a fixed one.
    static func layout(of kind: UInt32, count: Int) -> NMEALayout? {
        // VTG had no letters before version 2.
        kind == NMEASentence.kind("VTG") && count == 4 ? oldVTG : layouts[kind]
    }

    private static let oldVTG = NMEALayout("uuuu")
    private static let layouts: [UInt32: NMEALayout] = [
        NMEASentence.kind("GGA"): NMEALayout("tpccunxnxuc"), NMEASentence.kind("GNS"): NMEALayout("tpxcunnuc"),
        NMEASentence.kind("RMC"): NMEALayout("tspuude"), NMEASentence.kind("GLL"): NMEALayout("pts"),
        NMEASentence.kind("VTG"): NMEALayout("uxuxuxux"), NMEASentence.kind("GST"): NMEALayout("tuuunuuu"),
        NMEASentence.kind("ZDA"): NMEALayout("tccc"), NMEASentence.kind("GSA"): NMEALayout("xcccccccccccccuuu"),
        NMEASentence.kind("DPT"): NMEALayout("nn"), NMEASentence.kind("HDT"): NMEALayout("u"),
        NMEASentence.kind("THS"): NMEALayout("u"), NMEASentence.kind("HDM"): NMEALayout("u"),
        NMEASentence.kind("HDG"): NMEALayout("uee"), NMEASentence.kind("VHW"): NMEALayout("uxux"),
        NMEASentence.kind("ROT"): NMEALayout("ns"),
    ]

    /// Calls the closure with the number of each field, counted from 1 behind the kind, that is neither empty nor of its
    /// form. Positions are left to those who read them.
    func forEachUnreadable(in sentence: NMEASentence, _ body: (Int) -> Void) {
        var index = 0
        for form in fields {
            guard index < sentence.count else { return }
            let field = sentence[index]
            let isReadable =
                switch form {
                case UInt8(ascii: "t"): sentence.timeOfDay(index) != nil
                case UInt8(ascii: "d"): sentence.shortDate(index) != nil
                case UInt8(ascii: "n"): !field.number.isNaN
                case UInt8(ascii: "u"): !field.positive.isNaN
                case UInt8(ascii: "c"): field.count != nil
                case UInt8(ascii: "s"): field.equals("A") || field.equals("V")
                case UInt8(ascii: "e"): !sentence.eastward(index).isNaN
                default: true
                }
            if !isReadable, !field.isEmpty { body(index + 1) }
            index += form == UInt8(ascii: "p") ? 4 : form == UInt8(ascii: "e") ? 2 : 1
        }
    }
}

extension NMEACounts {
    /// The maximum number of issues between two calls of ``NMEADecoder/takeIssues()``.
    private static let maximumIssues = 256

    mutating func record(_ message: String, _ sentence: NMEASentence) {
        if issues.count < Self.maximumIssues { issues.append(NMEAIssue(message: message, text: sentence.text)) }
    }

    /// Records the fields of a sentence that cannot be read.
    mutating func check(_ sentence: NMEASentence) {
        guard let layout = NMEALayout.layout(of: sentence.kind, count: sentence.count) else { return }
        layout.forEachUnreadable(in: sentence) { number in
            record("field \(number) of \(sentence.kindName) cannot be read and was ignored", sentence)
        }
    }
}
