#if os(Linux) || os(macOS)
  import Foundation
  import Testing

  @testable import LocoKit
  @testable import LocoKitSimulation
  @testable import TestSupport

  /// Drives the C prototype of the planner along a track, and passes the same inputs to the planner.
  @Suite("The planner and its prototype", .covers(LookMachine.self))
  struct LookPrototypeTests {
    static let shared = Repository.shared
    static let prototype = shared.appending(path: "reference/look-prototype.c")
    static let compiler = ["/usr/bin/cc", "/usr/bin/clang", "/usr/bin/gcc"].first {
      FileManager.default.isExecutableFile(atPath: $0)
    }
    static let isThere = FileManager.default.fileExists(atPath: prototype.path) && compiler != nil

    @Test(
      "start looks in the same seconds on each track",
      .enabled(if: isThere, "the prototype or a C compiler is missing"),
      arguments: ["drive-munich-1hz", "drive-mtv", "run-washington"])
    func agrees(name: String) throws {
      let track = try SimulatedProvider.GPXTrack(contentsOf: Self.shared.appending(path: "traces/tracks/\(name).gpx"))
      let folder = FileManager.default.temporaryDirectory.appending(path: "look-prototype-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let program = try Self.compile(in: folder)
      let seconds = try Self.write(track.route, to: folder.appending(path: "track"))
      for bound in [200.0, 500, 1_000] {
        let trace = try Self.run(program, folder.appending(path: "track"), bound)
        let replay = Replay(trace, bound: bound)
        #expect(replay.seconds == seconds)
        #expect(replay.looks > 2 && replay.fixes > 2, "at \(bound) m")
        #expect(replay.differences.isEmpty, "at \(bound) m: \(replay.differences.prefix(5))")
      }
    }

    /// Compiles the prototype into a program that prints its decisions.
    private static func compile(in folder: URL) throws -> URL {
      var source = try String(contentsOf: prototype, encoding: .utf8)
      for call in ["lookSecond", "lookFix", "lookFail"] { source.replace("\(call)(&k,", with: "traced_\(call)(&k,") }
      source.replace("// ---------- simulation\n", with: tracing)
      // As in the planner, a new cell counts once the error may be half the bound, also in a vehicle.
      let guardOfCells = "q[GAMMA]<9&&D>=q[GAMMA]*X"
      try #require(source.contains(guardOfCells))
      source.replace(guardOfCells, with: "q[GAMMA]<9&&D>=.5*X")
      source = "#include <stdio.h>\n" + source + program
      let file = folder.appending(path: "prototype.c")
      try source.write(to: file, atomically: true, encoding: .utf8)
      let program = folder.appending(path: "prototype")
      let status = try execute(
        URL(filePath: compiler ?? ""), ["-O2", "-w", "-o", program.path, file.path, "-lm"], nil
      ).status
      try #require(status == 0, "the prototype compiles")
      return program
    }

    private static func run(_ program: URL, _ track: URL, _ bound: Double) throws -> [Substring] {
      let (status, output) = try execute(program, ["\(bound)"], track)
      try #require(status == 0, "the prototype runs")
      return output.split(separator: "\n")
    }

    private static func execute(_ program: URL, _ arguments: [String], _ input: URL?) throws -> (status: Int32, String)
    {
      let process = Process()
      process.executableURL = program
      process.arguments = arguments
      if let input { process.standardInput = try FileHandle(forReadingFrom: input) }
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      let data = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }

    /// Writes the position in metres, the speed and the reception of each second. Returns the number of seconds.
    private static func write(_ route: SimulatedProvider.Route, to file: URL) throws -> Int {
      let seconds = Int(min(route.duration.inSeconds, 20_000))
      let origin = route.points[0]
      let east = 111_195 * cos(origin.latitude * .pi / 180)
      let lines = (0..<seconds).map { second in
        let (time, point) = (Double(second), route.position(at: Double(second)))
        let (x, y) = ((point.longitude - origin.longitude) * east, (point.latitude - origin.latitude) * 111_195)
        return "\(x) \(y) \(route.velocity(at: time).speed) \(route.hasSky(at: time) ? 1 : 0)"
      }
      try "\(seconds)\n\(lines.joined(separator: "\n"))\n".write(to: file, atomically: true, encoding: .utf8)
      return seconds
    }

    private static let tracing = """
      static int traced_lookSecond(Look*k,const double*q,int t,int mot,int cell,int cellEv,int slc,int region){
        int w=lookSecond(k,q,t,mot,cell,cellEv,slc,region);printf("S %d %d %d %d %d\\n",t,mot,cell,slc,w);return w;}
      static void traced_lookFix(Look*k,const double*q,Fix R,int cell,int mot,double took){
        lookFix(k,q,R,cell,mot,took);printf("F %d %.17g %.17g %.17g %.17g %.17g %d\\n",R.t,R.x,R.y,R.a,R.v,took,k->state);}
      static void traced_lookFail(Look*k,const double*q,int t,int cell){
        lookFail(k,q,t,cell);printf("N %d %d\\n",t,k->state);}

      """

    /// The motion follows from the speed at each second. The cells are the prototype's. By Apple's rule, a significant change is a new cell
    /// at least 500 m from the place of the last change, and at least five minutes after it. The start counts as a change.
    private static let program = """

      int main(int c,char**a){
        int n;if(scanf("%d",&n)!=1)return 1;
        double*x=calloc(n,8),*y=calloc(n,8),*v=calloc(n,8);u8*sky=calloc(n,1),*mot=calloc(n,1),*slc=calloc(n,1),*on=calloc(n,1);
        int32_t*cell=calloc(n,4),*fixT=calloc(n,4);float*err=calloc(n,4);
        for(int t=0;t<n;t++){int s;if(scanf("%lf %lf %lf %d",x+t,y+t,v+t,&s)!=4)return 1;sky[t]=s;mot[t]=v[t]>5.5?2:v[t]>.5;}
        double cp[]={850,3,1,6,150,1,20,.4,.015,6000,6,.3};cells(n,x,y,cp,7,cell);
        double lx=x[0],ly=y[0];int lt=0;
        for(int t=1;t<n;t++)if(cell[t]!=cell[t-1]&&t-lt>=300&&hypot(x[t]-lx,y[t]-ly)>=500){slc[t]=1;lx=x[t];ly=y[t];lt=t;}
        double rx[]={2.5,.35,8,.4,15,.4,7200,30,.5,4,5,30,0},rg[]={100,.4,50,.7,.05},stat[7];
        double q[NQ]={0};q[X_]=atof(a[1]);q[DES]=3;q[ACC]=.25;q[TAU]=30;q[BETA]=.85;q[WT]=120;q[GAMMA]=.5;q[RING]=8;q[HMAX]=1e9;q[UMIN]=1.2;
        q[U0]=5;q[UVEH]=8;q[SENSOR]=1;q[TIMERS]=1;q[RSLC]=1;q[RCELL]=1;q[QUIET]=180;q[RDISP]=30;q[RLOOKS]=2;q[RBASE]=120;q[RMAX]=900;
        q[MREST]=60;q[LEAK]=4;q[BASE]=60;q[BMAX]=3600;q[CAPH]=8;q[CAPW]=25;q[CAPC]=45;q[CAPB]=6;q[STAY]=6;q[GMIN]=20;q[LEAD]=1;q[HMEM]=40;
        q[LBMAX]=1.3;q[BGROW]=2;
        sim(n,x,y,v,sky,mot,cell,slc,rx,rg,3,q,1,on,err,fixT,n,stat);return 0;}
      """
  }

  /// Passes the prototype's inputs to a planner, and compares the decisions.
  private struct Replay {
    private(set) var seconds = 0
    private(set) var looks = 0
    private(set) var fixes = 0
    private(set) var differences: [String] = []

    private var planner: LookPlanner
    private var lookBegan: Int?
    private var isStaying = false

    init(_ trace: [Substring], bound: Double) {
      planner = LookPlanner(
        settings: LookSettings(bound: bound, sources: [.significantChange, .cell, .motion, .timer]),
        at: .zero)
      // The prototype's mean duration of a look ignores the long ones.
      planner.settings.isAssisted = true
      for line in trace {
        let values = line.split(separator: " ").dropFirst().map { Double($0) ?? .nan }
        switch line.first {
        case "S": second(values.map { Int($0) })
        case "F": fix(values)
        default: noFix(values.map { Int($0) })
        }
      }
    }

    private mutating func second(_ values: [Int]) {
      let (time, motion, cell, isChange, isLook) = (values[0], values[1], values[2], values[3] == 1, values[4] == 1)
      seconds += 1
      planner.motionDidChange(to: [.still, .walking, .vehicle][motion])
      planner.count(to: .seconds(time + 1))
      planner.enter("\(cell)", because: .cell)
      let looksForChange = isChange && planner.looksAtSignificantChange
      let looks = planner.due(at: .seconds(time + 1)) != nil || looksForChange
      guard lookBegan == nil, !isStaying else { return }
      if looks != isLook {
        differences.append("second \(time): \(looks ? "only the planner" : "only the prototype") looks")
      }
      guard isLook else { return }
      self.looks += 1
      lookBegan = time
    }

    private mutating func fix(_ values: [Double]) {
      fixes += 1
      let took = values[5]
      if (took == 0) != isStaying { differences.append("second \(values[0]): only one side keeps the receiver on") }
      // At the equator, where degrees of latitude and of longitude have the same length.
      let location = Location(
        latitude: values[2] / 111_195.08, longitude: values[1] / 111_195.08, horizontalAccuracy: values[3],
        speed: values[4],
        timestamp: Date(timeIntervalSinceReferenceDate: values[0]))
      planner.find(location, after: took == 0 ? nil : .seconds(took), age: 0, isLook: true)
      compareState(values[0], Int(values[6]))
      lookBegan = nil
      isStaying = planner.staysOn
    }

    private mutating func noFix(_ values: [Int]) {
      // If the receiver stayed on, the failed look started when reception was lost.
      planner.lookDidFail(after: .seconds(values[0] - (lookBegan ?? values[0]) + 1))
      compareState(Double(values[0]), values[1])
      (lookBegan, isStaying) = (nil, false)
    }

    private mutating func compareState(_ time: Double, _ number: Int) {
      let state = LookMachine.State.allCases[number]
      if planner.state != state { differences.append("second \(time): \(planner.state), not \(state)") }
    }
  }
#endif
