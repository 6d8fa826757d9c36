/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * MESSAGE_IDs of the journal, one for each event; never reused. Each has a text in systemd/setrad.catalog
 * (journalctl -x).
 */

#define SETRAD_MSG_STARTED         "2b2851c13fa64b34a88f977caf28c6c7"
#define SETRAD_MSG_STOPPED         "1746e64b18044a0c94f32ee1a54d7998"
#define SETRAD_MSG_POLICY_LOADED   "e9b7c61dadc34f32b362b6d6ecaab233"
#define SETRAD_MSG_POLICY_REFUSED  "a6df94022d904bb286833797aa38380a"
#define SETRAD_MSG_SCANNED         "5835043464b24f79a03153f6d5c31e74"
#define SETRAD_MSG_FOUND           "0cd187ebc0ec400388021cfd41d9ef08"
#define SETRAD_MSG_CHANGED         "76133f74eb0948f98133e918f354476a"
#define SETRAD_MSG_HELD            "742b0070a04d4854a5332e45e2286393"
#define SETRAD_MSG_RELEASED        "1128d3516ad441eb97b5147620df3607"
#define SETRAD_MSG_DEVICE_VANISHED "c49c6b49241942a3a489a5e7b3ad15a0"
#define SETRAD_MSG_CHANGE_FAILED   "2681f2f02c6e43d9b5be913e856fccc4"
#define SETRAD_MSG_STATE           "e46c4de6d4374281a5b4d4033fdd5cba"
#define SETRAD_MSG_GAVE_UP         "7f69967513ce47eba0739358ae3bd8f0"
#define SETRAD_MSG_DRIFT           "3a6ef902a4f84d88bb5562e7970da676"
#define SETRAD_MSG_REVERTED        "1f26eb83c2eb44f4839cec3ccdc2757b"
