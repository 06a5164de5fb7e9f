// SPDX-License-Identifier: Apache-2.0

import ExternalAccessory
import Foundation

/// A session with an echoing accessory that lasts until the accessory is detached. Used on the main thread.
final class AccessoryTalk: NSObject, StreamDelegate {
    private let number: Int
    private let session: EASession?
    private let question: [UInt8]
    private var answer: [UInt8] = []

    /// Opens the session, which sends the number.
    init(_ accessory: EAAccessory, _ number: Int) {
        self.number = number
        question = Array("\(number)\n".utf8)
        session = EASession(accessory: accessory, forProtocol: "com.example.scale")
        super.init()
        for stream in streams {
            stream.delegate = self
            stream.schedule(in: .main, forMode: .common)
            stream.open()
        }
    }

    private var streams: [Stream] { [session?.inputStream as Stream?, session?.outputStream].compactMap { $0 } }

    func stream(_ stream: Stream, handle event: Stream.Event) {
        switch event {
        case .hasSpaceAvailable where stream === session?.outputStream && answer.isEmpty:
            // A few bytes are accepted in one write.
            stream.delegate = nil
            _ = session?.outputStream?.write(question, maxLength: question.count)
        case .hasBytesAvailable:
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = session?.inputStream?.read(&bytes, maxLength: bytes.count) ?? 0
            answer += bytes.prefix(max(0, count))
            if answer == question { Lines.say("echoed", ["number": number]) }
        case .endEncountered, .errorOccurred: end()
        default: break
        }
    }

    func end() {
        for stream in streams {
            stream.close()
            stream.remove(from: .main, forMode: .common)
            stream.delegate = nil
        }
    }
}
