/** A function of a release, with everything that a process needs to run it. */
export interface LoadedFunction {
  readonly projectId: string;
  readonly functionId: string;
  /** Its name within the project, for messages. */
  readonly name: string;
  readonly releaseId: string;
  /** SHA-256 of the code and of whatever else makes another process of it, as hex. Processes are kept by it. */
  readonly digest: string;
  /** One ES module, bundled: it imports built-in modules of Node.js alone. A file that stays, or its bytes. */
  readonly code: { readonly path: string } | { readonly bytes: Uint8Array };
  /** Memory it may use, in MiB: 128, 256 or 512. */
  readonly memoryMb: number;
  /** Longest that one call may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Variables of its environment, secrets included. Never logged. */
  readonly environment: Readonly<Record<string, string>>;
}

/** One request to a function. */
export interface FunctionCall {
  readonly requestId: string;
  readonly method: string;
  /** The whole public URL, with its query. */
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** At most 6 MiB. */
  readonly body?: Uint8Array | undefined;
  /** When the answer has to be complete, as milliseconds since 1970. @default now and the function's own time */
  readonly deadline?: number | undefined;
  /** Gives the call up: a call that has begun ends its process when it is the only one there. */
  readonly signal?: AbortSignal | undefined;
}

/** The status and headers of an answer are there; its body follows. */
export interface FunctionAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** In pieces as the function makes them, 6 MiB at most. Reading it may throw a FunctionFailureError. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Why a call has no answer, or the answer no end. */
export type FunctionFailure =
  /** It took longer than it may. Its process was ended. */
  | { readonly kind: 'timeout'; readonly timeoutMs: number }
  /** The handler threw, or rejected: the process lives on. */
  | { readonly kind: 'threw'; readonly error: FunctionError }
  /** The process ended: by itself, by an error outside of a handler, or because it broke the rules of its box. */
  | { readonly kind: 'crashed'; readonly reason: string; readonly error?: FunctionError | undefined }
  | { readonly kind: 'out_of_memory'; readonly memoryMb: number }
  /** The module could not be loaded, has no handler, or took too long to start. */
  | { readonly kind: 'load_failed'; readonly reason: string; readonly error?: FunctionError | undefined }
  /** A body or the headers are larger than they may be. */
  | { readonly kind: 'too_large'; readonly part: 'request' | 'response'; readonly bytesMax: number }
  /** Too many calls or processes: it was never begun, and may be tried again. */
  | { readonly kind: 'busy'; readonly reason: string }
  /** Its caller gave it up, or the runner closes. */
  | { readonly kind: 'cancelled' };

/** An error of a function's own code, as its process told it: untrusted text, bounded. */
export interface FunctionError {
  readonly name: string;
  readonly message: string;
  /** Up to 8 KiB. */
  readonly stack: string;
}

/** A call that came to nothing. */
export class FunctionFailureError extends Error {
  override readonly name = 'FunctionFailureError';
  readonly failure: FunctionFailure;

  constructor(failure: FunctionFailure) {
    super(`The function failed: ${failure.kind}.`);
    this.failure = failure;
  }
}

/** A line that a function printed. */
export interface FunctionLogLine {
  readonly projectId: string;
  readonly functionId: string;
  readonly releaseId: string;
  /** Undefined for what it printed outside of any call, while it loaded for instance. */
  readonly requestId: string | undefined;
  readonly stream: 'stdout' | 'stderr';
  readonly at: Date;
  /** At most 16 KiB, without its line end. */
  readonly text: string;
}

/** What a runner tells of by itself. Neither may throw. */
export interface RunnerEvents {
  readonly onLog: (line: FunctionLogLine) => void;
  /** A process ended by a fault while it had no call, so that no caller was told. */
  readonly onFailure: (fn: LoadedFunction, failure: FunctionFailure) => void;
}

export interface RunnerStats {
  /** How strong the walls are. */
  readonly rung: 'namespaces' | 'worker' | 'process';
  /** Processes that wait for a function. */
  readonly prewarmed: number;
  /** Processes of functions. */
  readonly processes: number;
  /** Of these, processes without a call. */
  readonly idle: number;
  readonly callsRunning: number;
  readonly memoryMb: number;
  readonly startsFromPool: number;
  readonly startsWithoutPool: number;
  readonly kills: number;
  /** Connections to other servers, and those that were refused, by project, since the start. */
  readonly egress: ReadonlyMap<string, { readonly opened: number; readonly refused: number }>;
}

/** Runs functions: on this machine, or on others behind the same methods. */
export interface Runner {
  /**
   * Starts a process for a function, unless it has one, and waits until its module is loaded.
   *
   * @throws FunctionFailureError
   */
  readonly load: (fn: LoadedFunction) => Promise<void>;
  /**
   * Calls a function, in a process that it has or gets.
   *
   * @throws FunctionFailureError
   */
  readonly call: (fn: LoadedFunction, call: FunctionCall) => Promise<FunctionAnswer>;
  /** Ends all processes of a project, or of one of its functions or releases. Their calls fail as cancelled. */
  readonly kill: (which: {
    readonly projectId: string;
    readonly functionId?: string | undefined;
    readonly releaseId?: string | undefined;
  }) => Promise<void>;
  readonly stats: () => RunnerStats;
  readonly close: () => Promise<void>;
}
