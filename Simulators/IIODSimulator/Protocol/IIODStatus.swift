// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// Why a command failed: the error number that is sent with a minus sign before it.
struct IIODStatus: Error, Hashable {
    let number: Int32

    init(_ number: Int32) {
        self.number = number
    }

    /// The number as it is sent.
    var code: Int64 { -Int64(number) }

    static let invalid = IIODStatus(EINVAL)
    static let noMemory = IIODStatus(ENOMEM)
    static let noDevice = IIODStatus(ENODEV)
    static let noChannel = IIODStatus(ENXIO)
    static let noEntry = IIODStatus(ENOENT)
    static let notAllowed = IIODStatus(EACCES)
    static let notPermitted = IIODStatus(EPERM)
    static let busy = IIODStatus(EBUSY)
    static let notOpen = IIODStatus(EBADF)
    static let inputOutput = IIODStatus(EIO)
}
