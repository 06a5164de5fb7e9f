// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

extension XMLReader {
    /// Reads up to the next tag; nil at the end of a whole text. The error names the line.
    package mutating func next() throws(DeviceError) -> Token? {
        if isEmptyElement {
            isEmptyElement = false
            textRange = at..<at
            (isTextGathered, isTextCut, gatheredCount) = (false, false, 0)
            closeElement()
            return .end
        }
        (isTextGathered, isTextCut, gatheredCount) = (false, false, 0)
        tokenLine = nil
        // Where the text begins that was not gathered yet.
        var run = at
        var hasReferences = false
        while true {
            var index = at
            let end = end
            let bytes = base
            while index < end {
                let byte = bytes[index]
                if byte == UInt8(ascii: "<") { break }
                if byte == UInt8(ascii: "&") || byte == 0x0d { hasReferences = true }
                index &+= 1
            }
            at = index
            guard index < end else {
                if index - run >= Self.maximumText {
                    // A reference may be cut in two here: it stays for the next time.
                    var cut = index
                    for back in stride(from: index - 1, to: max(index - 32, run), by: -1)
                    where base[back] == UInt8(ascii: "&") { cut = back }
                    try gather(run..<cut)
                    run = cut
                }
                let length = index - run
                let isMore = try refill(keepingFrom: run)
                // What is kept has moved, also where nothing more came.
                run = at - length
                guard isMore else {
                    try finish(run)
                    return nil
                }
                continue
            }
            guard try ensure(2, keepingFrom: run) else { throw cutOff("a tag") }
            run = at - (index - run)
            switch base[at + 1] {
            case UInt8(ascii: "!"), UInt8(ascii: "?"):
                try gather(run..<at)
                try skipMarkup()
                run = at
                hasReferences = false
            default:
                if isTextGathered || hasReferences { try gather(run..<at) }
                textRange = isTextGathered ? 0..<0 : run..<at
                return try readTag()
            }
        }
    }

    /// The end of the text.
    private mutating func finish(_ run: Int) throws(DeviceError) {
        guard openStarts.isEmpty else {
            let name = openStarts.last.map { String(decoding: openNames[$0...].prefix(80), as: UTF8.self) } ?? ""
            throw cutOff("<\(name)>")
        }
        try gather(run..<at)
        try checkOutside()
        guard hasRoot else {
            throw errorHere("there is no element in this text; XML has one. Is it another file?")
        }
    }

    /// Nothing but blanks stands outside the root element.
    func isOutsideBlank() -> Bool {
        text.allSatisfy { XMLCharacters.isBlank($0) }
    }

    mutating func checkOutside() throws(DeviceError) {
        guard !isOutsideBlank() else { return }
        throw errorHere(
            hasRoot
                ? "text stands behind the end of the root element. Remove it."
                : "text stands before the first tag. Is it another file?")
    }
}
