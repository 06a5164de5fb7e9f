// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import ExternalAccessory
import Synchronization

/// Records the notifications of a manager and the calls to a delegate, in order.
final class NotificationLog: NSObject, EAAccessoryDelegate, @unchecked Sendable {
    private let entries = Mutex<[String]>([])
    private var tokens: [any NSObjectProtocol] = []

    /// Observes this manager only, because other tests post to the same notification center.
    init(_ manager: EAAccessoryManager) {
        super.init()
        for (name, line) in [(NSNotification.Name.EAAccessoryDidConnect, "came"), (.EAAccessoryDidDisconnect, "went")] {
            tokens.append(
                NotificationCenter.default.addObserver(forName: name, object: manager, queue: nil) {
                    [weak self] notification in
                    let accessory = notification.userInfo?[EAAccessoryKey] as? EAAccessory
                    self?.add("\(line) \(accessory?.connectionID ?? -1)")
                })
        }
    }

    deinit {
        for token in tokens { NotificationCenter.default.removeObserver(token) }
    }

    var lines: [String] { entries.withLock { $0 } }

    func add(_ line: String) { entries.withLock { $0.append(line) } }

    func accessoryDidDisconnect(_ accessory: EAAccessory) {
        add("delegate \(accessory.connectionID) \(accessory.isConnected)")
    }
}
