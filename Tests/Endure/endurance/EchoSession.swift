// SPDX-License-Identifier: Apache-2.0

import ExternalAccessory
import Foundation

/// A session with an echoing accessory that lasts until the accessory is detached. Used on the main thread.
final class EchoSession: NSObject, StreamDelegate {
    private let number: Int
    private let session: EASession?
    private let request: [UInt8]
    private var response: [UInt8] = []

    /// Opens the session, which sends the number.
    init(_ accessory: EAAccessory, _ number: Int) {
        self.number = number
        request = Array("\(number)\n".utf8)
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
        case .hasSpaceAvailable where stream === session?.outputStream && response.isEmpty:
            // A few bytes are accepted in one write.
            stream.delegate = nil
            _ = session?.outputStream?.write(request, maxLength: request.count)
        case .hasBytesAvailable:
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = session?.inputStream?.read(&bytes, maxLength: bytes.count) ?? 0
            response += bytes.prefix(max(0, count))
            if response == request { Lines.write("echoed", ["number": number]) }
        case .endEncountered, .errorOccurred: close()
        default: break
        }
    }

    func close() {
        for stream in streams {
            stream.close()
            stream.remove(from: .main, forMode: .common)
            stream.delegate = nil
        }
    }
}
