// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemCalls

/// An advisory lock on a device's folder in sysfs.
///
/// A second program that opens a device stops the capture of the first before it learns that the device is busy, so
/// whoever captures says so beforehand. The folder needs no right to write and goes when the device goes. The device
/// node cannot serve: the kernel lets it be open only once.
final class DeviceLock: IIOHold {
    private let descriptor: Mutex<Int32>

    init(folder: String) throws(IIOFailure) {
        let opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { throw IIOFailure("open", errno) }
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
            let number = errno
            close(opened)
            throw IIOFailure("flock", number == EWOULDBLOCK ? EBUSY : number)
        }
        descriptor = Mutex(opened)
    }

    deinit { release() }

    func release() {
        descriptor.withLock { descriptor in
            guard descriptor >= 0 else { return }
            systemUnlock(descriptor)
            close(descriptor)
            descriptor = -1
        }
    }
}
