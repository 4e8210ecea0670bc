import LocoKit
