// SPDX-License-Identifier: Apache-2.0

import ExternalAccessory

/// Manages the session with an accessory as iOS apps do, with streams on the run loop, a buffer for received data, and
/// a queue of data to send.
class SessionController: NSObject, EAAccessoryDelegate, StreamDelegate {
    private(set) var accessory: EAAccessory?
    private(set) var protocolString: String?
    private var session: EASession?
    private var received = Data()
    private var waiting = Data()
    /// Called after bytes have arrived. `streamEnded` is called after a stream has ended or failed.
    var dataReceived: (() -> Void)?
    var streamEnded: ((String) -> Void)?
    /// While true, nothing is read, so that the accessory is blocked.
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
            // Called after each piece, because data that arrives faster than it is processed must not accumulate.
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
        // The notification reports the disconnection as well.
    }
}
