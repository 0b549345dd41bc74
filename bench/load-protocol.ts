export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** What it is answered with when all is well, the same for all of a list. @default any 2xx */
  readonly expected?: number;
}

export interface LoadCommand {
  readonly url: string;
  readonly requests: readonly HttpRequest[];
  readonly connections: number;
  readonly seconds: number;
  /** Whether answers are read no further than needed, since reading their headers would be what is measured. */
  readonly thin?: boolean;
}

export interface LoadAnswer {
  readonly answered: number;
  readonly seconds: number;
  /** Answers other than the expected ones, time-outs and broken connections. */
  readonly failed: number;
  readonly p50: number;
  readonly p99: number;
}
