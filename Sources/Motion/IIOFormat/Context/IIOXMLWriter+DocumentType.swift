// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

extension IIOXMLWriter {
    /// libiio's document type, which stands inside the document.
    static func documentType(includingValues: Bool) -> String {
        let value = includingValues ? " value CDATA #IMPLIED" : ""
        let declarations = [
            "ELEMENT context (device | context-attribute)*",
            "ELEMENT context-attribute EMPTY",
            "ELEMENT device (channel | attribute | debug-attribute | buffer-attribute)*",
            "ELEMENT channel (scan-element?, attribute*)",
            "ELEMENT attribute EMPTY",
            "ELEMENT scan-element EMPTY",
            "ELEMENT debug-attribute EMPTY",
            "ELEMENT buffer-attribute EMPTY",
            "ATTLIST context name CDATA #REQUIRED version-major CDATA #REQUIRED version-minor CDATA #REQUIRED "
                + "version-git CDATA #REQUIRED description CDATA #IMPLIED",
            "ATTLIST context-attribute name CDATA #REQUIRED value CDATA #REQUIRED",
            "ATTLIST device id CDATA #REQUIRED name CDATA #IMPLIED label CDATA #IMPLIED",
            "ATTLIST channel id CDATA #REQUIRED type (input|output) #REQUIRED name CDATA #IMPLIED",
            "ATTLIST scan-element index CDATA #REQUIRED format CDATA #REQUIRED scale CDATA #IMPLIED",
            "ATTLIST attribute name CDATA #REQUIRED filename CDATA #IMPLIED\(value)",
            "ATTLIST debug-attribute name CDATA #REQUIRED\(value)",
            "ATTLIST buffer-attribute name CDATA #REQUIRED\(value)",
        ]
        return "<!DOCTYPE context [\(declarations.map { "<!\($0)>" }.joined())]>"
    }
}
