// SPDX-License-Identifier: Apache-2.0

enum IIODCommand: Hashable {
    case help, exit, version, print
    case timeout
    case read(IIODAttributePath)
    case write(IIODAttributePath, length: Int64)
    case trigger(device: String)
    case setTrigger(device: String, trigger: String?)
    case setBuffersCount(device: String, count: Int64)
    case open(device: String, samples: Int64, mask: String, isCyclic: Bool)
    case readBuffer(device: String, length: Int64)
    case writeBuffer(device: String, length: Int64)
    case close(device: String)

    /// Parses a line without its line ending. Returns nil if iiod 0.24 would reply with -22 (EINVAL). Keywords are
    /// entirely upper case or entirely lower case. BINARY and ZPRINT are deliberately unsupported, so that clients
    /// continue to use the text protocol.
    init?(_ line: some Collection<UInt8>) {
        guard let first = line.first, !IIODCommand.isBlank(first) else { return nil }
        let words = line.split(whereSeparator: IIODCommand.isBlank).map { String(decoding: $0, as: UTF8.self) }
        guard let verb = words.first.flatMap(IIODCommand.keyword) else { return nil }
        // `rest` is a slice of `words` and has the same indices, so `rest[1]` is the first argument.
        let rest = words.dropFirst()
        switch (verb, rest.count) {
        case ("HELP", 0): self = .help
        case ("EXIT", 0): self = .exit
        case ("VERSION", 0): self = .version
        case ("PRINT", 0): self = .print
        case ("TIMEOUT", 1): self = .timeout
        case ("READ", 1...):
            guard let path = IIODCommand.path(rest) else { return nil }
            self = .read(path)
        case ("WRITE", 2...):
            guard let path = IIODCommand.path(rest.dropLast()), let length = rest.last,
                path.name != nil || length.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") })
            else { return nil }
            self = .write(path, length: IIODCommand.number(length))
        case ("GETTRIG", 1): self = .trigger(device: rest[1])
        case ("SETTRIG", 1): self = .setTrigger(device: rest[1], trigger: nil)
        case ("SETTRIG", 2): self = .setTrigger(device: rest[1], trigger: rest[2])
        case ("SET", 3):
            guard IIODCommand.keyword(rest[2]) == "BUFFERS_COUNT" else { return nil }
            self = .setBuffersCount(device: rest[1], count: IIODCommand.number(rest[3]))
        case ("OPEN", 3), ("OPEN", 4):
            guard rest.count == 3 || IIODCommand.keyword(rest[4]) == "CYCLIC" else { return nil }
            self = .open(
                device: rest[1], samples: IIODCommand.number(rest[2]), mask: rest[3], isCyclic: rest.count == 4)
        case ("READBUF", 2): self = .readBuffer(device: rest[1], length: IIODCommand.number(rest[2]))
        case ("WRITEBUF", 2): self = .writeBuffer(device: rest[1], length: IIODCommand.number(rest[2]))
        case ("CLOSE", 1): self = .close(device: rest[1])
        default: return nil
        }
    }

    /// Returns the word in upper case, or nil if the word mixes upper and lower case.
    private static func keyword(_ word: String) -> String? {
        guard word.utf8.contains(where: { (0x61...0x7a).contains($0) }) else { return word }
        return word.utf8.contains { (0x41...0x5a).contains($0) } ? nil : word.uppercased()
    }

    /// Parses the words after READ or WRITE. For a WRITE, `words` must not include the length at the end.
    private static func path(_ words: ArraySlice<String>) -> IIODAttributePath? {
        guard let device = words.first else { return nil }
        var rest = words.dropFirst()
        var pathScope = IIODAttributePath.Scope.device
        switch rest.first.flatMap(keyword) {
        case "DEBUG":
            pathScope = .debug
            rest = rest.dropFirst()
        case "BUFFER":
            pathScope = .buffer
            rest = rest.dropFirst()
        case let direction? where direction == "INPUT" || direction == "OUTPUT":
            rest = rest.dropFirst()
            guard let id = rest.popFirst() else { return nil }
            pathScope = .channel(id: id, isOutput: direction == "OUTPUT")
        default: break
        }
        guard rest.count <= 1 else { return nil }
        return IIODAttributePath(device: device, scope: pathScope, name: rest.first)
    }

    /// Parses a decimal number as C's atol does. The result is clamped to the range of `Int64`.
    private static func number(_ word: String) -> Int64 {
        let isNegative = word.utf8.first == UInt8(ascii: "-")
        let digits = word.utf8.dropFirst(isNegative ? 1 : 0).prefix { (0x30...0x39).contains($0) }
        guard !digits.isEmpty else { return 0 }
        return Int64("\(isNegative ? "-" : "")\(Substring(digits))") ?? (isNegative ? .min : .max)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
