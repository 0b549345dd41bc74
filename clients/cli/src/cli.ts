/**
 * The process that a command runs in: its streams, environment and directories. Tests and the MCP bridge pass another
 * one.
 */
export interface Cli {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: Writer;
  readonly stderr: Writer;
  readonly version: string;
  /** Aborted when the process receives a signal to end. */
  readonly signal: AbortSignal;
  /** Whether results are for people: by flag, else `SVC_OUTPUT`, else whether standard output is a terminal. */
  readonly human: boolean;
  /** `--wallet`. */
  readonly wallet?: string | undefined;
  /** `--api-base`. */
  readonly apiBase?: string | undefined;
}

export interface Writer {
  readonly write: (text: string) => unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}
