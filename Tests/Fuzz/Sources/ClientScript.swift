// SPDX-License-Identifier: Apache-2.0

/// What several clients of a server do, one after the other.
///
/// Steps are parted by the byte 255. The first one is options. Of each other the first byte says what is done, and by whom;
/// the rest is what is sent, or for how long nothing is done.
struct ClientScript {
    enum Deed: Int {
        case connect, send
        /// Sends it sixteen times.
        case sendOften
        /// Takes what has come.
        case read
        case hangUp
        /// Sends no more, and goes on reading.
        case end
        /// The rest is how many tenths of a second.
        case wait
        /// The rest is faults.
        case fault
    }

    struct Step {
        var deed: Deed
        var client: Int
        var bytes: [UInt8]

        /// As it stands in a script; letters mostly.
        var text: [UInt8] { [UInt8(0x40 | deed.rawValue << 2 | client)] + bytes }
    }

    static let mostClients = 4
    static let mostSteps = 64
    private static let separator: UInt8 = 255

    var options: [UInt8]
    var steps: [Step]

    init(_ input: some Collection<UInt8>) {
        let parts = Array(input).split(separator: Self.separator, omittingEmptySubsequences: false)
        options = parts.first.map { Array($0) } ?? []
        steps = parts.dropFirst().prefix(Self.mostSteps).compactMap { part in
            guard let first = part.first, let deed = Deed(rawValue: Int(first >> 2 & 7)) else { return nil }
            return Step(deed: deed, client: Int(first & 3), bytes: Array(part.dropFirst()))
        }
    }

    var bytes: [UInt8] { Array(([options] + steps.map(\.text)).joined(separator: [Self.separator])) }

    /// True for the option of that number.
    func has(_ option: Int) -> Bool { options.first.map { Int($0) >> option & 1 == 1 } ?? false }
}

extension ClientScript.Step {
    /// Nanoseconds of a step that waits: up to some minutes.
    var nanoseconds: Int64 {
        let digits = bytes.prefix(4).filter { (0x30...0x39).contains($0) }
        return digits.reduce(0) { $0 * 10 + Int64($1) - 0x30 } * 100_000_000
    }

    /// What is sent.
    var sent: [UInt8] { deed == .sendOften ? Array(repeatElement(bytes, count: 16).joined()) : bytes }

    /// The same byte by byte, as far as that does not take too long.
    var pieces: [[UInt8]] {
        let sent = sent
        let later = stride(from: min(sent.count, 200), to: sent.count, by: 61).map { Array(sent[$0...].prefix(61)) }
        return sent.prefix(200).map { [$0] } + later
    }
}
