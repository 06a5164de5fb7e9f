// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol

extension GPSDReport {
    var position: PositionReport? { if case .position(let report) = self { report } else { nil } }
    var sky: SkyReport? { if case .sky(let report) = self { report } else { nil } }
    var attitude: AttitudeReport? { if case .attitude(let report) = self { report } else { nil } }
    var version: GPSDVersion? { if case .version(let version) = self { version } else { nil } }
    var devices: [ReceiverDescription]? { if case .devices(let devices) = self { devices } else { nil } }
    var device: ReceiverDescription? { if case .device(let device) = self { device } else { nil } }
    var watch: GPSDWatch? { if case .watch(let watch) = self { watch } else { nil } }
    var error: String? { if case .error(let message) = self { message } else { nil } }
    var other: GPSDClass? { if case .other(let name) = self { name } else { nil } }
    var malformed: GPSDMalformedReport? { if case .malformed(let reason) = self { reason } else { nil } }
}
