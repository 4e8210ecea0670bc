import LocoKit

print(StateDiagram<LocationMachine>().mermaid)
