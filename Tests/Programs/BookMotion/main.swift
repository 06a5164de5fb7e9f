// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Foundation

let controller = DeviceMotionViewController()
controller.viewDidAppear(false)
RunLoop.main.run()
