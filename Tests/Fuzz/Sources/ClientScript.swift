// SPDX-License-Identifier: Apache-2.0

/// The actions of several clients of a server, one after the other.
///
/// Steps are separated by the byte 255. The first step holds the options. The first byte of every other step selects
/// the action and the client, and the rest is the data to send or the time to wait.
struct ClientScript {
    enum Action: Int {
        case connect, send
        /// Sends the data 16 times.
        case sendOften
        /// Reads the received data.
        case read
        case hangUp
        /// Stops sending and continues to read.
        case end
        /// The rest is the duration in tenths of a second.
        case wait
        /// The rest is a list of faults.
        case fault
    }

    struct Step {
        var action: Action
        var client: Int
        var bytes: [UInt8]

        /// The encoding in a script, mostly letters.
        var text: [UInt8] { [UInt8(0x40 | action.rawValue << 2 | client)] + bytes }
    }

    static let maximumClients = 4
    static let maximumSteps = 64
    private static let separator: UInt8 = 255

    var options: [UInt8]
    var steps: [Step]

    init(_ input: some Collection<UInt8>) {
        let parts = Array(input).split(separator: Self.separator, omittingEmptySubsequences: false)
        options = parts.first.map { Array($0) } ?? []
        steps = parts.dropFirst().prefix(Self.maximumSteps).compactMap { part in
            guard let first = part.first, let action = Action(rawValue: Int(first >> 2 & 7)) else { return nil }
            return Step(action: action, client: Int(first & 3), bytes: Array(part.dropFirst()))
        }
    }

    var bytes: [UInt8] { Array(([options] + steps.map(\.text)).joined(separator: [Self.separator])) }

    /// True if the option with this number is set.
    func has(_ option: Int) -> Bool { options.first.map { Int($0) >> option & 1 == 1 } ?? false }
}

extension ClientScript.Step {
    /// The duration of a waiting step in nanoseconds, up to some minutes.
    var nanoseconds: Int64 {
        let digits = bytes.prefix(4).filter { (0x30...0x39).contains($0) }
        return digits.reduce(0) { $0 * 10 + Int64($1) - 0x30 } * 100_000_000
    }

    /// The data to send.
    var sent: [UInt8] { action == .sendOften ? Array(repeatElement(bytes, count: 16).joined()) : bytes }

    /// The same data byte by byte, and after 200 bytes in larger pieces to save time.
    var pieces: [[UInt8]] {
        let sent = sent
        let later = stride(from: min(sent.count, 200), to: sent.count, by: 61).map { Array(sent[$0...].prefix(61)) }
        return sent.prefix(200).map { [$0] } + later
    }
}
