// Runs a state chart in Qt: reads an event a line, `!` for a new start, and answers with the state and the effects sent.

#include <QCoreApplication>
#include <QScxmlEvent>
#include <QScxmlStateMachine>
#include <iostream>
#include <memory>
#include <string>

int main(int argc, char **argv) {
  QCoreApplication application(argc, argv);
  if (argc != 2) return 64;
  std::unique_ptr<QScxmlStateMachine> machine;
  QStringList effects;
  std::string line;
  while (std::getline(std::cin, line)) {
    if (line == "!") {
      machine.reset(QScxmlStateMachine::fromFile(argv[1]));
      if (!machine || !machine->parseErrors().isEmpty()) {
        for (const QScxmlError &error : machine->parseErrors()) std::cerr << error.toString().toStdString() << "\n";
        return 1;
      }
      machine->connectToEvent("effect.*", [&](const QScxmlEvent &event) { effects.append(event.name().mid(7)); });
      machine->start();
      QCoreApplication::processEvents();
      continue;
    }
    effects.clear();
    machine->submitEvent(QString::fromStdString(line));
    QCoreApplication::processEvents();
    std::cout << machine->activeStateNames().join(",").toStdString();
    for (const QString &effect : effects) std::cout << " " << effect.toStdString();
    std::cout << "\n";
  }
}
