// SPDX-License-Identifier: Apache-2.0

import ExternalAccessory

/// Reads codes from a scanner, whenever one is plugged in.
@MainActor
package final class BarcodeScanner: NSObject {
    /// Told of each code.
    package var scanned: (Barcode) -> Void = { _ in }
    /// Told the name of a scanner that is connected, and nil when it is gone.
    package var connected: (String?) -> Void = { _ in }
    private let protocolName: String
    private let manager = EAAccessoryManager.shared()
    private var session: EASession?
    private var observer: (any NSObjectProtocol)?
    private var lines = LineSplitter()

    /// Reads accessories that offer that protocol.
    package init(protocol name: String = "com.example.barcode-scanner") {
        protocolName = name
        super.init()
    }

    /// Begins, with the scanner that is there or with the first that comes.
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

    /// Ends it.
    package func stop() {
        manager.unregisterForLocalNotifications()
        observer.map(NotificationCenter.default.removeObserver)
        (observer, session) = (nil, nil)
    }

    private func connect(besides gone: EAAccessory? = nil) {
        guard session == nil else { return }
        for accessory in manager.connectedAccessories
        where accessory.protocolStrings.contains(protocolName) && accessory.connectionID != gone?.connectionID {
            // Nil when it cannot be opened; the log says why.
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
        // There may be another one. This one may still be listed, for its line goes dead before anybody sees it leave.
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
