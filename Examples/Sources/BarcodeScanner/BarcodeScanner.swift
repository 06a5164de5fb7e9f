// SPDX-License-Identifier: Apache-2.0

import ExternalAccessory

/// Reads codes from a scanner whenever one is attached.
@MainActor
package final class BarcodeScanner: NSObject {
    /// Called with each code.
    package var scanned: (Barcode) -> Void = { _ in }
    /// Called with the name of a scanner when it is connected, and with nil when it is disconnected.
    package var connected: (String?) -> Void = { _ in }
    private let protocolName: String
    private let manager = EAAccessoryManager.shared()
    private var session: EASession?
    private var observer: (any NSObjectProtocol)?
    private var lines = LineSplitter()

    /// Creates a reader for accessories that offer the given protocol.
    package init(protocol name: String = "com.example.barcode-scanner") {
        protocolName = name
        super.init()
    }

    /// Starts reading from a scanner that is already attached, or from the first one that is attached later.
    package func start() {
        observer = NotificationCenter.default.addObserver(
            forName: .EAAccessoryDidConnect, object: manager, queue: nil
        ) { [weak self] _ in
            // The notifications are posted on the main thread.
            MainActor.assumeIsolated { self?.connect() }
        }
        manager.registerForLocalNotifications()
        connect()
    }

    /// Stops reading.
    package func stop() {
        manager.unregisterForLocalNotifications()
        observer.map(NotificationCenter.default.removeObserver)
        (observer, session) = (nil, nil)
    }

    private func connect(besides gone: EAAccessory? = nil) {
        guard session == nil else { return }
        for accessory in manager.connectedAccessories
        where accessory.protocolStrings.contains(protocolName) && accessory.connectionID != gone?.connectionID {
            // The result is nil if the session cannot be opened. The log contains the reason.
            guard let opened = EASession(accessory: accessory, forProtocol: protocolName) else { continue }
            session = opened
            lines = LineSplitter()
            opened.inputStream?.delegate = self
            opened.inputStream?.schedule(in: .main, forMode: .default)
            opened.inputStream?.open()
            return connected(accessory.name)
        }
    }

    private func disconnect() {
        let gone = session?.accessory
        session?.inputStream?.close()
        session = nil
        connected(nil)
        // Another scanner may be attached. This one may still be listed, because its connection ends before its removal
        // is reported.
        connect(besides: gone)
    }
}

extension BarcodeScanner: @MainActor StreamDelegate {
    package func stream(_ stream: Stream, handle event: Stream.Event) {
        switch event {
        case .hasBytesAvailable:
            var buffer = [UInt8](repeating: 0, count: 1024)
            let count = session?.inputStream?.read(&buffer, maxLength: buffer.count) ?? 0
            for line in lines.split(buffer.prefix(max(0, count))) { scanned(Barcode(line)) }
        case .endEncountered, .errorOccurred: disconnect()
        default: break
        }
    }
}
