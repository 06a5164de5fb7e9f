// SPDX-License-Identifier: Apache-2.0

import ExternalAccessory

// The usual way in which iOS programs communicate with accessories: one controller with the session, both streams on
// the run loop, a queue of data to write, and notifications about received data.

extension Notification.Name {
    static let sessionControllerReceivedData = Notification.Name("SessionControllerReceivedData")
}

class SessionController: NSObject, EAAccessoryDelegate, StreamDelegate {
    private(set) var accessory: EAAccessory?
    private(set) var protocolString: String?
    private var session: EASession?
    private var dataToWrite = Data()
    private var dataRead = Data()

    func setUp(for accessory: EAAccessory?, protocolString: String?) {
        self.accessory = accessory
        self.protocolString = protocolString
    }

    func openSession() -> Bool {
        guard let accessory = accessory, let protocolString = protocolString else { return false }
        accessory.delegate = self
        session = EASession(accessory: accessory, forProtocol: protocolString)
        guard let session = session else { return false }
        session.inputStream?.delegate = self
        session.inputStream?.schedule(in: RunLoop.current, forMode: .default)
        session.inputStream?.open()
        session.outputStream?.delegate = self
        session.outputStream?.schedule(in: RunLoop.current, forMode: .default)
        session.outputStream?.open()
        return true
    }

    func closeSession() {
        session?.inputStream?.close()
        session?.inputStream?.remove(from: RunLoop.current, forMode: .default)
        session?.inputStream?.delegate = nil
        session?.outputStream?.close()
        session?.outputStream?.remove(from: RunLoop.current, forMode: .default)
        session?.outputStream?.delegate = nil
        session = nil
        dataToWrite = Data()
        dataRead = Data()
    }

    func writeData(_ data: Data) {
        dataToWrite.append(data)
        writePending()
    }

    var readBytesAvailable: Int { dataRead.count }

    func readData(_ bytesToRead: Int) -> Data? {
        guard dataRead.count >= bytesToRead else { return nil }
        let data = dataRead.subdata(in: 0..<bytesToRead)
        dataRead.removeSubrange(0..<bytesToRead)
        return data
    }

    private func writePending() {
        guard let output = session?.outputStream else { return }
        while output.hasSpaceAvailable && dataToWrite.count > 0 {
            let written = dataToWrite.withUnsafeBytes { (buffer: UnsafeRawBufferPointer) -> Int in
                guard let start = buffer.bindMemory(to: UInt8.self).baseAddress else { return -1 }
                return output.write(start, maxLength: dataToWrite.count)
            }
            if written == -1 { break }
            if written > 0 { dataToWrite.removeSubrange(0..<written) }
        }
    }

    private func readPending() {
        let size = 128
        var buffer = [UInt8](repeating: 0, count: size)
        while session?.inputStream?.hasBytesAvailable ?? false {
            let count = session?.inputStream?.read(&buffer, maxLength: size) ?? 0
            if count > 0 { dataRead.append(buffer, count: count) }
        }
        NotificationCenter.default.post(name: .sessionControllerReceivedData, object: self)
    }

    // MARK: EAAccessoryDelegate

    func accessoryDidDisconnect(_ accessory: EAAccessory) {
        closeSession()
        setUp(for: nil, protocolString: nil)
    }

    // MARK: StreamDelegate

    func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
        switch eventCode {
        case Stream.Event.openCompleted: break
        case Stream.Event.hasBytesAvailable: readPending()
        case Stream.Event.hasSpaceAvailable: writePending()
        case Stream.Event.errorOccurred: break
        case Stream.Event.endEncountered: break
        default: break
        }
    }
}
