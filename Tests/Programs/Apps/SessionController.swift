// SPDX-License-Identifier: Apache-2.0

import ExternalAccessory

/// Owns the session with an accessory, as apps for iOS have it: streams on the run loop, a buffer for what has come in and
/// a queue for what is to go out.
class SessionController: NSObject, EAAccessoryDelegate, StreamDelegate {
    private(set) var accessory: EAAccessory?
    private(set) var protocolString: String?
    private var session: EASession?
    private var received = Data()
    private var waiting = Data()
    /// Told when bytes have come in, when a stream has ended and when it has failed.
    var dataReceived: (() -> Void)?
    var streamEnded: ((String) -> Void)?
    /// While it is true nothing is read, so that the other side has to wait.
    var isPaused = false {
        didSet { if !isPaused { readAvailable() } }
    }

    func setup(for accessory: EAAccessory?, with protocolString: String?) {
        self.accessory = accessory
        self.protocolString = protocolString
    }

    func openSession() -> Bool {
        guard let accessory = accessory, let name = protocolString else { return false }
        accessory.delegate = self
        session = EASession(accessory: accessory, forProtocol: name)
        guard let session = session else { return false }
        for stream in [session.inputStream as Stream?, session.outputStream] {
            stream?.delegate = self
            stream?.schedule(in: .current, forMode: .default)
            stream?.open()
        }
        return true
    }

    func closeSession() {
        for stream in [session?.inputStream as Stream?, session?.outputStream] {
            stream?.close()
            stream?.remove(from: .current, forMode: .default)
            stream?.delegate = nil
        }
        session = nil
        received = Data()
        waiting = Data()
    }

    var isOpen: Bool { session != nil }

    func write(_ data: Data) {
        waiting.append(data)
        writeWaiting()
    }

    var bytesWaiting: Int { waiting.count }

    func takeReceived() -> Data {
        let data = received
        received = Data()
        return data
    }

    private func writeWaiting() {
        while let stream = session?.outputStream, stream.hasSpaceAvailable, !waiting.isEmpty {
            let count = stream.write([UInt8](waiting.prefix(4096)), maxLength: min(waiting.count, 4096))
            if count <= 0 { break }
            waiting = Data(waiting.dropFirst(count))
        }
    }

    private func readAvailable() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !isPaused, let stream = session?.inputStream, stream.hasBytesAvailable {
            let count = stream.read(&buffer, maxLength: buffer.count)
            if count <= 0 { break }
            received.append(contentsOf: buffer[..<count])
            // Not all at the end: what comes faster than it is looked at must not pile up.
            dataReceived?()
        }
    }

    func stream(_ stream: Stream, handle eventCode: Stream.Event) {
        switch eventCode {
        case .hasBytesAvailable: readAvailable()
        case .hasSpaceAvailable: writeWaiting()
        case .endEncountered: streamEnded?(stream === session?.inputStream ? "input ended" : "output ended")
        case .errorOccurred:
            let error = stream.streamError as NSError?
            streamEnded?(
                (stream === session?.inputStream ? "input" : "output")
                    + " failed: \(error?.domain ?? "") \(error?.code ?? 0)")
        default: break
        }
    }

    func accessoryDidDisconnect(_ accessory: EAAccessory) {
        // The notification says it too.
    }
}
