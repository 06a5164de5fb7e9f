// SPDX-License-Identifier: Apache-2.0

// Prints the attached and declared accessories once.

import DeviceCore
import UdevSource

let source = UdevSource(configuration: Configuration.load(), clock: LiveClock())
for accessory in source.accessories { print("accessory \(accessory.name)") }
print("\(source.accessories.count) accessories")
