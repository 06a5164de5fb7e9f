// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// One line of a client's.
enum IIODCommand: Hashable {
    case help, exit, version, print
    case timeout
    case read(IIODAttributePath)
    case write(IIODAttributePath, length: Int64)
    case trigger(device: String)
    case setTrigger(device: String, trigger: String?)
    case setBuffersCount(device: String, count: Int64)
    case open(device: String, samples: Int64, mask: String, isCyclic: Bool)
    case readBuffer(device: String, length: Int64)
    case writeBuffer(device: String, length: Int64)
    case close(device: String)
}
