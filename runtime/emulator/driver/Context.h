//===- Context.h - The state of one device ----------------------*- C++ -*-===//

#ifndef GRAPHRT_EMULATOR_DRIVER_CONTEXT_H
#define GRAPHRT_EMULATOR_DRIVER_CONTEXT_H

#include "Architecture.h"
#include "Graph.h"
#include "Handles.h"
#include "Memory.h"
#include "Module.h"
#include "Report.h"
#include "Scheduler.h"
#include "Stream.h"
#include "Works.h"

namespace graphrt::driver {

/// The primary context of a device: its memory, its queued work, and whatever
/// the application created. Not thread-safe.
class Context {
public:
  /// `number` differs from that of every other context of the process.
  static Result<std::unique_ptr<Context>>
  create(const Options &options, int device, uint64_t number, Report &report);

  // Streams (Stream.cpp).

  /// The stream behind a handle; null is the default stream.
  Result<Stream *> findStream(CUstream handle);
  CUstream createStream(bool isBlocking);
  /// Lets work that is queued go on.
  Outcome destroyStream(CUstream handle);
  /// Queues `work`, or records it if the stream is capturing.
  Outcome submit(Stream &stream, WorkRef work);
  /// Queues `work` and runs it at once.
  Outcome submitAndFinish(Stream &stream, WorkRef work);
  Outcome synchronize(Stream &stream);
  /// Runs all that is queued.
  Outcome synchronizeAll();

  // Events (Event.cpp).

  CUevent createEvent(bool hasTiming);
  Outcome record(Event &event, Stream &stream);
  /// Lets the work that `stream` gets from now on come after `event`'s record.
  Outcome wait(Stream &stream, Event &event);
  Outcome synchronize(Event &event);
  /// The milliseconds from one record to another; both must be over.
  Result<float> elapsed(const Event &start, const Event &end);

  // Capture and graphs (Capture.cpp).

  Outcome beginCapture(Stream &stream, CUstreamCaptureMode mode);
  Result<std::shared_ptr<Graph>> endCapture(Stream &stream);
  CUgraphExec instantiate(const Graph &graph) {
    return graphExecs.add(std::make_shared<GraphExec>(graph, scheduler));
  }
  Outcome launch(GraphExec &graph, Stream &stream);
  /// Fails, and spoils the capture, if `stream` is capturing; `what` is not
  /// possible then.
  Outcome forbidCapture(Stream &stream, const char *what);
  /// Fails, and spoils them, if there are captures whose mode forbids this
  /// thread to do `what`.
  Outcome forbidCaptures(const char *what);

  /// Ends a module: what still runs its kernels fails.
  void unload(LoadedModule &module);

  // Memory and the order of streams (Allocation.cpp).

  Result<uint64_t> allocate(uint64_t bytes);
  Result<uint64_t> allocateAsync(uint64_t bytes, Stream &stream);
  Outcome freeAsync(uint64_t address, Stream &stream);
  Outcome free(uint64_t address);
  Outcome freeHost(void *address);

  /// The fault after which the context is lost, or null.
  Fault *lost() { return fault ? &*fault : nullptr; }

  KernelWork::Environment environment() {
    return {*memory, report, launchOptions};
  }

  const Architecture &architecture;
  const int device;
  std::unique_ptr<Memory> memory;
  HandleTable<CUmodule, LoadedModule> modules;
  HandleTable<CUfunction, LoadedFunction> functions;
  HandleTable<CUstream, Stream> streams;
  HandleTable<CUevent, Event> events;
  HandleTable<CUgraph, Graph> graphs;
  HandleTable<CUgraphExec, GraphExec> graphExecs;

private:
  Context(const Options &options, int device, uint64_t number, Report &report);

  /// Does an operation's work and looks for races.
  Outcome execute(Operation &operation);
  Outcome checkRaces(const Operation &operation, const Accesses &accesses);
  Outcome checkRace(const Operation &operation, ByteRange range, bool isWrite);
  /// Remembers a failure of queued work: from now on, all calls fail with it.
  Outcome keepFault(Outcome outcome);
  /// What work of `stream` waits for besides the stream itself.
  std::vector<OperationRef> implicitPredecessors(const Stream &stream);
  Outcome capture(Stream &stream, WorkRef work);
  Outcome joinCapture(Stream &stream, const Event &event);
  /// Fails with `code`, and makes the capture fail, for `what` it met.
  Outcome spoil(Capture &capture, CUresult code, const std::string &what);
  Outcome checkCapture(const Capture &capture);
  Outcome forbidImplicitWait(const Stream &stream);
  Outcome forbidCaptured(const Event &event);
  void forgetIfQuiet();

  Report &report;
  exec::Options launchOptions;
  Scheduler scheduler;
  AccessHistory history;
  Stream defaultStream;
  unsigned streamCount = 0;
  unsigned eventCount = 0;
  std::vector<std::weak_ptr<Capture>> captures;
  std::optional<Fault> fault;
};

} // namespace graphrt::driver

#endif // GRAPHRT_EMULATOR_DRIVER_CONTEXT_H
