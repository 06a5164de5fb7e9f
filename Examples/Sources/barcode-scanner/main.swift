// SPDX-License-Identifier: Apache-2.0

import BarcodeScanner
import ExternalAccessory

let scanner = BarcodeScanner()

scanner.scanned = { code in
    let remark = code.isCheckDigitRight == false ? "    (misread: the check digit is wrong)" : ""
    FileHandle.standardOutput.write(Data("\(code.text)\(remark)\n".utf8))
}
scanner.connected = { name in
    FileHandle.standardError.write(Data("barcode-scanner: \(name ?? "no scanner")\n".utf8))
}
scanner.start()
RunLoop.main.run()
