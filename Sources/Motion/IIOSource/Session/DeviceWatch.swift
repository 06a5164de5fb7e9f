// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Whether somebody says when devices of this machine come or go.
final class DeviceWatch: Sendable {
    private let on = Atomic<Bool>(false)

    var isOn: Bool { on.load(ordering: .relaxed) }

    func set(_ isOn: Bool) { on.store(isOn, ordering: .relaxed) }
}
