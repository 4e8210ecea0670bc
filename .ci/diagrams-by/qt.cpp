// Runs a state chart in Qt, in virtual time: reads an event a line, `!` for a new start or `+` with milliseconds to wait, and
// answers each event and each wait with the state and the effects sent.

#include <QAbstractEventDispatcher>
#include <QCoreApplication>
#include <QScxmlEvent>
#include <QScxmlStateMachine>
#include <QTimerEvent>
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

// Timers that fire when the clock is put forward, in order, and never by themselves.
class VirtualTime : public QAbstractEventDispatcher {
public:
  bool processEvents(QEventLoop::ProcessEventsFlags) override {
    QCoreApplication::sendPostedEvents();
    return true;
  }

  void wait(qint64 milliseconds) {
    const qint64 end = now + milliseconds;
    while (true) {
      const auto next = std::min_element(
          timers.begin(), timers.end(), [](const Timer &a, const Timer &b) { return a.due < b.due; });
      if (next == timers.end() || next->due > end) break;
      now = next->due;
      next->due += next->interval;
      QTimerEvent event(next->id);
      QCoreApplication::sendEvent(next->object, &event);
      processEvents({});
    }
    now = end;
  }

  void registerTimer(int id, qint64 interval, Qt::TimerType type, QObject *object) override {
    timers.push_back({id, now + interval, interval, type, object});
  }
  bool unregisterTimer(int id) override {
    return remove([=](const Timer &timer) { return timer.id == id; });
  }
  bool unregisterTimers(QObject *object) override {
    return remove([=](const Timer &timer) { return timer.object == object; });
  }
  QList<TimerInfo> registeredTimers(QObject *object) const override {
    QList<TimerInfo> infos;
    for (const Timer &timer : timers) {
      if (timer.object == object) infos.append(TimerInfo(timer.id, int(timer.interval), timer.type));
    }
    return infos;
  }
  int remainingTime(int id) override {
    for (const Timer &timer : timers) {
      if (timer.id == id) return int(timer.due - now);
    }
    return -1;
  }
  void registerSocketNotifier(QSocketNotifier *) override {}
  void unregisterSocketNotifier(QSocketNotifier *) override {}
  void wakeUp() override {}
  void interrupt() override {}

private:
  struct Timer {
    int id;
    qint64 due, interval;
    Qt::TimerType type;
    QObject *object;
  };

  template <typename Predicate> bool remove(Predicate predicate) {
    const auto end = std::remove_if(timers.begin(), timers.end(), predicate);
    const bool isFound = end != timers.end();
    timers.erase(end, timers.end());
    return isFound;
  }

  qint64 now = 0;
  std::vector<Timer> timers;
};

int main(int argc, char **argv) {
  auto *time = new VirtualTime;
  QCoreApplication::setEventDispatcher(time);
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
      time->processEvents({});
      continue;
    }
    effects.clear();
    if (line[0] == '+') {
      time->wait(std::stoll(line.substr(1)));
    } else {
      machine->submitEvent(QString::fromStdString(line));
      time->processEvents({});
    }
    std::cout << machine->activeStateNames().join(",").toStdString();
    for (const QString &effect : effects) std::cout << " " << effect.toStdString();
    std::cout << "\n";
  }
}
